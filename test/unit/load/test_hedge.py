"""When a read may be sent to a second device: the learned delay, the queue there, the budget."""
import pytest

from swift_lb.load.book import LoadBook
from swift_lb.load.hedge import CAP, LIMIT, RETRY, HedgeBudget, delay_of, hedge
from swift_lb.load.tail_time import CHUNK, NO_BODY, WHOLE
from swift_lb.model import Node

SDA, SDB = (Node('10.0.0.1', 6200, device) for device in ('sda', 'sdb'))


def rich(tokens=CAP):
    """Return a book with so many tokens."""
    book = LoadBook()
    book.hedges = HedgeBudget([tokens])
    return book


def may_hedge(book, node, waited=0.1):
    """Return whether `node` may be asked too, for a read that has waited and was late at 0.1 s."""
    limit, seconds = hedge(book, node, waited, 0.1)
    assert (limit is None) != (seconds is None)
    return limit is not None


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
    assert [0, 0, 1, 2, 9] == [hedge(rich(), SDB, waited, 0.1)[0] - LIMIT
                               for waited in (0.09, 0.1, 0.2, 0.3000001, 1.0)]
    book = rich(1.0)
    queued = [book.begin(SDB, 1.0) for _read in range(3)]
    assert [False, True] == [may_hedge(book, SDB, waited) for waited in (0.3, 0.4)]
    del queued


def test_what_streams_to_this_host_is_no_reason_to_decline():
    book = rich()
    reads = [book.begin(SDB, 1.0) for _read in range(3)]
    for read in reads:
        read.chunk(65536, 1.1)
        read.wait(1.2)
    reads[0].chunk(65536, 1.3)      # its client takes its time
    assert (LIMIT + 2, None) == hedge(book, SDB, 0.1, 0.1)


def test_who_was_refused_tries_again_a_while_later():
    book = rich(0.0)
    assert [0.1, 0.1, 1.0] == [hedge(book, SDB, waited, 0.1)[1] for waited in (0.1, 0.3, 8.0)]
    assert RETRY == hedge(book, SDB, 0.001, 0.001)[1]


def test_a_device_that_is_not_known_may_be_asked():
    assert may_hedge(rich(), SDB)
