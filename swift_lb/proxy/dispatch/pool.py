"""Connections to peers that are kept for the next request.

A connection is used again at most IDLE seconds after its last answer. Swift's proxies close theirs
after client_timeout, 60 s by default; who sends on one that is about to be closed sends again.
"""
from collections import deque

from swift_lb.proxy.dispatch.connection import PeerConnection

IDLE = 15.0     # seconds
KEPT = 32       # of one peer


class Pool:
    """The idle connections of one worker."""

    def __init__(self, clock, connect_timeout, connect=PeerConnection):
        """`connect_timeout` is in seconds."""
        self._clock, self._timeout, self._connect = clock, connect_timeout, connect
        self._idle = {}     # address -> deque of (connection, instant), the last used last

    def take(self, address):
        """Return a connection to `address` that has been used before, None if there is none."""
        idle, oldest = self._idle.get(address), self._clock() - IDLE
        while idle:
            connection, since = idle.pop()
            if since >= oldest and connection.is_quiet:
                return connection
            connection.close()
        return None

    def new(self, address, source):
        """Return a new connection to `address` from the ip `source`; raises PeerError."""
        return self._connect(address, source, self._timeout)

    def give(self, address, connection):
        """Take back a connection that is not needed any more."""
        if not connection.reusable:
            connection.close()
            return
        connection.reusable = False
        idle = self._idle.setdefault(address, deque())
        idle.append((connection, self._clock()))
        if len(idle) > KEPT:
            idle.popleft()[0].close()

    def tidy(self):
        """Close what has been idle for too long."""
        oldest = self._clock() - IDLE
        for address, idle in list(self._idle.items()):
            while idle and idle[0][1] < oldest:
                idle.popleft()[0].close()
            if not idle:
                del self._idle[address]
