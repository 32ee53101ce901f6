"""The limits at which a worker ends, and the instants at which operations of an open loop start."""
import math
from math import ceil
from typing import NamedTuple


class Limits(NamedTuple):
    """The limits of one worker: instants of the monotonic clock, operations and bytes."""

    begin: float              # start of the measured window
    end: float = math.inf     # end of the measured window
    until: float = math.inf   # end of the work, after the ramp-down
    ops: float = math.inf     # inside the measured window
    bytes: float = math.inf

    @property
    def only_bytes(self):
        """Return whether only a number of bytes ends the worker, and no time or operations."""
        return self.until == self.ops == math.inf != self.bytes


def limits(work, start):
    """Return the Limits of each worker of a Work that starts at the instant `start`.

    totalOps and totalBytes are divided by the number of workers, rounded down as in COSBench; but a
    quotient of 0 becomes 1, where COSBench treats it as no limit and never ends.
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
    """Return whether worker `index`, from 1, gets no operation: `work` has a smaller totalOps."""
    return work.type == 'normal' and 0 < work.total_ops < index


def open_loop(rate, start, driver=0, drivers=1):
    """Yield the instants at which the operations of driver number `driver`, from 0, are due.

    All `drivers` together begin `rate` operations per second: the n-th is due at start + n / rate,
    and each driver takes every `drivers`-th. An operation that is due while all workers are busy
    starts late, and its response time counts from when it was due: otherwise slow responses would
    suppress the measurements that show them (coordinated omission).
    """
    number = driver
    while True:
        yield start + number / rate
        number += drivers


def left(pace, rate, begin, end):
    """Return how many operations of an open loop are due from `begin` to before `end`.

    `pace` is the driver's open_loop(), `rate` its operations per second. The number is computed and
    not counted: if nothing responds there may be a hundred million.
    """
    due, begin = next(pace), begin - 1e-6 / rate   # a margin for rounding
    first = due + max(0, ceil((begin - due) * rate)) / rate
    return max(0, ceil((end - first) * rate))
