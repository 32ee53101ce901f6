"""The idle connections of one worker to other proxies, of its cluster and of others."""
from collections import deque
from math import inf

from swift_lb.errors import PeerError
from swift_lb.proxy.dispatch.connection import PeerConnection, SilentError
from swift_lb.proxy.dispatch.tls import TlsAddress, TlsConnection

# Swift's proxies close idle connections after client_timeout, 60 s by default. A request on a
# connection that is just being closed is sent again.
IDLE = 15.0             # seconds after its last answer, within which a connection is used again
MAX_IDLE = 32               # idle connections to one peer


class Pool:
    """Keeps the idle connections of one worker for the next requests, by address."""

    def __init__(self, clock, connect_timeout):
        """`clock()` returns seconds; `connect_timeout`, in seconds, limits each new connect.

        An address is an (ip, port), or a TlsAddress.
        """
        self._clock, self._timeout = clock, connect_timeout
        self._idle = {}     # address -> deque of (connection, instant), the last used last

    def take(self, address):
        """Remove an idle connection to `address` from the pool and return it, or return None."""
        idle, oldest = self._idle.get(address), self._clock() - IDLE
        while idle:
            connection, since = _taken(idle)
            if since >= oldest and not connection.has_news:
                return connection
            connection.close()
        return None

    def idle_since(self, address):
        """Return the instant since which the last used connection to `address` is idle, or None."""
        idle = self._idle.get(address)
        return idle[-1][1] if idle else None

    def idle_window(self, address):
        """Return the bytes of the largest window of an idle connection, 0 without one."""
        idle = self._idle.get(address)
        return max([one.window for one, _since in idle]) if idle else 0.0

    def new(self, address, source, patience=inf):
        """Return a new connection to `address` from the ip `source`; raises PeerError.

        It takes `patience` seconds at most, or the connect timeout if that is less. Only in the
        former case the error is a SilentError: no request waits longer than the latter.
        """
        kind = TlsConnection if isinstance(address, TlsAddress) else PeerConnection
        try:
            return kind(address, source, min(self._timeout, patience))
        except SilentError as err:
            if patience < self._timeout:
                raise
            raise PeerError(str(err)) from None

    def give(self, address, connection):
        """Keep a connection to `address` for the next request; close it if it is not reusable."""
        if not connection.reusable:
            connection.close()
            return
        connection.reusable = False
        idle = self._idle.setdefault(address, deque())
        idle.append((connection, self._clock()))
        if len(idle) > MAX_IDLE:
            idle.popleft()[0].close()

    def tidy(self):
        """Close the connections that have been idle for longer than IDLE seconds."""
        oldest = self._clock() - IDLE
        for address, idle in list(self._idle.items()):
            while idle and idle[0][1] < oldest:
                idle.popleft()[0].close()
            if not idle:
                del self._idle[address]


def _taken(idle):
    """Remove from a deque of (connection, instant) that with the largest window, and return it.

    Of equal ones it is the last used. While the connection that large bodies have come over is
    busy, others are made, which must not take its place when it is idle again.
    """
    place = max(range(len(idle)), key=lambda number: (idle[number][0].window, number))
    taken = idle[place]
    del idle[place]
    return taken
