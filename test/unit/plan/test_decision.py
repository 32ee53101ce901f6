"""Panic, and what DNS and dispatchers may do then: decided in one place."""
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
    STATES,
    UP,
    NodeInstruction,
)
from swift_lb.plan.decision import make_instruction, panics


@pytest.mark.parametrize(('states', 'panic'), [
    ([], False), ([UP], False), ([LATE], True), ([UP, LATE], False), ([UP, LATE, GONE], True),
    ([UP, UP, REJECTED, CRITICAL], False), ([UP, REJECTED, CRITICAL], True),
    ([UP, DRAINING, DRAINING, DISABLED], False), ([UP, LATE, DRAINING, DRAINING], False),
    ([LATE, DRAINING, UP, GONE], True), ([DRAINING], True), ([DRAINING, DISABLED], True)])
def test_panic_is_when_more_than_half_look_bad(states, panic):
    assert panics(states) is panic


@given(st.lists(st.sampled_from(STATES)), st.randoms())
def test_the_order_of_states_does_not_matter(states, chance):
    mixed = list(states)
    chance.shuffle(mixed)
    assert panics(iter(states)) == panics(mixed)


def instruction(states, panic):
    """Return an Instruction of nodes a, b, c, ... with these states."""
    return make_instruction(1, 9.0, 'balanced', panic, tuple(
        NodeInstruction(name, '', state, 1.0, 1.0, 0.5, 1.0, 0.0)
        for name, state in zip('abcdefgh', states, strict=False)), 'd')


@pytest.mark.parametrize(('panic', 'states', 'in_dns', 'askable'), [
    (False, STATES, 'a', {'a': UP, 'f': REJECTED, 'g': CRITICAL}),
    (True, STATES, 'afg', {'a': UP, 'f': UP, 'g': UP}),     # 2 of 5 are silent
    (True, [UP, LATE, GONE, DRAINING], 'abc', {'a': UP}),
    (True, [UP, REJECTED, CRITICAL, LATE], 'abc', {'a': UP, 'b': UP, 'c': UP}),
    (True, [DRAINING, DISABLED], '', {})])
def test_what_dns_and_dispatchers_may_do(panic, states, in_dns, askable):
    result = instruction(states, panic)
    assert (set(in_dns), askable) == (result.in_dns, result.askable)
