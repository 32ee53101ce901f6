"""The state of a node by the age of its report: late after 3 intervals, gone after 4.5."""
import pytest

from swift_lb.model import DISABLED, DRAINING, GONE, LATE, REJECTED, UP, Heard, Report
from swift_lb.plan.membership import MEMORY, members, state_of
from swift_lb.plan.options import DEFAULTS


def report(node='a', state=UP, interval=1.0):
    """Return a Report with the fields that membership reads."""
    return Report(node, 1, 1, 1e9, interval, {}, state=state)


@pytest.mark.parametrize('reported', [UP, DRAINING, DISABLED])
@pytest.mark.parametrize(('intervals', 'state'), [
    (-0.001, None), (0.0, None), (1.0, None), (3.0, None), (3.001, LATE), (4.5, LATE),
    (4.501, GONE), (5.0, GONE), (1e6, GONE)])
@pytest.mark.parametrize('interval', [0.125, 1.0, 8.0])
def test_state_by_age(reported, intervals, state, interval):
    result = state_of(report(state=reported, interval=interval), intervals * interval, DEFAULTS)
    assert result == (state or reported)


def test_a_node_can_not_report_a_state_that_the_plan_decides():
    assert state_of(report(state=REJECTED), 0.0, DEFAULTS) == UP


def test_members_are_sorted_and_kept_for_a_minute():
    heard = {'c': Heard(report('c'), 0.0), 'a': Heard(report('a'), 57.0),
             'b': Heard(report('b'), 59.0), 'd': Heard(report('d'), 56.0)}
    assert [(one.name, one.state) for one in members(heard, MEMORY, DEFAULTS)] == [
        ('a', UP), ('b', UP), ('c', GONE), ('d', LATE)]
    assert [one.name for one in members(heard, MEMORY + 0.001, DEFAULTS)] == ['a', 'b', 'd']


def test_a_late_node_with_a_long_interval_is_not_dropped():
    heard = {'a': Heard(report(interval=60.0), 0.0)}
    assert [one.state for one in members(heard, 200.0, DEFAULTS)] == [LATE]
