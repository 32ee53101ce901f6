"""Who is over a threshold is left out after a TTL of that, and back at once."""
import pytest
from support.zone_options import instruction

from swift_lb.zone.patience import Patience

TTL = 60.0


def forgiven(*seen):
    """Return who is forgiven after (instant, {name: state}, panic) were seen, in turn.

    Before, nobody was over anything.
    """
    patience, found = Patience(TTL), None
    patience.forgiven(instruction(), -1.0)
    for now, states, panic in seen:
        found = patience.forgiven(instruction(states=states, panic=panic), now)
    return set(found)


def over(now, *names, panic=False):
    """Return what is seen if `names` are rejected."""
    return now, dict.fromkeys(names, 'rejected'), panic


@pytest.mark.parametrize('state', ['rejected', 'critical'])
def test_who_is_over_a_threshold_is_forgiven_for_a_ttl(state):
    assert {'n1'} == forgiven((0.0, {'n1': state}, False))
    assert {'n1'} == forgiven((5.0, {'n1': state}, False), (64.9, {'n1': state}, False))
    assert set() == forgiven((5.0, {'n1': state}, False), (65.0, {'n1': state}, False))


@pytest.mark.parametrize('state', ['late', 'gone', 'draining', 'disabled', 'up'])
def test_for_nothing_else_is_anybody_forgiven(state):
    assert set() == forgiven((0.0, {'n1': state}, False))


def test_to_be_more_or_less_over_is_no_break():
    assert set() == forgiven(over(0.0, 'n1'), (30.0, {'n1': 'critical'}, False), over(60.0, 'n1'))


@pytest.mark.parametrize('between', [over(59.0), over(59.0, 'n2'), over(59.0, 'n1', panic=True)])
def test_after_a_break_patience_is_new(between):
    assert {'n1'} == forgiven(over(0.0, 'n1'), between, over(60.0, 'n1'), over(119.0, 'n1'))


def test_each_has_its_own_time():
    assert {'n2'} == forgiven(over(0.0, 'n1'), over(30.0, 'n1', 'n2'), over(60.0, 'n1', 'n2'))


def test_without_an_instruction_nobody_is_over_anything():
    patience = Patience(TTL)
    patience.forgiven(instruction(), 0.0)
    assert {'n1'} == patience.forgiven(instruction(states={'n1': 'rejected'}), 1.0)
    assert set() == patience.forgiven(None, 30.0)


def test_who_is_over_at_the_first_look_has_been_so_for_long():
    patience = Patience(TTL)
    assert set() == patience.forgiven(instruction(states={'n1': 'rejected'}), 1.0)
    assert {'n2'} == patience.forgiven(
        instruction(states={'n1': 'rejected', 'n2': 'critical'}), 2.0)
