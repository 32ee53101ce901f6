"""The requests of clients to a host's proxy, counted in a Table that other processes can read.

Each slot, a worker's place in the Table, has four words. Only its process writes them:

    IN_FLIGHT       begun and not ended
    BEGUN           ever begun
    ANSWERED        GETs and HEADs for which the head of an answer, of any status, has been sent
    ANSWER_SECONDS  the times from their arrival to that head, added up

When a process has died, the process that finds it dead wipes the dead one's requests in flight, as
they will never end. Its totals stay, and the next process with the slot adds to them. So the host's
sums never decrease as workers come and go, and the words need no second writer: totals that were
moved would count twice or not at all if the process that moves them is killed then. BEGUN still
counts the requests that a dead process had begun.

The memory is not protected: an impossible word counts as 0 until its process writes it again.
"""
import struct
from typing import NamedTuple

from swift_lb.load.table import ANSWER_SECONDS, ANSWERED, BEGUN, IN_FLIGHT, Table

WORDS = struct.Struct('QQQd')   # of a slot
MAX_IN_FLIGHT = 1 << 20        # requests of one process
MAX_TOTAL = 1 << 53             # the integers up to here are exact as doubles


class Totals(NamedTuple):
    """The counts of requests in one slot (a worker's place), or their sums over all slots."""

    in_flight: int = 0
    begun: int = 0
    answered: int = 0
    seconds: float = 0.0


class RequestCounts:
    """Count the requests of this process in its `slot`, its place in a Table."""

    __slots__ = ('_doubles', '_integers', 'answered', 'begun', 'in_flight', 'seconds')

    def __init__(self, of_table, slot):
        """Continue the totals that an earlier process with this `slot` has left in the Table."""
        self._doubles, self._integers, words = of_table.requests(slot, slot + 1)
        _in_flight_of_the_dead, self.begun, self.answered, self.seconds = sane(*WORDS.unpack(words))
        self.in_flight = 0
        self.publish()

    def begin(self):
        """Count a request that has arrived."""
        self.begun += 1
        self._integers[BEGUN] = self.begun
        self.in_flight += 1
        self._integers[IN_FLIGHT] = self.in_flight

    def head(self, seconds):
        """Count an answer whose head was sent `seconds` after its request had arrived."""
        if 0.0 <= seconds <= MAX_TOTAL:
            self.seconds += seconds
            self._doubles[ANSWER_SECONDS] = self.seconds
            self.answered += 1
            self._integers[ANSWERED] = self.answered

    def end(self):
        """Note the end of a request that has begun; to be called once for each."""
        self.in_flight -= 1
        self._integers[IN_FLIGHT] = self.in_flight

    def publish(self):
        """Write all words of this process's slot again: another process may have damaged them."""
        self._integers[IN_FLIGHT], self._integers[BEGUN] = self.in_flight, self.begun
        self._integers[ANSWERED], self._doubles[ANSWER_SECONDS] = self.answered, self.seconds


def sane(in_flight, begun, answered, seconds):
    """Return Totals of these counts and `seconds`, a worker's words, with 0 for impossible ones.

    Answers and their seconds count together or not at all, since their ratio is what is used.
    """
    if answered > MAX_TOTAL or not 0.0 <= seconds <= MAX_TOTAL:      # or NaN
        answered, seconds = 0, 0.0
    return Totals(in_flight if in_flight <= MAX_IN_FLIGHT else 0,
                  begun if begun <= MAX_TOTAL else 0, answered, seconds)


def totals(buffer, alive=None):
    """Return the Totals over all slots of the valid table (see table.fault) in `buffer`.

    `alive` are the slots that processes hold, as shared_memory.read_only() returns them: only their
    requests count as in flight. Without `alive`, a killed worker's requests count until another
    worker wipes its slot, within two seconds, or for ever if there is no other worker.
    """
    of_host = Table(buffer)
    _doubles, _integers, words = of_host.requests(0, of_host.used)
    slots = [sane(*four) for four in WORDS.iter_unpack(words)]
    sums = Totals(*map(sum, zip(Totals(), *slots, strict=True)))
    if alive is None:
        return sums
    return sums._replace(in_flight=sum(
        slots[slot].in_flight for slot in alive if slot < len(slots)))
