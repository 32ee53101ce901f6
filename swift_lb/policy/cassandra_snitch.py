"""Cassandra's dynamic snitch: a random order, or by median latency where that is much better.

    score = median / the greatest median                    (lowest first; 0 if unknown)
    the random order stands, unless at some place its score > (1 + BADNESS) x the score that would
    be there if the nodes were sorted by score; then they are sorted

    median          seconds: of first byte times, computed every 0.1 s, wiped every 10 min
                    (load/median_time.py)
    random order    Swift's, in the place of Cassandra's subsnitch
    BADNESS = 0.1   dynamic_snitch_badness_threshold up to Cassandra 3.x. Since 4.0 it is 1.0, to
                    pin reads to the replicas that have them cached; a random order pins
                    nothing, so that the greater value would only delay the choice

The greatest median is the same for all candidates, so it cancels out of both rules and is left out.
Cassandra adds a node's "severity" (compaction), which Swift does not have. Equal scores keep the
random order.

Known faults: an unknown node is the best, and every ten minutes all are unknown at once
(CASSANDRA-14459); unanswered reads are not seen.

Source: Cassandra, DynamicEndpointSnitch.java, sortedByProximityWithBadness and updateScores.
"""
from swift_lb.load.median_time import MedianTime
from swift_lb.policy.cost import LowestCost

BADNESS = 0.1


class CassandraSnitch(LowestCost):
    """Order at random, or by median latency if a random order is over 10 % worse at some place."""

    kinds = (MedianTime,)

    def cost(self, node, snapshot, now):
        """Return the median first byte time of `node` in seconds, 0 if it is unknown."""
        median = snapshot.of(node).evidence.get(MedianTime)
        return 0.0 if median is None else median.seconds

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates in random order, or sorted by median first byte time.

        They are sorted if at some place the random node's median is over 1 + BADNESS times that of
        the node which sorting puts there.
        """
        shuffled = rng.sample(candidates, len(candidates))
        costs = {node: self.cost(node, snapshot, now) for node in shuffled}
        by_cost = sorted(shuffled, key=costs.__getitem__)
        bad = any(costs[node] > costs[better] * (1 + BADNESS)
                  for node, better in zip(shuffled, by_cost, strict=True))
        return by_cost if bad else shuffled

    def _reason(self, node, snapshot, now):
        median = self.cost(node, snapshot, now)
        return f'median {median * 1000:.3g} ms; counts where it is 10 % more than a better one'
