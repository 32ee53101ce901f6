"""Whether this host can connect to the proxies at the addresses that DNS answers with.

Only the status and the log show it; answers do not depend on it, since the clients' path is another
one. Behind a router without hairpinning, or a firewall, this host may fail to connect where clients
succeed, and the other way round. Whether a proxy serves is reported by its own node's agent.
"""
import os
import socket

from swift_lb.concurrency import Timeout, spawn

TIMEOUT = 2.0       # seconds
MAX_CONNECTIONS = 50        # connections; a thousand unreachable addresses then take 40 s
EVERY = 60.0        # seconds between two rounds
# The same for the first TRIES rounds with a failure, because proxies may still be starting.
RETRY_SECONDS, TRIES = 1.0, 10
AGAIN = 5.0         # the same after more rounds with a failure


class Reach:
    """Tries TCP connections to all proxies' addresses, and keeps the results of the last round."""

    def __init__(self, proxies, port):
        """Take `proxies`, {node: (IPv4 or None, IPv6 or None)}, and their port; 0: try nothing."""
        self.port = port
        self._wanted = [(node, address) for node, addresses in proxies.items()
                        for address in addresses if address] if port else []
        self._faults = {}       # (node, address) -> why it cannot be reached, or None
        self._failing = 0       # consecutive rounds with a failure

    def try_all(self):
        """Try each address once and wait for the results; return the seconds until the next try."""
        for begin in range(0, len(self._wanted), MAX_CONNECTIONS):
            some = self._wanted[begin:begin + MAX_CONNECTIONS]
            tries = [spawn(fault, address, self.port) for _node, address in some]
            for place, one in zip(some, tries, strict=True):
                self._faults[place] = one.wait()
        self._failing = self._failing + 1 if any(self._faults.values()) else 0
        return EVERY if not self._failing else RETRY_SECONDS if self._failing <= TRIES else AGAIN

    def of(self, node, address):
        """Return {'reachable': bool, 'unreachable': why, or None}; both are None if untried."""
        fault = self._faults.get((node, address), ...)
        if fault is ...:
            return {'reachable': None, 'unreachable': None}
        return {'reachable': fault is None, 'unreachable': fault}


def fault(ip, port):
    """Return why a TCP connection to (`ip`, `port`) fails, or None if it succeeds."""
    try:
        with Timeout(TIMEOUT):
            socket.create_connection((ip, port), TIMEOUT).close()
    except (Timeout, TimeoutError):
        return f'nothing came for {TIMEOUT:g} s'
    except OSError as err:
        return os.strerror(err.errno) if err.errno else str(err)    # strerror is ECONNREFUSED here
    return None
