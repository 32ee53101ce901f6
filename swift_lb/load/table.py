"""The layout of a host's LoadBook in memory that its processes share. Pure: any buffer will do.

    header    4096 bytes: MAGIC, VERSION, dimensions, the host's boot, a checksum of these; then
              words that change: COUNT of records, USED slots, the TURN, the fleet's TYPICAL pace
              and ACCOUNT of probes, the tokens for HEDGES, the chunks FURTHER to the first of a
              read, when a node last reported, the process id of each slot; MAGIC again at its end
    requests  of clients: for each slot the REQUEST_WORDS that request_table.py tells of
    record    of one device: its name as text, FIELDS words of what is known of it, and a row: for
              each slot two words, COUNTS (reads in flight, queued and waited for, of BITS each) and
              the instant since which one of them waits (0: none)
    word      8 bytes, native: a double, of which NaN is unknown, or an unsigned integer

Nothing is locked. A word is stored and loaded whole. A slot's words in the rows and the requests
have one writer, the process that holds the slot, and the host's counts are sums over the slots; so
they are exact, and what a process leaves behind can be wiped. All else has many writers, and the
last one wins: two that count at once may count one, and an average may lose a sample, which it
survives.

What is not a record has memory from the beginning, front(), or there is no table: who only looks on
can not ask for memory, and in a tmpfs without room a mere look at a hole is deadly.

A record is written whole before COUNT says that it is there; records are never moved or used again,
so an index stays good as long as the memory. Instants are of the monotonic clock, which all
processes share until the next boot.
"""
import struct
import zlib
from typing import NamedTuple

from swift_lb.load import pace
from swift_lb.model import Node

MAGIC = b'swift-lb'
VERSION = 6
SLOTS = 256             # processes: twice the workers while a reload is under way
CAPACITY = 16384        # devices

HEADER = 4096           # bytes
FIXED = struct.Struct('=8sIIII16s')     # magic, version, record size, capacity, slots, boot
CHECKSUM = struct.Struct('=I')
WORD = 8
COUNT, USED, TURN, FLEET = range(6, 10)     # in the header; FLEET: a FleetPace's, and HEDGES among
HEDGES = 11                                 # them
PIDS = 16

IN_FLIGHT, BEGUN, ANSWERED, ANSWER_SECONDS, REQUEST_WORDS = range(5)    # of a slot's requests
NAME = 16               # words; a byte for its length comes first
(CONNECT_TIME, FIRST_BYTE_TIME, FIRST_BYTE_AT, THROUGHPUT, CHUNK_AT, TOUCHED_AT, TAIL_NO_BODY,
 TAIL_CHUNK, TAIL_WHOLE, PACE) = range(10)      # doubles; PACE: the first of a Pace's
DOUBLES = PACE + pace.WORDS
PROGRESS_AT, REPORT_SERVICE, REPORTED_AT = (
    PACE + word for word in (pace.PROGRESS_AT, pace.SERVICE_TIME, pace.REPORTED_AT))
(REPORT_IN_FLIGHT, CHUNKS, SUCCESSES, ERRORS, TIMEOUTS, CHOICES, LAST_TURN, FIELDS) = range(
    DOUBLES, DOUBLES + 8)                       # integers, and how many there are of both
UNKNOWN = (CONNECT_TIME, FIRST_BYTE_TIME, FIRST_BYTE_AT, THROUGHPUT, CHUNK_AT)  # NaN at first
NOTHING = (*(float('nan') if field in UNKNOWN else 0.0 for field in range(PACE)), *pace.BLANK,
           *(0 for _field in range(DOUBLES, FIELDS)))
WORDS = struct.Struct(f'{DOUBLES}d{FIELDS - DOUBLES}Q')
BLANK = WORDS.pack(*NOTHING)
SHOWN = struct.Struct(f'{pace.SHOWN}d')         # what a Pace shows
COUNTS, WAITING, PER_SLOT = 0, 1, 2     # words of a slot in a row
BITS, LOW = 21, 0x1fffff                # of a count in COUNTS; their sums over a row fit, too


