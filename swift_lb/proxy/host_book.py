"""The book in which a worker of a proxy counts its reads: the host's shared book, or its own.

In the shared book each worker has a number, and writes only to the slots of that number.

All workers of a proxy, also after restarts and seamless reloads, find the same file by the name of
the proxy's conf; with lb_book = /PATH, all proxies with this option share the file. It is opened at
the first request, not before: constructors also run in the parent of the workers, which would pass
on its descriptors.

A worker that cannot use the host's book keeps one of its own, reports why, and tries again.
"""
import functools
import os
import socket

from swift_lb import clock as host_clock
from swift_lb.errors import SharedMemoryError
from swift_lb.load import table
from swift_lb.load.book import LoadBook
from swift_lb.load.request_table import RequestCounts, totals
from swift_lb.load.shared_book import SharedBook
from swift_lb.shared_memory import Layout, attach

RETRY = 60.0            # seconds between attempts to open the file, and between two reports
MAX_WORKERS = 4096      # of one proxy, numbered by worker_number()

_claims = []  # sockets that stay open as long as the process lives


class HostBook:
    """Keeps the book of one worker; `book` is the LoadBook to use now, the host's or its own.

    `requests` is the RequestCounts in the host's book; None with a book of the worker's own, in
    which no other process could read them.
    """

    def __init__(self, find_path, kinds, clock):
        """`find_path()` returns the path of the host's book, or None if workers share none.

        It is called in the worker, which may have another user than its parent. `kinds` are the
        classes of evidence that the policies need, `clock()` returns seconds (monotonic).
        """
        self.book = LoadBook(kinds)
        self._find_path, self._kinds, self._clock = find_path, kinds, clock
        self._memory = self._table = self.requests = None
        self._retry_at = self._reported_at = -RETRY

    @property
    def slot(self):
        """The number of this worker's slot, its part of the host's book; None without the book."""
        return None if self._memory is None else self._memory.slot

    @property
    def leads(self):
        """Whether this worker emits the host's gauges: its slot has the lowest number in use."""
        return self._table is not None and self._table.slots_in_use()[:1] == [self.slot]

    @property
    def workers(self):
        """The number of workers that share the host's book; None without the book."""
        return None if self._table is None else max(1, len(self._table.slots_in_use()))

    def in_flight(self):
        """Return how many requests are in flight in all workers; None without the host's book."""
        return None if self._memory is None else totals(self._memory.buffer).in_flight

    def attend(self):
        """Maintain the LoadBook; a loop calls this once a second, outside of requests.

        Opens the host's book if it is not open or its file was replaced, and clears the counts of
        dead workers in it. Returns a sentence if a fault is to be reported, else None.
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
                     'which each worker knows only its own reads')
        return self._once_in_a_while(fault)

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

    def _once_in_a_while(self, fault):
        if fault is None or self._clock() < self._reported_at + RETRY:
            return None
        self._reported_at = self._clock()
        return fault

    def describe(self):
        """Return a dict about the host's book for the status page; None without the book."""
        if self._memory is None:
            return None
        return {'id': f'{boot().hex()}-{self._memory.name}', 'path': self._memory.path,
                'slot': self.slot, 'devices': self._table.count, 'room': self._table.capacity,
                'workers': [{'slot': one.number, 'pid': one.pid, 'in_flight': one.in_flight}
                            for one in self._table.workers()],
                'requests': totals(self._memory.buffer)._asdict()}


def layout():
    """Return the shared_memory.Layout of a book's file; SharedMemoryError without a boot id."""
    this = boot()
    return Layout(table.front(this), table.size(), table.SLOTS,
                  functools.partial(table.fault, boot=this), table.is_table)


def boot():
    """Return 16 bytes that name the host's boot; raises SharedMemoryError if there are none."""
    try:
        return host_clock.boot().bytes
    except (OSError, ValueError) as err:
        raise SharedMemoryError(f'{host_clock.BOOT_ID}: {err}') from err


def worker_number():
    """Return the least number that no other worker of this proxy has; the pid if none is free.

    It is for workers without a slot, since Swift gives its workers no number. A worker claims a
    number by a name in Linux's abstract socket space. The name is free again when the process ends,
    however it ends, so that a respawned worker gets the same number.
    """
    for number in range(MAX_WORKERS):
        try:
            claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        except OSError:
            break  # too many open files: no reason to fail the request that needs the number
        try:
            claim.bind(f'\0swift-lb-worker-{os.getppid()}-{number}')
        except OSError:
            claim.close()
        else:
            _claims.append(claim)
            return number
    return os.getpid()
