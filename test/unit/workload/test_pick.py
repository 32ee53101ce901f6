"""Choosing numbers: COSBench's selectors to the letter, its off-by-one included."""
import random
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.wire.cosbench.model import Selector
from swift_lb.wire.cosbench.selectors import numbers, sizes
from swift_lb.workload.pick import members, picker, shared_counter


def picked(text, count, share=None, counter=None, parse=numbers):
    """Return `count` numbers that selector `text` chooses; `share`: (worker, workers) or None."""
    pick = picker(parse(text), random.Random(7), share, counter)
    return [pick() for _ in range(count)]


@given(st.integers(1, 500), st.integers(1, 300), st.integers(1, 60), st.sampled_from([1, 1000]))
def test_division_gives_each_number_to_one_worker(low, length, workers, step):
    selector = Selector('range', low * step, (low + length - 1) * step, (), step)
    parts = [members(selector, (index, workers)) for index in range(1, workers + 1)]
    assert list(members(selector)) == [number for some in parts for number in some]
    longer = length % workers       # the first ones have one number more
    assert [length // workers + (place < longer) for place in range(workers)] == [*map(len, parts)]


@pytest.mark.parametrize(('text', 'share', 'expected'), [
    ('c(0)', None, [0, 0, 0, 0, 0]), ('4-6', None, [4, 5, 6, 4, 5]),
    ('s(9,10)', None, [9, 10, 9, 10, 9]), ('r(5,5)', None, [5, 5, 5, 5, 5]),
    ('r(1,10)', (2, 3), [5, 6, 7, 5, 6]),   # the second of three workers has 5, 6, 7
    ('s(1,10)', (2, 3), [1, 2, 3, 4, 5]),   # knows no division
    ('c(8)', (2, 3), [8, 8, 8, 8, 8])])     # nor does this
def test_the_selectors_c_r_and_s_pick_a_fixed_sequence(text, share, expected):
    assert expected == picked(text, 5, share)


@pytest.mark.parametrize(('text', 'share', 'expected'), [
    ('u(3,6)', None, {3, 4, 5, 6}), ('u(1,10)', (1, 3), {1, 2, 3, 4}),
    ('u(1,10)', (3, 3), {8, 9, 10}), ('u(2147483646)', None, {2147483646, 2147483647}),
    ('u(1,3)KB', None, {1000, 2000, 3000}), ('u(1,3)KB', (2, 3), {2000})])
def test_a_uniform_selector_picks_all_numbers_equally_often(text, share, expected):
    picks = Counter(picked(text, 40_000, share, parse=sizes if 'B' in text else numbers))
    assert expected == set(picks)
    assert all(0.95 < count * len(picks) / 40_000 < 1.05 for count in picks.values())


def test_workers_of_an_operation_share_one_counter():
    counter = shared_counter()
    one, other = (picker(numbers('r(1,3)'), random.Random(), None, counter) for _ in range(2))
    assert [1, 2, 3, 1] == [one(), other(), one(), other()]


@pytest.mark.parametrize('kind', ['r', 's'])
@pytest.mark.parametrize('length', [1, 5, 6, 7])
@pytest.mark.parametrize('drivers', [1, 2, 3])
def test_counters_of_all_drivers_together_skip_no_number(kind, length, drivers):
    text, each = f'{kind}(1,{length})', length * 4
    picks = Counter(number for driver in range(drivers) for number in picked(
        text, each, None, shared_counter(driver, drivers)))
    assert picks == Counter(picked(text, each * drivers))


def test_ranges_of_containers_and_objects_advance_together():
    # as in COSBench: of the 6 pairs of 2 containers and 3 objects all come, of 4 of 2 x 2 only two
    def pairs(containers, objects):
        return set(zip(picked(containers, 100), picked(objects, 100), strict=True))
    assert 6 == len(pairs('r(1,2)', 'r(1,3)'))
    assert {(1, 1), (2, 2)} == pairs('r(1,2)', 'r(1,2)')


class Steps:
    """A random.Random of which odd calls step evenly through [0, 1), and even calls return 0."""

    def __init__(self, total):
        """Take `total`, the number of steps from 0 to 1."""
        self._calls = (value for step in range(total) for value in ((step + 0.5) / total, 0.0))

    def random(self):
        """Return the next step, and 0 every other time."""
        return next(self._calls)


@pytest.mark.parametrize(('text', 'expected'), [
    # of a total of w, one too many for the first bucket, one too few for the last
    ('h(1|9|10,10|19|70,20|29|20)', {1: 11, 10: 70, 20: 19}),
    ('h(20|29|20,1|9|10,10|19|70)', {1: 11, 10: 70, 20: 19}),   # sorted by where they begin
    ('h(1|9|5)', {1: 5}),                                       # a single one has them all
    ('h(1|9|1,10|19|1)', {1: 2}),                               # a last one of weight 1 has none
    ('h(1|9|0,10|19|4)', {1: 1, 10: 3}),
])
def test_a_histogram_of_sizes_has_cosbenchs_off_by_one_error(text, expected):
    selector = numbers(text)
    total = sum(weight for _low, _high, weight in selector.buckets)
    pick = picker(selector, Steps(total))
    assert expected == Counter(pick() for _ in range(total))


def test_sizes_within_a_histograms_bucket_are_equally_likely():
    picks = Counter(picked('h(1|2|30,5|5|70)KB', 10_000, parse=sizes))
    assert {1000, 2000, 5000} == set(picks)
    assert picks[5000] == pytest.approx(6_900, abs=200)
    assert picks[1000] == pytest.approx(picks[2000], abs=250)


@pytest.mark.parametrize(('text', 'share', 'why'), [
    ('h(1|2|3)', (1, 2), 'divided'), ('u(1,2)', (3, 3), 'no number'),
    ('r(0,0)', None, 'no number')])
def test_a_worker_with_no_number_to_pick_is_an_error(text, share, why):
    with pytest.raises(ValueError, match=why):
        picked(text, 1, share)


@given(st.integers(1, 2**31 - 1), st.integers(0, 2**31 - 1), st.integers(1, 50), st.data())
def test_a_worker_picks_only_numbers_of_its_own_share(low, more, workers, data):
    high = min(low + more, 2**31 - 1)
    kind = data.draw(st.sampled_from('urs'))
    selector = numbers(f'{kind}({low},{high})')
    share = data.draw(st.none() | st.tuples(st.integers(1, workers), st.just(workers)))
    if not members(selector, share):
        return
    pick = picker(selector, random.Random(1), share)
    allowed = members(selector, share if kind != 's' else None)
    assert all(number in allowed for number in islice(iter(pick, None), 20))
