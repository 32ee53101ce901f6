"""When a read may be sent to a second device: the learned delay, the queue there, the budget."""
import pytest

from swift_lb.load.book import LoadBook
from swift_lb.load.hedge import CAP, LIMIT, HedgeBudget, delay_of, limit_after, may_hedge
from swift_lb.load.tail_time import CHUNK, NO_BODY, WHOLE
from swift_lb.model import Node

SDA, SDB = (Node('10.0.0.1', 6200, device) for device in ('sda', 'sdb'))


def rich(tokens=CAP):
    """Return a book with so many tokens."""
    book = LoadBook()
    book.hedges = HedgeBudget([tokens])
    return book


def test_the_delay_is_the_devices_and_the_size_classes_own():
    book = LoadBook()
    assert delay_of(book, SDA, WHOLE) is None
    book.begin(SDA, 1.0, size_class=CHUNK).answered(1.5)
    book.begin(SDA, 1.0).answered(3.0)
    book.begin(SDB, 1.0, size_class=NO_BODY).answered(1.25)
    assert [None, 1.5, 6.0] == [delay_of(book, SDA, each) for each in (NO_BODY, CHUNK, WHOLE)]
    assert [0.75, None, None] == [delay_of(book, SDB, each) for each in (NO_BODY, CHUNK, WHOLE)]


def test_who_lost_a_race_and_answers_later_is_heard():
    book = LoadBook()
    read = book.begin(SDA, 1.0)
    read.end()
    read.answered(3.0)
    assert 6.0 == delay_of(book, SDA, WHOLE)
    assert (0, 0) == (book.queued(SDA), book.snapshot([SDA]).of(SDA).in_flight)


def test_what_is_forgotten_has_no_delay():
    book = LoadBook()
    book.begin(SDA, 1.0).answered(3.0)
    book.forget(before=9.0)
    assert delay_of(book, SDA, WHOLE) is None


def test_one_request_of_21_is_a_hedge_which_is_5_per_cent_more():
    book, hedges, reads = LoadBook(), 0, 10_000
    for _read in range(reads):
        book.begin(SDA, 1.0).end()
        if may_hedge(book, SDB):
            book.begin(SDB, 1.0).end()
            hedges += 1
    assert 0.05 * reads - 1 <= hedges <= 0.05 * reads


def test_tokens_that_nobody_wants_are_kept_up_to_the_cap():
    budget = HedgeBudget()
    assert not budget.spend()
    for _request in range(1000):
        budget.earn()
    assert [True] * int(CAP) + [False] == [budget.spend() for _time in range(int(CAP) + 1)]


@pytest.mark.parametrize('number', [float('nan'), float('inf'), float('-inf'), -1.0, 1e300])
def test_tokens_that_can_not_be_are_none_to_spend_and_never_more_than_the_cap(number):
    words = [number]
    budget = HedgeBudget(words)
    assert not budget.spend()
    budget.earn()
    assert 0.0 <= words[0] <= CAP


def test_a_device_with_reads_queued_is_left_alone_and_costs_no_token():
    book = rich(1.0)
    queued = [book.begin(SDB, 1.0) for _read in range(LIMIT + 1)]
    assert not may_hedge(book, SDB)
    queued[0].answered(1.5)
    assert may_hedge(book, SDB)
    assert not may_hedge(book, SDB)


def test_the_longer_a_read_waits_the_longer_may_the_queue_be_elsewhere():
    assert [0, 0, 1, 2, 9] == [limit_after(waited, 0.1) - LIMIT
                               for waited in (0.09, 0.1, 0.2, 0.3000001, 1.0)]
    book = rich(1.0)
    for _read in range(3):
        book.begin(SDB, 1.0)
    queued = [book.begin(SDB, 1.0) for _read in range(3)]
    assert 3 == book.queued(SDB)
    assert [False, True] == [may_hedge(book, SDB, limit) for limit in (2, 3)]
    del queued


def test_a_device_that_is_not_known_may_be_asked():
    assert may_hedge(rich(), SDB)
