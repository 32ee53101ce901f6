"""The ways to clients, as the kernel has measured them for their connections (TCP_INFO).

A client's connection is asked when the body of an answer has ended, up to SAMPLES times a second:

    rtt         tcpi_min_rtt, the least round trip lately: the smoothed one includes the queue that
                this very answer has made
    bandwidth   tcpi_delivery_rate, if the connection has carried FROM bytes or more, and the rate
                was not limited by what Swift had to send, or FROM bytes of this very answer have
                come: a near client takes all that Swift has. Then, and while slow start lasts, it
                is a lower bound
    window      tcpi_snd_cwnd x tcpi_snd_mss, of this connection only: a new one has ten segments
    pace        tcpi_pacing_rate, of this connection only, if it is the rate at which the kernel
                sends: with BBR. Of other algorithms it would be that only with the qdisc fq

Requests that came from a peer or another cluster are left out: their connections lead to these.
"""
import fcntl
import functools
import math
import socket
import struct
import termios
from contextlib import suppress

from swift_lb.dispatch.cost import WARM, Way, seconds_to_send
from swift_lb.dispatch.networks import NetworkPaths, network_of
from swift_lb.proxy.guard import fails_open
from swift_lb.proxy.requests import CountedBody
from swift_lb.wire.observations import SeenPath

SAMPLES = 50            # a second and worker, of some 5 us each
FROM = 1 << 16          # bytes
MICRO = 1e-6
# struct tcp_info of Linux 4.9 and later: the bit tcpi_delivery_rate_app_limited, tcpi_snd_mss in
# bytes, tcpi_snd_cwnd in segments, tcpi_pacing_rate in bytes per second, tcpi_bytes_acked,
# tcpi_min_rtt in microseconds, tcpi_delivery_rate in bytes per second.
TCP_INFO = struct.Struct('=7xB8xI60xI20xQ8xQ20xI8xQ')
PACING = b'bbr'         # with which the names of algorithms begin that pace by themselves
LIMITED = 1
NO_RTT = 0xFFFFFFFF


class ClientPaths:
    """Samples the connections of a worker's clients; `paths` are NetworkPaths of these."""

    def __init__(self, clock, fall_back):
        """`clock()` returns seconds; `fall_back(component)` reports a component that has failed."""
        self.paths, self.fall_back = NetworkPaths(), fall_back
        self._clock, self._left = clock, 0

    def renew(self):
        """Allow SAMPLES more samples; before the first call, none is taken."""
        self._left = SAMPLES

    def watched(self, source, env, body):
        """Return the `body` of the answer to a client's request; at its end a sample is taken.

        `source` is the `wsgi.input` of the request as it came.
        """
        if self._left <= 0:
            return body
        connection, client = socket_of(source), env.get('REMOTE_ADDR', '')
        if connection is None:
            return body
        self._left -= 1
        if hasattr(body, '__len__'):    # the whole body, which is not sent yet
            self._sample(connection, client)
            return body
        before = carried_by(connection)
        return CountedBody(body, lambda: self._sample(connection, client, before))

    @fails_open('client paths')
    def _sample(self, connection, client, before=None):
        network, path = network_of(client), path_of(connection, before)
        if network is not None and path is not None:
            self.paths.add(SeenPath(network, 1.0, *path[:2]), self._clock())


def socket_of(source):
    """Return the socket of a client from the `wsgi.input` of its request, None if it is unknown."""
    while hasattr(source, 'wsgi_input'):        # a wrapper of Swift, such as proxy-logging's
        source = source.wsgi_input
    get_socket = getattr(source, 'get_socket', None)    # of eventlet's server
    return get_socket and get_socket()


def path_of(connection, before=None):
    """Return (rtt in seconds, bytes per second or None, window, pace) of a TCP socket, or None.

    The last two are fields of a Way. None if the kernel does not know the socket's way. `before` is
    carried_by() before an answer that has ended, None if there was none.
    """
    info = info_of(connection)
    if info is None or info[5] in (0, NO_RTT):
        return None
    flags, segment, segments, pace, carried, rtt, rate = info
    known = rate and carried >= FROM and (
        not flags & LIMITED or (before is not None and carried - before >= FROM))
    return (rtt * MICRO, float(rate) if known else None, float(segment * segments),
            float(pace) if pace and are_paced() else math.inf)


@functools.cache
def are_paced():
    """Return whether new TCP connections of this process are paced by their algorithm."""
    with suppress(OSError), socket.socket() as new:     # a kernel may not tell
        return new.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).startswith(PACING)
    return False


def carried_by(connection):
    """Return the bytes that the peer of a TCP socket has acknowledged, None if unknown."""
    info = info_of(connection)
    return info and info[4]


def info_of(connection):
    """Return the fields of TCP_INFO of a socket, None if unknown."""
    try:
        info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO.size)
    except OSError:     # a closed connection, or another kind of socket
        return None
    return TCP_INFO.unpack(info) if len(info) == TCP_INFO.size else None    # an older kernel


def seconds_left(connection):
    """Return the seconds until a client has what was written to its TCP socket; 0.0 if unknown.

    By the bytes that the kernel still has, and the way to the client. Half a round trip is left
    out.
    """
    path = path_of(connection)
    if path is None:
        return 0.0
    left, = struct.unpack('i', fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4)))
    return seconds_to_send(left, Way(path[0], path[1] or math.inf), WARM)
