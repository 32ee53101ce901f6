"""Which Reports a Freshness refuses: replays, those of an earlier epoch or a wrong clock."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.model import Report
from swift_lb.wire.freshness import FORGET_AFTER, MAX_SKEW, OLD, SKEWED, Freshness

WALL = 1_700_000_000.0


def report(epoch=5, sequence=1, sent_at=WALL, node='a'):
    """Return a Report with the given values of all fields that a Freshness compares."""
    return Report(node, epoch, sequence, sent_at, 1.0, {})


@pytest.fixture
def fresh():
    """Return a Freshness that accepted report 1 of epoch 5 of node `a` at the instant 0."""
    fresh = Freshness()
    assert fresh.refuses(report(), WALL, 0.0) is None
    return fresh


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=30))
def test_only_reports_later_than_the_last_one_are_accepted(stamps):
    fresh, last = Freshness(), (-1, -1)
    for epoch, sequence in stamps:
        why = fresh.refuses(report(epoch, sequence), WALL, 0.0)
        assert why == (None if (epoch, sequence) > last else OLD)
        last = max(last, (epoch, sequence))


def test_a_report_is_compared_only_with_those_of_its_node(fresh):
    assert fresh.refuses(report(node='b', epoch=1, sequence=1), WALL, 0.1) is None
    assert fresh.refuses(report(), WALL, 0.2) == OLD


@pytest.mark.parametrize(('off', 'why'), [
    (0.0, None), (MAX_SKEW, None), (-MAX_SKEW, None), (MAX_SKEW + 0.001, SKEWED),
    (-MAX_SKEW - 0.001, SKEWED), (86400.0, SKEWED)])
def test_a_report_is_accepted_if_clocks_differ_by_up_to_max_skew(off, why):
    assert Freshness().refuses(report(sent_at=WALL + off), WALL, 0.0) == why


def test_a_refused_report_is_not_remembered_as_the_last_one(fresh):
    assert fresh.refuses(report(9, 9, WALL + 61), WALL, 0.1) == SKEWED
    assert fresh.refuses(report(sequence=2), WALL, 0.2) is None


def test_a_node_whose_clock_was_set_back_is_accepted_later(fresh):
    again = report(epoch=1)
    assert fresh.refuses(again, WALL, FORGET_AFTER - 0.001) == OLD
    assert fresh.refuses(again, WALL, FORGET_AFTER) is None


@given(st.floats(-MAX_SKEW, MAX_SKEW), st.floats(FORGET_AFTER, 1e6))
def test_a_report_replayed_minutes_later_is_refused_as_skewed(ahead, later):
    fresh = Freshness()
    recorded = report(sent_at=WALL + ahead)
    assert fresh.refuses(recorded, WALL, 0.0) is None
    assert fresh.refuses(recorded, WALL + later, later) == SKEWED


def test_a_forgotten_node_may_begin_with_an_earlier_epoch(fresh):
    fresh.forget('a')
    fresh.forget('never heard of')
    assert fresh.refuses(report(epoch=1), WALL, 0.1) is None
