"""Reads sent to one node, of all processes that share a Table, and not yet answered."""
from swift_lb.load import table
from swift_lb.load.tail_time import ABSURD

QUEUED, WAITING = 1 << table.BITS, 1 << 2 * table.BITS
BEGUN = 1 + QUEUED + WAITING
AT = table.FIELDS * table.WORD


class SharedInFlight:
    """The reads of one device: those of this process by name, all by the sums over the row.

    It does what InFlight does. The process's own words are written as they are, and not by a
    difference of what lies there, so that a wrong one does not stay.
    """

    __slots__ = ('_bytes', '_counts', '_doubles', '_instants', '_integers', '_reads', '_row',
                 '_since', '_slot', '_waiting')

    def __init__(self, words, slot):
        """Take the Table.words of a record, and the `slot` that this process has."""
        self._doubles, self._integers, self._bytes = words
        self._slot = table.FIELDS + table.PER_SLOT * slot
        self._since = self._slot + table.WAITING
        self._reads, self._waiting = set(), {}      # as InFlight's
        self._counts = 0                            # our word COUNTS
        self._row = self._instants = None           # of a table.Shape

    def fit(self, shape):
        """Let the sums be over the slots that are used by this table.Shape."""
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

    def answered(self):
        """Note that the answer of one of our reads has begun to come, or never will."""
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
        """Write our words anew."""
        self._integers[self._slot] = self._counts
        self._doubles[self._since] = next(iter(self._waiting.values()), 0.0)

    def count(self):
        """Return how many reads of all processes are in flight."""
        return sum(self._row(self._bytes, AT)) & table.LOW

    @property
    def queued(self):
        """Reads of all processes of whose answer nothing has come."""
        return sum(self._row(self._bytes, AT)) >> table.BITS & table.LOW

    @property
    def waiting(self):
        """How many reads of all processes wait."""
        return sum(self._row(self._bytes, AT)) >> 2 * table.BITS & table.LOW

    def waits(self, name):
        """Return whether the read `name` is one of them, and ours."""
        return name in self._waiting

    def view(self):
        """Return (reads in flight, the instant since which one waits or None), of all processes."""
        return self.count(), oldest(self._instants(self._bytes, AT))


def oldest(waiting):
    """Return the least of the instants of a row, None where there is none."""
    if not any(waiting):
        return None
    return min((each for each in waiting if 0.0 < each < ABSURD), default=None)
