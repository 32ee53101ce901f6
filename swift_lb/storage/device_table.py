"""The counts of each device, shared by all workers of an object server: a table in memory.

The memory is made before the workers are forked; only they share it, and it ends with the last one.
Each worker holds a slot: a column of counts that no other worker writes, and a lock of the kernel
on the slot's byte. However a worker ends, its lock is freed, and the next worker that checks the
locks clears its counts. No call here waits for another worker.

If two workers record service times at the same instant, one of the two is lost.
"""
import fcntl
import mmap
import os

from swift_lb.load.service_time import ServiceTime
from swift_lb.model import DeviceReport

SLOTS = 1024          # workers
DEVICES = 1024
NAME_BYTES = 64             # bytes of a device's name
CLEAR_EVERY = 1.0     # seconds between two looks for workers that have ended

COUNT, DOUBLE = 4, 8  # bytes
HELD, SIZES = 0, SLOTS                # offsets: a byte a slot, 1 if held; two words, which are
KNOWN, TAKEN = 0, 1                   # the number of named devices; the slots that may be held
NAMES = SIZES + 2 * DOUBLE
MEANS = NAMES + DEVICES * NAME_BYTES
COUNTS = MEANS + DEVICES * DOUBLE     # a row a device, a column a slot
TABLE_BYTES = COUNTS + DEVICES * SLOTS * COUNT
NAMING = SLOTS        # the byte locked to name a device; the bytes before it are the slots'


class DeviceTable:
    """Each device's requests in flight and mean service time; `place` is a device's row."""

    def __init__(self):
        # A file in memory, which forked processes share, and which ends with the last of them.
        self._file = open(os.memfd_create('swift-lb-report'), 'r+b', buffering=0)  # noqa: SIM115
        self._file.truncate(TABLE_BYTES)
        whole = memoryview(mmap.mmap(self._file.fileno(), TABLE_BYTES))
        self._held, self._sizes = whole[HELD:SIZES], whole[SIZES:NAMES].cast('Q')
        self._names, self._means = whole[NAMES:MEANS], whole[MEANS:COUNTS].cast('d')
        self._counts = whole[COUNTS:].cast('I')
        self._places = {}      # device -> its row
        self._slot = self._pid = None
        self._cleared_at = 0.0

    def place_of(self, device, now):
        """Return the row of the device named `device`; None if it has none and cannot get one now.

        Called first for each request: a new worker gets counts of its own, ended ones lose theirs.
        """
        if os.getpid() != self._pid:
            self._take_slot()
            self._clear_ended(now)
        elif now - self._cleared_at >= CLEAR_EVERY:
            self._clear_ended(now)
        place = self._places.get(device)
        return self._name(device) if place is None else place

    def begin(self, place):
        """Count a request on the device in row `place`; return how many were in flight on it."""
        ahead = self.in_flight(place)
        self._counts[place * SLOTS + self._slot] += 1
        return ahead

    def end(self, place):
        """Stop counting a request on the device in row `place`."""
        self._counts[place * SLOTS + self._slot] -= 1

    def in_flight(self, place):
        """Return how many requests of all workers are in flight on the device in row `place`."""
        row = place * SLOTS
        return sum(self._counts[row:row + self._sizes[TAKEN]])

    def served(self, place, first_byte_time, ahead):
        """Update the mean service time of row `place` with a read's `first_byte_time`, in seconds.

        `ahead` is the number of requests that were in flight on the device when the read arrived.
        """
        service_time = ServiceTime()
        service_time.mean = self._means[place] or None
        service_time.add(first_byte_time, ahead)
        self._means[place] = service_time.mean

    def report(self, place, answered):
        """Return the DeviceReport of the device in row `place`, None before its first read.

        Subtracts `answered` from in_flight: 1 if the answered read itself is still counted, else 0.
        """
        mean = self._means[place]
        return DeviceReport(max(0, self.in_flight(place) - answered), mean) if mean else None

    def _take_slot(self):
        """Take the lowest free slot (column of counts); a forked child does not inherit a slot."""
        for slot in range(SLOTS):
            if self._lock(slot):
                self._clear(slot)
                self._held[slot] = 1
                self._slot, self._pid = slot, os.getpid()
                return
        raise RuntimeError(f'more than {SLOTS} workers')

    def _clear_ended(self, now):
        """Set the counts of ended workers to 0; record how many slots (columns) are to be summed.

        A slot that is taken at the same time may be left out of the sums until the next call.
        """
        self._cleared_at = now
        for slot, held in enumerate(bytes(self._held).rstrip(b'\0')):
            if held and slot != self._slot and self._lock(slot):
                self._clear(slot)
                self._held[slot] = 0
                self._unlock(slot)
        self._sizes[TAKEN] = len(bytes(self._held).rstrip(b'\0'))

    def _clear(self, slot):
        for place in range(self._sizes[KNOWN]):
            self._counts[place * SLOTS + slot] = 0

    def _name(self, device):
        """Return the row of a device that is new to this worker; add a row if it has none."""
        name = device.encode('latin-1')
        if len(name) > NAME_BYTES or b'\0' in name or len(self._places) == DEVICES:
            return None
        if not self._lock(NAMING):
            return None    # another worker has it for some microseconds
        try:
            known = self._sizes[KNOWN]
            for place in range(len(self._places), known):
                at = place * NAME_BYTES
                named = bytes(self._names[at:at + NAME_BYTES]).rstrip(b'\0').decode('latin-1')
                self._places[named] = place
            if device not in self._places and known < DEVICES:
                begin = known * NAME_BYTES
                self._names[begin:begin + NAME_BYTES] = name.ljust(NAME_BYTES, b'\0')
                self._sizes[KNOWN] = known + 1
                self._places[device] = known
        finally:
            self._unlock(NAMING)
        return self._places.get(device)

    def _lock(self, byte):
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except OSError:
            return False
        return True

    def _unlock(self, byte):
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, byte)
