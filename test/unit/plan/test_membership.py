"""Who is there: late after 3 intervals, gone after 4.5, and when most look bad."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.model import (
    CRITICAL,
    DISABLED,
    DRAINING,
    GONE,
    LATE,
    REJECTED,
    UP,
    Heard,
    Report,
)
from swift_lb.plan.membership import MEMORY, members, panics, state_of
from swift_lb.plan.options import DEFAULTS

STATES = st.sampled_from([UP, LATE, GONE, DRAINING, DISABLED, REJECTED, CRITICAL])


def report(node='a', state=UP, interval=1.0):
    """Return a Report of which only what membership looks at is told."""
    return Report(node, 1, 1, 1e9, interval, {}, state=state)


@pytest.mark.parametrize('said', [UP, DRAINING, DISABLED])
@pytest.mark.parametrize(('intervals', 'state'), [
    (0.0, None), (1.0, None), (3.0, None), (3.001, LATE), (4.5, LATE), (4.501, GONE),
    (1e6, GONE)])
@pytest.mark.parametrize('interval', [0.125, 1.0, 8.0])
def test_late_after_three_intervals_gone_after_four_and_a_half(said, intervals, state, interval):
    found = state_of(report(state=said, interval=interval), intervals * interval, DEFAULTS)
    assert found == (state or said)


def test_with_reports_each_second_who_dies_is_gone_within_five_seconds():
    assert state_of(report(), 5.0, DEFAULTS) == GONE


def test_a_report_from_the_future_of_our_clock_is_no_fault():
    assert state_of(report(), -0.001, DEFAULTS) == UP


def test_a_state_that_is_not_the_nodes_to_say_is_not_taken_from_it():
    assert state_of(report(state=REJECTED), 0.0, DEFAULTS) == UP


def test_members_are_sorted_and_remembered_for_a_minute():
    heard = {'c': Heard(report('c'), 0.0), 'a': Heard(report('a'), 57.0),
             'b': Heard(report('b'), 59.0), 'd': Heard(report('d'), 56.0)}
    at = MEMORY
    assert [(one.name, one.state) for one in members(heard, at, DEFAULTS)] == [
        ('a', UP), ('b', UP), ('c', GONE), ('d', LATE)]
    assert [one.name for one in members(heard, at + 0.001, DEFAULTS)] == ['a', 'b', 'd']


def test_who_reports_seldom_is_not_forgotten_before_it_is_gone():
    heard = {'a': Heard(report(interval=60.0), 0.0)}
    assert [one.state for one in members(heard, 200.0, DEFAULTS)] == [LATE]


@pytest.mark.parametrize(('states', 'panic'), [
    ([], False), ([UP], False), ([LATE], True), ([UP, LATE], False), ([UP, LATE, GONE], True),
    ([UP, UP, REJECTED, CRITICAL], False), ([UP, REJECTED, CRITICAL], True),
    ([UP, DRAINING, DRAINING, DISABLED], False), ([UP, LATE, DRAINING, DRAINING], False),
    ([LATE, DRAINING, UP, GONE], True), ([DRAINING], True), ([DRAINING, DISABLED], True)])
def test_panic_is_when_more_than_half_look_bad_by_themselves(states, panic):
    assert panics(states) is panic


@given(st.lists(STATES), st.randoms())
def test_panic_knows_no_order(states, chance):
    mixed = list(states)
    chance.shuffle(mixed)
    assert panics(iter(states)) == panics(mixed)
