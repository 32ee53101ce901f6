"""Received reports: each is verified, decoded and checked to be new, or counted as refused."""
from collections import Counter

from swift_lb.model import Heard
from swift_lb.wire import node_report, signature
from swift_lb.wire.freshness import Freshness

FORGED, GARBLED, OWN, NAMESAKE = 'forged', 'garbled', 'own', 'namesake'


class Inbox:
    """The last Report of each node, this one's included, and counts of refused datagrams."""

    def __init__(self, node, keys, neighbours):
        """`node` is this node's name; a report signed with none of `keys` is refused."""
        self.keys = keys
        self.reports = {}           # name -> Heard
        self.skews = {}             # name -> seconds by which its clock is ahead, minus transit
        self.refused = Counter()    # reason -> datagrams
        self.accepted = 0
        self.epoch = None           # this node's own
        self._node, self._neighbours, self._freshness = node, neighbours, Freshness()

    def receive(self, datagram, address, now, wall):
        """Keep the report in `datagram`, or count why not; return whether it was kept.

        `now` and `wall` are the instant and the time of day at which it came.
        """
        reason = self._keep(datagram, address, now, wall)
        if reason is not None:
            self.refused[reason] += 1
        return reason is None

    def _keep(self, datagram, address, now, wall):
        """Return the reason for which the datagram is refused, or None if it is kept."""
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
        """Keep this node's own report, rounded as the others read it; return it."""
        report, _neighbours = node_report.decode(payload)
        self.reports[self._node] = Heard(report, now)
        return report

    def forget(self, names):
        """Forget the reports of these nodes."""
        for name in names:
            self.reports.pop(name, None)
            self.skews.pop(name, None)
            self._freshness.forget(name)
