"""When a worker has done its part of a work."""
import math
from typing import NamedTuple


class Limits(NamedTuple):
    """What ends a worker: instants of the monotonic clock, and its part of the totals."""

    begin: float              # measured from here
    end: float = math.inf     # to here
    until: float = math.inf   # works until here
    ops: float = math.inf     # inside the measured window
    bytes: float = math.inf

    @property
    def only_bytes(self):
        """Return whether nothing but bytes ends a worker: not time, not operations."""
        return self.until == self.ops == math.inf != self.bytes


def limits(work, start):
    """Return the Limits of each worker of a Work that starts at the instant `start`.

    Totals are divided by integer division, as in COSBench; but a part that comes to nothing is 1,
    where COSBench takes it for no limit and never ends.
    """
    if work.type != 'normal':
        return Limits(start)
    ops = max(1, work.total_ops // work.workers) if work.total_ops else math.inf
    size = max(1, work.total_bytes // work.workers) if work.total_bytes else math.inf
    if not work.runtime:  # ramp-up and ramp-down are about a runtime: without one there are none
        return Limits(start, ops=ops, bytes=size)
    begin = start + work.rampup
    end = begin + work.runtime
    return Limits(begin, end, end + work.rampdown, ops, size)


def idle(work, index):
    """Return whether worker `index`, from 1, has nothing to do: 8 workers for 5 operations."""
    return work.type == 'normal' and 0 < work.total_ops < index
