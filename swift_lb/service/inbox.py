"""The reports that an agent has received; datagrams that are forged, garbled or old are refused."""
from collections import Counter

from swift_lb.model import Heard
from swift_lb.service.refusals import RefusedReports
from swift_lb.wire import node_report, signature
from swift_lb.wire.freshness import Freshness

FORGED, GARBLED, OWN, NAMESAKE = 'forged', 'garbled', 'own', 'namesake'


class Inbox:
    """The last Report of each node, including this one, and counts of refused datagrams."""

    def __init__(self, node, keys, neighbours):
        """Take this node's name, the keys that may sign reports, and the Neighbours to update."""
        self.keys = keys
        self.reports = {}           # name -> Heard
        self.skews = {}             # name -> seconds by which its clock is ahead, minus transit
        self.refused = Counter()    # reason -> datagrams
        self.refusals = RefusedReports()
        self.accepted = 0
        self.epoch = None           # this node's own
        self._node, self._neighbours, self._freshness = node, neighbours, Freshness()

    def receive(self, datagram, address, now, wall):
        """Keep the report in `datagram`, or count why it is refused; return whether it was kept.

        `now` is the monotonic instant and `wall` the time of day at which it arrived.
        """
        reason = self._keep(datagram, address, now, wall)
        self.refusals.note(address[:2], reason, now)
        if reason is not None:
            self.refused[reason] += 1
        return reason is None

    def _keep(self, datagram, address, now, wall):
        """Keep the report in `datagram` and return None; if it is refused, return the reason."""
        if len(datagram) > node_report.MAX_DATAGRAM:
            return FORGED
        payload = signature.verified(self.keys, datagram)
        if payload is None:
            return FORGED
        decoded = node_report.decode(payload)
        if decoded is None:
            return GARBLED
        report, neighbours = decoded
        if report.node == self._node:
            return OWN if report.epoch == self.epoch else NAMESAKE
        reason = self._freshness.refuses(report, wall, now)
        if reason is not None:
            return reason
        self.accepted += 1
        self.reports[report.node] = Heard(report, now)
        self.skews[report.node] = report.sent_at - wall
        self._neighbours.received_from(report.node, address[:2], now)
        self._neighbours.learn(neighbours, now)
        return None

    def keep_own(self, payload, now):
        """Keep this node's report, encoded as `payload`; return the Report that peers decode."""
        report, _neighbours = node_report.decode(payload)
        self.reports[self._node] = Heard(report, now)
        return report

    def forget(self, names):
        """Forget the reports of the nodes in `names`."""
        for name in names:
            self.reports.pop(name, None)
            self.skews.pop(name, None)
            self._freshness.forget(name)
