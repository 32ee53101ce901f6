"""The shares of new clients that DNS makes of an Instruction, for the proxies of the conf."""
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.zone_options import SHARES, instruction

from swift_lb.model import STATES
from swift_lb.zone.targets import UNHEARD, OverloadDelay, targets

NAMES = tuple(SHARES)
SUSPECTS = {'late', 'rejected', 'critical'}
TTL = 60.0
GIVEN_SHARES = st.floats(0.0, 1.0, allow_subnormal=False)   # 5e-324 becomes 0 when it is divided
INSTRUCTIONS = st.builds(
    instruction, st.dictionaries(st.sampled_from([*NAMES, 'n9']), GIVEN_SHARES, min_size=1),
    st.just(7), st.dictionaries(st.sampled_from(NAMES), st.sampled_from(STATES)), st.booleans())


@given(st.none() | INSTRUCTIONS)
def test_shares_add_up_to_1_and_none_is_lost(given_instruction):
    result = targets(given_instruction, NAMES)
    assert sum(result.shares.values()) == pytest.approx(1)
    assert min(result.shares.values()) > 0
    assert {*result.shares, *result.left_out} == {*NAMES}
    assert not {*result.shares} & {*result.left_out}


@given(INSTRUCTIONS)
def test_the_instruction_decides_unless_none_is_left(one):
    result = targets(one, NAMES)
    states = {name: one.of(name).state if one.of(name) else UNHEARD for name in NAMES}
    accepted = one.in_dns & {*NAMES}
    assert {*result.shares} == (accepted or {*NAMES})
    assert (result.panic, result.all_in) == (one.panic, not accepted)
    assert result.suspect == bool(SUSPECTS & {*states.values()})
    assert result.left_out == {name: states[name] for name in NAMES if name not in result.shares}


def test_without_an_instruction_all_have_equal_shares():
    result = targets(None, ['a', 'b'])
    assert ({'a': 0.5, 'b': 0.5}, {}) == (result.shares, result.left_out)
    assert (False, False, False) == (result.panic, result.all_in, result.suspect)


def test_shares_are_those_of_the_instruction():
    result = targets(instruction(), NAMES)
    assert SHARES == pytest.approx(result.shares)
    assert list(NAMES) == list(result.shares)
    assert (False, False) == (result.panic, result.suspect)


@pytest.mark.parametrize('state', ['late', 'gone', 'draining', 'disabled', 'rejected', 'critical'])
def test_a_node_that_is_left_out_leaves_its_share_to_the_others(state):
    result = targets(instruction(states={'n1': state}), NAMES)
    assert {'n2': 0.5, 'n3': 0.2 / 0.6, 'n4': 0.1 / 0.6} == pytest.approx(result.shares)
    assert {'n1': state} == result.left_out


def test_a_tolerated_node_is_in_the_answers():
    result = targets(instruction(states={'n1': 'critical', 'n2': 'rejected'}), NAMES, {'n1'})
    assert {'n1': 0.4 / 0.7, 'n3': 0.2 / 0.7, 'n4': 0.1 / 0.7} == pytest.approx(result.shares)
    assert ({'n2': 'rejected'}, False, True) == (result.left_out, result.panic, result.suspect)


def test_nodes_that_are_not_in_the_conf_are_ignored():
    assert {'n2': 0.6, 'n3': 0.4} == pytest.approx(targets(instruction(), ['n2', 'n3']).shares)


def test_nodes_that_the_instruction_does_not_name_are_out():
    result = targets(instruction({'n1': 1.0}), ['n1', 'n2'])
    assert ({'n1': 1.0}, {'n2': UNHEARD}) == (result.shares, result.left_out)


def test_if_the_instruction_names_none_all_are_in():
    result = targets(instruction({'n9': 1.0}), ['n1', 'n2'])
    assert ({'n1': 0.5, 'n2': 0.5}, True) == (result.shares, result.all_in)


