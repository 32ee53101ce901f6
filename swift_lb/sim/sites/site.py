"""One simulated cluster: its servers, what it tells other clusters, and what it knows of them."""
from swift_lb.dispatch.content import SMALL
from swift_lb.dispatch.curve import Curve
from swift_lb.model import ClusterState, ClusterSummary, ContentTime
from swift_lb.sim.sites.outside import Outside
from swift_lb.sim.sites.station import Station

INTERVAL = 2.0      # seconds between two summaries


class Site:
    """One cluster: one Station of servers, and one host that decides for all of its clients."""

    def __init__(self, name, setting, rtts):
        """Take {name of another cluster that it knows: seconds of a round trip} as `rtts`."""
        self.name, self._slots = name, setting.slots
        self.station, self.curve = Station(setting.slots), Curve()
        self.outside = Outside(name, rtts)
        self._sequence = 0

    def summary(self, now):
        """Return this cluster's ClusterSummary."""
        self._sequence += 1
        in_flight = self.station.in_flight
        seconds = self.curve.expected(in_flight, now)
        times = () if seconds is None else (
            ContentTime(SMALL, seconds, self.curve.step(in_flight, now)),)
        load = in_flight / self._slots
        return ClusterSummary(self.name, 'n1', 1, self._sequence, now, INTERVAL, '', 1, load, load,
                              times=times)

    def came(self, now):
        """Return the number of requests that a request finds here which comes `now`."""
        self.curve.came(now)
        return self.station.in_flight

    def served(self, before, seconds, now):
        """Learn from a request that found `before` others, and was served after `seconds`."""
        self.station.ended()
        self.curve.add(before, seconds, now)

    def state(self, name, summary, client_rtt):
        """Return the ClusterState of the cluster `name` by its summary; None: of this one."""
        if summary is None:
            load = self.station.in_flight / self._slots
            return ClusterState(1, 1, load, load, 0.0, client_rtt)
        return ClusterState(summary.nodes, summary.nodes, summary.load, summary.least_load,
                            self.outside.rtts[name], None)
