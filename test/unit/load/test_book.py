"""The LoadBook: what it measures of each read, worked by hand, and counts of reads."""
import gc

import pytest
from unit.load.shared import SDA, SDB, load_of

from swift_lb.load.book import LoadBook
from swift_lb.load.evidence import Evidence
from swift_lb.load.in_flight import InFlight
from swift_lb.model import UNKNOWN_LOAD, Connect, NodeLoad


def test_a_complete_read_of_two_chunks_counts_both_of_them():
    book = LoadBook()
    read = book.begin(SDA, 10.0)
    assert 0.5 == read.sent(10.5)            # connect time, for the caller to record
    read.wait(10.5)
    read.chunk(65536, 12.5)                  # 2 s after the request: 32768 B/s
    read.wait(13.0)                          # the client took its time
    read.chunk(1000, 13.25)                  # 0.25 s: 4000 B/s
    read.complete()
    assert NodeLoad(first_byte_time=2.0, first_byte_at=12.5, last_throughput=4000.0,
                    last_chunk_at=13.25, chunks=2, successes=1) == load_of(book)


@pytest.mark.parametrize(('from_request', 'throughput'), [
    (True, 4096 / 0.050),    # the request is sent at 1.000, the chunk is there at 1.050
    (False, 4096 / 0.001),   # the proxy begins to read it at 1.049
])
def test_an_option_sets_when_the_first_chunks_clock_starts(from_request, throughput):
    book = LoadBook()
    read = book.begin(SDA, 0.9, from_request)
    read.sent(1.0)
    read.wait(1.049)
    read.chunk(4096, 1.050)
    load = load_of(book)
    assert throughput == pytest.approx(load.last_throughput)
    assert pytest.approx(0.050) == load.first_byte_time


def test_a_chunk_received_in_0_s_has_a_finite_throughput():
    book = LoadBook()
    book.begin(SDA, 1.0).chunk(1000, 1.0)
    assert 1000 / 1e-6 == pytest.approx(load_of(book).last_throughput)


def test_a_failed_read_counts_one_failure_and_no_chunk():
    book = LoadBook()
    read = book.begin(SDA, 1.0)
    assert [True, False] == [read.fail(True), read.fail(False)]
    read.complete()
    assert NodeLoad(timeouts=1) == load_of(book)


def test_an_abandoned_read_ends_without_success_or_error():
    book = LoadBook()
    read = book.begin(SDA, 1.0)
    read.chunk(10, 2.0)
    assert 1 == load_of(book).in_flight
    del read
    gc.collect()
    load = load_of(book)
    assert (0, 0, 0, 0) == (load.in_flight, load.successes, load.errors, load.timeouts)


def test_a_read_of_two_parts_counts_one_success_after_the_last():
    book = LoadBook()
    whole, broken = book.begin(SDA, 1.0), book.begin(SDB, 1.0)
    for read in (whole, broken):
        read.chunk(10, 2.0)
        read.part_done()
        read.chunk(10, 3.0)
    whole.part_done()
    whole.close()
    broken.close()  # the client left in the middle of the second part
    assert [1, 0] == [load_of(book, node).successes for node in (SDA, SDB)]


def test_waiting_since_ignores_reads_paused_by_their_clients():
    book = LoadBook()
    first, second = book.begin(SDA, 1.0), book.begin(SDA, 2.0)
    assert 1.0 == load_of(book).waiting_since
    first.chunk(10, 3.0)                     # delivered; now its client dawdles
    assert 2.0 == load_of(book).waiting_since
    first.wait(4.0)
    second.complete()
    assert (1, 4.0) == (load_of(book).in_flight, load_of(book).waiting_since)


@pytest.mark.parametrize('from_request', [True, False])
def test_first_byte_time_excludes_idle_time_after_the_head(from_request):
    book = LoadBook()
    read = book.begin(SDA, 1.0, from_request)
    read.sent(1.0)
    read.head(1.5)
    read.wait(9.5)                           # 8 s: another fragment was late, or the client
    read.chunk(4096, 10.0)
    load = load_of(book)
    assert load.first_byte_time == 1.0       # 0.5 s to the head, 0.5 s for the body
    assert 4096 / (1.0 if from_request else 0.5) == load.last_throughput


