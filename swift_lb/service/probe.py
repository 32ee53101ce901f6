"""Measure the bandwidth of the link from another cluster, by PROBE_BYTES from one of its proxies.

A probe is two requests on a connection. The answer to the first opens the window of TCP, so that
the second one comes as quickly as the link allows; of it the part after SKIPPED bytes, which are
read with the head, and before the last SKIPPED, which may wait for this host's window, is timed.
"""
import io
import secrets
from http.client import HTTPConnection, HTTPException

from swift_lb.clock import monotonic
from swift_lb.errors import WireError
from swift_lb.service.cluster_forecasts import PROBES
from swift_lb.tls import TlsSocket
from swift_lb.wire.hop import CLUSTER_FOR, CLUSTER_HEADER, Hop, encode
from swift_lb.wire.observations import LEAST, PROBE, PROBE_BYTES, RelayedBody
from swift_lb.wire.relay import relay_address, without_scheme

TIMEOUT = 10.0          # seconds without a byte
SKIPPED = PROBE_BYTES // 4


class ProbeConnection(HTTPConnection):
    """A connection of http.client by TLS; `context` is an ssl.SSLContext."""

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
        """Return a file of what the server sends; to close it does not close the socket."""
        return io.BufferedReader(ReceivedFile(self))


class ReceivedFile(io.RawIOBase):
    """The bytes that a TlsSocket receives, as a file."""

    def __init__(self, sock):
        self._socket = sock

    def readable(self):
        """Return True."""
        return True

    def readinto(self, buffer):
        """Put bytes into `buffer`; return their number, 0 at the end."""
        data = self._socket.recv(len(buffer))
        buffer[:len(data)] = data
        return len(data)


def probe(relay, cluster, here, key, wall, context):
    """Return the RelayedBody of a probe of `relay`, a text, in `cluster`; None if it fails.

    `here` is the name of this cluster, `key` signs, `wall()` is the time of day, `context()`
    returns the ssl.SSLContext for an https relay, or None: then the probe fails.
    """
    host, port, tls = relay_address(relay)
    connection = HTTPConnection(host, port, timeout=TIMEOUT)
    if tls:
        verified = context()
        if verified is None:
            return None
        connection = ProbeConnection(host, port, verified)
    relay = without_scheme(relay)
    try:
        for _number in range(PROBES):
            seconds = _ask(connection, relay, here, key, wall)
    except (OSError, HTTPException, WireError):
        return None
    finally:
        connection.close()
    return None if seconds is None else RelayedBody(
        cluster, PROBE_BYTES - 2 * SKIPPED, max(LEAST, seconds))


def _ask(connection, relay, here, key, wall):
    """Return the seconds of the middle of an answer; None for one that is no probe's."""
    hop = Hop(here, relay, wall(), secrets.token_hex(8), '0.0.0.0', '', 'http', '', False)
    connection.request('GET', PROBE, headers={
        CLUSTER_HEADER: encode(key, hop, 'GET', PROBE, CLUSTER_FOR)})
    answer = connection.getresponse()
    if answer.status != 200 or answer.length != PROBE_BYTES:
        raise HTTPException(f'status {answer.status}')
    answer.read(SKIPPED)
    since = monotonic()
    middle = answer.read(PROBE_BYTES - 2 * SKIPPED)
    seconds = monotonic() - since
    answer.read()
    return seconds if len(middle) == PROBE_BYTES - 2 * SKIPPED else None
