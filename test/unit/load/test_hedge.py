"""Hedges, second requests for late reads: the learned delay, the queue limit, the budget."""
import pytest
from unit.load.shared import SDA, SDB, load_of

from swift_lb.load.book import LoadBook
from swift_lb.load.hedge import (
    CAP,
    DEBT,
    LIMIT,
    ORDINARY,
    RETRY,
    SILENT,
    SLOW,
    WITNESSES,
    Delay,
    HedgeBudget,
    delay_of,
    hedge,
    pause,
)
from swift_lb.load.tail_time import CHUNK, NO_BODY, WHOLE

LATE = Delay(0.125, 0.125)
NOW = 9.0


def rich(tokens=CAP):
    """Return a LoadBook whose budget of hedges has so many tokens."""
    book = LoadBook()
    book.hedges = HedgeBudget([tokens])
    return book


def hedged(book, node=SDB, waited=0.125, delay=LATE):
    """Return hedge() at NOW, (queue limit, None) or (None, pause), for a read sent to SDA.

    The read has waited for `waited` seconds; the hedge would go to `node`.
    """
    return hedge(book, SDA, node, NOW, NOW - waited, delay)


def may_hedge(book, node, waited=0.125):
    """Return whether a read of SDA that has waited `waited` s may go to `node` as well."""
    limit, seconds = hedged(book, node, waited)
    assert (limit is None) != (seconds is None)
    return limit is not None


def known(own=None, others=None):
    """Return a LoadBook with a p95 of `own` s of SDA and `others` s of SDB; None: no read."""
    book = LoadBook()
    for node, seconds in ((SDA, own), (SDB, others)):
        if seconds is not None:
            book.begin(node, 0.0).first_byte_came(seconds / 3.0)
    return book


def silent(tokens=0.0, reads=WITNESSES, seconds=SILENT * LATE.late):
    """Return (a LoadBook, a list of `reads` reads of SDA without a first byte for `seconds`)."""
    book = rich(tokens)
    return book, [book.begin(SDA, NOW - seconds) for _read in range(reads)]


def test_hedging_delays_are_kept_per_device_and_size_class():
    book = LoadBook()
    assert delay_of(book, SDA, None, WHOLE) is None
    book.begin(SDA, 1.0, size_class=CHUNK).first_byte_came(1.5)
    book.begin(SDA, 1.0).first_byte_came(3.0)
    book.begin(SDB, 1.0, size_class=NO_BODY).first_byte_came(1.25)
    assert [None, (1.5, 1.5), (6.0, 6.0)] == [
        delay_of(book, SDA, None, each) for each in (NO_BODY, CHUNK, WHOLE)]
    assert [(0.75, 0.75), None, None] == [
        delay_of(book, SDB, None, each) for each in (NO_BODY, CHUNK, WHOLE)]


@pytest.mark.parametrize(('own', 'others', 'expected'), [
    (3.0, 3.0, (3.0, 3.0)), (3.0, 6.0, (3.0, 6.0)), (6.0, 6.0 / SLOW, (6.0, 6.0 / SLOW)),
    (60.0, 3.0, (3.0 * SLOW, 3.0)), (None, 3.0, (3.0, 3.0)), (3.0, None, (3.0, 3.0)),
    (None, None, None)])
def test_the_second_devices_p95_bounds_the_hedging_delay(own, others, expected):
    assert expected == delay_of(known(own, others), SDA, SDB, WHOLE)


def test_the_late_answer_of_a_hedged_read_counts_in_the_p95():
    book = LoadBook()
    read = book.begin(SDA, 1.0)
    read.end()
    read.first_byte_came(3.0)
    assert (6.0, 6.0) == delay_of(book, SDA, None, WHOLE)
    assert (0, 0) == (book.queued(SDA), load_of(book).in_flight)
    book.forget(before=9.0)
    assert delay_of(book, SDA, None, WHOLE) is None


