"""A cold node begins with a tenth of its weight."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.plan.ramp import BEGIN, ramp

SECONDS = st.floats(-1e6, 1e9)
WHOLE = st.floats(0.0, 1e6)


@pytest.mark.parametrize(('seconds', 'fraction'), [
    (0.0, 0.1), (10.0, 0.4), (15.0, 0.55), (29.999, 0.99997), (30.0, 1.0), (1e9, 1.0)])
def test_it_grows_evenly(seconds, fraction):
    assert ramp(seconds, 30.0) == pytest.approx(fraction)


@given(SECONDS, WHOLE)
def test_it_is_from_a_tenth_to_all(seconds, whole):
    assert BEGIN <= ramp(seconds, whole) <= 1.0


@given(SECONDS, SECONDS, WHOLE)
def test_who_is_there_for_longer_has_no_less(one, other, whole):
    assert ramp(min(one, other), whole) <= ramp(max(one, other), whole)


@pytest.mark.parametrize('seconds', [-1e-6, 0.0, 1.0, float('inf')])
def test_without_a_ramp_all_is_due_at_once(seconds):
    """Also if the clock was read for the node's coming after it was read for the report."""
    assert ramp(seconds, 0.0) == 1.0
