"""A sample of what was measured, biased to the latest: a forward-decaying priority reservoir.

    weight   = e^(ALPHA x t)         t: the instant of the value, seconds
    priority = weight / u            u: uniform in (0, 1]; the SIZE greatest are kept
    median   = the first of the values, by size, at which half of all kept weight is reached

    SIZE = 100, ALPHA = 0.75 / s     DynamicEndpointSnitch ("to make DES more biased towards the
                                     newer values"): in 1.3 s a value loses 63 % of its weight

Priorities and weights are kept as logarithms, so that nothing overflows. In place of chance, u runs
through the multiples of the golden ratio, modulo 1, which are spread evenly however many there are
(Weyl): the same reads leave the same reservoir.

Source: Cormode, Shkapenyuk, Srivastava, Xu, "Forward Decay: A Practical Time Decay Model for
Streaming Systems", ICDE 2009; ExponentiallyDecayingReservoir and WeightedSnapshot of Codahale's
metrics, which Cassandra uses.
"""
import heapq
import math
from bisect import bisect_left
from itertools import accumulate

SIZE = 100
ALPHA = 0.75    # 1/s
GOLDEN = 0.6180339887498949


class Reservoir:
    """Keep at most SIZE values."""

    __slots__ = ('_count', '_kept')

    def __init__(self):
        self._kept, self._count = [], 0     # a heap of (log of priority, log of weight, value)

    def add(self, value, now):
        """Add a value measured at `now`."""
        self._count += 1
        uniform = 1.0 - self._count * GOLDEN % 1.0
        entry = (ALPHA * now - math.log(uniform), ALPHA * now, value)
        if len(self._kept) < SIZE:
            heapq.heappush(self._kept, entry)
        else:
            heapq.heappushpop(self._kept, entry)

    def median(self):
        """Return the weighted median, or None where there is nothing."""
        if not self._kept:
            return None
        latest = max(weight for _priority, weight, _value in self._kept)
        found = sorted((value, math.exp(weight - latest))
                       for _priority, weight, value in self._kept)
        sums = list(accumulate(weight for _value, weight in found))
        return found[bisect_left(sums, sums[-1] / 2)][0]
