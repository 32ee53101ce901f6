"""The state of each node, panic, and which nodes DNS may name and dispatchers may ask then."""
import pytest

from swift_lb.model import (
    CRITICAL,
    DISABLED,
    DRAINING,
    GONE,
    LATE,
    REJECTED,
    STATES,
    UP,
    Heard,
    NodeInstruction,
    Report,
)
from swift_lb.plan.decision import MEMORY, make_instruction, members, panics, state_of
from swift_lb.plan.options import DEFAULTS


@pytest.mark.parametrize(('states', 'panic'), [
    ([], False), ([UP], False), ([LATE], True), ([UP, LATE], False), ([UP, LATE, GONE], True),
    ([UP, UP, REJECTED, CRITICAL], False), ([UP, REJECTED, CRITICAL], True),
    ([UP, DRAINING, DRAINING, DISABLED], False), ([UP, LATE, DRAINING, DRAINING], False),
    ([LATE, DRAINING, UP, GONE], True), ([DRAINING], True), ([DRAINING, DISABLED], True)])
def test_there_is_panic_when_more_than_half_of_nodes_look_bad(states, panic):
    assert panics(states) is panic


def instruction(states, panic):
    """Return an Instruction of the nodes a, b, c, ..., which have these states in this order."""
    return make_instruction(1, 9.0, 'balanced', panic, tuple(
        NodeInstruction(name, '', state, 1.0, 1.0, 0.5, 1.0, 0.0)
        for name, state in zip('abcdefgh', states, strict=False)), 'd')


@pytest.mark.parametrize(('panic', 'states', 'in_dns', 'askable'), [
    (False, STATES, 'a', {'a': UP, 'f': REJECTED, 'g': CRITICAL}),
    (True, STATES, 'afg', {'a': UP, 'f': UP, 'g': UP}),     # 2 of 5 are silent
    (True, [UP, LATE, GONE, DRAINING], 'abc', {'a': UP}),
    (True, [UP, REJECTED, CRITICAL, LATE], 'abc', {'a': UP, 'b': UP, 'c': UP}),
    (True, [DRAINING, DISABLED], '', {})])
def test_states_and_panic_decide_who_is_in_dns_and_who_is_asked(panic, states, in_dns, askable):
    result = instruction(states, panic)
    assert (set(in_dns), askable) == (result.in_dns, result.askable)


def report(node='a', state=UP, interval=1.0):
    """Return a Report without metrics; `interval` is the seconds between its node's reports."""
    return Report(node, 1, 1, 1e9, interval, {}, state=state)


@pytest.mark.parametrize('reported', [UP, DRAINING, DISABLED])
@pytest.mark.parametrize(('intervals', 'state'), [
    (-0.001, None), (0.0, None), (1.0, None), (3.0, None), (3.001, LATE), (4.5, LATE),
    (4.501, GONE), (5.0, GONE), (1e6, GONE)])
@pytest.mark.parametrize('interval', [0.125, 1.0, 8.0])
def test_a_node_is_late_and_then_gone_by_its_reports_age(reported, intervals, state, interval):
    assert (state or reported) == state_of(
        report(state=reported, interval=interval), intervals * interval, DEFAULTS)


def test_a_node_that_reports_itself_as_rejected_counts_as_up():
    assert state_of(report(state=REJECTED), 0.0, DEFAULTS) == UP


def test_members_are_sorted_by_name_and_gone_ones_kept_a_minute():
    heard = {'c': Heard(report('c'), 0.0), 'a': Heard(report('a'), 57.0),
             'b': Heard(report('b'), 59.0), 'd': Heard(report('d'), 56.0)}
    assert [(one.name, one.state) for one in members(heard, MEMORY, DEFAULTS)] == [
        ('a', UP), ('b', UP), ('c', GONE), ('d', LATE)]
    assert [one.name for one in members(heard, MEMORY + 0.001, DEFAULTS)] == ['a', 'b', 'd']
    slow = {'a': Heard(report(interval=60.0), 0.0)}     # late, not gone: it is not dropped
    assert [one.state for one in members(slow, 200.0, DEFAULTS)] == [LATE]