@pytest.mark.parametrize(('states', 'left_out'), [
    ({'n1': 'late', 'n3': 'gone', 'n2': 'draining'}, {'n2'}),
    ({'n1': 'critical', 'n3': 'rejected', 'n2': 'draining'}, {'n2'}),
    ({'n1': 'critical', 'n3': 'rejected', 'n4': 'critical', 'n2': 'late'}, {'n2'})])
def test_in_a_panic_nodes_that_are_off_duty_or_down_stay_out(states, left_out):
    result = targets(instruction(states=states, panic=True), NAMES)
    assert left_out == {*result.left_out}
    assert (True, True) == (result.panic, result.suspect)


@pytest.mark.parametrize('panic', [False, True])
def test_if_all_are_off_duty_all_are_in(panic):
    result = targets(instruction(states=dict.fromkeys(NAMES, 'draining'), panic=panic), NAMES)
    assert ({*NAMES}, {}, True) == ({*result.shares}, result.left_out, result.all_in)


def test_an_unknown_share_is_the_mean_of_the_others():
    result = targets(instruction({'n1': 0.5, 'n2': 0.25, 'n3': 0.0}, panic=True), NAMES[:3])
    assert {'n1': 0.5 / 1.125, 'n2': 0.25 / 1.125, 'n3': 0.375 / 1.125} == pytest.approx(
        result.shares)
    result = targets(instruction(dict.fromkeys(NAMES, 0.0), panic=True), NAMES)
    assert {*result.shares.values()} == {0.25}


# -- OverloadDelay


def tolerated(*seen):
    """Return the names still in DNS after (instant, {name: state}, panic) were seen, in turn."""
    delay, names = OverloadDelay(TTL), None
    delay.tolerated(instruction(), -1.0)
    for now, states, panic in seen:
        names = delay.tolerated(instruction(states=states, panic=panic), now)
    return set(names)


def over(now, *names, panic=False):
    """Return what is seen if `names` are rejected."""
    return now, dict.fromkeys(names, 'rejected'), panic


@pytest.mark.parametrize('state', ['rejected', 'critical'])
def test_a_node_over_a_threshold_is_tolerated_for_a_ttl(state):
    assert {'n1'} == tolerated((0.0, {'n1': state}, False))
    assert {'n1'} == tolerated((5.0, {'n1': state}, False), (64.9, {'n1': state}, False))
    assert set() == tolerated((5.0, {'n1': state}, False), (65.0, {'n1': state}, False))


@pytest.mark.parametrize('state', ['late', 'gone', 'draining', 'disabled', 'up'])
def test_only_nodes_over_a_threshold_are_tolerated(state):
    assert set() == tolerated((0.0, {'n1': state}, False))


def test_a_rejected_node_that_becomes_critical_keeps_its_time():
    assert set() == tolerated(over(0.0, 'n1'), (30.0, {'n1': 'critical'}, False), over(60.0, 'n1'))


@pytest.mark.parametrize('between', [over(59.0), over(59.0, 'n2'), over(59.0, 'n1', panic=True)])
def test_a_node_that_was_below_its_threshold_gets_a_new_ttl(between):
    assert {'n1'} == tolerated(over(0.0, 'n1'), between, over(60.0, 'n1'), over(119.0, 'n1'))


def test_each_node_is_tolerated_for_a_ttl_of_its_own():
    assert {'n2'} == tolerated(over(0.0, 'n1'), over(30.0, 'n1', 'n2'), over(60.0, 'n1', 'n2'))


def test_without_an_instruction_no_node_counts_as_overloaded():
    delay = OverloadDelay(TTL)
    delay.tolerated(instruction(), 0.0)
    assert {'n1'} == delay.tolerated(instruction(states={'n1': 'rejected'}), 1.0)
    assert set() == delay.tolerated(None, 30.0)


def test_a_node_over_its_threshold_at_the_start_is_not_tolerated():
    delay = OverloadDelay(TTL)
    assert set() == delay.tolerated(instruction(states={'n1': 'rejected'}), 1.0)
    assert {'n2'} == delay.tolerated(instruction(states={'n1': 'rejected', 'n2': 'critical'}), 2.0)
