"""What all workers of an object server count together of each device: one table in shared memory.

The memory is made before the workers are forked and is theirs alone; it ends with the last of them.
Each worker holds a slot, a column of counts that nobody else writes, and with it the kernel's lock
on the slot's byte: however a worker ends, its lock is free, and what it had counted is cleared by
whoever sees that first. Nothing here waits for another worker.

A time of service that two workers learn at the same instant is that of one of them.
"""
import fcntl
import mmap
import os

from swift_lb.load.service_time import ServiceTime
from swift_lb.model import DeviceReport

SLOTS = 1024          # workers
DEVICES = 1024
NAME = 64             # bytes of a device's name
LOOK = 1.0            # seconds between two looks for workers that have ended

COUNT, DOUBLE = 4, 8  # bytes
HELD, SIZES = 0, SLOTS                # which slots are held, a byte each; and two words:
KNOWN, TAKEN = 0, 1                   # how many devices have a name; how many slots may be held
NAMES = SIZES + 2 * DOUBLE
MEANS = NAMES + DEVICES * NAME
COUNTS = MEANS + DEVICES * DOUBLE     # a row a device, a column a slot
SIZE = COUNTS + DEVICES * SLOTS * COUNT
NAMING = SLOTS        # the byte whose lock is for naming a device; before it, a byte a slot


class DeviceTable:
    """In-flight requests and the time of service of every device, of all workers together."""

    def __init__(self):
        # A file of no file system, gone with its last process; what forks shares it.
        self._file = open(os.memfd_create('swift-lb-report'), 'r+b', buffering=0)  # noqa: SIM115
        self._file.truncate(SIZE)
        whole = memoryview(mmap.mmap(self._file.fileno(), SIZE))
        self._held, self._sizes = whole[HELD:SIZES], whole[SIZES:NAMES].cast('Q')
        self._names, self._means = whole[NAMES:MEANS], whole[MEANS:COUNTS].cast('d')
        self._counts = whole[COUNTS:].cast('I')
        self._places = {}      # device -> its row
        self._slot = self._pid = None
        self._looked_at = 0.0

    def place_of(self, device, now):
        """Return the row of `device`, its name as WSGI has it, or None if there is none for it.

        A worker calls this before anything else of a request.
        """
        if os.getpid() != self._pid:
            self._join()
            self._look(now)
        elif now - self._looked_at >= LOOK:
            self._look(now)
        place = self._places.get(device)
        return self._name(device) if place is None else place

    def begin(self, place):
        """Count a request on a device; return how many were there before it."""
        ahead = self.in_flight(place)
        self._counts[place * SLOTS + self._slot] += 1
        return ahead

    def end(self, place):
        """Count it no more."""
        self._counts[place * SLOTS + self._slot] -= 1

    def in_flight(self, place):
        """Return how many requests all workers have there."""
        row = place * SLOTS
        return sum(self._counts[row:row + self._sizes[TAKEN]])

    def served(self, place, first_byte_time, ahead):
        """Learn from a read that had `ahead` requests before it."""
        learnt = ServiceTime()
        learnt.mean = self._means[place] or None
        learnt.add(first_byte_time, ahead)
        self._means[place] = learnt.mean

    def report(self, place, answered):
        """Return the DeviceReport, `answered` requests left out, or None before the first read."""
        mean = self._means[place]
        return DeviceReport(max(0, self.in_flight(place) - answered), mean) if mean else None

    def _join(self):
        """Take the least slot that no process holds; a fork of one that does has none yet."""
        for slot in range(SLOTS):
            if self._lock(slot):
                self._clear(slot)
                self._held[slot] = 1
                self._slot, self._pid = slot, os.getpid()
                return
        raise RuntimeError(f'more than {SLOTS} workers')

    def _look(self, now):
        """Clear the slots of workers that have ended, and say which may be held.

        One that is taken meanwhile may be left out, until the next worker looks.
        """
        self._looked_at = now
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
        """Find the row of a device not met before, or give it one."""
        name = device.encode('latin-1')
        if len(name) > NAME or b'\0' in name or len(self._places) == DEVICES:
            return None
        if not self._lock(NAMING):
            return None    # whoever has it is done before the next request comes
        try:
            known = self._sizes[KNOWN]
            for place in range(len(self._places), known):
                at = place * NAME
                met = bytes(self._names[at:at + NAME]).rstrip(b'\0').decode('latin-1')
                self._places[met] = place
            if device not in self._places and known < DEVICES:
                self._names[known * NAME:(known + 1) * NAME] = name.ljust(NAME, b'\0')
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
