"""Whether the proxies can be connected to at the addresses that clients are told.

Answers do not depend on it. What is tried is the way from this host, which is not the way of
clients: behind a router that does not lead back in, or a firewall, it may fail where theirs does
not, and the other way round. Whether a proxy serves is told by its own node's agent.
"""
import os
import socket

from swift_lb.concurrency import Timeout, spawn

TIMEOUT = 2.0       # seconds
AT_ONCE = 50        # connections; a thousand addresses then take 40 s if none of them answers
EVERY = 60.0        # seconds between two tries
# Likewise, for the first TRIES rounds with a failure: the proxies of a host may still be starting.
SOON, TRIES = 1.0, 10
AGAIN = 5.0         # likewise, after these


class Reach:
    """What the last tries have shown."""

    def __init__(self, proxies, port):
        """`proxies` are {node: (IPv4 or None, IPv6 or None)}; nothing is tried on port 0."""
        self.port = port
        self._wanted = [(node, address) for node, addresses in proxies.items()
                        for address in addresses if address] if port else []
        self._found = {}        # (node, address) -> why it can not be reached, or None
        self._failing = 0       # looks in a row of which one failed

    def look(self):
        """Try each address once, waiting for the answers; return the seconds until the next time.
        """
        for begin in range(0, len(self._wanted), AT_ONCE):
            some = self._wanted[begin:begin + AT_ONCE]
            tries = [spawn(fault, address, self.port) for _node, address in some]
            for place, one in zip(some, tries, strict=True):
                self._found[place] = one.wait()
        self._failing = self._failing + 1 if any(self._found.values()) else 0
        return EVERY if not self._failing else SOON if self._failing <= TRIES else AGAIN

    def of(self, node, address):
        """Return what is known of an address, to be told; null where nothing is."""
        found = self._found.get((node, address), ...)
        if found is ...:
            return {'reachable': None, 'unreachable': None}
        return {'reachable': found is None, 'unreachable': found}


def fault(ip, port):
    """Return why a connection can not be had, None if it can."""
    try:
        with Timeout(TIMEOUT):
            socket.create_connection((ip, port), TIMEOUT).close()
    except (Timeout, TimeoutError):
        return f'nothing came for {TIMEOUT:g} s'
    except OSError as err:
        return os.strerror(err.errno) if err.errno else str(err)    # strerror is ECONNREFUSED here
    return None
