"""The LoadBook of a worker: the host's if it can be opened, else its own; what is reported."""
import contextlib
import os
import signal
import subprocess
import sys

import pytest

from swift_lb import clock as host_clock
from swift_lb import shared_memory
from swift_lb.load import table
from swift_lb.load.pace import Pace
from swift_lb.model import Node
from swift_lb.proxy import host_book
from swift_lb.proxy.host_book import RETRY, HostBook

NODES = SDA, SDB = [Node('10.0.0.1', 6200, device) for device in ('sda', 'sdb')]


class Clock:
    """A clock that stands at `now` seconds until a test sets it."""

    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / 'a.book')


@pytest.fixture
def worker(path, clock):
    """Return a function that makes another worker's HostBook, which attends unless told not to."""
    def make(attend=True):
        made = HostBook(lambda: path, (Pace,), clock)
        if attend:
            assert made.attend() is None
        return made
    return make


def in_flight(of, node=SDA):
    return of.book.snapshot([node]).of(node).in_flight


def damaged(path, place=8, byte=99):
    """Write a host's book, with the byte at the offset `place` of its header XORed with `byte`."""
    head = bytearray(host_book.layout().head)
    head[place] = head[place] ^ byte
    shared_memory.create(path, host_book.layout()._replace(head=bytes(head)))


def test_no_book_is_opened_before_the_first_request(worker, path):
    made = worker(attend=False)
    assert (None, None, False, False) == (
        made.slot, made.describe(), made.leads, os.path.exists(path))
    made.book.begin(SDA, 1.0)


def test_a_new_book_file_occupies_blocks_only_for_its_head(worker, path):
    worker()
    status = os.stat(path)
    assert table.records_at(table.SLOTS) <= status.st_blocks * 512 < status.st_size


class Children:
    """Forked processes, each of which attends to a HostBook that was made before the fork."""

    def __init__(self):
        self.alive = []

    def begin(self, made):
        """Fork a child that has a read of SDA in flight; return its slot in the book."""
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            with contextlib.suppress(BaseException):    # never back into the tests
                made.attend()
                _read = made.book.begin(SDA, 1.0)
                os.write(writing, bytes([made.slot]))
                signal.pause()
            os._exit(1)
        self.alive.append(pid)
        os.close(writing)
        with open(reading, 'rb') as slot:
            return slot.read(1)[0]

    def kill_first(self):
        """Kill the oldest child that is alive."""
        pid = self.alive.pop(0)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


@pytest.fixture
def children():
    """Yield Children, which are killed at the end of the test."""
    made = Children()
    yield made
    while made.alive:
        made.kill_first()


def test_each_forked_worker_has_its_own_part_of_the_book(worker, children):
    made = worker(attend=False)
    assert ([0, 1, 2], None) == ([children.begin(made) for _ in range(3)], made.slot)
    for _ in range(2):
        children.kill_first()
    made.attend()
    assert (0, [0, 2], 1) == (made.slot, made._table.slots_in_use(), in_flight(made))
    children.kill_first()
    made.attend()
    assert ([0], 0) == (made._table.slots_in_use(), in_flight(made))


def test_a_book_outlives_its_workers(worker):
    worker().book.begin(SDA, 1.0).first_byte_came(1.5)
    assert 0.5 == worker().book.snapshot([SDA]).of(SDA).first_byte_time


def test_a_damaged_book_that_no_worker_has_open_is_replaced(worker, path):
    for place in (*range(100), *range(table.HEADER - 8, table.HEADER)):
        damaged(path, place)
        made = worker()
        made.book.begin(SDA, 1.0).complete()
        made.book.chosen(SDB, 1.0, [SDA])
        made.attend()
        assert 0 == made.slot
        del made
        os.unlink(path)


def test_a_worker_retries_a_book_that_another_version_has_open(worker, path, clock):
    damaged(path)
    other = shared_memory.attach(path, host_book.layout()._replace(fault=lambda head, size: None))
    made = worker(attend=False)
    fault = made.attend()
    assert 'is a book of version' in fault
    assert fault.endswith('and other processes are using it; this worker keeps a book of its own')
    read = made.book.begin(SDA, 1.0)
    assert (1, None) == (in_flight(made), made.slot)
    del other
    assert (None, None) == (made.attend(), made.slot)       # it is not tried every second
    clock.now += RETRY
    assert (None, 0) == (made.attend(), made.slot)
    read.end()                          # of the book it began in
    assert 0 == in_flight(made)


