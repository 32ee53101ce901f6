"""The HTTP client of one worker: one connection to each server, opened when it is needed."""
import asyncio
import functools
import ssl
from ipaddress import IPv6Address
from urllib.parse import quote, urlsplit

from swift_lb.workload.connection import Connection
from swift_lb.workload.failure import BrokenError, OperationError, reason_of

PORTS = {'http': 80, 'https': 443}


class ServerUrl:
    """The scheme, host and port of a URL, and the path to prepend to requests."""

    def __init__(self, url):
        """Parse `url`; raises OperationError unless it is http or https."""
        try:
            split = urlsplit(url)
            self.host, port = split.hostname, split.port
            (self.host or '').encode('idna')    # raises for an empty label, as sockets would
            if '[' in split.netloc:
                IPv6Address(self.host)          # urlsplit of Python 3.10 does not verify it
        except ValueError:
            raise OperationError(f'not a URL: {url}') from None
        name = split.netloc.rpartition('@')[2]
        if split.scheme not in PORTS or not self.host or not name.isascii() or ' ' in name:
            raise OperationError(f'not a URL: {url}')
        self.secure, self.port = split.scheme == 'https', port or PORTS[split.scheme]
        self.path = quote(split.path, safe='/%')
        self.query = f'?{split.query}' if split.query else ''
        self.name = name

    @property
    def key(self):
        """Return (whether TLS is used, host, port), the key by which connections are kept."""
        return self.secure, self.host, self.port


def header(name, value):
    """Return a header line with its line end; raises OperationError for an unprintable `value`."""
    if not value.isprintable():
        raise OperationError(f'{name} has characters that no header can have')
    return f'{name}: {value}\r\n'


@functools.lru_cache
def tls_context(cacert=None, insecure=False):
    """Return an ssl.SSLContext that trusts the system's authorities, or those in the file `cacert`.

    With `insecure` no certificate is verified. All workers share one context, because each holds a
    copy of the authorities, half a megabyte. Raises OperationError if the file cannot be used.
    """
    try:
        context = ssl.create_default_context(cafile=cacert)
    except (OSError, ssl.SSLError) as err:
        raise OperationError(f'cacert {cacert}: {err.strerror or err}') from None
    if insecure:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


class Client:
    """Sends requests, one at a time; reopens a connection that the server has closed.

    `timeout` is the limit, in seconds, for connecting and for silence of the server; `tls` is an
    ssl.SSLContext, or None for the default one.
    """

    def __init__(self, timeout, tls=None):
        self._timeout, self._tls, self._connections = timeout, tls, {}
        self._resent = 0

    async def request(self, server, method, head, body=None, each=None):
        """Send a request to `server`, a ServerUrl; return the Response, as Connection.request does.

        `method`, `head` and `each` are passed on to it; `body()` returns the body, anew for each
        attempt. The server may have closed a kept connection just before the request. A request
        without a byte of a response is therefore sent once more, on a new connection, and counted
        as resent (RFC 9110, 9.2.2: all requests here are idempotent).
        """
        try:
            for _attempt in range(2):
                connection = self._connections.get(server.key)
                if connection is None or not connection.open:
                    connection = await self._connect(server)
                try:
                    return await connection.request(method, head, body() if body else b'', each)
                except BrokenError as err:
                    if not err.stale:
                        raise
                    self._resent += 1
            raise OperationError('connection closed without an answer')
        except OperationError:
            raise
        except Exception as err:
            raise OperationError(reason_of(err)) from err

    def take_resent(self):
        """Return the number of requests sent twice since the last call of this method."""
        resent, self._resent = self._resent, 0
        return resent

    async def _connect(self, server):
        loop = asyncio.get_running_loop()
        tls = (self._tls or tls_context()) if server.secure else None
        _transport, connection = await asyncio.wait_for(loop.create_connection(
            lambda: Connection(loop, self._timeout), server.host, server.port, ssl=tls),
            self._timeout)
        self._connections[server.key] = connection
        return connection

    def close(self):
        """Close all connections."""
        for connection in self._connections.values():
            connection.abort()
        self._connections.clear()
