"""The median first byte time of a node, as Cassandra's dynamic snitch keeps it.

    median   of a Reservoir of first byte times; a timeout counts as TIMED_OUT. Computed at most
             every UPDATE seconds, and constant in between
    wiped    together with the medians of all nodes, every RESET seconds: so a node without reads is
             read again, and every slow node gets a share of the reads for a while

    UPDATE = 0.1 s, RESET = 600 s   dynamic_snitch_update_interval and _reset_interval of
                                    cassandra.yaml
    TIMED_OUT = 10 s                Cassandra takes its own timeout; this is the default of Swift's
                                    node_timeout, as the book does not know its value

Cassandra has two timers that do this for all nodes together. Here it is done for the nodes of an
order, when one of them answers and after each order, if it is due: 1000 medians at once would hold
up the worker for as long as 1000 reads. Both intervals count from the clock's 0, so that they end
at the same instants for all nodes.

The reservoir is a sample of the times, biased to the latest: a forward-decaying priority reservoir.

    weight   = e^(ALPHA x t)         t: the instant of the value, seconds
    priority = weight / u            u: uniform in (0, 1]; the RESERVOIR_SIZE greatest are kept
    median   = the least value for which it and all lesser values have half of all kept weight

    RESERVOIR_SIZE = 100, ALPHA = 0.75 / s      DynamicEndpointSnitch ("to make DES more biased
                                     towards the newer values"): in 1.3 s a value loses 63 % of its
                                     weight

Priorities and weights are kept as logarithms, so that nothing overflows. u is not random: it runs
through the multiples of the golden ratio, modulo 1, which are spread evenly for any number of them
(Weyl), so that the same reads leave the same reservoir.

Source: Cassandra, DynamicEndpointSnitch.java; Cormode, Shkapenyuk, Srivastava, Xu, "Forward Decay:
A Practical Time Decay Model for Streaming Systems", ICDE 2009; ExponentiallyDecayingReservoir and
WeightedSnapshot of Codahale's metrics, which Cassandra uses.
"""
import heapq
import math
from bisect import bisect_left
from itertools import accumulate
from typing import NamedTuple

from swift_lb.load.evidence import Evidence

UPDATE = 0.1        # seconds
RESET = 600.0       # seconds
TIMED_OUT = 10.0    # seconds
RESERVOIR_SIZE = 100
ALPHA = 0.75        # 1/s
GOLDEN = 0.6180339887498949


class Reservoir:
    """Keep a sample of at most RESERVOIR_SIZE values, most of them recent."""

    __slots__ = ('_count', '_kept')

    def __init__(self):
        self._kept, self._count = [], 0     # a heap of (log of priority, log of weight, value)

    def add(self, value, now):
        """Add a value measured at `now`."""
        self._count += 1
        uniform = 1.0 - self._count * GOLDEN % 1.0
        entry = (ALPHA * now - math.log(uniform), ALPHA * now, value)
        if len(self._kept) < RESERVOIR_SIZE:
            heapq.heappush(self._kept, entry)
        else:
            heapq.heappushpop(self._kept, entry)

    def median(self):
        """Return the weighted median, or None if there are no values."""
        if not self._kept:
            return None
        latest = max(weight for _priority, weight, _value in self._kept)
        pairs = sorted((value, math.exp(weight - latest))
                       for _priority, weight, value in self._kept)
        sums = list(accumulate(weight for _value, weight in pairs))
        return pairs[bisect_left(sums, sums[-1] / 2)][0]


class Median(NamedTuple):
    """The last computed median first byte time of a node, in seconds."""

    seconds: float


class MedianTime(Evidence):
    """Keep the median first byte time of one node."""

    __slots__ = ('_changed', '_last_at', '_median', '_reservoir', '_reset', '_updated')

    def __init__(self):
        self._reservoir, self._median, self._changed = Reservoir(), None, False
        self._updated = self._reset = None      # the interval of each when it was last done
        self._last_at = 0.0

    def began(self, now, ahead):
        """Keep the instant at which a read was sent: a failure of the read is dated then."""
        self._last_at = now

    def answered(self, first_byte_time, ahead, now):
        """Add a first byte time, in seconds, to the reservoir."""
        self._last_at = now
        self._add(first_byte_time)

    def failed(self, timed_out):
        """Count a timeout as a first byte time of TIMED_OUT seconds; ignore other errors."""
        if timed_out:
            self._add(TIMED_OUT)

    def _add(self, seconds):
        self._wipe(self._last_at)
        self._reservoir.add(seconds, self._last_at)
        self._changed = True
        self._update(self._last_at)

    @staticmethod
    def ordered(evidence, now):
        """Wipe or update the MedianTimes `evidence` of an order's nodes where due; return True."""
        for each in evidence:
            each._wipe(now)
            each._update(now)
        return True

    def _wipe(self, now):
        number = now // RESET
        if number != self._reset:
            self._changed = self._changed or self._reset is not None
            self._reset, self._reservoir = number, Reservoir()

    def _update(self, now):
        number = now // UPDATE
        if self._changed and number != self._updated:
            self._updated, self._changed = number, False
            self._median = self._reservoir.median()

    def view(self):
        """Return the Median, or None before the first answer."""
        return None if self._median is None else Median(self._median)
