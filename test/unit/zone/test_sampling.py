"""Systematic sampling: each has exactly the chance that it deserves, in an even sequence."""
import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.zone.sampling import (
    GOLDEN,
    answer_size,
    capped,
    start_of,
    systematic,
)

WEIGHTS = st.lists(st.floats(1e-3, 1.0), min_size=1, max_size=40)
SHARES = WEIGHTS.map(lambda weights: {
    f'n{number}': weight / sum(weights) for number, weight in enumerate(weights)})
MOST = st.integers(2, 20)


def measures(cards):
    """Return {name: measure of the u that take it}, and check what holds for each card."""
    found, before = Counter(), 0.0
    for end, names in cards:
        assert end > before
        for name in names:
            found[name] += end - before
        before = end
    assert before == 1.0
    return found


@given(SHARES, MOST)
def test_who_deserves_a_share_is_in_that_part_of_the_answers(shares, most):
    size = answer_size(shares, most)
    deserved = capped(shares, 1 / size)
    cards = systematic(deserved, size)
    assert {size} == {len(names) for _end, names in cards}
    assert all(len({*names}) == size for _end, names in cards)
    assert len(cards) <= len(shares)
    found = measures(cards)
    for name, share in deserved.items():
        assert found[name] == pytest.approx(size * share, abs=1e-9)


@given(SHARES)
def test_a_sample_of_one_has_any_shares(shares):
    found = measures(systematic(shares, 1))
    assert found == pytest.approx(shares, abs=1e-9)


@given(SHARES, MOST)
def test_how_many_are_in_an_answer(shares, most):
    size = answer_size(shares, most)
    assert min(2, len(shares)) <= size <= min(len(shares), most)
    largest = max(shares.values())
    if size > 2:
        assert size * largest <= 1.001
    if size < min(len(shares), most):
        assert (size + 1) * largest > 1.001


@pytest.mark.parametrize(('shares', 'most', 'size'), [
    ([1.0], 14, 1), ([0.5, 0.5], 14, 2), ([0.99, 0.01], 14, 2), ([0.26, 0.31, 0.43], 14, 2),
    ([0.333334, 0.333333, 0.333333], 14, 3), ([0.25] * 4, 14, 4), ([0.4, 0.3, 0.2, 0.1], 14, 2),
    ([0.7, 0.15, 0.1, 0.05], 14, 2), ([0.33, 0.33, 0.34], 14, 2), ([0.01] * 100, 14, 14),
    ([0.01] * 100, 8, 8), ([0.125] * 8, 14, 8)])
def test_the_size_of_an_answer(shares, most, size):
    assert size == answer_size(dict(enumerate(shares)), most)


@pytest.mark.parametrize('count', [*range(1, 15), 20, 33])
def test_equal_shares_give_all_that_fit(count):
    shares = dict.fromkeys(range(count), 1 / count)
    size = answer_size(shares, 14)
    cards = systematic(capped(shares, 1 / size), size)
    assert size == min(count, 14)
    if count <= 14:
        assert [(1.0, tuple(range(count)))] == cards


@given(SHARES, MOST)
def test_shares_are_capped(shares, most):
    if len(shares) < 2:
        return
    limit = 1 / answer_size(shares, most)
    found = capped(shares, limit)
    assert list(shares) == list(found)
    assert sum(found.values()) == pytest.approx(1)
    assert max(found.values()) <= limit * (1 + 1e-9)
    below = [name for name in shares if found[name] < limit * (1 - 1e-9)]
    for name in below:      # water-filling: who is not capped keeps his proportion to the others
        assert found[name] / shares[name] == pytest.approx(found[below[0]] / shares[below[0]])
        assert found[name] >= shares[name] * (1 - 1e-9)


@pytest.mark.parametrize(('shares', 'most', 'found'), [
    ([0.7, 0.15, 0.1, 0.05], 0.5, [0.5, 0.25, 0.5 / 3, 0.25 / 3]),
    ([0.6, 0.3, 0.1], 0.4, [0.4, 0.4, 0.2]),        # what is cut off lifts another above it
    ([0.4, 0.3, 0.2, 0.1], 0.5, [0.4, 0.3, 0.2, 0.1]), ([0.9, 0.1], 0.5, [0.5, 0.5]),
    ([1.0], 1.0, [1.0])])
def test_who_is_capped(shares, most, found):
    assert found == pytest.approx(list(capped(dict(enumerate(shares)), most).values()))


@given(SHARES, MOST, st.floats(0.0, 1.0, exclude_max=True), st.integers(1, 300))
def test_any_stretch_of_the_sequence_is_even(shares, most, start, draws):
    """Where random draws are off by sqrt(N): an interval's count by a few whatever N is."""
    size = answer_size(shares, most)
    deserved = capped(shares, 1 / size)
    cards = systematic(deserved, size)
    found, at = Counter(), start
    for _draw in range(draws):
        at = (at + GOLDEN) % 1.0
        found.update(next(names for end, names in cards if at < end))
    assert sum(found.values()) == size * draws
    for name, share in deserved.items():
        assert abs(found[name] - draws * size * share) < 2 + math.log2(draws + 1)


def test_the_example_of_the_paper():
    cards = systematic({'a': 0.26, 'b': 0.31, 'c': 0.43}, 2)
    assert [names for _end, names in cards] == [('a', 'b'), ('a', 'c'), ('b', 'c')]
    assert [end for end, _names in cards] == pytest.approx([0.14, 0.52, 1.0])


@pytest.mark.parametrize(('shares', 'size', 'parts'), [
    ([0.1] * 10, 4, 5), ([0.1] * 10, 6, 5), ([0.05] * 20, 7, 20),
    ([1 / 3, 1 / 3, 1 / 6, 1 / 6], 3, 2), ([0.7, 0.1, 0.1, 0.1], 1, 4),
    ([0.42905027932960893, 0.5709497206703911], 1, 2)])
def test_where_ends_meet_there_is_one_cut(shares, size, parts):
    """0.1 + 0.1 + 0.1 is not 0.3, and no part of [0, 1) is only as long as that."""
    assert parts == len(systematic(dict(enumerate(shares)), size))


def test_an_end_that_is_nearly_1_is_1():
    level = capped({'a': 0.42905027932960893, 'b': 0.5709497206703911}, 0.5)
    assert [(1.0, ('a', 'b'))] == systematic(level, 2)


@pytest.mark.parametrize('workers', [1, 2, 4])
def test_sequences_start_apart(workers):
    nodes = [f'n{number}' for number in range(5)]
    starts = sorted(start_of(node, nodes, number) for node in nodes for number in range(workers))
    gaps = [later - one for one, later in zip(starts, [*starts[1:], starts[0] + 1.0], strict=True)]
    assert min(gaps) > 0.35 / len(starts)
    assert max(gaps) < 2.0 / len(starts)


def test_who_is_no_proxy_starts_at_0():
    assert 0.0 == start_of('elsewhere', ['n1', 'n2'], 0)
