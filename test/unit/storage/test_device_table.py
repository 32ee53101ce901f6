"""A DeviceTable of several workers: real processes, forked as Swift forks them, and killed."""
import gc
import os
import signal
from contextlib import suppress

import pytest

from swift_lb.model import DeviceReport
from swift_lb.storage import device_table
from swift_lb.storage.device_table import CLEAR_EVERY, NAME_BYTES, DeviceTable


class TableWorker:
    """A fork of this process that executes commands on the table."""

    def __init__(self, table):
        commands, self._commands = os.pipe()
        self._results, answers = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            self._live(table, commands, answers)
        os.close(commands)
        os.close(answers)

    def _live(self, table, commands, answers):
        try:
            while command := os.read(commands, 9).decode().strip():
                place = table.place_of(command[1:], 0.0)
                result = {'+': table.begin, '-': table.end, '?': table.in_flight}[command[0]](place)
                os.write(answers, b'%9d' % (result or 0))
        finally:
            os._exit(0)

    def execute(self, command):
        """Have the fork do +sd0 (begin), -sd0 (end) or ?sd0 (in_flight); return the result or 0."""
        os.write(self._commands, b'%9s' % command.encode())
        return int(os.read(self._results, 9))

    def end(self):
        """Kill the fork by SIGKILL, wait for its end, and close the pipes to it."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._commands)
        os.close(self._results)


@pytest.fixture
def workers():
    """Return make(number, table), which returns (table, TableWorkers ...); a new table if None."""
    made = []

    def make(number, table=None):
        table = table or DeviceTable()
        more = [TableWorker(table) for _ in range(number)]
        made.extend(more)
        return table, *more
    yield make
    for worker in made:
        if worker.pid:
            worker.end()


def killed(worker):
    """Kill a TableWorker now, so that the fixture `workers` does not kill it again."""
    worker.end()
    worker.pid = None


def in_flight(table, now, device='sd0'):
    return table.in_flight(table.place_of(device, now))


def test_a_devices_row_has_requests_in_flight_and_service_time():
    table = DeviceTable()
    place = table.place_of('sd0', 0.0)
    assert [0, 1, 2] == [table.begin(place) for _ in range(3)]
    table.end(place)
    assert 2 == table.in_flight(place)
    assert table.report(place, 1) is None
    table.served(place, 0.06, 2)
    assert DeviceReport(1, 0.02) == table.report(place, 1)
    other = table.place_of('sd1', 0.0)
    assert (0, None) == (table.in_flight(other), table.report(other, 0))


def test_workers_share_the_counts_of_requests_in_flight(workers):
    table, first, second = workers(2)
    assert [0, 0, 1] == [first.execute('+sd0'), second.execute('+sd1'), second.execute('+sd0')]
    assert (2, 2, 1) == (first.execute('?sd0'), in_flight(table, 0.0), in_flight(table, 0.0, 'sd1'))
    first.execute('-sd0')
    assert (1, 1) == (second.execute('?sd0'), in_flight(table, 0.0))


def test_the_counts_of_a_killed_worker_are_cleared(workers):
    table, first, second = workers(2)
    for _ in range(3):
        first.execute('+sd0')
    second.execute('+sd0')
    assert 4 == in_flight(table, 100.0)
    killed(first)
    assert 4 == in_flight(table, 100.0 + CLEAR_EVERY / 2)
    _table, heir = workers(1, table)        # in the slot of the one that was killed
    assert [1, 2] == [heir.execute('+sd0'), heir.execute('?sd0')]
    assert 2 == in_flight(table, 100.0 + CLEAR_EVERY)


def test_a_worker_suspended_by_sigstop_keeps_its_counts(workers):
    table, first, _second = workers(2)
    first.execute('+sd0')
    os.kill(first.pid, signal.SIGSTOP)
    assert 1 == in_flight(table, 100.0)
    assert 1 == in_flight(table, 100.0 + CLEAR_EVERY)
    assert 0 == in_flight(table, 100.0, 'never-met')


def test_a_forked_worker_has_a_slot_of_its_own(workers):
    table = DeviceTable()
    table.begin(table.place_of('sd0', 0.0))
    _table, child = workers(1, table)
    assert [1, 2] == [child.execute('+sd0'), child.execute('?sd0')]
    killed(child)
    assert 1 == in_flight(table, CLEAR_EVERY)


@pytest.mark.parametrize('name', ['x' * (NAME_BYTES + 1), 'sd0\0', '\0'])
def test_an_invalid_device_name_has_no_row(name):
    table = DeviceTable()
    assert table.place_of('sd0', 0.0) == 0
    assert table.place_of(name, 0.0) is None
    assert table.place_of('x' * NAME_BYTES, 0.0) == 1
    assert table.place_of('sch\xc3\xb6n', 0.0) == 2


def test_a_full_table_gives_no_row_to_a_new_device(monkeypatch):
    monkeypatch.setattr(device_table, 'DEVICES', 3)
    table = DeviceTable()
    assert [0, 1, 2, None, 1] == [table.place_of(name, 0.0) for name in ('a', 'b', 'c', 'd', 'b')]


def test_no_worker_waits_while_another_adds_a_device(workers):
    table, first = workers(1)
    first.execute('+sd0')
    table._lock(device_table.NAMING)
    try:
        pid = os.fork()
        if not pid:
            try:
                os._exit(0 if table.place_of('fresh', 0.0) is None else 1)
            finally:
                os._exit(2)
        assert 0 == os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    finally:
        table._unlock(device_table.NAMING)
    assert table.place_of('fresh', 0.0) == 1


def files():
    """Return how many file descriptors of device tables this process has open."""
    number = 0
    for entry in os.listdir('/proc/self/fd'):
        with suppress(OSError):
            number += 'swift-lb-report' in os.readlink(f'/proc/self/fd/{entry}')
    return number


def test_a_dropped_table_closes_its_file():
    gc.collect()
    kept = DeviceTable()
    before = files()
    for _ in range(5):
        DeviceTable().place_of('sd0', 0.0)
    gc.collect()
    assert before == files() > 0
    assert kept.place_of('sd0', 0.0) == 0
