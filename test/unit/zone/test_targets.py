"""Who is to get new clients: of an Instruction, for the proxies of the conf."""
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.zone_options import SHARES, instruction

from swift_lb.model import STATES, UP
from swift_lb.zone.targets import UNHEARD, targets

NAMES = tuple(SHARES)
SUSPECTS = {'late', 'rejected', 'critical'}
INSTRUCTIONS = st.builds(
    instruction, st.dictionaries(st.sampled_from([*NAMES, 'n9']), st.floats(0.0, 1.0), min_size=1),
    st.just(7), st.dictionaries(st.sampled_from(NAMES), st.sampled_from(STATES)), st.booleans())


@given(st.none() | INSTRUCTIONS)
def test_shares_are_1_together_and_all_are_in_or_left_out(told):
    found = targets(told, NAMES)
    assert sum(found.shares.values()) == pytest.approx(1)
    assert min(found.shares.values()) > 0
    assert {*found.shares, *found.left_out} == {*NAMES}
    assert not {*found.shares} & {*found.left_out}


@given(INSTRUCTIONS)
def test_who_is_not_up_is_out_unless_all_look_bad(told):
    found = targets(told, NAMES)
    states = {name: told.of(name).state if told.of(name) else UNHEARD for name in NAMES}
    up = {name for name, state in states.items() if state == UP}
    over = {name for name, state in states.items() if state in ('rejected', 'critical')}
    silent = {name for name, state in states.items() if state in ('late', 'gone')}
    if told.panic:
        up |= over | (silent if len(silent) > len(up | over) else set())
    assert {*found.shares} == (up or {*NAMES})
    assert found.panic == (told.panic or not up)
    assert found.suspect == bool(SUSPECTS & {*states.values()})
    assert found.left_out == {name: states[name] for name in NAMES if name not in found.shares}


def test_without_an_instruction_all_have_equal_shares():
    assert ({'a': 0.5, 'b': 0.5}, {}, False, False) == targets(None, ['a', 'b'])


def test_shares_are_those_of_the_instruction():
    found = targets(instruction(), NAMES)
    assert SHARES == pytest.approx(found.shares)
    assert list(NAMES) == list(found.shares)
    assert (False, False) == (found.panic, found.suspect)


@pytest.mark.parametrize('state', ['late', 'gone', 'draining', 'disabled', 'rejected', 'critical'])
def test_who_is_left_out_leaves_his_share_to_the_others(state):
    found = targets(instruction(states={'n1': state}), NAMES)
    assert {'n2': 0.5, 'n3': 0.2 / 0.6, 'n4': 0.1 / 0.6} == pytest.approx(found.shares)
    assert {'n1': state} == found.left_out


def test_who_is_forgiven_is_in_all_the_same():
    found = targets(instruction(states={'n1': 'critical', 'n2': 'rejected'}), NAMES, {'n1'})
    assert {'n1': 0.4 / 0.7, 'n3': 0.2 / 0.7, 'n4': 0.1 / 0.7} == pytest.approx(found.shares)
    assert ({'n2': 'rejected'}, False, True) == (found.left_out, found.panic, found.suspect)


def test_who_is_not_in_the_conf_gets_nobody():
    found = targets(instruction(), ['n2', 'n3'])
    assert {'n2': 0.6, 'n3': 0.4} == pytest.approx(found.shares)


def test_of_whom_nobody_has_heard_is_left_out():
    found = targets(instruction({'n1': 1.0}), ['n1', 'n2'])
    assert ({'n1': 1.0}, {'n2': UNHEARD}) == (found.shares, found.left_out)


def test_if_none_is_heard_of_all_are_in():
    found = targets(instruction({'n9': 1.0}), ['n1', 'n2'])
    assert ({'n1': 0.5, 'n2': 0.5}, True) == (found.shares, found.panic)


@pytest.mark.parametrize(('states', 'left_out'), [
    ({'n1': 'late', 'n3': 'gone', 'n2': 'draining'}, {'n2'}),
    ({'n1': 'critical', 'n3': 'rejected', 'n2': 'draining'}, {'n2'}),
    ({'n1': 'critical', 'n3': 'rejected', 'n4': 'critical', 'n2': 'late'}, {'n2'})])
def test_in_a_panic_all_are_in_but_who_is_off_duty_or_dead_while_others_are_not(states, left_out):
    found = targets(instruction(states=states, panic=True), NAMES)
    assert left_out == {*found.left_out}
    assert found.panic
    assert found.suspect


def test_if_all_are_off_duty_all_are_in():
    states = dict.fromkeys(NAMES, 'draining')
    for panic in (False, True):
        found = targets(instruction(states=states, panic=panic), NAMES)
        assert ({*NAMES}, {}, True) == ({*found.shares}, found.left_out, found.panic)


def test_who_has_no_share_is_unknown_and_gets_the_mean():
    found = targets(instruction({'n1': 0.5, 'n2': 0.25, 'n3': 0.0}, panic=True), NAMES[:3])
    assert found.shares['n3'] == pytest.approx(0.375 / 1.125)
    found = targets(instruction(dict.fromkeys(NAMES, 0.0), panic=True), NAMES)
    assert dict.fromkeys(NAMES, 0.25) == found.shares
