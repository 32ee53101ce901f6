"""One device's record in a Table: the same attributes as book.Record, seen by all processes."""
from swift_lb.load import table
from swift_lb.load.in_flight import InFlight
from swift_lb.load.last_chunk import LastChunk
from swift_lb.load.pace import DevicePace, Pace
from swift_lb.load.shared_pace import WILD, SharedPace, report_of, word
from swift_lb.load.tail_time import ABSURD, TailTime
from swift_lb.model import DeviceReport, NodeLoad, make

MASK = 0xffffffffffffffff
ROW = table.FIELDS
EVER = 1.0              # seconds: some instant, where none is known
LATE = 3600.0           # seconds after a read was begun: nothing is heard of it so late


def count(field):
    """Return a property: the unsigned integer `field` of self._integers."""
    def read(self):
        return self._integers[field]

    def write(self, value):
        self._integers[field] = value & MASK
    return property(read, write)


class SharedInFlight:
    """The reads of one device: ours are an InFlight and our words of the row, all are the row."""

    __slots__ = ('_doubles', '_integers', '_own', '_slot', '_table')

    def __init__(self, words, slot, of_table):
        self._doubles, self._integers, _bytes = words
        self._own, self._slot, self._table = InFlight(), ROW + table.PER_SLOT * slot, of_table

    def begin(self, name, now):
        """Count the read `name`, waiting since `now`."""
        self._own.begin(name, now)
        self.publish()

    def answered(self):
        """Note that the answer of one of our reads has begun to come, or never will."""
        self._own.answered()
        self.publish()

    def wait(self, name, now):
        """Note that the read `name` waits again since `now`; ignored once it has ended."""
        self._own.wait(name, now)
        self.publish()

    def served(self, name):
        """Note that the node has delivered what the read `name` waited for."""
        self._own.served(name)
        self.publish()

    def end(self, name):
        """Stop counting the read `name`; a second end is harmless."""
        self._own.end(name)
        self.publish()

    def publish(self):
        """Write our words: as they are and not by a difference, so a wrong one does not stay."""
        in_flight, waiting_since = self._own.view()
        self._integers[self._slot] = table.pack(in_flight, self._own.queued, self._own.waiting)
        self._doubles[self._slot + table.WAITING] = waiting_since or 0.0

    def count(self):
        """Return how many reads of all processes are in flight."""
        return table.unpack(self._counts())[0]

    @property
    def queued(self):
        """Reads of all processes of whose answer nothing has come."""
        return table.unpack(self._counts())[1]

    @property
    def waiting(self):
        """How many reads of all processes wait."""
        return table.unpack(self._counts())[2]

    def waits(self, name):
        """Return whether the read `name` is one of them, and ours."""
        return self._own.waits(name)

    def view(self):
        """Return (reads in flight, the instant since which one waits or None), of all processes."""
        waiting = self._doubles[ROW + table.WAITING:self._end():table.PER_SLOT].tolist()
        return self.count(), oldest(waiting)

    def _counts(self):
        return sum(self._integers[ROW:self._end():table.PER_SLOT].tolist())

    def _end(self):
        return ROW + table.PER_SLOT * self._table.used


def oldest(waiting):
    """Return the least of the instants of a row, None where there is none."""
    found = min(filter(None, waiting), default=None)
    if found is None or 0.0 < found < ABSURD:
        return found
    return min((each for each in waiting if 0.0 < each < ABSURD), default=None)


class SharedLastChunk(LastChunk):
    """The last chunk that any process has read."""

    __slots__ = ('_doubles', '_integers')

    def __init__(self, words):
        self._doubles, self._integers, _bytes = words

    throughput = word(table.THROUGHPUT)
    at = word(table.CHUNK_AT)
    count = count(table.CHUNKS)


class SharedRecord:
    """Everything measured of one node; written by the Reads and LoadBooks of all processes."""

    __slots__ = ('_bytes', '_doubles', '_integers', '_kept', '_own', '_raw', '_table', 'evidence',
                 'frozen', 'in_flight', 'last_chunk', 'tail')

    def __init__(self, of_table, index, slot, evidence):
        """`evidence` is what this process keeps for itself, by class; Pace is added."""
        words = of_table.words(index)
        self._doubles, self._integers, self._bytes = words
        self._table = of_table
        self.in_flight = SharedInFlight(words, slot, of_table)
        self.last_chunk = SharedLastChunk(words)
        self.tail = TailTime(self._doubles[table.TAIL_NO_BODY:table.TAIL_WHOLE + 1])
        self.evidence = tuple(
            SharedPace(each, words) if kind is Pace else each
            for kind, each in evidence.items())
        self._own = tuple(each for kind, each in evidence.items() if kind is not Pace)
        self._raw = self._kept = None
        self.frozen = None      # or False: never what is to be shown, see freeze()

    connect_time = word(table.CONNECT_TIME)
    first_byte_time = word(table.FIRST_BYTE_TIME)
    first_byte_at = word(table.FIRST_BYTE_AT)
    touched_at = word(table.TOUCHED_AT, 0.0)
    reported_at = word(table.REPORTED_AT)
    successes = count(table.SUCCESSES)
    errors = count(table.ERRORS)
    timeouts = count(table.TIMEOUTS)
    choices = count(table.CHOICES)
    last_turn = count(table.LAST_TURN)

    @property
    def report(self):
        """The last DeviceReport."""
        return report_of(self._doubles[table.REPORT_SERVICE],
                         self._integers[table.REPORT_IN_FLIGHT])

    @report.setter
    def report(self, report):
        """Let it be `report`, for all processes."""
        self._integers[table.REPORT_IN_FLIGHT] = report.in_flight
        self._doubles[table.REPORT_SERVICE] = report.service_time

    def chosen(self, turn, now):
        """Note that the node has been put first, as the host's `turn`."""
        integers = self._integers
        self._doubles[table.TOUCHED_AT] = now
        integers[table.LAST_TURN] = turn
        integers[table.CHOICES] = (integers[table.CHOICES] + 1) & MASK

    def blank(self):
        """Forget all that is known of the device, but for the reads that are under way."""
        self._bytes[:len(table.BLANK)] = table.BLANK

    def freeze(self):
        """Return the NodeLoad.

        The one made before, if no byte of the record is another. `frozen` is None if a Read of this
        process has changed something since; then the evidence that is ours alone may be another.
        """
        end, unpack = self._table.shape()
        raw = self._bytes[:end].tobytes()
        if raw == self._raw and not (self._own and self.frozen is None):
            return self._kept
        self.frozen, self._raw = False, raw
        fields = unpack(raw)
        self._kept = load_of(fields, self._own)
        if self._kept is None:      # nobody guards the memory: what can not be is not known
            self.blank()
            if self.in_flight.count() and not self.touched_at:      # shown all the same
                self.touched_at = EVER
            self._kept = load_of(table.NOTHING + fields[ROW:], self._own)
        return self._kept


