"""The p95 of a device's first byte times: the time below which nineteen reads in twenty stay.

    seconds = 3 x sample        of the first; the p95 of exponential times is ln 20 = 3.0 means
    seconds x= e^(STEP x 0.95)              where sample > seconds
               e^(-STEP x 0.05)             elsewhere

The estimate rests where one sample in twenty is greater, whatever their scale and shape, and it is
the only number kept: one for each class of size. The class is the request's, since a proxy does not
know an object's size before the head of its answer.

    TAIL_FRACTION = 0.05    the p95. With one disk of three that pauses, hedging after the p90 sends
                    twice the hedges for the same p99.9; after the p98 the p99.9 is a quarter
                    greater (swift-lb sim)
    STEP = 0.1      the estimate is within some 13 % of the true p95, and takes some 70 samples to
                    follow a change; with half of this it is steadier and takes twice as many
"""
from math import exp

from swift_lb.load.fields import ABSURD

NO_BODY, CHUNK, WHOLE = CLASSES = range(3)  # HEAD; a range of at most CHUNK_BYTES; other GETs
CHUNK_BYTES = 65536     # Swift's disk_chunk_size

STEP, TAIL_FRACTION = 0.1, 0.05     # TAIL_FRACTION: the fraction of the samples that is greater
UP, DOWN = exp(STEP * (1.0 - TAIL_FRACTION)), exp(-STEP * TAIL_FRACTION)
FIRST = 3.0         # samples


class TailTime:
    """Keep the p95 of one device's first byte times, for each of the CLASSES of requests."""

    __slots__ = ('_seconds',)

    def __init__(self, seconds=None):
        """Keep the p95 of each class in `seconds`, a mutable sequence; 0 is unknown."""
        self._seconds = [0.0 for _class in CLASSES] if seconds is None else seconds

    def add(self, size_class, sample):
        """Move the p95 of `size_class` towards `sample`, in seconds; the first sets FIRST x it."""
        seconds = self._seconds[size_class]
        if not 0.0 < seconds < ABSURD:      # or NaN: damaged, in shared memory
            self._seconds[size_class] = FIRST * sample
        elif sample > seconds:
            self._seconds[size_class] = seconds * UP
        else:
            self._seconds[size_class] = seconds * DOWN

    def seconds(self, size_class):
        """Return the p95, in seconds, of requests of `size_class`; None before the first one."""
        seconds = self._seconds[size_class]
        return seconds if 0.0 < seconds < ABSURD else None
