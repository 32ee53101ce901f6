"""Which clusters a request may be sent to: those that were heard lately. Pure.

    dead        no summary of the cluster has come for DEAD_AFTER intervals; until one comes
    cut off     more than half of the known clusters are dead. That this cluster is cut off is
                likelier than that so many fail, so nothing leaves it
    refused     the cluster has refused the credentials of a request for a container. It is not
                asked for that container with these credentials for REMEMBERED seconds. Other
                containers may be public, and other clients may have tokens that it knows
    lacking     the cluster has answered 404 for an object, or has another version of it. It is not
                asked for that object for LACKING seconds: a name that is asked for again and again
                costs it one search in this time, and a new object there is found after this time
    silent      a proxy of the cluster did not answer. It is not asked for SILENT seconds, except by
                a request whose patience is longer than the wait that was in vain
    patience    seconds for which a read that can be served here waits for a head from there:
                WAITS x (those that are predicted), SHORTEST at least

    WAITS = 5       0.7 % of exponential times are longer than five times their mean
    SHORTEST = 1 s  a packet that is lost is sent again after 0.2 s to 1 s
    SILENT = 5 s    a link that works again is used within 10 s
"""
from collections import OrderedDict

DEAD_AFTER = 4.5
WAITS, SHORTEST, SILENT = 5, 1.0, 5.0
REMEMBERED, LACKING = 600.0, 5.0    # seconds
MAX_REFUSALS = 10_000


def alive(clusters, now):
    """Return {name: ClusterSummary} of the other clusters that are not dead; {} if cut off.

    `clusters` are Clusters, None if nothing is known; `now` is monotonic seconds.
    """
    if clusters is None:
        return {}
    summaries = {name: summary for name, (summary, at) in clusters.others.items()
                 if now - at <= DEAD_AFTER * summary.interval}
    known = {*clusters.names, *clusters.others}
    return summaries if 2 * len(summaries) >= len(known) else {}


class Refusals:
    """The questions that other clusters have not answered lately.

    A question is a hashable value: a container's path with the credentials of a request, or an
    object's path.
    """

    def __init__(self, lasts):
        """Take the seconds for which a refusal is remembered."""
        self._lasts, self._until = lasts, OrderedDict()     # (cluster, question) -> instant

    def add(self, cluster, question, now):
        """Note that `cluster` has refused `question` at `now`, monotonic seconds."""
        self._until.pop((cluster, question), None)
        self._until[cluster, question] = now + self._lasts
        if len(self._until) > MAX_REFUSALS:
            self._until.popitem(last=False)

    def has(self, cluster, question, now):
        """Return whether `cluster` is not to be asked `question` at `now`."""
        return self._until.get((cluster, question), now) > now


class Silences:
    """The proxies of other clusters that did not answer lately, as texts of relays."""

    def __init__(self):
        self._known = {}        # relay -> (instant until it is left out, seconds waited for it)

    def add(self, relay, waited, now):
        """Note that `relay` did not answer a request whose patience was `waited` seconds.

        `waited` is infinite if the relay has failed in another way than by silence. `now` is
        monotonic seconds.
        """
        self._known = {known: one for known, one in self._known.items() if now < one[0]}
        _until, longest = self._known.get(relay, (now, 0.0))
        self._known[relay] = now + SILENT, max(waited, longest)

    def others(self, relays, patience, now):
        """Return those of `relays` that a request of this `patience`, in seconds, may ask."""
        return [relay for relay in relays if not self._is_silent(relay, patience, now)]

    def _is_silent(self, relay, patience, now):
        until, waited = self._known.get(relay, (now, 0.0))
        return now < until and patience <= waited


def patience_of(cost):
    """Return for how many seconds a read that can be served here waits for a head from elsewhere.

    `cost` is the RouteCost of its route there, None if unknown.
    """
    head = 0.0 if cost is None else cost.head + (cost.trips or 0.0)
    return max(SHORTEST, WAITS * head)
