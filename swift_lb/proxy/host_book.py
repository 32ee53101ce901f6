"""Where a worker's book comes from: memory that all workers of the host share, or its own.

All workers of a proxy, those of its restarts and of its seamless reloads find the same file, by the
name of the proxy's conf; with lb_book = /PATH, whoever names it. Nothing is opened before the first
request: constructors also run in the parent of the workers, whose descriptors these would inherit.

Whatever keeps a worker from the host's book, it keeps one of its own, says so, and tries again.
"""
import functools
import os

from swift_lb import clock as host_clock
from swift_lb.errors import SharedMemoryError
from swift_lb.load import table
from swift_lb.load.book import LoadBook
from swift_lb.load.request_table import RequestCounts, totals
from swift_lb.load.shared_book import SharedBook
from swift_lb.shared_memory import Layout, attach

RETRY = 60.0            # seconds


class HostBook:
    """The book of one worker: `book` is what to use, now.

    `requests` is where to count clients' requests, None with a book of the worker's own: nobody
    could look into it.
    """

    def __init__(self, find_path, kinds, clock):
        """`find_path()` returns the file, or None for a book of the worker's own.

        It is asked by the worker, who may be another user than the parent was.
        """
        self.book = LoadBook(kinds)
        self._find_path, self._kinds, self._clock = find_path, kinds, clock
        self._memory = self._table = self.requests = None
        self._retry_at = self._said_at = -RETRY

    @property
    def slot(self):
        """The number of this worker among those of the host; None with a book of its own."""
        return None if self._memory is None else self._memory.slot

    @property
    def leads(self):
        """Whether this worker is to speak for the host: the lowest of those that live."""
        return self._table is not None and self._table.slots_in_use()[:1] == [self.slot]

    def in_flight(self):
        """Return how many requests all workers of the host have, None with a book of our own."""
        return None if self._memory is None else totals(self._memory.buffer).in_flight

    def attend(self):
        """Do once a second what can not be done on the way of a request.

        Get the host's book, if it is not had or has been replaced; wipe what dead workers have left
        in it. Returns a sentence when there is something to be said, now and then.
        """
        fault = None
        if self._memory is None or not self._memory.is_current():
            fault = self._try()
        if self._memory is not None:
            self._memory.reclaim(self._table.slots_in_use(), self._table.wipe)
            self.book.attend()
            self.requests.publish()
        if fault is None and self._memory is not None and self.book.private:
            fault = (f'{self._memory.path} has no room for {len(self.book.private)} devices, of '
                     'which each worker knows what it sees itself')
        return self._now_and_then(fault)

    def _try(self):
        if self._clock() < self._retry_at:
            return None
        path = self._find_path()
        if path is None:
            return None
        self._retry_at = self._clock() + RETRY
        try:
            self._open(path)
        except SharedMemoryError as err:
            return f'{err}; this worker keeps a book of its own'
        self._retry_at = -RETRY
        return None

    def _open(self, path):
        memory = attach(path, layout())
        self._table = table.Table(memory.buffer, memory.reserve)
        self._table.take(memory.slot, os.getpid())
        self.book = SharedBook(self._kinds, self._table, memory.slot, memory.alone)
        self.requests = RequestCounts(self._table, memory.slot)
        self._memory = memory

    def _now_and_then(self, fault):
        if fault is None or self._clock() < self._said_at + RETRY:
            return None
        self._said_at = self._clock()
        return fault

    def describe(self):
        """Return in plain data which book it is and who uses it, None for a worker's own."""
        if self._memory is None:
            return None
        return {'id': f'{boot().hex()}-{self._memory.name}', 'path': self._memory.path,
                'slot': self.slot, 'devices': self._table.count, 'room': self._table.capacity,
                'workers': [{'slot': one.number, 'pid': one.pid, 'in_flight': one.in_flight}
                            for one in self._table.workers()],
                'requests': totals(self._memory.buffer)._asdict()}


def layout():
    """Return the Layout of a table in a file; raises SharedMemoryError."""
    this = boot()
    return Layout(table.front(this), table.size(), table.SLOTS,
                  functools.partial(table.fault, boot=this), table.is_table)


def boot():
    """Return 16 bytes that name the host's boot, from which instants count."""
    try:
        return host_clock.boot().bytes
    except (OSError, ValueError) as err:
        raise SharedMemoryError(f'{host_clock.BOOT_ID}: {err}') from err
