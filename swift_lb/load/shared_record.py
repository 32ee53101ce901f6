"""One device's record in a Table: the same attributes as book.Record, shared by all processes."""
from operator import itemgetter

from swift_lb.load import table
from swift_lb.load.book import SHORTEST
from swift_lb.load.fields import NAN, WILD
from swift_lb.load.in_flight import ROW, SharedInFlight, oldest
from swift_lb.load.pace import PACE_WORDS, DevicePace, Pace
from swift_lb.load.table import is_plausible_record
from swift_lb.load.tail_time import TailTime
from swift_lb.model import DeviceReport, NodeLoad, fast_tuple

MASK = 0xffffffffffffffff
EVER = 1.0              # seconds: a touched_at for a device in use, where the true one is lost
# The words of a record that node_load_from_fields() uses, in that order.
NODE_LOAD_WORDS = itemgetter(
    table.CONNECT_TIME, table.FIRST_BYTE_TIME, table.FIRST_BYTE_AT, table.THROUGHPUT,
    table.CHUNK_AT, table.CHUNKS, table.SUCCESSES, table.ERRORS, table.TIMEOUTS, table.CHOICES,
    table.LAST_TURN, table.REPORT_IN_FLIGHT, table.REPORT_SERVICE, table.REPORTED_AT)


def word(field, unknown=None):
    """Return a property: a record's double at the index `field`; `unknown` if NaN or impossible."""
    def read(self):
        value = self._doubles[field]
        return value if -WILD <= value < WILD else unknown

    def write(self, value):
        self._doubles[field] = NAN if value is None else value
    return property(read, write)


def count(field):
    """Return a property: the unsigned integer at the index `field` of a record."""
    def read(self):
        return self._integers[field]

    def write(self, value):
        self._integers[field] = value & MASK
    return property(read, write)


class SharedRecord:
    """All measures of one node; the Reads and LoadBooks of all processes write them."""

    __slots__ = ('_bytes', '_doubles', '_integers', '_own', 'copy', 'evidence', 'frozen',
                 'in_flight', 'shape', 'tail')

    def __init__(self, of_table, index, slot, evidence):
        """Use the record `index` of a Table; `slot` is the number of this process's slot.

        `evidence` is {class of Evidence: the object, private to this process}; for Pace it has the
        book's FleetPace, since the Pace itself is made here, of words in the record.
        """
        words = of_table.words(index)
        self._doubles, self._integers, self._bytes = words
        self.in_flight = SharedInFlight(words, slot)
        self.tail = TailTime(self._doubles[table.TAIL_NO_BODY:table.TAIL_WHOLE + 1])
        self.evidence = tuple(
            Pace(each, self._doubles[table.PACE:table.DOUBLES]) if kind is Pace else each
            for kind, each in evidence.items())
        self._own = tuple(each for kind, each in evidence.items() if kind is not Pace)
        self.frozen = None      # always: another process may have changed the words
        self.fit(of_table.shape())

    def fit(self, shape):
        """Use from now on the slots of the record that `shape`, a table.Shape, includes.

        `copy()` then returns the record's bytes, or a NodeLoad if this process has evidence of its
        own, which is not in the record.
        """
        self.shape = shape
        self.in_flight.fit(shape)
        copy = self._bytes[:shape.size].tobytes
        self.copy = (lambda: node_load_from_fields(copy(), shape, self._own)) if self._own else copy

    last_chunk_at = word(table.CHUNK_AT)
    touched_at = word(table.TOUCHED_AT, 0.0)
    progress_at = word(table.PROGRESS_AT, 0.0)      # Pace's, which notes first bytes there
    successes = count(table.SUCCESSES)
    errors = count(table.ERRORS)
    timeouts = count(table.TIMEOUTS)

    def touch(self, now):
        """Note that the node is in use at the instant `now`."""
        self._doubles[table.TOUCHED_AT] = now

    def chosen(self, turn, now):
        """Note that an order has put the node first; `turn` is the order's number on the host."""
        integers = self._integers
        self._doubles[table.TOUCHED_AT] = now
        integers[table.LAST_TURN] = turn
        integers[table.CHOICES] = integers[table.CHOICES] + 1 & MASK

    def connected(self, seconds):
        """Keep how many `seconds` it took to connect and to send a request's head."""
        self._doubles[table.CONNECT_TIME] = seconds

    def note_first_byte(self, seconds, now):
        """Note a first byte, `seconds` after its request was sent."""
        doubles = self._doubles
        doubles[table.FIRST_BYTE_TIME], doubles[table.FIRST_BYTE_AT] = seconds, now

    def chunk_came(self, size, seconds, now):
        """Note a chunk of `size` bytes that took `seconds` and ended at the instant `now`."""
        doubles, integers = self._doubles, self._integers
        doubles[table.THROUGHPUT] = size / (seconds if seconds > SHORTEST else SHORTEST)
        doubles[table.CHUNK_AT] = now
        integers[table.CHUNKS] = integers[table.CHUNKS] + 1 & MASK

    def reported(self, report, now):
        """Note the in_flight of the node's last DeviceReport; Pace keeps the rest of it."""
        self._integers[table.REPORT_IN_FLIGHT] = report.in_flight

    def blank(self):
        """Forget all measures of the device, but not the reads in flight."""
        self._bytes[:len(table.BLANK)] = table.BLANK

    def mend(self):
        """Blank the record if a word is impossible: other processes can write any value."""
        if not is_plausible_record(table.WORDS.unpack_from(self._bytes)):
            self.blank()
            if self.in_flight.count():      # a device with reads in flight stays visible
                self.touched_at = EVER