def test_a_node_load_made_while_a_read_ends_is_not_reused(monkeypatch):
    book = LoadBook()
    reads = [book.begin(SDA, 1.0)]
    view = InFlight.view

    def collected(self):
        result = view(self)
        while reads:
            reads.pop()                      # as a garbage collection may, at any allocation
        return result
    monkeypatch.setattr(InFlight, 'view', collected)
    load_of(book)
    monkeypatch.undo()
    assert 0 == load_of(book).in_flight


def test_connect_time_is_kept_per_node_and_per_ip():
    book = LoadBook()
    read = book.begin(SDA, 1.0)
    book.connected(SDA, 0.25, 1.5)
    book.connected(SDB, 0.75, 2.5)           # never read: only its ip is known
    assert load_of(book).connect_time == 0.25
    assert {'10.0.0.1': Connect(0.75, 2.5)} == book.snapshot([SDA]).connects
    assert UNKNOWN_LOAD == load_of(book, SDB)
    read.end()


def test_each_order_of_a_book_gets_the_next_turn_number():
    book = LoadBook()
    for node in (SDA, SDB, SDA):
        book.chosen(node, 1.0)
    assert [(2, 3), (1, 2)] == [(load_of(book, node).choices, load_of(book, node).last_turn)
                                for node in (SDA, SDB)]


def test_the_book_forgets_unused_nodes_without_reads_in_flight():
    book = LoadBook()
    gone, read = book.begin(SDA, 1.0), book.begin(SDB, 1.0)
    book.connected(SDA, 0.1, 1.0)
    gone.complete()
    book.forget(before=2.0)
    assert {SDB} == set(book.snapshot().loads)
    assert {} == book.snapshot().connects
    read.end()


def test_failures_outside_reads_count_only_for_known_nodes():
    book = LoadBook()
    book.begin(SDA, 1.0).complete()
    book.failed(SDA, False)
    book.failed(SDB, True)
    assert (1, UNKNOWN_LOAD) == (load_of(book).errors, load_of(book, SDB))


def test_a_read_leaves_the_queue_when_its_answers_head_comes():
    """A fragment that has its head may wait for another one's: its own disk is not slow."""
    book = LoadBook()
    read = book.begin(SDA, 1.0)
    assert (1, 1) == (load_of(book).in_flight, load_of(book).queued)
    read.head(1.01)
    assert (1, 0) == (load_of(book).in_flight, load_of(book).queued)
    read.wait(9.0)
    read.chunk(10, 9.01)
    assert (1, 0) == (load_of(book).in_flight, load_of(book).queued)
    read.complete()
    abandoned = book.begin(SDA, 10.0)
    abandoned.head(10.01)
    del abandoned
    assert (0, 0) == (load_of(book).in_flight, load_of(book).queued)


def test_a_read_that_could_not_begin_is_not_counted():
    book = LoadBook([Broken])
    with pytest.raises(ZeroDivisionError):
        book.begin(SDA, 1.0)
    gc.collect()
    assert (0, 0) == (load_of(book).in_flight, load_of(book).queued)


class Broken(Evidence):
    """Evidence that raises an error when a read begins."""

    def began(self, now, ahead):
        raise ZeroDivisionError

    def view(self):
        return None


def test_a_devices_silence_is_counted_from_its_last_first_byte():
    book = LoadBook()
    assert 0.0 == book.silence(SDA, 9.0)
    first, second = book.begin(SDA, 1.0), book.begin(SDA, 2.0)
    assert 8.0 == book.silence(SDA, 9.0)
    second.first_byte_came(3.0)
    assert 6.0 == book.silence(SDA, 9.0)
    second.end()
    first.end()
    assert 0.0 == book.silence(SDA, 9.0)
    third = book.begin(SDA, 7.0)
    assert 2.0 == book.silence(SDA, 9.0)
    book.begin(SDA, 8.0).refused(8.5)       # a 404 is an answer
    assert 0.5 == book.silence(SDA, 9.0)
    third.end()
    third = book.begin(SDA, 10.0)
    third.first_byte_came(10.5)
    third.wait(11.0)                        # for its next chunk
    assert 0.0 == book.silence(SDA, 19.0)
    late = book.begin(SDA, 18.0)
    assert 1.0 == book.silence(SDA, 19.0)
    late.end()
    third.end()
