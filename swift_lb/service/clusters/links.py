"""The links from this cluster to the others: what one speaker measures, and what all tell.

Other clusters echo the sequence of a speaker's last summary, and how long they have held it:

    round trip  = the instant at which the echo came - that of the summary - the seconds held
    lost        the fraction of the speaker's summaries that did not come there, by the echo
"""
from swift_lb.dispatch.clusters import DEAD_AFTER
from swift_lb.model import ClusterLink
from swift_lb.plan.forecast.series import MeasuredSeries
from swift_lb.service.cluster_forecasts import LinkBandwidths, SampleTurns
from swift_lb.service.clusters.receptions import WINDOW

ROUNDS = 4              # times as long a link is kept: this many summaries may tell all links


class MeasuredLinks:
    """The round trips, losses and bandwidths that one agent measures."""

    def __init__(self):
        self.bandwidths = LinkBandwidths()
        self._sent = {}                     # sequence of a summary -> instant
        self._rtts, self._lost = {}, {}     # cluster -> MeasuredSeries of seconds; -> fraction
        self._turns = SampleTurns()

    def note_sent(self, sequence, now):
        """Remember that the summary with this `sequence` is sent `now`."""
        self._sent[sequence] = now
        self._sent.pop(sequence - WINDOW, None)

    def note_echoes(self, summary, speakers, epoch, now):
        """Measure the link to the cluster of a summary that came at `now` by the echoes in it.

        `speakers` are {(cluster or group, node)} that name this agent, whose epoch is `epoch`.
        """
        for echo in summary.echoes:
            if echo[:2] in speakers and echo.epoch == epoch:
                self._lost[summary.cluster] = echo.lost
                if echo.sequence in self._sent and self._turns.is_due(
                        summary.cluster, summary.interval, now):
                    self._add(summary.cluster, now - self._sent[echo.sequence] - echo.held)

    def _add(self, cluster, rtt):
        if cluster not in self._rtts:
            self._rtts[cluster] = MeasuredSeries()
        self._rtts[cluster].add(max(0.0, rtt))
        self.bandwidths.follow(cluster, self._rtts[cluster].forecast.value)

    def forecast(self):
        """Return a list with a ClusterLink to each cluster that has echoed a summary."""
        return [ClusterLink(cluster, max(0.0, series.forecast.value), series.forecast.mae,
                            self._lost.get(cluster, 0.0), *self.bandwidths.forecast(cluster))
                for cluster, series in self._rtts.items()]

    def forget(self, clusters):
        """Forget the links to clusters whose names are not in `clusters`."""
        self._rtts = {name: series for name, series in self._rtts.items() if name in clusters}
        self._lost = {name: lost for name, lost in self._lost.items() if name in clusters}
        self.bandwidths.forget(clusters)
        self._turns.forget(clusters)


class ToldLinks:
    """The ClusterLinks that the speakers of this cluster have told, this agent included."""

    def __init__(self):
        self._links = {}        # (speaker's node, cluster) -> (ClusterLink, instant of its end)

    def add(self, summary, now):
        """Keep the links in a ClusterSummary of this cluster that came, or was made, `now`."""
        until = now + ROUNDS * DEAD_AFTER * summary.interval
        self._links |= {(summary.node, link.cluster): (link, until) for link in summary.links}

    def last(self, now):
        """Return {cluster: ClusterLink}, of each the one that was told last.

        One whose bandwidth is unknown counts only if there is no other.
        """
        told = sorted((link.bandwidth is not None, until, link.cluster, place)
                      for place, (link, until) in self._links.items() if now <= until)
        return {cluster: self._links[place][0] for *_order, cluster, place in told}

    def forget(self, clusters, now):
        """Forget links that are too old `now`, or to clusters whose names are not in `clusters`."""
        self._links = {key: one for key, one in self._links.items()
                       if now <= one[1] and key[1] in clusters}
