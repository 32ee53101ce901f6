"""The bandwidth of a link between clusters, from the bodies that come over it.

Slow start makes the first part of a body slow, on an idle connection too if the other host has
net.ipv4.tcp_slow_start_after_idle = 1, which no one here can know. So only the second half of a
body counts, from the first piece after the middle to the last piece, and it is a sample if

    OPENED x rate x rtt <= size     slow start was over (dispatch/cost.py). If it was not, the rate
                                of the second half is that of a window that has become larger than
                                this part of the body, and the condition does not hold
    OPENED x B x rtt <= size    likewise at the bandwidth B that is forecast. Of bodies too short to
                                show B, only those that something else has held up would count, and
                                B would sink: to 3 Mbit/s, of a link of 100 and 30 ms, by bodies of
                                100 kB. If the link itself gets slower, a larger body shows it, or
                                the agent's next probe
    waited >= elapsed / 4       this proxy has waited for the link. If the client is slower than the
                                link, all pieces are here when they are asked for
"""
from swift_lb.dispatch.cost import OPENED

SMALLEST = 1 << 16      # bytes
WAITED = 4


def smallest(link):
    """Return the bytes of the smallest body that can show the bandwidth of a ClusterLink."""
    return max(SMALLEST, OPENED * (link.bandwidth or 0.0) * link.rtt)


def measured(pieces, size, rtt, clock, note):
    """Yield the `pieces` of a body of `size` bytes; pass (bytes, seconds) of a sample to `note`.

    `rtt` is the round trip of the link in seconds; `clock()` returns seconds.
    """
    came = counted = 0
    since = waited = 0.0
    asked = clock()
    for piece in pieces:
        now = clock()
        if counted:
            waited += now - asked
        came += len(piece)
        if not counted and 2 * came >= size:
            counted, since = came, now
        last = now
        yield piece
        asked = clock()
    if not counted:
        return
    elapsed, part = last - since, came - counted
    if part and elapsed > 0 and WAITED * waited >= elapsed and (
            OPENED * rtt * part / elapsed <= size):
        note(part, elapsed)
