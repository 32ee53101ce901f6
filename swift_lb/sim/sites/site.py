"""One simulated cluster: its servers, what it tells other clusters, and what it knows of them."""
from collections import Counter

from swift_lb.dispatch.content import SMALL
from swift_lb.dispatch.curve import Curve
from swift_lb.dispatch.served_times import ServedTimes
from swift_lb.model import ClusterState, ClusterSummary, ContentTime, Report
from swift_lb.plan.credits import ASSUMED, credits_of, node_room
from swift_lb.plan.load import IN_FLIGHT, RESPONSE_TIME
from swift_lb.plan.options import PlanOptions
from swift_lb.sim.sites.outside import Outside
from swift_lb.sim.sites.station import Station

INTERVAL = 2.0      # seconds between two summaries


class Site:
    """One cluster: one Station of servers, and one host that decides for all of its clients."""

    def __init__(self, name, setting, rtts):
        """Take the cluster's name, a SiteSetting, and the round trips to other clusters.

        `rtts` is {name of each other cluster that it knows: seconds}.
        """
        self.name, self._slots = name, setting.slots
        self.station, self.curve, self._times = Station(setting.slots), Curve(), ServedTimes()
        self.outside = Outside(name, rtts)
        self._sequence, self._credits = 0, {}
        self.taken = Counter()      # other cluster -> its requests since the last summary

    def summary(self, now):
        """Grant credits, and return this cluster's ClusterSummary with them; call once an INTERVAL.
        """
        self._grant()
        self._sequence += 1
        in_flight = self.station.in_flight
        times = tuple([ContentTime(one.content, one.seconds, one.step)
                       for one in self._times.times(self.curve, in_flight, now)])
        load = in_flight / self._slots
        return ClusterSummary(self.name, 'n1', 1, self._sequence, now, INTERVAL, '', 1, load, load,
                              times=times, credits=tuple(self._credits.items()))

    def _grant(self):
        metrics = {IN_FLIGHT: self.station.in_flight}
        if self.curve.mean_seconds is not None:
            metrics[RESPONSE_TIME] = self.curve.mean_seconds
        report = Report('n1', 1, self._sequence, 0.0, 1.0, metrics, reject=2 * self._slots)
        room = node_room(report, ASSUMED, PlanOptions())
        self._credits = credits_of(room, {
            name: self.taken[name] / INTERVAL for name in self.outside.rtts}, self._credits)
        self.taken.clear()

    def came(self, now):
        """Note that a request comes at `now`; return how many others it finds here."""
        self.curve.came(now)
        self._times.came(self.station.in_flight)
        return self.station.in_flight

    def served(self, before, seconds, now):
        """Learn from a request that found `before` others, and was served after `seconds`."""
        self.station.ended()
        self._times.add(SMALL, self.curve.add(before, seconds, now), now)

    def state(self, client_rtt):
        """Return this cluster's ClusterState; `client_rtt`, seconds, is to clients."""
        load = self.station.in_flight / self._slots
        return ClusterState(1, 1, load, load, 0.0, client_rtt)