def unpack(counts):
    """Return (in_flight, queued, waiting) of a word COUNTS, or of a sum of them."""
    return counts & LOW, counts >> BITS & LOW, counts >> 2 * BITS & LOW


def record_size(slots):
    """Return the bytes of a record."""
    return WORD * (NAME + FIELDS + PER_SLOT * slots)


def records_at(slots):
    """Return where the first record begins, in bytes."""
    return HEADER + WORD * REQUEST_WORDS * slots


def size(capacity=CAPACITY, slots=SLOTS):
    """Return the bytes of a table."""
    return records_at(slots) + capacity * record_size(slots)


def header(boot, capacity=CAPACITY, slots=SLOTS):
    """Return the header of an empty table; what follows is zeros. `boot`: 16 bytes."""
    fixed = FIXED.pack(MAGIC, VERSION, record_size(slots), capacity, slots, boot)
    begin = fixed + CHECKSUM.pack(zlib.crc32(fixed))
    return begin.ljust(HEADER - len(MAGIC), b'\0') + MAGIC


def front(boot, capacity=CAPACITY, slots=SLOTS):
    """Return all of an empty table that comes before its records: what has memory at once."""
    return header(boot, capacity, slots).ljust(records_at(slots), b'\0')


def fault(head, length, boot=None):
    """Say what keeps a table of `length` bytes that begins with `head` from use, None if nothing.

    A `boot` of None is any.
    """
    if len(head) < HEADER or head[:len(MAGIC)] != MAGIC:
        return 'is no book of swift-lb'
    magic, version, record, capacity, slots, its_boot = FIXED.unpack_from(head)
    if version != VERSION:
        return f'is a book of version {version}, and this swift-lb has {VERSION}'
    if CHECKSUM.unpack_from(head, FIXED.size)[0] != zlib.crc32(head[:FIXED.size]) or (
            PIDS + slots) * WORD > HEADER - len(MAGIC) or head[-len(MAGIC):] != magic:
        return 'is a book with a damaged header'
    if record != record_size(slots) or length != size(capacity, slots):
        return f'is a book of {length} bytes, not the {size(capacity, slots)} that its header says'
    if boot not in (None, its_boot):
        return 'is a book from before the host was booted'
    return None


def is_table(head):
    """Return whether `head` is what is left of some version's header: one of the two MAGICs is."""
    return MAGIC in (head[:len(MAGIC)], head[HEADER - len(MAGIC):HEADER])


class Shape(NamedTuple):
    """How much of a record says anything, when so many slots are used."""

    size: int           # bytes
    counts: object      # counts(bytes, at): the words COUNTS of a row that begins there
    instants: object    # likewise the words WAITING


class Slot(NamedTuple):
    """What a process has under way."""

    number: int
    pid: int
    in_flight: int


