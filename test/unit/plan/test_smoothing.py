"""Dampened loads, and the ramp of a node that has just started."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.plan.smoothing import BEGIN, dampened, ramp

LOADS = st.floats(-1e15, 1e15)
FACTORS = st.floats(0.0, 1.0)
SECONDS, WHOLE = st.floats(-1e6, 1e9), st.floats(0.0, 1e6)


@pytest.mark.parametrize(('dampening', 'load'), [(0.0, 100.0), (0.1, 90.0), (0.5, 50.0),
                                                 (0.9, 10.0), (1.0, 0.0)])
def test_a_new_load_counts_less_with_more_dampening(dampening, load):
    assert dampened(0.0, 100.0, dampening) == pytest.approx(load)


@given(LOADS, LOADS, FACTORS)
def test_a_dampened_load_is_between_the_old_and_the_new_load(before, reported, dampening):
    assert dampened(None, reported, dampening) == reported
    assert dampened(before, None, dampening) is dampened(None, None, dampening) is None
    load = dampened(before, reported, dampening)
    near = 1e-9 * max(1.0, abs(before), abs(reported))
    assert min(before, reported) - near <= load <= max(before, reported) + near


@pytest.mark.parametrize(('seconds', 'fraction'), [
    (0.0, 0.1), (10.0, 0.4), (15.0, 0.55), (29.999, 0.99997), (30.0, 1.0), (1e9, 1.0)])
def test_the_ramp_of_a_started_node_is_linear(seconds, fraction):
    assert ramp(seconds, 30.0) == pytest.approx(fraction)


@given(SECONDS, SECONDS, WHOLE)
def test_the_ramp_of_a_started_node_never_falls(one, other, whole):
    early, late = sorted((one, other))
    assert BEGIN <= ramp(early, whole) <= ramp(late, whole) <= 1.0


@pytest.mark.parametrize('seconds', [-1e-6, 0.0, 1.0, float('inf')])
def test_a_ramp_of_0_s_gives_a_node_its_whole_weight_at_once(seconds):
    """`seconds` since the node's start is negative if the clock was read for the report first."""
    assert ramp(seconds, 0.0) == 1.0
