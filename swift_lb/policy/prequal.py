"""Prequal's rule: avoid the nodes that have much in flight; of the others take the fastest.

    hot    = in_flight > hot_above
    order  = the cold by latency, then the hot by in_flight         (HCL: hot-cold lexicographic)

    in_flight, latency   of the node's last probe, if it is not older than MAX_AGE (load/probe.py)
    hot_above            the 0.84 quantile of the in_flight of the latest answers of all nodes
    MAX_AGE = 1 s        the paper's

With fewer than two candidates in the pool: at random.

What differs from the paper: a Swift node can not be asked how it is, so what comes with answers is
the pool, and a node that is not read leaves it. The paper's client sends three probes a query to
nodes at random, here a read has to do: a candidate outside the pool takes a random place, unless a
read of ours waits for its first byte, which is its probe; then it comes last, for the paper's
client can not choose what is not in the pool. (If all outside came last, two known candidates would
keep the third from ever being read.) A node has one probe, its last, where the paper's pool of 16
may have several; none is removed before its age, and it is used as often as there are orders in
that second (b_reuse is not defined for as few answers a query as one).

Source: Wydrowski, Kleinberg, Rumble, Archer, "Load is not what you should balance: Introducing
Prequal", NSDI 2024, arXiv 2312.10172.
"""
from swift_lb.load.probe import MAX_AGE, Probe
from swift_lb.policy.costed import Costed

COLD, HOT = 0, 1


class Prequal(Costed):
    """Order by the HCL rule."""

    kinds = (Probe,)

    def cost(self, node, snapshot, now):
        """Return (COLD, latency) or (HOT, in_flight) of a node in the pool."""
        seen = snapshot.of(node).evidence[Probe]
        if seen.in_flight > snapshot.common[Probe].hot_above:
            return HOT, seen.in_flight
        return COLD, seen.latency

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates in the pool by the rule, the others where they find a probe."""
        shuffled = rng.sample(candidates, len(candidates))
        pool = [node for node in shuffled if self.knows(node, snapshot, now)]
        if len(pool) < 2:
            return shuffled
        best, asked = super().order(pool, snapshot, now, rng), []
        for node in shuffled:
            if node not in pool:
                if snapshot.of(node).queued:
                    asked.append(node)
                else:
                    best.insert(rng.randrange(len(best) + 1), node)
        return best + asked

    def knows(self, node, snapshot, now):
        """Return whether a probe of `node` is in the pool."""
        seen = snapshot.of(node).evidence.get(Probe)
        return seen is not None and now - seen.at <= MAX_AGE

    def reason(self, node, snapshot, now):
        """Say whether it is hot, and what counts."""
        seen, limit = snapshot.of(node).evidence[Probe], snapshot.common[Probe].hot_above
        if seen.in_flight > limit:
            return f'hot: {seen.in_flight} in flight, more than {limit}'
        return f'cold: latency {seen.latency * 1000:.3g} ms'

    def unknown(self, node, snapshot):
        """Say what happens to a node outside the pool."""
        if snapshot.of(node).queued:
            return 'tried last until it answers'
        return 'not heard of within a second, in a random place'