class Table:
    """The words of a table in a buffer that `fault` finds nothing wrong with."""

    def __init__(self, buffer, reserve=lambda at, length: True):
        """`reserve` returns whether the bytes from `at` on may be written: is there memory?"""
        self.bytes = memoryview(buffer).cast('B')
        self.doubles, self.integers = self.bytes.cast('d'), self.bytes.cast('Q')
        _magic, _version, self._record, self.capacity, self.slots, _boot = FIXED.unpack_from(buffer)
        self._begin, self._reserve = records_at(self.slots), reserve
        self._shapes = {}     # slots used -> Shape

    @property
    def count(self):
        """How many records there are."""
        return min(self.integers[COUNT], self.capacity)

    @property
    def used(self):
        """How many slots have ever been used; the rest of each row is zeros."""
        return min(self.integers[USED], self.slots)

    def name(self, index):
        """Return the Node of the record `index`, None if it is damaged."""
        at = self._begin + index * self._record
        text = bytes(self.bytes[at + 1:at + 1 + min(self.bytes[at], NAME * WORD - 1)])
        return parse(text)

    def insert(self, node):
        """Add a record of `node` and return its index, or None where there is no room for it.

        To be called by one process at a time, which has looked at all records there are.
        """
        text, index = str(node).encode(), self.count
        if index == self.capacity or len(text) >= NAME * WORD or parse(text) != node:
            return None
        at, begin = self._begin + index * self._record, NAME * WORD
        if not self._reserve(at, self._record):
            return None
        self.bytes[at:at + self._record] = bytes(self._record)  # a half of one may be left here
        self.bytes[at:at + 1 + len(text)] = bytes((len(text),)) + text
        self.bytes[at + begin:at + begin + len(BLANK)] = BLANK
        self.integers[COUNT] = index + 1
        return index

    def words(self, index):
        """Return (doubles, integers, bytes) of the FIELDS and the row of the record `index`."""
        begin = self._begin + index * self._record + NAME * WORD
        end = begin + self._record - NAME * WORD
        return (self.doubles[begin // WORD:end // WORD], self.integers[begin // WORD:end // WORD],
                self.bytes[begin:end])

    def shape(self):
        """Return the Shape of all records as long as no other slot is used."""
        used = self.integers[USED]
        if used > self.slots:
            used = self.slots
        return self._shapes.get(used) or self._shape(used)

    def _shape(self, used):
        self._shapes[used] = made = Shape(
            WORD * (FIELDS + PER_SLOT * used), struct.Struct('Q8x' * used).unpack_from,
            struct.Struct('8xd' * used).unpack_from)
        return made

    def take(self, slot, pid):
        """Make `slot` the process `pid`'s, whatever another has left there."""
        self.wipe(slot)
        self.integers[PIDS + slot] = pid
        self.stretch(slot)

    def stretch(self, slot):
        """See to it that `slot` is among the used: two that begin at once may write at once."""
        if not slot < self.integers[USED] <= self.slots:
            self.integers[USED] = slot + 1

    def wipe(self, slot):
        """Forget what the process that had `slot` had under way; its pid goes last, when all has.

        So a slot without a pid has nothing in it, even if whoever wiped it was killed meanwhile.
        Totals stay, for the next process of the slot to go on from: request_table.py says why.
        """
        step = self._record // WORD
        row = self._begin // WORD + NAME + FIELDS + PER_SLOT * slot
        end = self._begin // WORD + self.count * step
        for word in (row + WAITING, row + COUNTS):
            for index, found in enumerate(self.integers[word:end:step].tolist()):
                if found:       # few are: the rest need not be written, page by page
                    self.integers[word + index * step] = 0
        self.integers[HEADER // WORD + REQUEST_WORDS * slot + IN_FLIGHT] = 0
        self.integers[PIDS + slot] = 0

    def taken(self):
        """Return the slots that have a process, in order; it may be dead."""
        pids = self.integers[PIDS:PIDS + self.used].tolist()
        return [slot for slot, pid in enumerate(pids) if pid]

    def workers(self):
        """Return a Slot of each that is taken."""
        step = self._record // WORD
        rows, end = self._begin // WORD + NAME + FIELDS, self._begin // WORD + self.count * step
        return [Slot(slot, self.integers[PIDS + slot], sum(
            unpack(word)[0] for word in self.integers[rows + PER_SLOT * slot:end:step]))
            for slot in self.taken()]

    def requests(self, begin, end):
        """Return (doubles, integers, bytes) of the requests of the slots from `begin` to `end` - 1.
        """
        first, last = (HEADER // WORD + REQUEST_WORDS * slot for slot in (begin, end))
        return (self.doubles[first:last], self.integers[first:last],
                self.bytes[first * WORD:last * WORD])


def parse(text):
    """Return the Node that `text`, bytes, is str() of, None if there is none."""
    try:
        place, _slash, device = text.decode().partition('/')
        ip, _colon, port = place.rpartition(':')
        node = Node(ip[1:-1] if ip.startswith('[') else ip, int(port), device)
    except ValueError:
        return None
    return node if str(node).encode() == text and ip else None
