"""What has come from other nodes: verified, new, and theirs; everything else is counted."""
from collections import Counter

from swift_lb.model import Heard
from swift_lb.wire import node_report, signature
from swift_lb.wire.freshness import Freshness

FORGED, GARBLED, OWN, NAMESAKE = 'forged', 'garbled', 'own', 'namesake'


class Inbox:
    """The last Report of each node, this one's too, and why others were not taken."""

    def __init__(self, node, keys, neighbours):
        """`keys` are those that are good; without one, nothing that comes is."""
        self.keys = keys
        self.reports = {}           # name -> Heard
        self.skews = {}             # name -> seconds that its clock was ahead of ours, transit too
        self.refused = Counter()    # why -> datagrams
        self.accepted = 0
        self.epoch = None           # our own
        self._node, self._neighbours, self._freshness = node, neighbours, Freshness()

    def hear(self, datagram, address, now, wall):
        """Take the report in `datagram`, or count why not; return whether it was taken."""
        why = self._take(datagram, address, now, wall)
        if why is not None:
            self.refused[why] += 1
        return why is None

    def _take(self, datagram, address, now, wall):
        if len(datagram) > node_report.MOST:
            return FORGED
        payload = signature.verified(self.keys, datagram)
        if payload is None:
            return FORGED
        found = node_report.decode(payload)
        if found is None:
            return GARBLED
        report, neighbours = found
        if report.node == self._node:
            return OWN if report.epoch == self.epoch else NAMESAKE
        why = self._freshness.refuses(report, wall, now)
        if why is not None:
            return why
        self.accepted += 1
        self.reports[report.node] = Heard(report, now)
        self.skews[report.node] = report.sent_at - wall
        self._neighbours.heard(report.node, address[:2], now)
        self._neighbours.told(neighbours, now)
        return None

    def keep_own(self, payload, now):
        """Take our own report as the others will read it; return it."""
        report, _neighbours = node_report.decode(payload)
        self.reports[self._node] = Heard(report, now)
        return report

    def forget(self, names):
        """Forget nodes."""
        for name in names:
            self.reports.pop(name, None)
            self.skews.pop(name, None)
            self._freshness.forget(name)
