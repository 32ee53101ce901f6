"""The requests of clients, counted in a Table: what a host's proxy has to do, for others to see.

Each slot has four words. Its process, and no other, writes them:

    IN_FLIGHT       begun and not ended
    BEGUN           ever begun
    ANSWERED        GETs and HEADs, the head of whose answer has been sent, whatever it was
    ANSWER_SECONDS  the times from their arrival to that head, added up

When a process has died, its requests in flight are wiped by whoever finds it dead, for nobody will
end them. Its totals are left where they are, and the next process that has the slot goes on from
them. So the host's sums never go back as workers come and go, and the words need no second writer.
Were a dead worker's totals moved elsewhere, there would be an instant at which they count twice or
not at all, and it would last if who moves them is killed then. What a dead process had begun stays
begun, and may never have been answered.

A word that can not be, for nobody guards the memory, counts for nothing, until its process writes
it anew.
"""
import struct
from typing import NamedTuple

from swift_lb.load.table import ANSWER_SECONDS, ANSWERED, BEGUN, IN_FLIGHT, Table

WORDS = struct.Struct('QQQd')   # of a slot
MOST_IN_FLIGHT = 1 << 20        # requests of one process
MOST = 1 << 53                  # of a total: so far a double counts


class Totals(NamedTuple):
    """What a slot says, or the sums over all that there are."""

    in_flight: int = 0
    begun: int = 0
    answered: int = 0
    seconds: float = 0.0


class RequestCounts:
    """The requests of the process that has taken `slot` of a Table."""

    __slots__ = ('_doubles', '_integers', 'answered', 'begun', 'in_flight', 'seconds')

    def __init__(self, of_table, slot):
        """Go on from the totals that there are in the slot."""
        self._doubles, self._integers, words = of_table.requests(slot, slot + 1)
        _nobodys, self.begun, self.answered, self.seconds = sane(*WORDS.unpack(words))
        self.in_flight = 0
        self.publish()

    def begin(self):
        """Count a request that has come."""
        self.begun += 1
        self._integers[BEGUN] = self.begun
        self.in_flight += 1
        self._integers[IN_FLIGHT] = self.in_flight

    def head(self, seconds):
        """Count an answer whose head was sent so many seconds after its request had come."""
        if 0.0 <= seconds <= MOST:
            self.seconds += seconds
            self._doubles[ANSWER_SECONDS] = self.seconds
            self.answered += 1
            self._integers[ANSWERED] = self.answered

    def end(self):
        """Count a request no longer: one that has begun, once."""
        self.in_flight -= 1
        self._integers[IN_FLIGHT] = self.in_flight

    def publish(self):
        """Write our words: as they are and not by a difference, so a wrong one does not stay."""
        self._integers[IN_FLIGHT], self._integers[BEGUN] = self.in_flight, self.begun
        self._integers[ANSWERED], self._doubles[ANSWER_SECONDS] = self.answered, self.seconds


def sane(in_flight, begun, answered, seconds):
    """Return the Totals of one slot's words, 0 for those that can not be.

    Answers and their seconds count together or not at all: it is their ratio that says something.
    """
    if answered > MOST or not 0.0 <= seconds <= MOST:      # a NaN is not
        answered, seconds = 0, 0.0
    return Totals(in_flight if in_flight <= MOST_IN_FLIGHT else 0, begun if begun <= MOST else 0,
                  answered, seconds)


def totals(buffer, alive=None):
    """Return the Totals of the table in `buffer`, which table.fault() finds nothing wrong with.

    What is in flight is that of the slots in `alive`, as shared_memory.read_only() returns them, if
    that is given. Otherwise the requests of a worker that was killed count until another has wiped
    them, which takes it a second or two, and for ever where no other lives.
    """
    found = Table(buffer)
    _doubles, _integers, words = found.requests(0, found.used)
    slots = [sane(*four) for four in WORDS.iter_unpack(words)]
    sums = Totals(*map(sum, zip(Totals(), *slots, strict=True)))
    if alive is None:
        return sums
    return sums._replace(in_flight=sum(
        slots[slot].in_flight for slot in alive if slot < len(slots)))
