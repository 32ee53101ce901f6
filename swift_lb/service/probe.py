"""Measures the bandwidth of the link from another cluster, by a body from one of its proxies.

The second half of the body is timed. It shows the bandwidth B if slow start was over by then, that
is, if the body has OPENED x B x R bytes or more (dispatch/cost.py), R being the round trip. If it
had fewer by the rate that was found, a larger body is asked for on the same connection, up to
MOST_BYTES. The 64 KiB of the Network Weather Service would show a third of a link of 20 Mbit/s and
80 ms, since TCP's window opens no further for so few bytes.
"""
import io
import math
import secrets
from http.client import HTTPConnection, HTTPException

from swift_lb.clock import monotonic
from swift_lb.dispatch.cost import OPENED
from swift_lb.errors import WireError
from swift_lb.tls import TlsSocket
from swift_lb.wire.hop import CLUSTER_FOR, CLUSTER_HEADER, Hop, encode
from swift_lb.wire.observations import LEAST, MOST_BYTES, PROBE, PROBE_BYTES, RelayedBody
from swift_lb.wire.relay import relay_address, without_scheme

TIMEOUT = 10.0          # seconds without a byte
SPARE = 1.5             # x the bytes that the last rate needs: a larger window gives a higher rate


class ProbeConnection(HTTPConnection):
    """An HTTPConnection by TLS; its ssl.SSLContext `context` verifies the server."""

    def __init__(self, host, port, context):
        super().__init__(host, port, timeout=TIMEOUT)
        self._context = context

    def connect(self):
        """Connect, and verify the server's certificate; raises OSError."""
        super().connect()
        self.sock = ProbeSocket(self.sock, self._context, self.host)


class ProbeSocket(TlsSocket):
    """A TlsSocket with the methods that http.client calls."""

    def sendall(self, data):
        """Send all bytes of `data`; raises OSError."""
        while data:
            data = data[self.send(data):]

    def makefile(self, _mode):
        """Return a file of what the server sends, whose close() leaves the socket open."""
        return io.BufferedReader(ReceivedFile(self))


class ReceivedFile(io.RawIOBase):
    """The bytes that a TlsSocket receives, as a file."""

    def __init__(self, sock):
        self._socket = sock

    def readable(self):
        """Return True, as io.BufferedReader needs it."""
        return True

    def readinto(self, buffer):
        """Put bytes into `buffer`; return their number, 0 at the end."""
        data = self._socket.recv(len(buffer))
        buffer[:len(data)] = data
        return len(data)


def probe(due, here, key, wall, context):
    """Make the DueProbe `due`; return (its RelayedBody, all bytes that came), None if it fails.

    `here` is the name of this cluster, `key` signs the request, `wall()` returns the time of day.
    `context()` returns the ssl.SSLContext for an https relay; if it is None, the probe fails.
    """
    host, port, tls = relay_address(due.relay)
    connection = HTTPConnection(host, port, timeout=TIMEOUT)
    if tls:
        verified = context()
        if verified is None:
            return None
        connection = ProbeConnection(host, port, verified)
    size, came = min(MOST_BYTES, max(PROBE_BYTES, least_size(due.bandwidth, due.rtt))), 0
    try:
        while True:
            seconds = _ask(connection, size, without_scheme(due.relay), here, key, wall)
            came += size
            needed = least_size(size / 2 / seconds, due.rtt)
            if needed <= size or size >= MOST_BYTES:
                return RelayedBody(due.cluster, size - size // 2, seconds), came
            size = min(MOST_BYTES, max(2 * size, int(SPARE * needed)))
    except (OSError, HTTPException, WireError):
        return None
    finally:
        connection.close()


def least_size(bandwidth, rtt):
    """Return how many bytes a body must have to show `bandwidth`, bytes per second.

    `rtt` is the seconds of a round trip.
    """
    return math.ceil(OPENED * bandwidth * rtt)


def _ask(connection, size, relay, here, key, wall):
    """Return the seconds of the second half of an answer with `size` bytes, LEAST or more."""
    target = f'{PROBE}?bytes={size}'
    hop = Hop(here, relay, wall(), secrets.token_hex(8), '0.0.0.0', '', 'http', '', False)
    connection.request('GET', target, headers={
        CLUSTER_HEADER: encode(key, hop, 'GET', target, CLUSTER_FOR)})
    answer = connection.getresponse()
    if answer.status != 200 or answer.length != size:
        raise HTTPException(f'status {answer.status}')
    came = len(answer.read(size // 2))
    since = monotonic()
    came += len(answer.read())
    seconds = monotonic() - since
    if came != size:
        raise HTTPException(f'{came} of {size} bytes have come')
    return max(LEAST, seconds)
