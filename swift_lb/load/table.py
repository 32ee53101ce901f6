"""The layout of a host's LoadBook in memory that its processes share. Pure: any buffer will do.

    header    4096 bytes: MAGIC, VERSION, dimensions, the host's boot, a checksum of these; then
              words that change: COUNT of records, USED slots, the TURN, the FleetPace (FLEET),
              whose third word holds the tokens for hedges (HEDGES), and the process id of each
              slot; MAGIC again at its end
    requests  of clients: for each slot the REQUEST_WORDS (see request_table.py)
    record    of one device: its name as text, the FIELDS words of RECORD, and a row: for each slot
              two words, COUNTS (reads in flight, queued and waited for, of BITS each) and the
              instant since which one of them waits (0: none)
    word      8 bytes, native: a double, of which NaN is unknown, or an unsigned integer

Nothing is locked. A word is stored and loaded whole. A slot's words in the rows and the requests
have one writer, the process that holds the slot, and the host's counts are sums over the slots; so
they are exact, and the words of a dead process can be wiped. All other words have many writers, and
the last one wins: of two processes that count at once one may be lost, and an average may lose a
sample, which does no harm.

All bytes before the records, front(), have memory from the beginning, or the table is not made: a
process that only reads cannot ask for memory, and in a full tmpfs even reading a hole kills it.

A record is written whole before COUNT includes it; records are never moved or used again, so an
index stays good as long as the memory. Instants are of the monotonic clock, which all processes
share until the next boot.
"""
import struct
import zlib
from typing import NamedTuple

from swift_lb.load import pace
from swift_lb.load.fields import AMOUNT, INSTANT, NAN, FieldTable, unknown_or
from swift_lb.model import Node

MAGIC = b'swift-lb'
VERSION = 6
SLOTS = 256             # processes: twice the workers while a reload is under way
CAPACITY = 16384        # devices

HEADER = 4096           # bytes
PREFIX = struct.Struct('=8sIIII16s')     # magic, version, record size, capacity, slots, boot
CHECKSUM = struct.Struct('=I')
WORD = 8
COUNT, USED, TURN, FLEET = range(6, 10)     # in the header; FLEET: the first of a FleetPace's words
HEDGES = 11
PIDS = 16

IN_FLIGHT, BEGUN, ANSWERED, ANSWER_SECONDS, REQUEST_WORDS = range(5)    # of a slot's requests
NAME_WORDS = 16               # words; a byte for its length comes first
RECORD = FieldTable()
CONNECT_TIME = RECORD.double('connect_time', NAN, unknown_or(AMOUNT))
FIRST_BYTE_TIME = RECORD.double('first_byte_time', NAN, unknown_or(AMOUNT))
FIRST_BYTE_AT = RECORD.double('first_byte_at', NAN, unknown_or(INSTANT))
THROUGHPUT = RECORD.double('throughput', NAN, unknown_or('0.0 <= {0} < WILD'))
CHUNK_AT = RECORD.double('chunk_at', NAN, unknown_or(AMOUNT))
TOUCHED_AT = RECORD.double('touched_at', 0.0, AMOUNT)       # 0: the device is forgotten
TAIL_NO_BODY = RECORD.double('no_body', 0.0, AMOUNT)        # a TailTime's three words
TAIL_CHUNK = RECORD.double('chunk', 0.0, AMOUNT)
TAIL_WHOLE = RECORD.double('whole', 0.0, AMOUNT)
PACE = RECORD.include(pace.FIELDS)
PROGRESS_AT, REPORT_SERVICE, REPORTED_AT = (
    PACE + word for word in (pace.PROGRESS_AT, pace.SERVICE_TIME, pace.REPORTED_AT))
DOUBLES = len(RECORD)
REPORT_IN_FLIGHT = RECORD.count('report_in_flight')
CHUNKS = RECORD.count('chunks')
SUCCESSES = RECORD.count('successes')
ERRORS = RECORD.count('errors')
TIMEOUTS = RECORD.count('timeouts')
CHOICES = RECORD.count('choices')
LAST_TURN = RECORD.count('last_turn')
FIELDS = len(RECORD)