def loads(of_table, slots):
    """Yield (Node, NodeLoad) of each device of a Table, except forgotten and damaged records.

    Of the reads in flight only those of the workers with numbers in `slots` count.
    """
    shape = of_table.shape()
    for index in range(of_table.count):
        raw = of_table.words(index)[2][:shape.size].tobytes()
        node, load = of_table.name(index), node_load_from_fields(raw, shape, slots=slots)
        if node is not None and is_plausible_record(fields := table.WORDS.unpack_from(raw)) and (
                fields[table.TOUCHED_AT]):
            yield node, load


def node_load_from_fields(raw, shape, own=(), slots=None):
    """Return the NodeLoad of a record's bytes `raw`; without measures, if any word is impossible.

    `shape` is the record's table.Shape, `own` is evidence outside of the record. Of the reads in
    flight, those of the workers with numbers in `slots` count, or all if it is None.
    """
    fields = table.WORDS.unpack_from(raw)
    if not is_plausible_record(fields):
        fields = table.BLANK_WORDS
    (connect_time, first_byte_time, first_byte_at, throughput, chunk_at, chunks, successes, errors,
     timeouts, choices, last_turn, reported, service_time, reported_at) = NODE_LOAD_WORDS(fields)
    counts, since = shape.counts(raw, ROW), shape.instants(raw, ROW)
    if slots is not None:
        counts, since = ([row[slot] for slot in slots if slot < len(row)]
                         for row in (counts, since))
    in_flight, queued, waiting = table.unpack(sum(counts))
    evidence = {type(each): each.view() for each in own}
    evidence[Pace] = fast_tuple(DevicePace, fields[table.PACE:table.PACE + PACE_WORDS])
    return fast_tuple(NodeLoad, (
        in_flight, oldest(since), known(connect_time), known(first_byte_time),
        known(first_byte_at),
        *((throughput, chunk_at) if throughput == throughput and chunk_at == chunk_at
          else (None, None)),
        chunks, successes, errors, timeouts, choices, last_turn, queued, waiting, evidence,
        DeviceReport(reported, service_time) if service_time else None,
        reported_at if service_time else None))


def known(number):
    """Return `number`, or None if it is NaN, which stands for unknown."""
    return number if number == number else None
