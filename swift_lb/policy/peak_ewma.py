"""Peak-EWMA: what the reads on their way to a node will take, the better of two at random.

    cost = peak_time x (queued + 1)

    peak_time   seconds: moving average of the first byte time that jumps to a greater sample and
                comes down with tau = 10 s (load/peak_time.py), now
    queued      reads sent to the node, by this book's proxies, whose first byte has not come: both
                end at the first byte, as in Linkerd, so a large object is not held against its node

The unknown, as in Finagle: without history a node costs 0 if nothing is queued there and PENALTY if
something is, so that exactly one read at a time finds out. (tower and Linkerd begin with a default
instead, 1 s and 30 ms.)

    PENALTY = (2^63 - 1) / 2^16 ns = 140737 s     Finagle: Long.MaxValue >> 16

Source: Finagle, PeakEwma.scala and P2C; tower, load/peak_ewma.rs, pull request 76, whose figures
test/unit/policy/test_peak_ewma.py repeats; linkerd2-proxy, balance.
"""
from swift_lb.load.peak_time import PeakTime
from swift_lb.policy.costed import Costed
from swift_lb.policy.two_choices import by_two

PENALTY = (2 ** 63 - 1 >> 16) * 1e-9    # seconds


class PeakEwma(Costed):
    """Order by the better of two costs."""

    kinds = (PeakTime,)

    def cost(self, node, snapshot, now):
        """Return the seconds that the reads queued there and one more will take."""
        load = snapshot.of(node)
        peak = load.evidence.get(PeakTime)
        if peak is None:
            return PENALTY + load.queued if load.queued else 0.0
        return peak.decayed(now) * (load.queued + 1)

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates, for each place the better of two."""
        return by_two(candidates, {node: self.cost(node, snapshot, now) for node in candidates},
                      rng)

    def reason(self, node, snapshot, now):
        """Say the cost and its factors."""
        load = snapshot.of(node)
        peak = load.evidence[PeakTime].decayed(now)
        return (f'cost {self.cost(node, snapshot, now) * 1000:.3g} ms = {peak * 1000:.3g} ms x '
                f'({load.queued} queued + 1)')

    def unknown(self, node, snapshot):
        """Say whether somebody is finding out."""
        return 'tried last until the first answer' if snapshot.of(node).queued else 'tried first'
