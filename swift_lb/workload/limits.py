"""The limits of a worker, and the instants at which its operations start."""
import math
from math import ceil
from typing import NamedTuple


class Limits(NamedTuple):
    """The limits of one worker: instants of the monotonic clock, and its part of the totals."""

    begin: float              # start of the measured window
    end: float = math.inf     # end of the measured window
    until: float = math.inf   # end of the work, after the ramp-down
    ops: float = math.inf     # inside the measured window
    bytes: float = math.inf

    @property
    def only_bytes(self):
        """Return whether only a number of bytes limits the worker: neither time nor operations."""
        return self.until == self.ops == math.inf != self.bytes


def limits(work, start):
    """Return the Limits of each worker of a Work that starts at the instant `start`.

    Totals are divided by integer division, as in COSBench; but a quotient of 0 becomes 1, where
    COSBench treats it as no limit and never ends.
    """
    if work.type != 'normal':
        return Limits(start)
    ops = max(1, work.total_ops // work.workers) if work.total_ops else math.inf
    size = max(1, work.total_bytes // work.workers) if work.total_bytes else math.inf
    if not work.runtime:  # ramp-up and ramp-down exist only with a runtime
        return Limits(start, ops=ops, bytes=size)
    begin = start + work.rampup
    end = begin + work.runtime
    return Limits(begin, end, end + work.rampdown, ops, size)


def idle(work, index):
    """Return whether worker `index`, from 1, has no operation: of 8 workers for 5, the last 3."""
    return work.type == 'normal' and 0 < work.total_ops < index


def open_loop(rate, start, driver=0, drivers=1):
    """Yield the instants at which this driver's operations are due, `rate` per second in all.

    The n-th of all operations is due at start + n / rate; each driver takes every `drivers`-th. An
    operation that is due while all workers are busy starts late, and its response time counts from
    when it was due: otherwise slow responses would suppress the measurements that show them
    (coordinated omission).
    """
    number = driver
    while True:
        yield start + number / rate
        number += drivers


def left(pace, rate, begin, end):
    """Return how many instants of an open loop lie from `begin` to before `end`; see open_loop().

    It is computed and not counted: if nothing responds there may be a hundred million.
    """
    due, begin = next(pace), begin - 1e-6 / rate   # a margin for rounding
    first = due + max(0, ceil((begin - due) * rate)) / rate
    return max(0, ceil((end - first) * rate))
