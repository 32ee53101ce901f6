"""One device's record in a Table: the same attributes as book.Record, seen by all processes."""
from swift_lb.load import table
from swift_lb.load.last_chunk import SHORTEST, LastChunk
from swift_lb.load.pace import NEVER, SHOWN, DevicePace, Pace
from swift_lb.load.shared_in_flight import SharedInFlight, oldest
from swift_lb.load.tail_time import ABSURD, TailTime
from swift_lb.model import DeviceReport, NodeLoad, make

MASK = 0xffffffffffffffff
NAN = float('nan')
ROW, ROW_AT = table.FIELDS, table.FIELDS * table.WORD
EVER = 1.0              # seconds: some instant, where none is known
LATE = 3600.0           # seconds after a read was begun: nothing is heard of it so late
WILD = 1e15             # no number that is written comes near


def word(field, unknown=None):
    """Return a property: the double `field` of self._doubles, `unknown` where it is NaN or WILD."""
    def read(self):
        value = self._doubles[field]
        return value if -WILD <= value < WILD else unknown

    def write(self, value):
        self._doubles[field] = NAN if value is None else value
    return property(read, write)


def count(field):
    """Return a property: the unsigned integer `field` of self._integers."""
    def read(self):
        return self._integers[field]

    def write(self, value):
        self._integers[field] = value & MASK
    return property(read, write)


class SharedLastChunk(LastChunk):
    """The last chunk that any process has read."""

    __slots__ = ('_doubles', '_integers')

    def __init__(self, words):
        self._doubles, self._integers, _bytes = words

    at = word(table.CHUNK_AT)

    def read(self, size, seconds, now):
        """Record one chunk, as LastChunk does."""
        doubles, integers = self._doubles, self._integers
        doubles[table.THROUGHPUT] = size / (seconds if seconds > SHORTEST else SHORTEST)
        doubles[table.CHUNK_AT] = now
        integers[table.CHUNKS] = integers[table.CHUNKS] + 1 & MASK


class SharedRecord:
    """Everything measured of one node; written by the Reads and LoadBooks of all processes."""

    __slots__ = ('_bytes', '_doubles', '_integers', '_own', 'copy', 'evidence', 'frozen',
                 'in_flight', 'last_chunk', 'shape', 'tail')

    def __init__(self, of_table, index, slot, evidence):
        """`evidence` is what this process keeps for itself, by class; of Pace, its FleetPace."""
        words = of_table.words(index)
        self._doubles, self._integers, self._bytes = words
        self.in_flight = SharedInFlight(words, slot)
        self.last_chunk = SharedLastChunk(words)
        self.tail = TailTime(self._doubles[table.TAIL_NO_BODY:table.TAIL_WHOLE + 1])
        self.evidence = tuple(
            Pace(each, self._doubles[table.PACE:table.DOUBLES]) if kind is Pace else each
            for kind, each in evidence.items())
        self._own = tuple(each for kind, each in evidence.items() if kind is not Pace)
        self.frozen = None      # always: another process may have changed what there is
        self.fit(of_table.shape())

    def fit(self, shape):
        """Look from now on at what says something in a record of this table.Shape.

        `copy()` returns what there is now: the bytes of which load_of() makes a NodeLoad, or one,
        where there is evidence that the record has not.
        """
        self.shape = shape
        self.in_flight.fit(shape)
        copy = self._bytes[:shape.size].tobytes
        self.copy = (lambda: load_of(copy(), shape, self._own)) if self._own else copy

    first_byte_at = word(table.FIRST_BYTE_AT)
    touched_at = word(table.TOUCHED_AT, 0.0)
    progress_at = word(table.PROGRESS_AT, 0.0)      # Pace's, which notes first bytes there
    successes = count(table.SUCCESSES)
    errors = count(table.ERRORS)
    timeouts = count(table.TIMEOUTS)

    def touch(self, now):
        """Note that the node is in use."""
        self._doubles[table.TOUCHED_AT] = now

    def chosen(self, turn, now):
        """Note that the node has been put first, as the host's `turn`."""
        integers = self._integers
        self._doubles[table.TOUCHED_AT] = now
        integers[table.LAST_TURN] = turn
        integers[table.CHOICES] = integers[table.CHOICES] + 1 & MASK

    def connected(self, seconds):
        """Note how long connecting and sending a request's head took."""
        self._doubles[table.CONNECT_TIME] = seconds

    def answered(self, seconds, now):
        """Note a first byte, `seconds` after its request was sent."""
        doubles = self._doubles
        doubles[table.FIRST_BYTE_TIME], doubles[table.FIRST_BYTE_AT] = seconds, now

    def reported(self, report, now):
        """Note the node's last DeviceReport; all but this one word is Pace's, too."""
        self._integers[table.REPORT_IN_FLIGHT] = report.in_flight

    def blank(self):
        """Forget all that is known of the device, but for the reads that are under way."""
        self._bytes[:len(table.BLANK)] = table.BLANK

    def mend(self):
        """Blank the record if any of its words is impossible: other processes can write any value.
        """
        if not possible(table.WORDS.unpack_from(self._bytes)):
            self.blank()
            if self.in_flight.count():      # shown all the same
                self.touched_at = EVER


