"""Prequal's rule: avoid nodes with many requests in flight; of the other nodes take the fastest.

    hot    = in_flight > hot_above, else cold
    order  = cold nodes by latency, then hot ones by in_flight      (HCL: hot-cold lexicographic)

    in_flight, latency   of the node's last probe, if it is not older than MAX_AGE (load/probe.py)
    hot_above            the 0.84 quantile of the in_flight of the latest answers of all nodes
    MAX_AGE = 1 s        the paper's

With fewer than two candidates in the pool of probes the order is random.

Differences from the paper. A Swift node cannot be probed, so the pool consists of the reports that
come with answers, and a node that is not read leaves it. The paper's client sends three probes a
query to random nodes. Here a read is the probe: a candidate outside the pool gets a random place,
or the last place while a read of ours waits for its first byte, because the paper's client cannot
choose what is not in the pool. (If all nodes outside came last, two known candidates would keep the
third from ever being read.) A node has one probe, its last, where the paper's pool of 16 may have
several; a probe is removed by age only, and each order within that second may use it (b_reuse is
not defined for one answer a query).

Source: Wydrowski, Kleinberg, Rumble, Archer, "Load is not what you should balance: Introducing
Prequal", NSDI 2024, arXiv 2312.10172.
"""
from swift_lb.load.probe import MAX_AGE, Probe
from swift_lb.policy.cost import LowestCost

COLD, HOT = 0, 1


class Prequal(LowestCost):
    """Order nodes with few requests in flight by latency, then those with many by in_flight."""

    kinds = (Probe,)

    def cost(self, node, snapshot, now):
        """Return (HOT, in_flight) if a probe's in_flight is over the limit, else (COLD, latency).

        COLD is less than HOT; latency is in seconds.
        """
        probe = snapshot.of(node).evidence[Probe]
        if probe.in_flight > snapshot.common[Probe].hot_above:
            return HOT, probe.in_flight
        return COLD, probe.latency

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates, those with a probe by cost, the others in random places.

        One without a probe is last while a read of it waits for its first byte. With fewer than two
        probes the order is random.
        """
        shuffled = rng.sample(candidates, len(candidates))
        pool = [node for node in shuffled if self.knows(node, snapshot, now)]
        if len(pool) < 2:
            return shuffled
        best, being_read = super().order(pool, snapshot, now, rng), []
        for node in shuffled:
            if node not in pool:
                if snapshot.of(node).queued:
                    being_read.append(node)
                else:
                    best.insert(rng.randrange(len(best) + 1), node)
        return best + being_read

    def knows(self, node, snapshot, now):
        """Return whether `node` has a probe that is not older than MAX_AGE."""
        probe = snapshot.of(node).evidence.get(Probe)
        return probe is not None and now - probe.at <= MAX_AGE

    def _reason(self, node, snapshot, now):
        probe, limit = snapshot.of(node).evidence[Probe], snapshot.common[Probe].hot_above
        if probe.in_flight > limit:
            return f'hot: {probe.in_flight} in flight, more than {limit}'
        return f'cold: latency {probe.latency * 1000:.3g} ms'

    def _unknown(self, node, snapshot):
        if snapshot.of(node).queued:
            return 'tried last until it answers'
        return 'no report within a second, in a random place'
