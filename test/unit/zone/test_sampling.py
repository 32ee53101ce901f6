"""Systematic sampling: each backend is in DNS answers exactly by its share, evenly over time."""
import itertools
import math
import random
from bisect import bisect_right
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.zone.sampling import GOLDEN, STRETCH, Line, Places, answer_size, capped, start_of

WEIGHTS = st.lists(st.floats(1e-3, 1.0), min_size=1, max_size=40)
SHARES = WEIGHTS.map(lambda weights: {
    f'n{number}': weight / sum(weights) for number, weight in enumerate(weights)})
SIZES = st.integers(2, 20)


def lengths(line):
    """Return [(length of the part of [0, 1) with the same answer, backends in that answer)]."""
    assert line.cuts[-1] == pytest.approx(1.0)
    return [(end - begin, line.answer(number))
            for number, (begin, end) in enumerate(itertools.pairwise([0.0, *line.cuts]))]


def chances(line, chosen=lambda names: names):
    """Return {backend: length of [0, 1) in which it is among `chosen(backends in the answer)`}."""
    sums = Counter()
    for length, names in lengths(line):
        assert length > 0
        for name in chosen(names):
            sums[name] += length
    return sums


def first(names):
    """Return the first of the names, in a tuple."""
    return names[:1]


@given(SHARES, SIZES)
def test_capped_shares_decide_how_often_a_backend_is_in_or_first(shares, most):
    size = answer_size(shares, most)
    deserved = capped(shares, 1 / size)
    line = Line(deserved, size)
    assert all(len({*names}) == len(names) == size for _length, names in lengths(line))
    assert len(line.cuts) <= len(shares) * size
    of_any, of_first = chances(line), chances(line, first)
    for name, share in deserved.items():
        assert of_any[name] == pytest.approx(size * share, abs=1e-8)
        assert of_first[name] == pytest.approx(share, abs=1e-8)


@given(SHARES)
def test_answers_of_one_backend_give_every_backend_its_share(shares):
    assert chances(Line(shares, 1)) == pytest.approx(shares, abs=1e-9)


@given(SHARES, SIZES)
def test_capping_changes_no_share_by_more_than_2_5_percent(shares, most):
    size = answer_size(shares, most)
    assert 1 <= size <= min(len(shares), most)
    largest = max(shares.values())
    assert size * largest <= 1.025 + 1e-9 or size == 1
    if size < min(len(shares), most):
        assert (size + 1) * largest > 1
    level = capped(shares, 1 / size)
    for name, share in shares.items():
        assert level[name] == pytest.approx(share, rel=0.025)


@pytest.mark.parametrize(('shares', 'most', 'size'), [
    ([1.0], 14, 1), ([0.5, 0.5], 14, 2), ([0.51, 0.49], 14, 2), ([0.52, 0.48], 14, 1),
    ([0.99, 0.01], 14, 1), ([0.26, 0.31, 0.43], 14, 2),
    ([0.333334, 0.333333, 0.333333], 14, 3), ([0.25] * 4, 14, 4), ([0.4, 0.3, 0.2, 0.1], 14, 2),
    ([0.7, 0.15, 0.1, 0.05], 14, 1), ([0.33, 0.33, 0.34], 14, 3), ([0.32, 0.33, 0.35], 14, 2),
    ([0.01] * 100, 14, 14), ([0.01] * 100, 8, 8), ([0.125] * 8, 14, 8),
    ([0.0728] * 13 + [0.0536], 14, 13)])     # with 14 the last would get a third more
def test_the_largest_share_limits_an_answers_number_of_backends(shares, most, size):
    assert size == answer_size(dict(enumerate(shares)), most)


@pytest.mark.parametrize('count', [*range(1, 15), 20, 33])
def test_with_equal_shares_an_answer_has_all_backends_up_to_14(count):
    shares = dict.fromkeys(range(count), 1 / count)
    size = answer_size(shares, 14)
    line = Line(capped(shares, 1 / size), size)
    assert size == min(count, 14)
    if count <= 14:
        assert count == len(line.cuts)
        assert [*range(count)] == [line.answer(number)[0] for number in range(count)]
        assert {tuple(range(count))} == {tuple(sorted(line.answer(number)))
                                         for number in range(count)}


@given(SHARES, SIZES)
def test_capped_shares_add_up_to_1_and_keep_their_proportions(shares, most):
    if len(shares) < 2:
        return
    limit = 1 / answer_size(shares, most)
    result = capped(shares, limit)
    assert list(shares) == list(result)
    assert sum(result.values()) == pytest.approx(1)
    assert max(result.values()) <= limit * (1 + 1e-9)
    below = [name for name in shares if result[name] < limit * (1 - 1e-9)]
    for name in below:      # water-filling: the others keep their proportions
        assert result[name] / shares[name] == pytest.approx(result[below[0]] / shares[below[0]])
        assert result[name] >= shares[name] * (1 - 1e-9)


