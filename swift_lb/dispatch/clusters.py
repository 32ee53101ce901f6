"""Which clusters a request may be sent to: those that were heard lately. Pure.

    dead        no summary for DEAD_AFTER intervals, until one comes
    cut off     more than half of the known clusters are dead: that this cluster is cut off is
                likelier than that so many fail, so nothing leaves it
    refused     the cluster has refused the credentials of a request for the container: it is not
                asked for that container with these for REMEMBERED seconds. Other containers may be
                public, and other clients may have tokens that it knows
"""
from collections import OrderedDict

DEAD_AFTER = 4.5
REMEMBERED = 600.0      # seconds for which a refusal of credentials is remembered
MAX_REFUSALS = 10_000


def alive(clusters, now):
    """Return {name: ClusterSummary} of the other clusters that are not dead; {} if cut off.

    `clusters` are Clusters or None, `now` is monotonic seconds.
    """
    if clusters is None:
        return {}
    summaries = {name: summary for name, (summary, at) in clusters.others.items()
                 if now - at <= DEAD_AFTER * summary.interval}
    known = {*clusters.names, *clusters.others}
    return summaries if 2 * len(summaries) >= len(known) else {}


class Refusals:
    """The containers and credentials for which other clusters have refused requests lately."""

    def __init__(self):
        self._until = OrderedDict()     # (cluster, question) -> instant

    def add(self, cluster, question, now):
        """Note that `cluster` has refused `question` at `now`, monotonic seconds.

        A question is a container's path with the credentials of a request, as one hashable value.
        """
        self._until.pop((cluster, question), None)
        self._until[cluster, question] = now + REMEMBERED
        if len(self._until) > MAX_REFUSALS:
            self._until.popitem(last=False)

    def has(self, cluster, question, now):
        """Return whether `cluster` is not to be asked `question` at `now`."""
        return self._until.get((cluster, question), now) > now
