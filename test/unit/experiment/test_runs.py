"""The order of the contestants in each round of an experiment, and ranges over its runs."""
from swift_lb.experiment.runs import alternating, rotated, span


def test_each_contestant_runs_first_in_one_of_the_turns():
    assert [rotated('abc', turn) for turn in range(4)] == [
        ['a', 'b', 'c'], ['b', 'c', 'a'], ['c', 'a', 'b'], ['a', 'b', 'c']]


def test_contestants_run_in_reverse_order_in_every_other_round():
    assert [alternating('abc', block) for block in range(3)] == [
        ['a', 'b', 'c'], ['c', 'b', 'a'], ['a', 'b', 'c']]


def test_the_range_over_runs_ignores_unknown_values():
    assert (2.0, 1.0, 9.0, 3) == span([9.0, None, 1.0, 2.0])
    assert span([None]) is span([]) is None


def test_two_ranges_overlap_if_they_have_a_value_in_common():
    assert span([1, 3]).overlaps(span([3, 4]))
    assert not span([1, 2]).overlaps(span([3, None, 4]))
