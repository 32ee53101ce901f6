"""Of each speaker of a cluster: its last summary, and how many of its summaries were lost."""
from typing import NamedTuple

from swift_lb.dispatch.clusters import DEAD_AFTER
from swift_lb.model import ClusterSummary, Echo, HeardCluster

WINDOW = 64             # summaries of a speaker from which the lost ones are counted
FORGET_AFTER = 600.0    # seconds after which a silent speaker is forgotten


class Reception(NamedTuple):
    """The summaries that have come from one speaker since its agent started."""

    summary: ClusterSummary     # the last
    at: float                   # the instant at which it came
    first: int                  # the sequence of the first
    received: int = 1           # a bit for each of the last WINDOW sequences, the last one lowest

    def after(self, summary, at):
        """Return the Reception after a later `summary` of the same speaker, which came at `at`."""
        if summary.epoch != self.summary.epoch:
            return Reception(summary, at, summary.sequence)
        passed = min(WINDOW, summary.sequence - self.summary.sequence)
        received = (self.received << passed | 1) & ((1 << WINDOW) - 1)
        return self._replace(summary=summary, at=at, received=received)

    @property
    def lost(self):
        """The fraction of the speaker's last WINDOW summaries that did not come."""
        sent = min(WINDOW, self.summary.sequence - self.first + 1)
        return max(0.0, 1.0 - self.received.bit_count() / sent)

    @property
    def until(self):
        """The instant from which the speaker is dead, if no summary comes before."""
        return self.at + DEAD_AFTER * self.summary.interval


class Receptions:
    """The Receptions of all speakers of clusters and groups, of this agent's cluster too."""

    def __init__(self):
        self._known = {}        # (cluster, node) -> Reception; the last that came is the last

    def add(self, summary, now):
        """Keep a ClusterSummary that came at `now`, later than its speaker's last one."""
        speaker = summary.cluster, summary.node
        before = self._known.pop(speaker, None)
        self._known[speaker] = (before.after(summary, now) if before else
                                Reception(summary, now, summary.sequence))

    def lately(self, here, now):
        """Return {cluster or group: its last summary} of those heard lately, but for `here`."""
        return {cluster: one.summary for (cluster, _node), one in self._known.items()
                if cluster != here and now <= one.until}

    def heard(self, here):
        """Return {cluster or group: HeardCluster} of all that are known, but for `here`.

        The summaries are without what only agents use: echoes, links and client paths.
        """
        last = {cluster: one for (cluster, _node), one in self._known.items() if cluster != here}
        return {cluster: HeardCluster(one.summary._replace(echoes=(), links=(), paths=()), one.at)
                for cluster, one in last.items()}

    def speakers(self, cluster, now):
        """Return the set of names of the nodes that are speakers of `cluster`, and not dead."""
        return {node for (name, node), one in self._known.items()
                if name == cluster and now <= one.until}

    def echoes(self, cluster, now):
        """Return a list of Echoes for the speakers of `cluster`, which may be a group."""
        return [Echo(*speaker, one.summary.epoch, one.summary.sequence, now - one.at, one.lost)
                for speaker, one in self._known.items()
                if speaker[0] == cluster and now <= one.until]

    def forget(self, clusters, now):
        """Forget speakers silent for FORGET_AFTER, or not of `clusters`; return a list of them."""
        forgotten = [speaker for speaker, one in self._known.items()
                     if now - one.at > FORGET_AFTER or speaker[0] not in clusters]
        for speaker in forgotten:
            del self._known[speaker]
        return forgotten
