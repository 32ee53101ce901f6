"""Predicted seconds of a read: served here, fetched through this cluster, or redirected. Pure.

From the decision to the last byte at the client, with

    S       bytes of the body
    s       seconds until the head, at the cluster that serves
    R, B    round trip in seconds, bytes per second: client to here (ch), here to there (hj), client
            to there (cj)
    a       round trips before a request on a new connection: 1, and 1 more with TLS 1.3
    N       seconds to send S bytes

    local           s + R_ch/2 + N(S, ch, open)
    region          s + 2 R_hj + max(N(S, hj, cold), N(S, ch, open)) + R_ch/2
                    Swift reads from the other region of its own ring, on a new connection
    fetch           R_hj (1 + a) + s + max(N(S, hj, cold), N(S, ch, open)) + R_ch/2
                    on an idle connection: a = 0, and the window that this has reached. Streamed:
                    the slower part counts, once
    redirect        R_ch/2 + a R_cj + R_cj + s + N(S, cj, cold)

    N(S, R, B)      max(S / B, (S - burst) / pace)                  if S <= w
                    max(S / B, (w - burst) / pace, (n - 1) R + (S - sent) / B)
                                                                    else: slow start, RFC 5681
        pace        bytes per second, if the kernel paces the open connection to the client, as with
                    BBR; of all others it is unknown, and no limit
        burst       BURST bytes are sent at once all the same. With BBR, bodies of 10 kB took 35 ms
                    on a connection of 200 ms and 206 kB/s, and 12.3 ms at 575 kB/s: so much
        w           WINDOW bytes (RFC 6928). On the open connection to the client it is what the
                    kernel says, or B R if that is unknown. On an idle one it begins at WINDOW, and
                    each body b of more than w/2 bytes adds (g - 1) b, up to B R: a window grows
                    only while it is in use (RFC 7661)
        n           the round after which all is sent, or the line is full:
                    the smaller of log_g(1 + S (g - 1) / w) and log_g(B R / w), rounded up
        sent        w (g^n - 1) / (g - 1), the bytes of these rounds
        g           GROWTH: receivers acknowledge every second segment

The paper's (H-SWEB, section 3), for the policy `hsweb`: a body is stored, then forwarded, and there
is no slow start; the terms of computation, t_server and t_client, are in s:

    local           s + S / B_ch
    region, fetch   s + S / B_hj + S / B_ch
    redirect        2 R_cj + s + S / B_cj
"""
import math
from bisect import bisect_left
from typing import NamedTuple

WINDOW = 14_480     # bytes: ten segments of 1448
GROWTH = 1.5
GROWN = tuple(GROWTH ** (n + 1e-9) for n in range(1, 128))      # log_g rounded up, but for noise
BURST = 2896        # bytes: two segments, which BBR sends at once at these rates
WARM = math.inf     # bytes: the window of a connection whose slow start is over
OPENED = 5          # x B x R: bytes of a body whose second half comes after slow start, since this
#                     lasts until w (g^n - 1) / (g - 1) = 2 B R bytes have been sent


class Way(NamedTuple):
    """The network between two places."""

    rtt: float          # seconds of a round trip
    bandwidth: float    # bytes per second; math.inf is no limit
    window: float = WARM    # bytes, of the connection that a read has come over; WARM if unknown
    pace: float = math.inf  # bytes per second at which the kernel sends on it


def by_way(first, second):
    """Return the Way of two in a row: the sum of their round trips, the lesser bandwidth."""
    return Way(first.rtt + second.rtt, min(first.bandwidth, second.bandwidth))


def window_after(window, size):
    """Return the bytes of the window of a connection after a body of `size` bytes.

    It was `window` before. A window of more than B R is as good as one of B R.
    """
    return window + (GROWTH - 1) * size if 2 * size > window else window


def seconds_to_send(size, way, window):
    """Return N, the seconds from the first to the last of `size` bytes at the end of a Way.

    `window` is the bytes that the connection sends at once: WINDOW on a new one, or WARM.
    """
    rtt, bandwidth, _window, _pace = way
    full, least = bandwidth * rtt, size / bandwidth
    if window > full:
        window = full
    if window < WINDOW:
        window = WINDOW
    if size <= window or not full > window:     # NaN: no delay, and no limit
        return least
    rounds = 1 + bisect_left(GROWN, min(1 + size * (GROWTH - 1) / window, full / window))
    sent = window * (GROWTH ** rounds - 1) / (GROWTH - 1)
    slow = (rounds - 1) * rtt + (size - sent) / bandwidth if size > sent else (rounds - 1) * rtt
    return slow if slow > least else least


def to_client(size, client):
    """Return N of `size` bytes over the open connection to a client, of which `client` is the Way.

    A body that fits the window needs no more arithmetic than this.
    """
    _rtt, bandwidth, window, pace = client
    if size <= window:
        seconds, paced = size / bandwidth, (size - BURST) / pace
    else:
        seconds, paced = seconds_to_send(size, client, window), (window - BURST) / pace
    return paced if paced > seconds else seconds


def local(head, client, body):
    """Return the seconds of a read here, whose head takes `head` seconds.

    `client` is the Way to the client, `body` the seconds to_client() of the body.
    """
    return head + client.rtt / 2 + body


def region(head, size, client, body, link):
    """Return the seconds of a read here of data in another region, over the Way `link`.

    The other arguments are those of fetch().
    """
    return fetch(head, size, client, body, link, window=0)      # Swift's connection is new, too


def fetch(head, size, client, body, link, window, tls=0):
    """Return the seconds of a read of `size` bytes that this proxy fetches over the Way `link`.

    `head` is the seconds until the head there, `client` the Way to the client, `body` the seconds
    to_client() of the body. `window` are the bytes of the window of an idle connection, 0 if there
    is none; `tls` are the round trips of TLS on a new one.
    """
    over_link = seconds_to_send(size, link, window)
    return (head + link.rtt * (1 if window else 2 + tls)
            + (over_link if over_link > body else body) + client.rtt / 2)


def redirect(head, size, client, direct, tls=0):
    """Return the seconds of a read that the client fetches itself, over its Way `direct`.

    `head` is the seconds until the head there, `client` the Way from here to the client, and `tls`
    are the round trips of TLS.
    """
    return (client.rtt / 2 + (1 + tls) * direct.rtt + direct.rtt + head
            + seconds_to_send(size, direct, WINDOW))


def paper_local(head, size, client):
    """Return the paper's seconds of a read of `size` bytes here; `client` is a Way."""
    return head + size / client.bandwidth


def paper_fetch(head, size, client, link):
    """Return the paper's seconds of a read whose data come over the Way `link` first.

    A proxy here fetches them from another cluster, or Swift from another region.
    """
    return head + size / link.bandwidth + size / client.bandwidth


def paper_redirect(head, size, direct):
    """Return the paper's seconds of a redirected read, over the client's Way `direct`."""
    return 2 * direct.rtt + head + size / direct.bandwidth
