"""The reads that other clusters serve now, more than usual when their last summaries came."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.dispatch.away import SUMMARIES, ReadsAway, WorkAway
from swift_lb.model import ClusterSummary


def summary(sequence):
    """Return a ClusterSummary."""
    return ClusterSummary('b', 'n', 1, sequence, 0.0, 2.0, '', 1, 0.0, 0.0)


def test_reads_count_that_are_there_more_or_fewer_than_usual():
    away = ReadsAway()
    assert 0 == away.more('b', summary(1))
    for _read in range(6):
        away.began('b')
    assert (6, 0) == (away.more('b', summary(1)), away.more('c', summary(1)))
    usual = (0 + 6) / 2 / SUMMARIES     # decisions have seen 0 and 6 reads there
    assert away.more('b', summary(2)) == pytest.approx(6 - usual)
    for _read in range(6):
        away.ended('b')
    assert away.more('b', summary(2)) == pytest.approx(-usual)


def test_what_is_usual_follows_what_decisions_see_within_some_summaries():
    away = ReadsAway()
    away.more('b', summary(1))
    for _read in range(8):
        away.began('b')
    before = 8.0
    for sequence in range(1, 4 * SUMMARIES):
        more = away.more('b', summary(sequence))
        assert 0 < more <= before
        before = more
    assert more < 8 * 0.1


def test_a_redirected_read_is_there_until_its_predicted_end():
    away = ReadsAway()
    away.more('b', summary(1))
    away.began('b', until=2.0)
    away.began('b', until=1.0)
    away.forget(1.5)
    assert 1 == away.more('b', summary(1))
    away.forget(2.0)
    assert 0 == away.more('b', summary(1))


def test_work_is_more_than_when_the_last_summary_came_and_never_less_than_nothing():
    away = WorkAway()
    assert (0.0, 0.0) == away.there_and_more('b', summary(1))
    for amount in (0.3, 2.0):
        away.began('b', amount=amount)
    assert pytest.approx((2.3, 2.3)) == away.there_and_more('b', summary(1))
    assert pytest.approx((2.3, 0.0)) == away.there_and_more('b', summary(2))
    away.ended('b', 2.0)
    assert pytest.approx((0.3, -2.0)) == away.there_and_more('b', summary(2))
    away.ended('b', 0.3 + 1e-9)
    assert (0.0, pytest.approx(-2.3)) == away.there_and_more('b', summary(2))
    assert (0.0, 0.0) == away.there_and_more('c', summary(1))


@given(st.integers(1, 50), st.integers(1, 500))
def test_a_steady_flow_of_reads_adds_nothing_until_the_next_summary(there, reads):
    away = ReadsAway()
    for _read in range(there):
        away.began('b')
    away.more('b', summary(1))
    for _read in range(reads):
        away.began('b')
        assert away.more('b', summary(1)) == 1
        away.ended('b')
