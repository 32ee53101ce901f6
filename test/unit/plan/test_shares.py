"""Shares of weighted nodes: whole millionths, the same on every machine, 1 together."""
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from swift_lb.plan.shares import PARTS, bounded, mean, rounded, shared_out, with_floor

WEIGHTS = st.dictionaries(st.text('abcdefgh', min_size=1, max_size=3), st.floats(0.0, 1e6),
                          min_size=1, max_size=40)


@given(WEIGHTS)
def test_shares_are_whole_millionths_and_add_up_to_1(weights):
    shares = shared_out(weights)
    if not any(weights.values()):
        assert shares == {}
        return
    parts = {name: round(share * PARTS) for name, share in shares.items()}
    assert sum(parts.values()) == PARTS
    assert shares == {name: part / PARTS for name, part in parts.items()}
    total = sum(map(Fraction, weights.values()))
    for name, weight in weights.items():
        assert abs(parts[name] - Fraction(weight) / total * PARTS) < 1 + Fraction(1, 1000)


@given(WEIGHTS)
def test_a_larger_weight_never_has_a_smaller_share(weights):
    shares = shared_out(weights)
    by_weight = sorted(shares, key=lambda name: (weights[name], shares[name]))
    assert [shares[name] for name in by_weight] == sorted(shares.values())


def test_millionths_left_over_go_to_alphabetically_first_names():
    assert shared_out({'c': 1.0, 'a': 1.0, 'b': 1.0}) == {
        'a': 0.333334, 'b': 0.333333, 'c': 0.333333}


@pytest.mark.parametrize('weights', [{}, {'a': 0.0}, {'a': 0.0, 'b': 0.0}])
def test_there_are_no_shares_if_all_weights_are_0(weights):
    assert shared_out(weights) == with_floor(weights, 0.1) == {}


@given(WEIGHTS, st.floats(0.0, 1.0))
@example({'a': 5e-324}, 0.5)     # half of it is 0
def test_no_share_is_less_than_the_floor_divided_by_node_count(weights, floor):
    shares = with_floor(weights, floor)
    if shares:
        assert sum(shares.values()) == pytest.approx(1)
        assert min(shares.values()) >= floor / len(weights)


@given(WEIGHTS, st.floats(1.0, 1e6))
def test_no_weight_is_less_than_the_largest_divided_by_the_ratio(weights, ratio):
    result = bounded(weights, ratio)
    assert max(result.values()) == max(weights.values())
    assert min(result.values()) * ratio >= max(result.values()) * (1 - 1e-12)
    assert all(result[name] >= weight for name, weight in weights.items())


def test_a_mean_of_no_numbers_is_none():
    assert mean([]) is None
    assert mean([0.1] * 10) == 0.1       # sum() gives 0.09999999999999999 before Python 3.12
    assert rounded(1 / 3) == 0.333333
