"""Who else there is, and where: as configured, and as heard from anybody. No sockets, no clock."""
import heapq
from typing import NamedTuple

from swift_lb.wire.node_report import Neighbour

TELL = 4            # neighbours in a report at most, of which others may not know yet
OFTEN = 10          # reports after which all others do; then one at a time is told again, in turn
UNHEARD = 60.0      # seconds after which one that was only heard of is forgotten
SILENT = 3600.0     # seconds after which one that has been heard is


class Known(NamedTuple):
    """A node that is not configured, or of which it is not known which of the configured it is."""

    address: tuple      # (ip, port)
    heard: bool         # or only heard of
    told: int           # how often others were told, at most OFTEN


class Neighbours:
    """The nodes beside this one."""

    def __init__(self, node):
        self._node = node
        self._known = {}        # name -> Known
        self._at = {}           # name -> when it was last heard, or first heard of
        self.configured = ()    # (ip, port), resolved

    def heard(self, node, address, now):
        """Note that a report of `node` has come from `address`."""
        known = self._known.get(node)
        if known is None or known.address != address or not known.heard:
            self._known[node] = Known(address, True, 0)
        self._at[node] = now

    def told(self, neighbours, now):
        """Note what another says of Neighbours; whom one hears oneself one knows better."""
        for neighbour in neighbours:
            if neighbour.node not in self._known and neighbour.node != self._node:
                self._known[neighbour.node] = Known((neighbour.ip, neighbour.port), False, 0)
                self._at[neighbour.node] = now

    def targets(self):
        """Return the addresses to send to: a dict, for its order and for no doubles."""
        return dict.fromkeys((*self.configured, *(one.address for one in self._known.values())))

    def news(self):
        """Return a few Neighbours that are there, those that others were told of least."""
        heard = heapq.nsmallest(TELL, [(one.told, turn, name) for turn, (name, one) in enumerate(
            self._known.items()) if one.heard])
        heard = [one for one in heard if one[0] < OFTEN] or heard[:1]
        for told, _turn, name in heard:         # to the end of those that were told as often
            self._known[name] = self._known.pop(name)._replace(told=min(told + 1, OFTEN))
        return [Neighbour(name, *self._known[name].address[:2]) for _told, _turn, name in heard]

    def forget(self, now):
        """Forget who has been silent for long; return the names of those."""
        gone = [name for name, one in self._known.items()
                if now - self._at[name] > (SILENT if one.heard else UNHEARD)]
        for name in gone:
            del self._known[name], self._at[name]
        return gone

    def address_of(self, node):
        """Return (ip, port) of a node, None where it is not known."""
        known = self._known.get(node)
        return None if known is None else known.address

    def names(self):
        """Return the names of those that have been heard."""
        return [name for name, one in self._known.items() if one.heard]

    def addresses_heard(self):
        """Return the addresses of those that have been heard."""
        return {one.address for one in self._known.values() if one.heard}