LATE = 3600.0           # seconds after a read was begun: none of its instants is later
is_plausible_record = RECORD.plausibility(latest=f'touched_at + {LATE}')
BLANK_WORDS = RECORD.defaults
WORDS = RECORD.struct()
BLANK = WORDS.pack(*BLANK_WORDS)
PACE_STRUCT = struct.Struct(f'{pace.PACE_WORDS}d')         # the words of a DevicePace
COUNTS, WAITING, PER_SLOT = 0, 1, 2     # words of a slot in a row
BITS, LOW = 21, 0x1fffff                # of a count in COUNTS; their sums over a row fit, too


def unpack(counts):
    """Return (in_flight, queued, waiting) of a word COUNTS, or of a sum of such words."""
    return counts & LOW, counts >> BITS & LOW, counts >> 2 * BITS & LOW


def record_size(slots):
    """Return the size in bytes of a record with counts for `slots` workers."""
    return WORD * (NAME_WORDS + FIELDS + PER_SLOT * slots)


def records_at(slots):
    """Return the offset in bytes of the first record of a table for `slots` workers."""
    return HEADER + WORD * REQUEST_WORDS * slots


def size(capacity=CAPACITY, slots=SLOTS):
    """Return the size in bytes of a table for `capacity` devices and `slots` workers."""
    return records_at(slots) + capacity * record_size(slots)


def header(boot, capacity=CAPACITY, slots=SLOTS):
    """Return the header, 4096 bytes, of an empty table; `boot` is the 16 bytes of a boot id."""
    fixed = PREFIX.pack(MAGIC, VERSION, record_size(slots), capacity, slots, boot)
    begin = fixed + CHECKSUM.pack(zlib.crc32(fixed))
    return begin.ljust(HEADER - len(MAGIC), b'\0') + MAGIC


def front(boot, capacity=CAPACITY, slots=SLOTS):
    """Return the bytes before an empty table's records: header() and zeroed request counts."""
    return header(boot, capacity, slots).ljust(records_at(slots), b'\0')


def fault(head, length, boot=None):
    """Return why a table of `length` bytes that begins with `head` cannot be used, None if it can.

    The reason is a predicate, such as 'is no book of swift-lb'. If `boot` is None, a table of any
    boot of the host can be used.
    """
    if len(head) < HEADER or head[:len(MAGIC)] != MAGIC:
        return 'is no book of swift-lb'
    magic, version, record, capacity, slots, its_boot = PREFIX.unpack_from(head)
    if version != VERSION:
        return f'is a book of version {version}, and this swift-lb has {VERSION}'
    if CHECKSUM.unpack_from(head, PREFIX.size)[0] != zlib.crc32(head[:PREFIX.size]) or (
            PIDS + slots) * WORD > HEADER - len(MAGIC) or head[-len(MAGIC):] != magic:
        return 'is a book with a damaged header'
    if record != record_size(slots) or length != size(capacity, slots):
        return f'is a book of {length} bytes, not the {size(capacity, slots)} that its header says'
    if boot not in (None, its_boot):
        return 'is a book from before the host was booted'
    return None


def is_table(head):
    """Return whether `head` is, or was, a header of any version: one of its two MAGICs is left."""
    return MAGIC in (head[:len(MAGIC)], head[HEADER - len(MAGIC):HEADER])


class Shape(NamedTuple):
    """The used size of a record, and functions that unpack its words of each slot (a worker's)."""

    size: int           # bytes; the rest is zeros
    counts: object      # counts(bytes, at): the words COUNTS of the row at that offset
    instants: object    # instants(bytes, at): its words WAITING


class Slot(NamedTuple):
    """The process that holds a slot (a place in the Table), and its reads in flight."""

    number: int
    pid: int
    in_flight: int


