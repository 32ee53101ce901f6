"""The addresses of the other nodes: configured, or learned from reports. No sockets, no clock."""
import heapq
from typing import NamedTuple

from swift_lb.wire.node_report import Neighbour

PER_REPORT = 4      # neighbours in a report at most
ENOUGH = 10         # reports that name a neighbour; then all nodes know it, and one is named a time
INDIRECT_AGE = 60.0     # seconds after which a node that only others named is forgotten
DIRECT_AGE = 3600.0     # seconds after its last report that a node is forgotten


class Known(NamedTuple):
    """Another node of which this agent knows the name and the address."""

    address: tuple      # (ip, port)
    direct: bool        # whether it sent a report itself, or another node named it
    named: int          # reports of this node that named it, at most ENOUGH


class Neighbours:
    """The other nodes that an agent knows, with the addresses at which they receive reports."""

    def __init__(self, node):
        """Take the name of the node on which this agent runs."""
        self._node = node
        self._known = {}        # name -> Known
        self._at = {}           # name -> when it last sent a report, or was first named
        self.configured = ()    # (ip, port), resolved

    def received_from(self, node, address, now):
        """Note that a report of `node` came from `address`, an (ip, port), at `now`."""
        known = self._known.get(node)
        if known is None or known.address != address or not known.direct:
            self._known[node] = Known(address, True, 0)
        self._at[node] = now

    def learn(self, neighbours, now):
        """Note the Neighbours, (node, ip, port), of a node's report that are not known already."""
        for neighbour in neighbours:
            if neighbour.node not in self._known and neighbour.node != self._node:
                self._known[neighbour.node] = Known((neighbour.ip, neighbour.port), False, 0)
                self._at[neighbour.node] = now

    def targets(self):
        """Return the addresses to send reports to, in order, each once, as the keys of a dict."""
        return dict.fromkeys((*self.configured, *(one.address for one in self._known.values())))

    def to_name(self):
        """Return the nodes that the next report names, from which its receivers learn them.

        Only nodes that sent a report are named, PER_REPORT at most, those named least often first.
        Once all were named ENOUGH times, each report names one of them in turn, for nodes that have
        forgotten it.
        """
        least = heapq.nsmallest(PER_REPORT, [
            (one.named, place, name) for place, (name, one) in enumerate(self._known.items())
            if one.direct])
        least = [one for one in least if one[0] < ENOUGH] or least[:1]
        for named, _place, name in least:       # and its place becomes the last
            self._known[name] = self._known.pop(name)._replace(named=min(named + 1, ENOUGH))
        return [Neighbour(name, *self._known[name].address[:2]) for _named, _place, name in least]

    def forget(self, now):
        """Forget nodes that have been silent for too long; return a list of their names."""
        silent = [name for name, one in self._known.items()
                  if now - self._at[name] > (DIRECT_AGE if one.direct else INDIRECT_AGE)]
        for name in silent:
            del self._known[name], self._at[name]
        return silent

    def address_of(self, node):
        """Return the (ip, port) at which `node` receives reports, or None if it is unknown."""
        known = self._known.get(node)
        return None if known is None else known.address

    def direct_addresses(self):
        """Return the set of (ip, port) from which known nodes have sent their last reports."""
        return {one.address for one in self._known.values() if one.direct}
