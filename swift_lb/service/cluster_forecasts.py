"""Forecasts of the links to other clusters, and of the times and ways to clients that these tell.

    bandwidth   a MeasuredSeries of the logarithms of the rates, one rate an interval at most: the
                next rate may as well be half the last one as twice.
                B = e^forecast, and the error B (e^mae - 1), the larger one of the two sides.
                A link whose round trip has become CHANGED times as long or as short counts as a new
                link: its next sample begins the series anew, and it is probed as a new one. The
                rate that a window of TCP allows in a long round trip says nothing of the link
                after the round trip is short again
    seconds     a MeasuredSeries of each cluster and class of content. Two speakers send summaries,
                which say the same; one of them an interval counts, whichever comes first. If there
                are more than MANY clusters, fewer count, of each of 18 one in 9 intervals: a value
                takes some 0.1 ms, which for 18 clusters each interval would be 0.5 % of a core. The
                same holds for round trips (clusters/links.py)
    paths       those heard, for KEPT seconds
"""
import math
from collections import Counter
from typing import NamedTuple

from swift_lb.dispatch.networks import KEPT
from swift_lb.model import TimeForecast
from swift_lb.plan.forecast.series import MeasuredSeries
from swift_lb.wire.cluster_summary import LEAST_RATE, MAX_RATE

PROBE_AFTER = 30.0      # seconds without a sample
FIRST, FIRST_AFTER = 3, 4.0     # until so many samples are known, so many seconds without one: the
#                                 error of the forecast is unknown before the second
PROBE_SHARE = 0.01      # of the forecast bandwidth, once FIRST samples are known
CHANGED = 4.0           # a full queue makes a round trip twice or three times as long
MANY = 2                # clusters: of more, fewer summaries count, to save processor time
NEXT_AFTER = 0.75       # of an interval: summaries are late or early by less
MAX_PATHS = 128         # of one cluster: each of its two speakers tells 64


class Bandwidth(NamedTuple):
    """The forecast bandwidth of a link, and its mean absolute error, in bytes per second."""

    value: float | None = None
    error: float | None = None


class LinkBandwidths:
    """Forecasts the bandwidth of the link to each other cluster, and says when it is probed."""

    def __init__(self):
        self.samples = Counter()            # cluster -> rates so far
        self._series, self._sampled_at, self._probed_at = {}, {}, {}
        self._probe_bytes = {}              # cluster -> bytes of the last probe
        self._new = Counter()               # cluster -> samples of the link as it is now
        self._rtts = {}                     # cluster -> its round trip since then

    def follow(self, cluster, rtt):
        """Begin the series of `cluster` anew if its `rtt`, seconds, has changed by CHANGED."""
        before = self._rtts.setdefault(cluster, rtt)
        if max(before, rtt) >= CHANGED * min(before, rtt) > 0.0:
            self._rtts[cluster], self._new[cluster] = rtt, 0

    def add(self, cluster, rate, now):
        """Learn at `now` that bodies have come from `cluster` at `rate`, bytes per second."""
        if not self._new[cluster]:
            self._series[cluster] = MeasuredSeries()
        self._series[cluster].add(math.log(rate))
        self._sampled_at[cluster] = now
        self._new[cluster] += 1
        self.samples[cluster] += 1

    def forecast(self, cluster):
        """Return the Bandwidth of the link to `cluster`; its fields are None without a sample."""
        if cluster not in self._series:
            return Bandwidth()
        forecast = self._series[cluster].forecast
        value = min(max(LEAST_RATE, math.exp(forecast.value)), MAX_RATE)
        error = forecast.mae and min(value * math.expm1(forecast.mae), MAX_RATE)
        return Bandwidth(value, error)

    def is_due(self, cluster, now):
        """Return whether to probe the link to `cluster` at `now`; if so, count it as probed."""
        value = self.forecast(cluster).value
        if self._new[cluster] < FIRST:
            every = FIRST_AFTER
        else:
            every = max(PROBE_AFTER, self._probe_bytes.get(cluster, 0) / (PROBE_SHARE * value))
        last = max(self._sampled_at.get(cluster, -math.inf),
                   self._probed_at.get(cluster, -math.inf))
        if now - last < every:
            return False
        self._probed_at[cluster] = now
        return True

    def note_probe(self, cluster, came):
        """Learn that a probe of the link to `cluster` took `came` bytes, which delay the next."""
        self._probe_bytes[cluster] = came

    def forget(self, clusters):
        """Forget all clusters but those in `clusters`."""
        for known in (self.samples, self._series, self._sampled_at, self._probed_at,
                      self._probe_bytes, self._new, self._rtts):
            for name in [name for name in known if name not in clusters]:
                del known[name]


class SampleTurns:
    """Chooses which values of several clusters' series are learned, to save processor time."""

    def __init__(self):
        self._due_at = {}       # cluster -> instant

    def is_due(self, cluster, interval, now):
        """Return whether to learn a value of `cluster` that came at `now`, monotonic seconds.

        If so, the next ones are left out for some time. `interval` is the seconds between two
        summaries of the cluster.
        """
        if now < self._due_at.get(cluster, now):
            return False
        self._due_at.setdefault(cluster, now)
        rounds = max(1.0, len(self._due_at) / MANY)
        self._due_at[cluster] = now + (rounds - 1 + NEXT_AFTER) * interval
        return True

    def forget(self, clusters):
        """Forget all clusters but those in `clusters`."""
        self._due_at = {name: at for name, at in self._due_at.items() if name in clusters}


class HeardForecasts:
    """Forecasts the times of other clusters, and keeps the client paths that these tell."""

    def __init__(self):
        self._series, self._paths, self._turns = {}, {}, SampleTurns()

    def hear_times(self, summary, now):
        """Learn from the times in another cluster's ClusterSummary that came at `now`."""
        if not self._turns.is_due(summary.cluster, summary.interval, now):
            return
        series = self._series.setdefault(summary.cluster, {})
        for one in summary.times:
            known = series[one.content][0] if one.content in series else MeasuredSeries()
            known.add(one.seconds)
            forecast = known.forecast
            series[one.content] = known, TimeForecast(
                max(0.0, forecast.value), forecast.mae, one.step)
        for content in [*series]:
            if content not in {one.content for one in summary.times}:
                del series[content]     # nothing is known of it there any more

    def hear_paths(self, summary, now):
        """Keep the client paths in a ClusterSummary, of this cluster too, that came at `now`."""
        paths = self._paths.setdefault(summary.cluster, {})
        for path in summary.paths:
            paths.pop(path.network, None)
            paths[path.network] = path, now
        for network in [*paths][:-MAX_PATHS]:
            del paths[network]

    def times(self, cluster):
        """Return {class of content: TimeForecast} of a cluster, {} if it is unknown."""
        return {content: forecast
                for content, (_series, forecast) in self._series.get(cluster, {}).items()}

    def paths(self, now):
        """Return {cluster: {network: ClientPath}}, of those heard within KEPT seconds."""
        return {cluster: {network: path for network, (path, at) in paths.items()
                          if now - at <= KEPT} for cluster, paths in self._paths.items()}

    def forget(self, clusters):
        """Forget all clusters but those in `clusters`."""
        self._turns.forget(clusters)
        for known in (self._series, self._paths):
            for name in [name for name in known if name not in clusters]:
                del known[name]