class Table:
    """Access to the words of a table in `buffer`, in which fault() has found no fault."""

    def __init__(self, buffer, reserve=lambda at, length: True):
        """`reserve(at, length)` allocates these bytes of `buffer`, and returns whether it could."""
        self.bytes = memoryview(buffer).cast('B')
        self.doubles, self.integers = self.bytes.cast('d'), self.bytes.cast('Q')
        _, _, self._record, self.capacity, self.slots, _ = PREFIX.unpack_from(buffer)
        self._begin, self._reserve = records_at(self.slots), reserve
        self._shapes = {}     # slots used -> Shape

    @property
    def count(self):
        """The number of device records in the table."""
        return min(self.integers[COUNT], self.capacity)

    @property
    def used(self):
        """The number of slots (workers' places) ever used; all later slots hold zeros."""
        return min(self.integers[USED], self.slots)

    def name(self, index):
        """Return the Node of the record `index`, None if it is damaged."""
        at = self._begin + index * self._record
        text = bytes(self.bytes[at + 1:at + 1 + min(self.bytes[at], NAME_WORDS * WORD - 1)])
        return parse(text)

    def insert(self, node):
        """Add a record of `node` and return its index, or None if there is no room for it.

        Only one process may call it at a time, after it has read all records.
        """
        text, index = str(node).encode(), self.count
        if index == self.capacity or len(text) >= NAME_WORDS * WORD or parse(text) != node:
            return None
        at, begin = self._begin + index * self._record, NAME_WORDS * WORD
        if not self._reserve(at, self._record):
            return None
        self.bytes[at:at + self._record] = bytes(self._record)  # a partly written one may be here
        self.bytes[at:at + 1 + len(text)] = bytes((len(text),)) + text
        self.bytes[at + begin:at + begin + len(BLANK)] = BLANK
        self.integers[COUNT] = index + 1
        return index

    def words(self, index):
        """Return three views, (doubles, integers, bytes), of the record `index` after its name."""
        begin = self._begin + index * self._record + NAME_WORDS * WORD
        end = begin + self._record - NAME_WORDS * WORD
        return (self.doubles[begin // WORD:end // WORD], self.integers[begin // WORD:end // WORD],
                self.bytes[begin:end])

    def shape(self):
        """Return the Shape of all records, the same object until one more worker's slot is used."""
        used = self.integers[USED]
        if used > self.slots:
            used = self.slots
        return self._shapes.get(used) or self._shape(used)

    def _shape(self, used):
        self._shapes[used] = shape = Shape(
            WORD * (FIELDS + PER_SLOT * used), struct.Struct('Q8x' * used).unpack_from,
            struct.Struct('8xd' * used).unpack_from)
        return shape

    def take(self, slot, pid):
        """Wipe `slot`, a worker's place, and give it to the process `pid`."""
        self.wipe(slot)
        self.integers[PIDS + slot] = pid
        self.stretch(slot)

    def stretch(self, slot):
        """Include `slot` in USED (slots ever used); called repeatedly, as others overwrite USED."""
        if not slot < self.integers[USED] <= self.slots:
            self.integers[USED] = slot + 1

    def wipe(self, slot):
        """Zero the reads and requests in flight of the process that had `slot`, then its pid.

        So a slot without a pid is empty, even if the process that wiped it was killed meanwhile.
        Totals stay, and the next process of the slot adds to them: request_table.py has the reason.
        """
        step = self._record // WORD
        row = self._begin // WORD + NAME_WORDS + FIELDS + PER_SLOT * slot
        end = self._begin // WORD + self.count * step
        for word in (row + WAITING, row + COUNTS):
            for index, value in enumerate(self.integers[word:end:step].tolist()):
                if value:       # few are not 0; writing the others would touch every page
                    self.integers[word + index * step] = 0
        self.integers[HEADER // WORD + REQUEST_WORDS * slot + IN_FLIGHT] = 0
        self.integers[PIDS + slot] = 0

    def slots_in_use(self):
        """Return, in order, the numbers of the slots that a process holds; it may be dead."""
        pids = self.integers[PIDS:PIDS + self.used].tolist()
        return [slot for slot, pid in enumerate(pids) if pid]

    def workers(self):
        """Return a Slot (number, process id, reads in flight) for each slot in use."""
        step = self._record // WORD
        begin = self._begin // WORD
        rows, end = begin + NAME_WORDS + FIELDS, begin + self.count * step
        return [Slot(slot, self.integers[PIDS + slot], sum(
            unpack(word)[0] for word in self.integers[rows + PER_SLOT * slot:end:step]))
            for slot in self.slots_in_use()]

    def requests(self, begin, end):
        """Return views (doubles, integers, bytes) of request counts, slots `begin` to `end` - 1."""
        first, last = (HEADER // WORD + REQUEST_WORDS * slot for slot in (begin, end))
        return (self.doubles[first:last], self.integers[first:last],
                self.bytes[first * WORD:last * WORD])


def parse(text):
    """Return the Node whose str() is `text`, which is bytes; None if there is no such Node."""
    try:
        place, _slash, device = text.decode().partition('/')
        ip, _colon, port = place.rpartition(':')
        node = Node(ip[1:-1] if ip.startswith('[') else ip, int(port), device)
    except ValueError:
        return None
    return node if str(node).encode() == text and ip else None
