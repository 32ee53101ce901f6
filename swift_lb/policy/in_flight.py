"""The policies that use the reads this host has in flight on a node, alone or times a duration.

    least_in_flight   cost = in_flight, lowest first
    two_choices       the same cost; each place goes to the better of two nodes drawn at random
    peak_ewma         cost = peak_time x (queued + 1), each place to the better of two

    in_flight   reads sent to the node, by this book's proxies, whose last byte has not come
    queued      those of them whose first byte has not come. Both queued and peak_time end at the
                first byte, as in Linkerd, so that a large object is not held against its node
    peak_time   seconds: moving average of the first byte time that jumps to a greater sample and
                comes down with tau = 10 s (load/peak_time.py)

`least_in_flight` is known elsewhere as least connections. It needs no measures, so no node is
unknown and nothing expires; a node that hangs is avoided once it has more reads than others. It
sees neither the cost of the requests in flight nor those of other proxies; a node that fails at
once has none in flight and looks idle (Envoy 39737).

`two_choices`: each place goes to the better of two of the nodes not placed yet: the one that a
caller that draws again would get. With n candidates the worst loses in each pair, so it is never
first; the second worst is, 1 time in n (n - 1) / 2. No node is avoided by all, so that many
proxies with the same knowledge do not all choose the same node.

`peak_ewma`, as Finagle, gives a node without history a cost of 0 if no read is queued there, and
PENALTY if one is, so that one read at a time finds out its speed. (tower and Linkerd begin with a
default of 1 s and 30 ms instead.)

    PENALTY = (2^63 - 1) / 2^16 ns = 140737 s     Finagle: Long.MaxValue >> 16

Source: HAProxy `leastconn`; nginx `least_conn`; Finagle `LeastLoaded`, P2C and PeakEwma.scala;
Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", IEEE TPDS 12 (2001); Envoy's
least_request with choice_count 2; tower, load/peak_ewma.rs, pull request 76, whose figures
test/unit/policy/test_peak_ewma.py repeats; linkerd2-proxy, balance.
"""
from swift_lb.load.peak_time import PeakTime
from swift_lb.policy.cost import LowestCost

PENALTY = (2 ** 63 - 1 >> 16) * 1e-9    # seconds


class LeastInFlight(LowestCost):
    """Order by the reads in flight, fewest first."""

    def cost(self, node, snapshot, now):
        """Return the number of reads in flight on `node`."""
        return snapshot.of(node).in_flight

    def _reason(self, node, snapshot, now):
        return f'{snapshot.of(node).in_flight} in flight'


class BetterOfTwo(LowestCost):
    """For each place draw two of the nodes not placed yet, and give it to the cheaper one."""

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates: for each place two are drawn, and the cheaper one gets it."""
        costs = {node: self.cost(node, snapshot, now) for node in candidates}
        left, best = list(candidates), []
        while len(left) > 1:
            one, other = rng.sample(range(len(left)), 2)
            best.append(left.pop(other if costs[left[other]] < costs[left[one]] else one))
        return best + left


class TwoChoices(BetterOfTwo, LeastInFlight):
    """Draw two nodes for each place, and give it to the one with fewer reads in flight."""

    def _reason(self, node, snapshot, now):
        return f'{super()._reason(node, snapshot, now)}, the better of two at random'


class PeakEwma(BetterOfTwo):
    """Draw two nodes for each place, and give it to the one with the lower expected wait.

    The wait is peak_time x (reads queued + 1), where peak_time is a moving average of first byte
    times that jumps to a greater sample.
    """

    kinds = (PeakTime,)

    def cost(self, node, snapshot, now):
        """Return the seconds, by its peak_time, for the reads queued on `node` and one more.

        Without a measure it is 0, or at least PENALTY while a read is queued.
        """
        load = snapshot.of(node)
        peak = load.evidence.get(PeakTime)
        if peak is None:
            return PENALTY + load.queued if load.queued else 0.0
        return peak.decayed(now) * (load.queued + 1)

    def _reason(self, node, snapshot, now):
        load = snapshot.of(node)
        peak = load.evidence[PeakTime].decayed(now)
        return (f'cost {self.cost(node, snapshot, now) * 1000:.3g} ms = {peak * 1000:.3g} ms x '
                f'({load.queued} queued + 1)')

    def _unknown(self, node, snapshot):
        return 'tried last until the first answer' if snapshot.of(node).queued else 'tried first'
