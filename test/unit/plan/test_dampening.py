"""Cygnus' dampening: the higher, the less of the new report counts."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.plan.dampening import dampened

LOADS = st.floats(-1e15, 1e15)
FACTORS = st.floats(0.0, 1.0)


@pytest.mark.parametrize(('dampening', 'load'), [(0.0, 100.0), (0.1, 90.0), (0.5, 50.0),
                                                 (0.9, 10.0), (1.0, 0.0)])
def test_the_higher_the_less_of_the_new_report_counts(dampening, load):
    assert dampened(0.0, 100.0, dampening) == pytest.approx(load)


def test_the_figures_of_its_paper_are_reached_step_by_step():
    load = 0.0
    for expected in (50.0, 75.0, 87.5):
        load = dampened(load, 100.0, 0.5)
        assert load == expected


@given(LOADS, FACTORS)
def test_the_first_report_counts_alone(reported, dampening):
    assert dampened(None, reported, dampening) == reported


@given(LOADS, FACTORS)
def test_who_says_nothing_now_has_no_load(before, dampening):
    assert dampened(before, None, dampening) is None
    assert dampened(None, None, dampening) is None


@given(LOADS, LOADS, FACTORS)
def test_a_load_stays_between_what_was_and_what_is(before, reported, dampening):
    found = dampened(before, reported, dampening)
    near = 1e-9 * max(1.0, abs(before), abs(reported))
    assert min(before, reported) - near <= found <= max(before, reported) + near
