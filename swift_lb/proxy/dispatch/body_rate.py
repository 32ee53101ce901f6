"""The bandwidth of a link between clusters, from the bodies that come over it.

Slow start makes the first part of a body slow, on an idle connection too if the other host has
net.ipv4.tcp_slow_start_after_idle = 1, which no one here can know. So only the second half of a
body counts, from the first piece after the middle to the last piece, and it is a sample if

    rate x rtt <= size / 5      slow start was over: it lasts until 2 x rate x rtt bytes (g = 1.5,
                                dispatch/cost.py), which is less than the first half. If it was not
                                over, the rate of the second half is that of a window that has
                                become larger than a fifth of the body, and this does not hold
    waited >= elapsed / 4       this proxy has waited for the link. If the client is slower than the
                                link, all pieces are here when they are asked for
"""
SMALLEST = 1 << 16      # bytes
SLOW_START, WAITED = 5, 4


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
            part / elapsed * rtt <= size / SLOW_START):
        note(part, elapsed)
