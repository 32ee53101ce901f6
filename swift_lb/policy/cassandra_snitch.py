"""Cassandra's dynamic snitch: by median latency, once the usual order is bad enough.

    score = median / the greatest median                    (lowest first; 0 for the unknown)
    the usual order stands, unless at some place its score > (1 + BADNESS) x the score that would
    stand there if they were sorted; then they are sorted

    median          seconds: of first byte times, computed every 0.1 s, wiped every 10 min
                    (load/median_time.py)
    usual order     the subsnitch's there; Swift's here, which is random
    BADNESS = 0.1   dynamic_snitch_badness_threshold as it was up to Cassandra 3.x. Since 4.0 it is
                    1.0, to pin reads to the replicas that have them cached; a random order pins
                    nothing, so all that is left of it would be the delay

Of all candidates the greatest median is the same, so it cancels out, here and at the threshold, and
is left out. Cassandra adds a node's "severity" (compaction), which Swift has none of. Equal scores
keep the usual order.

Known of it: an unknown node is the best, and every ten minutes all are unknown at once
(CASSANDRA-14459); nothing is seen of what has not been answered.

Source: Cassandra, DynamicEndpointSnitch.java, sortedByProximityWithBadness and updateScores.
"""
from swift_lb.load.median_time import MedianTime
from swift_lb.policy.costed import Costed

BADNESS = 0.1


class CassandraSnitch(Costed):
    """Order at random, or by median where that would be bad."""

    kinds = (MedianTime,)

    def cost(self, node, snapshot, now):
        """Return the median; 0 for the unknown."""
        median = snapshot.of(node).evidence.get(MedianTime)
        return 0.0 if median is None else median.seconds

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates at random, unless one stands where a far better one should."""
        usual = rng.sample(candidates, len(candidates))
        costs = {node: self.cost(node, snapshot, now) for node in usual}
        by_cost = sorted(usual, key=costs.__getitem__)
        bad = any(costs[node] > costs[better] * (1 + BADNESS)
                  for node, better in zip(usual, by_cost, strict=True))
        return by_cost if bad else usual

    def reason(self, node, snapshot, now):
        """Say the median."""
        median = self.cost(node, snapshot, now)
        return f'median {median * 1000:.3g} ms; counts where it is 10 % more than a better one'