@pytest.mark.parametrize(('shares', 'most', 'found'), [
    ([0.7, 0.15, 0.1, 0.05], 0.5, [0.5, 0.25, 0.5 / 3, 0.25 / 3]),
    ([0.6, 0.3, 0.1], 0.4, [0.4, 0.4, 0.2]),        # what is cut off lifts another above it
    ([0.4, 0.3, 0.2, 0.1], 0.5, [0.4, 0.3, 0.2, 0.1]), ([0.9, 0.1], 0.5, [0.5, 0.5]),
    ([1.0], 1.0, [1.0])])
def test_capped_shares_equal_those_worked_by_hand(shares, most, found):
    assert found == pytest.approx(list(capped(dict(enumerate(shares)), most).values()))


def drawn(line, places, draws):
    """Return the next `draws` answers, tuples of backends, of a Line at successive `places`."""
    return [line.answer(bisect_right(line.cuts, places.next(GOLDEN / line.size)))
            for _draw in range(draws)]


@given(SHARES, SIZES, st.floats(0.0, 1.0, exclude_max=True), st.integers(1, 300), st.integers())
def test_shares_are_nearly_exact_after_any_number_of_answers(shares, most, start, draws, seed):
    """N random draws are off by sqrt(N); N answers without a restart are off by log N only."""
    size = answer_size(shares, most)
    deserved = capped(shares, 1 / size)
    answers = drawn(Line(deserved, size), Places(start, random.Random(seed)), draws)
    in_any = Counter(itertools.chain(*answers))
    assert sum(in_any.values()) == size * draws
    stretches = 1 + draws / STRETCH[0]
    for name, share in deserved.items():
        assert abs(in_any[name] - draws * size * share) < stretches * (2 + math.log2(STRETCH[1]))


@pytest.mark.parametrize('resolvers', [2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 10, 100])
@pytest.mark.parametrize('shares', [[.26, .31, .43], [.1, .3, .6], [.1] * 4 + [.15] * 4])
def test_resolvers_that_ask_in_turn_each_get_fair_shares(shares, resolvers):
    """A resolver that gets every Nth answer gets each backend as often as by 40 random draws.

    Without random restarts, each of 13 resolvers would get one or two different answers in ten
    TTLs, each of 144 only one.
    """
    size = answer_size(dict(enumerate(shares)), 14)
    line = Line(dict(enumerate(shares)), size)
    answers = drawn(line, Places(0.5, random.Random(resolvers)), 40 * resolvers)
    for resolver in range(resolvers):
        of_one = Counter(itertools.chain(*answers[resolver::resolvers]))
        for number, share in enumerate(shares):     # five sigma of 40 random draws
            due = 40 * size * share
            assert abs(of_one[number] - due) <= 1 + 5 * math.sqrt(due * (1 - size * share))


@pytest.mark.parametrize('seed', range(5))
def test_every_14_to_34_answers_the_sequence_restarts_at_random(seed):
    places, step, jumps, before = Places(0.2, random.Random(seed)), 0.3, [], 0.2
    for number in range(1000):
        at = places.next(step)
        if not math.isclose(at, (before + step) % 1.0, abs_tol=1e-9):
            jumps.append(number)
        before = at
    lengths = [end - begin for begin, end in itertools.pairwise(jumps)]
    assert STRETCH[0] < min(lengths) <= max(lengths) <= STRETCH[1]


def test_answers_equal_systematic_samples_worked_by_hand():
    line = Line({'a': 0.26, 'b': 0.31, 'c': 0.43}, 2)
    assert [line.answer(number) for number in range(6)] == [
        ('a', 'b'), ('a', 'c'), ('b', 'c'), ('b', 'a'), ('c', 'a'), ('c', 'b')]
    assert line.cuts == pytest.approx([0.07, 0.26, 0.5, 0.57, 0.76, 1.0])


@pytest.mark.parametrize(('shares', 'size', 'parts'), [
    ([0.1] * 10, 4, 5), ([0.1] * 10, 6, 5), ([0.05] * 20, 7, 20),
    ([1 / 3, 1 / 3, 1 / 6, 1 / 6], 3, 2), ([0.7, 0.1, 0.1, 0.1], 1, 4),
    ([0.42905027932960893, 0.5709497206703911], 1, 2)])
def test_rounding_errors_of_shares_make_no_extra_answers(shares, size, parts):
    """0.1 + 0.1 + 0.1 is not 0.3, but the difference is no part of [0, 1) of its own."""
    assert parts * size == len(Line(dict(enumerate(shares)), size).cuts)


def test_rounding_just_below_1_adds_no_false_answer():
    line = Line(capped({'a': 0.42905027932960893, 'b': 0.5709497206703911}, 0.5), 2)
    assert [('a', 'b'), ('b', 'a')] == [line.answer(number) for number in range(2)]


@pytest.mark.parametrize('workers', [1, 2, 4])
def test_processes_start_at_evenly_spread_points_of_the_sequence(workers):
    nodes = [f'n{number}' for number in range(5)]
    starts = sorted(start_of(node, nodes, number) for node in nodes for number in range(workers))
    gaps = [later - one for one, later in zip(starts, [*starts[1:], starts[0] + 1.0], strict=True)]
    assert min(gaps) > 0.35 / len(starts)
    assert max(gaps) < 2.0 / len(starts)


def test_a_node_that_is_no_backend_starts_the_sequence_at_0():
    assert 0.0 == start_of('elsewhere', ['n1', 'n2'], 0)