def loads(of_table, slots):
    """Yield (node, NodeLoad) of each device in a Table that may be there to be read only.

    Of the reads under way, those of `slots` count.
    """
    shape = of_table.shape()
    for index in range(of_table.count):
        raw = of_table.words(index)[2][:shape.size].tobytes()
        node, load = of_table.name(index), load_of(raw, shape, slots=slots)
        if node is not None and possible(fields := table.WORDS.unpack_from(raw)) and (
                fields[table.TOUCHED_AT]):
            yield node, load


def possible(fields):
    """Return whether these FIELDS can be: whether somebody has written them, and not chance."""
    (connect_time, first_byte_time, first_byte_at, throughput, chunk_at, touched_at, no_body, chunk,
     whole, seconds, weight, at, progress_at, asked_at, service_time, reported_at, others, surplus,
     further_seconds, further_weight, further_at, recent, reported, failures) = fields[
         :table.DOUBLES]
    latest = touched_at + LATE
    return (0.0 <= touched_at < ABSURD and 0.0 <= seconds < ABSURD and 0.0 <= weight < ABSURD
            and (seconds > 0.0 or not weight)
            and 0.0 <= at <= latest and 0.0 <= progress_at <= latest
            and (asked_at == NEVER or 0.0 <= asked_at <= latest)
            and 0.0 <= service_time < ABSURD and 0.0 <= reported_at <= latest
            and 0.0 <= others < ABSURD and -ABSURD < surplus < ABSURD
            and 0.0 <= further_seconds < ABSURD and 0.0 <= further_weight < ABSURD
            and 0.0 <= further_at < ABSURD      # a body may take for ever, and so may chunk_at
            and 0.0 <= recent < ABSURD and 0.0 <= reported < ABSURD and 0.0 <= failures < ABSURD
            and 0.0 <= no_body < ABSURD and 0.0 <= chunk < ABSURD and 0.0 <= whole < ABSURD
            and (connect_time != connect_time or 0.0 <= connect_time < ABSURD)  # NaN is unknown
            and (first_byte_time != first_byte_time or 0.0 <= first_byte_time < ABSURD)
            and (first_byte_at != first_byte_at or 0.0 <= first_byte_at <= latest)
            and (throughput != throughput or 0.0 <= throughput < WILD)
            and (chunk_at != chunk_at or 0.0 <= chunk_at < ABSURD))


def load_of(raw, shape, own=(), slots=None):
    """Return the NodeLoad of a record's bytes: of nothing known, if what they say can not be.

    `own` is the evidence that the record has not. Of the reads under way, those of `slots` count,
    all if None.
    """
    fields = table.WORDS.unpack_from(raw)
    if not possible(fields):
        fields = table.NOTHING
    connect_time, first_byte_time, first_byte_at, throughput, chunk_at = fields[:table.TOUCHED_AT]
    service_time, reported_at = fields[table.REPORT_SERVICE], fields[table.REPORTED_AT]
    reported, chunks, successes, errors, timeouts, choices, last_turn = fields[table.DOUBLES:]
    counts, since = shape.counts(raw, ROW_AT), shape.instants(raw, ROW_AT)
    if slots is not None:
        counts, since = ([row[slot] for slot in slots if slot < len(row)]
                         for row in (counts, since))
    in_flight, queued, waiting = table.unpack(sum(counts))
    evidence = {type(each): each.view() for each in own}
    evidence[Pace] = make(DevicePace, fields[table.PACE:table.PACE + SHOWN])
    return make(NodeLoad, (
        in_flight, oldest(since), known(connect_time), known(first_byte_time),
        known(first_byte_at),
        *((throughput, chunk_at) if throughput == throughput and chunk_at == chunk_at
          else (None, None)),
        chunks, successes, errors, timeouts, choices, last_turn, queued, waiting, evidence,
        DeviceReport(reported, service_time) if service_time else None,
        reported_at if service_time else None))


def known(number):
    """Return a word's number, None for NaN."""
    return number if number == number else None