def test_a_lasting_fault_of_the_book_is_reported_once_a_minute(worker, path, clock):
    os.mkdir(path)
    made, reports = worker(attend=False), 0
    for _second in range(180):
        reports += made.attend() is not None
        clock.now += 1
    assert 3 == reports
    os.rmdir(path)
    clock.now += RETRY
    made.attend()
    assert 0 == made.slot


def test_workers_move_from_a_removed_book_to_the_new_one(worker, path):
    one, other = worker(), worker()
    os.unlink(path)
    third = worker()
    assert (0, 0) == (third.slot, in_flight(third))
    for each in (one, other):
        assert each.attend() is None
    assert [third] == [each for each in (one, other, third) if each.leads]     # its slot is 0
    read = third.book.begin(SDA, 1.0)
    assert [1, 1, 1] == [in_flight(each) for each in (one, other, third)]
    assert [0, 1, 2] == sorted(each.slot for each in (one, other, third))
    read.end()


def test_a_device_without_room_in_the_shared_book_is_reported(worker, monkeypatch, clock):
    one, other = worker(), worker()
    monkeypatch.setattr(one._memory, 'reserve', None)
    monkeypatch.setattr(one._table, '_reserve', lambda at, length: False)
    read = one.book.begin(SDA, 1.0)
    assert (1, 0) == (in_flight(one), in_flight(other))
    assert 'no room for 1 devices' in one.attend()
    assert one.attend() is None
    monkeypatch.undo()
    assert (None, set()) == (one.attend(), one.book.private)
    del read
    again = one.book.begin(SDA, 1.0)
    assert 1 == in_flight(other)
    again.end()


def test_without_a_boot_id_no_shared_book_is_opened(worker, tmp_path, monkeypatch):
    monkeypatch.setattr(host_clock, 'BOOT_ID', str(tmp_path / 'none'))
    assert 'none' in worker(attend=False).attend()


def test_the_description_of_a_book_lists_its_workers(worker, path):
    one, other = worker(), worker()
    read = other.book.begin(SDA, 1.0)
    description = one.describe()
    assert {'path': path, 'slot': 0, 'devices': 1, 'room': table.CAPACITY, 'workers': [
        {'slot': 0, 'pid': os.getpid(), 'in_flight': 0},
        {'slot': 1, 'pid': os.getpid(), 'in_flight': 1}],
        'requests': {'in_flight': 0, 'begun': 0, 'answered': 0, 'seconds': 0.0}} == {
            name: value for name, value in description.items() if name != 'id'}
    assert description['id'] == other.describe()['id']
    read.end()


WORKER = """\
import sys
from swift_lb.proxy.host_book import worker_number
print(worker_number(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def numbered():
    """Yield a function that starts a worker process and returns (its Popen, its worker number)."""
    started = []

    def start():
        started.append(subprocess.Popen([sys.executable, '-c', WORKER], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True))
        return started[-1], int(started[-1].stdout.readline())
    yield start
    for worker in started:
        worker.communicate()  # closes its stdin, at which it ends


def test_a_new_worker_gets_the_number_of_a_killed_one(numbered):
    workers = [numbered() for _ in range(3)]
    assert [0, 1, 2] == [number for _worker, number in workers]
    workers[1][0].kill()
    workers[1][0].wait()
    assert [1, 3] == [numbered()[1] for _ in range(2)]


def test_each_proxy_numbers_its_workers_from_0(numbered):
    proxy = ('import subprocess, sys\n'
             'print(subprocess.run([sys.executable, "-c", sys.argv[1]], input="", text=True,'
             ' stdout=subprocess.PIPE).stdout)')
    assert 0 == numbered()[1]
    other = subprocess.run([sys.executable, '-c', proxy, WORKER], stdout=subprocess.PIPE,
                           text=True, check=True)
    assert 0 == int(other.stdout)
