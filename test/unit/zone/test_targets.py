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
def test_shares_add_up_to_1_and_each_backend_is_in_or_left_out(given_instruction):
    result = targets(given_instruction, NAMES)
    assert sum(result.shares.values()) == pytest.approx(1)
    assert min(result.shares.values()) > 0
    assert {*result.shares, *result.left_out} == {*NAMES}
    assert not {*result.shares} & {*result.left_out}


@given(INSTRUCTIONS)
def test_the_instruction_decides_which_backends_are_in_dns(one):
    result = targets(one, NAMES)
    states = {name: one.of(name).state if one.of(name) else UNHEARD for name in NAMES}
    accepted = one.in_dns & {*NAMES}
    assert {*result.shares} == (accepted or {*NAMES})
    assert (result.panic, result.all_in) == (one.panic, not accepted)
    assert result.document()['panic'] == (one.panic or not accepted)
    assert result.suspect == bool(SUSPECTS & {*states.values()})
    assert result.left_out == {name: states[name] for name in NAMES if name not in result.shares}


def test_all_backends_have_equal_shares_without_an_instruction():
    result = targets(None, ['a', 'b'])
    assert ({'a': 0.5, 'b': 0.5}, {}) == (result.shares, result.left_out)
    assert (False, False, False) == (result.panic, result.all_in, result.suspect)


@pytest.mark.parametrize(('one', 'names', 'tolerated', 'shares'), [
    (instruction(), NAMES, (), SHARES),
    (instruction(), ['n2', 'n3'], (), {'n2': 0.6, 'n3': 0.4}),
    (instruction(states={'n1': 'late'}), NAMES, (), {'n2': 0.5, 'n3': 0.2 / 0.6, 'n4': 0.1 / 0.6}),
    (instruction(states={'n1': 'critical', 'n2': 'rejected'}), NAMES, {'n1'},
     {'n1': 0.4 / 0.7, 'n3': 0.2 / 0.7, 'n4': 0.1 / 0.7}),
    # an unknown share, in a panic, is the mean of the others
    (instruction({'n1': 0.5, 'n2': 0.25, 'n3': 0.0}, panic=True), NAMES[:3], (),
     {'n1': 0.5 / 1.125, 'n2': 0.25 / 1.125, 'n3': 0.375 / 1.125}),
    (instruction(dict.fromkeys(NAMES, 0.0), panic=True), NAMES, (), dict.fromkeys(NAMES, 0.25))])
def test_shares_equal_those_worked_by_hand(one, names, tolerated, shares):
    result = targets(one, names, tolerated)
    assert shares == pytest.approx(result.shares)
    assert [name for name in names if name in shares] == list(result.shares)


# -- OverloadDelay


def seen(now, *names, state='rejected', panic=False):
    """Return (instant, Instruction) in which `names` have the state `state`, the others are up."""
    return now, instruction(states=dict.fromkeys(names, state), panic=panic)


START = seen(-1.0)


@pytest.mark.parametrize(('looks', 'names'), [
    *((looks, names) for state in ('rejected', 'critical') for looks, names in (
        ([START, seen(0.0, 'n1', state=state)], {'n1'}),
        ([START, seen(5.0, 'n1', state=state), seen(64.9, 'n1', state=state)], {'n1'}),
        ([START, seen(5.0, 'n1', state=state), seen(65.0, 'n1', state=state)], set()))),
    *(([START, seen(0.0, 'n1', state=state)], set())
      for state in ('late', 'gone', 'draining', 'disabled', 'up')),
    ([START, seen(0.0, 'n1'), seen(30.0, 'n1', state='critical'), seen(60.0, 'n1')], set()),
    # a node that was below its threshold, or in a panic, gets a new TTL
    *(([START, seen(0.0, 'n1'), between, seen(60.0, 'n1'), seen(119.0, 'n1')], {'n1'})
      for between in (seen(59.0), seen(59.0, 'n2'), seen(59.0, 'n1', panic=True))),
    ([START, seen(0.0, 'n1'), seen(30.0, 'n1', 'n2'), seen(60.0, 'n1', 'n2')], {'n2'}),
    ([START, seen(1.0, 'n1'), (30.0, None)], set()),
    # a node over its threshold at the first look is not tolerated
    ([seen(1.0, 'n1')], set()), ([seen(1.0, 'n1'), seen(2.0, 'n1', 'n2')], {'n2'})])
def test_overloaded_nodes_stay_in_dns_for_a_ttl(looks, names):
    delay = OverloadDelay(TTL)
    assert names == [delay.tolerated(one, now) for now, one in looks][-1]
