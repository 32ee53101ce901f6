"""`swift-lb top --book` reads the counts of a host's live workers from their shared file."""
import pytest

from swift_lb.cli import main
from swift_lb.clock import monotonic
from swift_lb.console.fetch import BookFile
from swift_lb.errors import StatusError
from swift_lb.load.pace import Pace
from swift_lb.load.shared_book import SharedBook
from swift_lb.load.table import HEADER, SLOTS, Table, fault, front, is_table, records_at, size
from swift_lb.model import Node
from swift_lb.shared_memory import Layout, attach

BOOT = b'boot' * 4
SDA, SDB = (Node('10.0.0.1', 6200, device) for device in ('sda', 'sdb'))


class BookWorker:
    """A worker with a slot of the book at `path`."""

    def __init__(self, path):
        self.memory = attach(path, Layout(front(BOOT), size(), SLOTS, lambda head, length: fault(
            head, length, BOOT), is_table))
        words = Table(self.memory.buffer, self.memory.reserve)
        words.take(self.memory.slot, 1)
        self.book = SharedBook((Pace,), words, self.memory.slot, self.memory.alone)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / 'a.book')


def test_a_page_shows_the_counts_and_times_in_the_book_file(path):
    worker, now = BookWorker(path), monotonic()
    worker.book.chosen(SDB, now)
    reads = [worker.book.begin(SDA, now - 2.0), worker.book.begin(SDB, now)]
    reads[1].first_byte_came(now + 0.25)
    first, second = BookFile(path).page().devices
    assert ('10.0.0.1:6200/sda', 0, 1, None) == (
        first.node, first.choices, first.facts.in_flight, first.facts.first_byte_time)
    assert 2.0 <= first.facts.oldest_wait < 60.0
    assert ('10.0.0.1:6200/sdb', 1, 0.25) == (
        second.node, second.choices, second.facts.first_byte_time)


def test_reads_in_flight_of_dead_workers_are_not_counted(path):
    dead, alive = BookWorker(path), BookWorker(path)
    reads = [worker.book.begin(SDA, 1.0) for worker in (dead, alive)]
    reads[0]._ended, reads[0]._record = True, None
    del dead
    page = BookFile(path).page()
    assert (1, 1) == (page.devices[0].facts.in_flight, page.workers)
    del reads


def test_reading_a_book_file_does_not_change_it(path):
    worker = BookWorker(path)
    worker.book.begin(SDA, 1.0).complete()
    before = bytes(worker.memory.buffer[:records_at(SLOTS) + HEADER])
    BookFile(path).page()
    assert before == worker.memory.buffer[:records_at(SLOTS) + HEADER]


def test_a_missing_file_or_one_without_a_book_is_refused(path, tmp_path):
    with pytest.raises(StatusError, match='No such file'):
        BookFile(path).page()
    (tmp_path / 'a.book').write_bytes(b'x' * HEADER)
    with pytest.raises(StatusError, match='is no book of swift-lb'):
        BookFile(path).page()
    (tmp_path / 'a.book').write_bytes(b'')
    with pytest.raises(StatusError, match='is no book of swift-lb'):
        BookFile(path).page()


def test_top_shows_the_devices_in_a_book_file(path, capsys):
    worker = BookWorker(path)
    worker.book.chosen(SDA, 1.0)
    assert 0 == main(['top', '--book', path, '--once'])
    lines = capsys.readouterr().out.splitlines()
    assert f'{path}, 1 worker seen   policy -' == lines[0].rstrip()
    assert lines[-1].startswith('10.0.0.1:6200/sda  100.0%')
    assert 1 == main(['top', '--book', path, '--url', 'http://127.0.0.1:1', '--once'])