def loads(of_table, slots):
    """Yield (node, NodeLoad) of each device in a Table that may be there to be read only.

    Of the reads under way, those of `slots` count.
    """
    end, unpack = of_table.shape()
    for index in range(of_table.count):
        fields = unpack(of_table.words(index)[2][:end].tobytes())
        row = [word for slot in slots
               for word in fields[ROW + table.PER_SLOT * slot:][:table.PER_SLOT]]
        node, load = of_table.name(index), load_of((*fields[:ROW], *row), ())
        if node is not None and load is not None and fields[table.TOUCHED_AT]:
            yield node, load


def possible(connect_time, first_byte_time, first_byte_at, throughput, chunk_at, touched_at,
             seconds, recent, weight, at, progress_at, asked_at, service_time, reported_at, reports,
             others, surplus, failures, further_seconds, further_weight, further_at):
    """Return whether these FIELDS can be: whether somebody has written them, and not chance."""
    latest = touched_at + LATE
    return (0.0 <= touched_at < ABSURD and 0.0 <= recent < ABSURD and 0.0 <= weight < ABSURD
            and 0.0 <= at <= latest and 0.0 <= progress_at <= latest and 0.0 <= reports < ABSURD
            and -ABSURD < others < ABSURD and -ABSURD < surplus < ABSURD
            and 0.0 <= failures < ABSURD and 0.0 <= further_weight < ABSURD
            and 0.0 <= further_at < ABSURD      # a body may take for ever, and so may chunk_at
            and (further_seconds != further_seconds or 0.0 <= further_seconds < ABSURD)
            and (connect_time != connect_time or 0.0 <= connect_time < ABSURD)  # NaN is unknown
            and (first_byte_time != first_byte_time or 0.0 <= first_byte_time < ABSURD)
            and (first_byte_at != first_byte_at or 0.0 <= first_byte_at <= latest)
            and (throughput != throughput or 0.0 <= throughput < WILD)
            and (chunk_at != chunk_at or 0.0 <= chunk_at < ABSURD)
            and (seconds != seconds or 0.0 <= seconds < ABSURD)
            and (asked_at != asked_at or 0.0 <= asked_at <= latest)
            and (service_time != service_time or 0.0 < service_time < ABSURD)
            and (reported_at != reported_at or 0.0 <= reported_at <= latest))


def load_of(fields, own):
    """Return the NodeLoad of the FIELDS and the row of a record; None if they can not be.

    `own` is the evidence that the record has not.
    """
    if not possible(*fields[:table.FURTHER_AT + 1]):
        return None
    (connect_time, first_byte_time, first_byte_at, throughput, chunk_at, _touched_at, seconds,
     _recent, weight, at, progress_at, asked_at, service_time, reported_at, _reports, others,
     surplus, _failures, further_seconds, further_weight, further_at, _tail_no_body, _tail_chunk,
     _tail_whole, reported, chunks, successes, errors, timeouts, choices, last_turn) = fields[:ROW]
    report = None
    if service_time == service_time and reported_at == reported_at:
        report = DeviceReport(reported, service_time)
    if reported_at != reported_at:
        reported_at = None
    evidence = {Pace: make(DevicePace, (
        seconds if seconds == seconds else None, weight, at, progress_at,
        asked_at if asked_at == asked_at else None, report, reported_at or 0.0, others, surplus,
        further_seconds if further_seconds == further_seconds else None, further_weight,
        further_at))}
    for each in own:
        evidence[type(each)] = each.view()
    in_flight, queued, waiting = table.unpack(sum(fields[ROW::table.PER_SLOT]))
    since = fields[ROW + table.WAITING::table.PER_SLOT]
    return make(NodeLoad, (
        in_flight, oldest(since) if any(since) else None,
        connect_time if connect_time == connect_time else None,
        first_byte_time if first_byte_time == first_byte_time else None,
        first_byte_at if first_byte_at == first_byte_at else None,
        *((throughput, chunk_at) if throughput == throughput and chunk_at == chunk_at
          else (None, None)),
        chunks, successes, errors, timeouts, choices, last_turn, queued, waiting, evidence, report,
        reported_at))
