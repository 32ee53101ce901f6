"""Reads sent to one node and not yet answered, of one process or of all workers of a host.

A read waits while the proxy is blocked on the node: for the first byte, then for each chunk. It
does not wait while a slow client takes its time over what the node has already delivered. A read's
name may be any hashable, such as its id(), so that the count keeps no Read object alive.
"""
from swift_lb.load import table
from swift_lb.load.fields import ABSURD

QUEUED, WAITING = 1 << table.BITS, 1 << 2 * table.BITS
BEGUN = 1 + QUEUED + WAITING
ROW = table.FIELDS * table.WORD     # offset in a record's words, bytes


class InFlight:
    """Count this process's reads of one node, and keep the instants since which they wait."""

    __slots__ = ('_reads', '_waiting', 'queued')

    def __init__(self):
        self.queued = 0     # reads sent and without a first byte
        self._reads = set()
        self._waiting = {}  # name -> instant; insertion order is order of waiting, oldest first

    def begin(self, name, now):
        """Count the read `name`, waiting since `now`."""
        self.queued += 1
        self._reads.add(name)
        self._waiting[name] = now

    def leave_queue(self):
        """Note that the first byte of one of the reads has come, or never will."""
        self.queued -= 1

    def wait(self, name, now):
        """Note that the read `name` waits again since `now`; ignored once it has ended."""
        if name in self._reads:
            self._waiting.setdefault(name, now)

    def served(self, name):
        """Note that the node has delivered what the read `name` waited for."""
        self._waiting.pop(name, None)

    def end(self, name):
        """Stop counting the read `name`; a second end is harmless."""
        self._reads.discard(name)
        self._waiting.pop(name, None)

    @property
    def waiting(self):
        """The number of reads of which the proxy waits for bytes now."""
        return len(self._waiting)

    def waits(self, name):
        """Return whether the proxy waits for bytes of the read `name` now."""
        return name in self._waiting

    def view(self):
        """Return (reads in flight, the instant since which the oldest waits or None)."""
        waiting = self._waiting
        return len(self._reads), next(iter(waiting.values()), None)


class SharedInFlight:
    """Count one device's reads in flight: this process's by name, all processes' by sums.

    In the device's record each process has two words of its own, its slot. It overwrites them and
    never adds to what is there, so that a damaged word does not stay.
    """

    __slots__ = ('_bytes', '_counts', '_doubles', '_instants', '_integers', '_reads', '_row',
                 '_since', '_slot', '_waiting')

    def __init__(self, words, slot):
        """Take the Table.words() of the device's record, and the number of this process's slot."""
        self._doubles, self._integers, self._bytes = words
        self._slot = table.FIELDS + table.PER_SLOT * slot
        self._since = self._slot + table.WAITING
        self._reads, self._waiting = set(), {}      # as InFlight's
        self._counts = 0                            # this process's word COUNTS
        self._row = self._instants = None           # of a table.Shape

    def fit(self, shape):
        """Set the table.Shape: which words, one for each process, the sums of counts include."""
        self._row, self._instants = shape.counts, shape.instants

    def begin(self, name, now):
        """Count the read `name`, waiting since `now`."""
        self._reads.add(name)
        self._counts += BEGUN
        self._integers[self._slot] = self._counts
        self._await(name, now)

    def _await(self, name, now):
        if not self._waiting:
            self._doubles[self._since] = now
        self._waiting[name] = now

    def leave_queue(self):
        """Note that the first byte of one of this process's reads has come, or never will."""
        self._counts -= QUEUED
        self._integers[self._slot] = self._counts

    def wait(self, name, now):
        """Note that the read `name` waits again since `now`; ignored once it has ended."""
        if name in self._reads and name not in self._waiting:
            self._counts += WAITING
            self._integers[self._slot] = self._counts
            self._await(name, now)

    def served(self, name):
        """Note that the node has delivered what the read `name` waited for."""
        waiting = self._waiting
        if waiting.pop(name, None) is not None:
            self._counts -= WAITING
            self._integers[self._slot] = self._counts
            self._doubles[self._since] = next(iter(waiting.values())) if waiting else 0.0

    def end(self, name):
        """Stop counting the read `name`; a second end is harmless."""
        self.served(name)
        if name in self._reads:
            self._reads.remove(name)
            self._counts -= 1
            self._integers[self._slot] = self._counts

    def publish(self):
        """Write this process's words again: another process may have damaged them."""
        self._integers[self._slot] = self._counts
        self._doubles[self._since] = next(iter(self._waiting.values()), 0.0)

    def count(self):
        """Return the number of reads in flight, of all processes."""
        return sum(self._row(self._bytes, ROW)) & table.LOW

    @property
    def queued(self):
        """The number of reads without a first byte, of all processes."""
        return sum(self._row(self._bytes, ROW)) >> table.BITS & table.LOW

    @property
    def waiting(self):
        """The number of reads of which any process waits for bytes now."""
        return sum(self._row(self._bytes, ROW)) >> 2 * table.BITS & table.LOW

    def waits(self, name):
        """Return whether this process waits for bytes of its read `name` now."""
        return name in self._waiting

    def view(self):
        """Return (reads in flight of all processes, since when the oldest waits or None)."""
        return self.count(), oldest(self._instants(self._bytes, ROW))


def oldest(waiting):
    """Return the earliest of the instants `waiting`, of which 0 is none; None without any other."""
    if not any(waiting):
        return None
    return min((each for each in waiting if 0.0 < each < ABSURD), default=None)
