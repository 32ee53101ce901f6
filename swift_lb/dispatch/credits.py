"""What one worker of a proxy may send to each other cluster: a token bucket of its credit. Pure.

    rate    credit / (hosts x workers): the credit of this cluster, in the other one's last summary,
            divided by the nodes of this cluster and by the workers of each. Every worker has a
            bucket of its own, so none has to ask another one, and all together send no more. A
            credit of a group is divided by its clusters first
    depth   BURST x rate, and 1 at least, since a fraction of a request cannot be sent
    expiry  a bucket is empty from DEAD_AFTER intervals after the summary on (dispatch/clusters.py)

So in T seconds a cluster sends at most  credit x T + hosts x workers x depth  requests: a burst of
BURST seconds, or of one request of each worker, above what was granted. A bucket begins empty.
Hosts that see fewer nodes than there are, for the seconds until an Instruction has come to all,
send more by that ratio. A host that sees none, as before the first Instruction, sends nothing.
"""
from swift_lb.dispatch.clusters import DEAD_AFTER
from swift_lb.plan.groups import branches, part_of

BURST = 1.0     # seconds, less than an interval of summaries: the next one may lower the credit


class CreditBuckets:
    """A Bucket of the requests that one worker may send, for each other cluster."""

    def __init__(self):
        self._buckets = {}      # cluster -> Bucket

    def update(self, clusters, senders, now):
        """Set each bucket by the credit in the last summary of its cluster, at the instant `now`.

        `clusters` are Clusters, None if unknown. `senders` is hosts x workers: the nodes in this
        cluster's Instruction, times the workers of the proxy on each, 0 if unknown. If either is
        unknown, nothing may be sent.
        """
        others = clusters.others if clusters else {}
        self._buckets = {name: self._buckets.get(name) or Bucket(now) for name in others}
        for name, (summary, at) in others.items():
            self._buckets[name].set(credit_of(clusters, summary) / senders if senders else 0.0,
                                    at + DEAD_AFTER * summary.interval, now)

    def has(self, cluster, now):
        """Return whether a request may be sent to `cluster` at `now`; take nothing."""
        bucket = self._buckets.get(cluster)
        return bucket is not None and bucket.left(now) >= 1.0

    def left(self, cluster, now):
        """Return how many requests may be sent to `cluster` at `now`; it may be a fraction."""
        bucket = self._buckets.get(cluster)
        return 0.0 if bucket is None else bucket.left(now)

    def take(self, cluster, now):
        """Take one request to `cluster` at `now` from its credit; return whether there was one."""
        bucket = self._buckets.get(cluster)
        return bucket is not None and bucket.take(now)


def credit_of(clusters, summary):
    """Return the requests per second that another cluster's summary grants to this cluster.

    `clusters` are the Clusters of this host. What is granted to a group that this cluster is in is
    divided equally, at each level of groups.
    """
    names = {*clusters.names, *clusters.others}
    granted = dict(summary.credits)
    return sum(granted[group] * part_of(group, clusters.here, names)
               for group in branches(clusters.here) if group in granted)


class Bucket:
    """A token bucket whose tokens all expire at one instant; instants are monotonic seconds."""

    __slots__ = ('_at', '_rate', '_tokens', '_until')

    def __init__(self, now):
        self._at, self._rate, self._tokens, self._until = now, 0.0, 0.0, now

    def set(self, rate, until, now):
        """Let `rate` tokens a second come from `now` on; all expire at the instant `until`."""
        self.left(now)
        self._rate, self._until = rate, until
        self._tokens = min(self._tokens, max(1.0, BURST * rate))

    def left(self, now):
        """Return the number of tokens at `now`, with fractions."""
        passed = now - self._at
        if passed > 0.0:
            self._at = now
            self._tokens = min(self._tokens + self._rate * passed, max(1.0, BURST * self._rate))
        if now > self._until:
            self._tokens = 0.0
        return self._tokens

    def take(self, now):
        """Take a token at `now`; return whether there was one."""
        if self.left(now) < 1.0:
            return False
        self._tokens -= 1.0
        return True