def test_at_most_one_request_in_21_is_a_hedge():
    book, hedges, reads = LoadBook(), 0, 10_000
    for _read in range(reads):
        book.begin(SDA, 1.0).end()
        if may_hedge(book, SDB):
            book.begin(SDB, 1.0).end()
            hedges += 1
    assert 0.05 * reads - 1 <= hedges <= 0.05 * reads


def test_unused_hedge_tokens_are_kept_up_to_a_cap():
    budget = HedgeBudget()
    assert not budget.spend()
    for _request in range(1000):
        budget.earn()
    assert [True] * int(CAP) + [False] == [budget.spend() for _time in range(int(CAP) + 1)]


@pytest.mark.parametrize('number', [float('nan'), float('inf'), float('-inf'), -DEBT - 1.0, 1e300])
def test_an_impossible_number_of_tokens_allows_no_hedge(number):
    words = [number]
    budget = HedgeBudget(words)
    assert not budget.spend(DEBT)
    budget.earn()
    assert -DEBT <= words[0] <= CAP


def test_no_hedge_goes_to_a_device_with_reads_queued():
    book = rich(1.0)
    queued = [book.begin(SDB, 1.0) for _read in range(LIMIT + 1)]
    assert not may_hedge(book, SDB)
    queued[0].first_byte_came(1.5)
    assert may_hedge(book, SDB)
    assert not may_hedge(book, SDB)


def test_a_hedges_queue_limit_grows_with_the_time_waited():
    assert [0, 0, 1, 2, 17] == [hedged(rich(), waited=waited)[0] - LIMIT
                                for waited in (0.09, 0.125, 0.175, 0.25, 1.0)]
    assert LIMIT + 2 == hedged(rich(), waited=2.0, delay=Delay(1.5, 1.0))[0]    # of the second
    book = rich(1.0)
    queued = [book.begin(SDB, NOW) for _read in range(3)]
    assert [False, True] == [may_hedge(book, SDB, waited) for waited in (0.27, 0.28)]
    del queued


def test_reads_streaming_to_this_host_do_not_limit_a_hedge():
    book = rich()
    reads = [book.begin(SDB, NOW) for _read in range(3)]
    for read in reads:
        read.chunk(65536, NOW)
        read.wait(NOW)
    reads[0].chunk(65536, NOW)      # it waits for its client
    assert (LIMIT + 2, None) == hedged(book)


def test_a_refused_hedge_is_retried_after_a_pause():
    book = rich(0.0)
    assert [0.05, 0.5 / 8, 1.0] == [
        hedged(book, waited=waited)[1] for waited in (0.125, 0.5, 8.0)]
    assert RETRY == pause(0.001, Delay(0.001, 0.001))


def test_reads_of_a_silent_device_are_hedged_despite_a_queue():
    book, ours = silent()
    theirs = [book.begin(SDB, NOW) for _read in range(50)]
    assert (ORDINARY, None) == hedged(book)
    del ours, theirs


def test_two_reads_late_by_twice_the_delay_show_a_silent_device():
    for book, ours in (silent(reads=WITNESSES - 1), silent(seconds=0.9 * SILENT * LATE.late)):
        assert not may_hedge(book, SDB)
        del ours
    book, ours = silent(reads=WITNESSES + 1)
    ours.pop().first_byte_came(NOW - LATE.late)     # it answers
    assert not may_hedge(book, SDB)


def test_no_token_is_borrowed_to_hedge_to_a_silent_device():
    book, ours = silent()
    theirs = book.begin(SDB, NOW - SILENT * LATE.late)
    assert not may_hedge(book, SDB)
    theirs.first_byte_came(NOW)
    assert may_hedge(book, SDB)
    del ours


def test_borrowed_tokens_are_limited_and_paid_back_first():
    book, ours = silent()
    assert DEBT == sum(may_hedge(book, SDB) for _read in range(2 * int(DEBT)))
    ours.clear()
    requests = 0
    while not may_hedge(book, SDB):
        book.hedges.earn()
        requests += 1
    assert (DEBT + 1) * 21 - 4 <= requests <= (DEBT + 1) * 21
