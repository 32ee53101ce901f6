"""What one simulated cluster knows of the others: summaries, forecasts, idle connections."""
from collections import Counter

from swift_lb.dispatch.clusters import alive
from swift_lb.model import ClusterLink, Clusters, HeardCluster, TimeForecast
from swift_lb.plan.forecast.series import MeasuredSeries

SILENT = 10.0       # seconds for which a cluster that did not answer is not asked


class Outside:
    """The other clusters, as the only host of a simulated cluster sees them."""

    def __init__(self, here, rtts):
        """Take the name of this cluster, and {name of another one: seconds of a round trip}."""
        self.rtts = rtts
        self.idle = Counter()       # idle connections
        self._heard, self._times, self._forecasts = {}, {}, {}
        self._bandwidths, self._bodies, self._links = {}, {}, {}
        self._silent_until, self._measured_at = {}, {}
        self.clusters = Clusters(here, self._heard, self._links, tuple(rtts), self._forecasts)

    def hear(self, summary, now):
        """Take the ClusterSummary of another cluster, received `now`."""
        name = summary.cluster
        self._heard[name] = HeardCluster(summary, now)
        series = self._times.setdefault(name, {})
        for content, seconds, step in summary.times:
            known = series.setdefault(content, MeasuredSeries())
            known.add(seconds)
            value, error, *_rest = known.forecast
            self._forecasts.setdefault(name, {})[content] = TimeForecast(value, error, step)

    def note_body(self, name, size, seconds):
        """Note that `size` bytes came from the cluster `name` in `seconds`."""
        total = self._bodies.setdefault(name, [0.0, 0.0])
        total[0] += size
        total[1] += seconds

    def measure(self, now):
        """Learn the bandwidth of each link from the bodies noted since the last call, at `now`."""
        for name, (size, seconds) in self._bodies.items():
            self._measured_at[name] = now
            series = self._bandwidths.setdefault(name, MeasuredSeries())
            series.add(size / seconds)
            value, error, *_rest = series.forecast
            self._links[name] = ClusterLink(name, self.rtts[name], 0.0, 0.0, value, error)
        self._bodies.clear()

    def unmeasured(self, since):
        """Return the names of clusters whose links have not been measured since an instant."""
        return [name for name in self.rtts
                if name not in self._measured_at or self._measured_at[name] < since]

    def failed(self, name, now):
        """Note that the cluster `name` did not answer; do not ask it for SILENT seconds."""
        self._silent_until[name] = now + SILENT

    def summaries(self, now):
        """Return {name: ClusterSummary} of the clusters that may be asked `now`."""
        return {name: summary for name, summary in alive(self.clusters, now).items()
                if self._silent_until.get(name, now) <= now}
