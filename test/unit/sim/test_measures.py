"""Figures of a simulated run, on cases worked by hand."""
import pytest
from support.small_cluster import kind, node, scenario

from swift_lb.sim.measures import (
    TAIL,
    Tally,
    fair_parts,
    figures,
    percentiles,
    rank,
    stuck,
    worst_seconds,
)

A, B, C = node(1), node(2), node(3)
FAIR = {A: 0.5, B: 0.25, C: 0.25}


def test_percentiles_are_computed_by_nearest_rank():
    times = [float(number) for number in range(1, 1001)]
    assert {50.0: 500.0, 99.0: 990.0, 99.9: 999.0} == percentiles(times)
    assert [1.0, 1.0, 1000.0] == [rank(times, fraction) for fraction in (0.0, 0.001, 1.0)]
    assert 7.0 == rank([7.0], 0.5)
    assert {} == percentiles([])


def test_worst_seconds_are_the_largest_ratios_to_a_fair_share():
    asked = [(10.0, A), (10.9, B), (11.0, C), (11.5, A), (11.6, A), (11.7, A), (12.0, B)]
    assert {A: 1.5, B: 2.0, C: 1.0} == worst_seconds(asked, FAIR, 10.0, 12.5)  # 12.0: not whole


def test_stuck_requests_are_counted_from_1_s_after_a_hang_began():
    assert stuck([]) is None
    samples = [(5.0, A, 9), (5.5, A, 8), (6.0, A, 3), (7.0, A, 2), (7.0, B, 20), (8.0, B, 1)]
    assert 3 == stuck(samples)
    assert 0 == stuck([(5.0, A, 9), (6.5, A, 0)])
    assert stuck([(5.0, A, 9), (5.5, A, 9)]) is None


def test_the_fair_share_assumes_equal_reads_of_all_replicas():
    objects = [[A, B], [A, C], [A, B], [A, C]]
    small = scenario([kind(), kind(), kind(), kind()])
    assert FAIR == fair_parts(small, objects)
    hot = scenario([kind(), kind(), kind()], hot=0.6)
    assert {A: 0.5, B: 0.3 + 0.1, C: 0.1} == pytest.approx(fair_parts(hot, objects))


def tally():
    """Return a Tally of four reads and two failures; one of each ends within the warm-up of 2 s."""
    result = Tally()
    for at, seconds, size in ((1.0, 9.0, 10), (2.0, 0.1, 10), (2.5, 0.3, 20), (3.5, 0.2, 10)):
        result.ended(at, seconds, size, True)
    for at in (1.5, 2.5):
        result.ended(at, 0.0, 10, False)
    for at, place in ((1.0, C), (2.0, A), (2.2, B), (2.4, A), (3.0, A)):
        result.asked(at, place)
    return result


def test_figures_exclude_the_warm_up():
    result = figures(tally(), FAIR, 2.0, 4.0)
    assert (3, 1, 1.5, 1.0, pytest.approx(0.2)) == (
        result.reads, result.failed, result.throughput, result.requests, result.mean)
    assert {50.0: 0.2, 99.0: 0.3, 99.9: 0.3} == result.percentiles
    assert {10: 0.1, 20: 0.3} == {size: times[50.0] for size, times in result.by_size.items()}
    assert {A: 1.5, B: 1.0, C: 0.0} == result.shares
    assert {A: 2.0, B: 4 / 3, C: 0.0} == pytest.approx(result.worst_seconds)
    assert (1.5, 2.0, None) == (result.busiest, result.worst_second, result.stuck)


def test_the_tail_has_the_time_that_each_part_of_reads_exceeds():
    times = Tally()
    for number in range(1, 10001):
        times.ended(5.0, number / 1000, 1, True)
    by_name = dict(zip(TAIL, figures(times, FAIR, 0.0, 10.0).tail, strict=True))
    assert (1, 0.0001) == (max(by_name), pytest.approx(min(by_name)))
    for part, seconds in by_name.items():
        assert (1 - part) * 10 == pytest.approx(seconds, abs=0.002)


def test_a_run_without_reads_has_throughput_0_and_no_mean_time():
    result = figures(Tally(), FAIR, 2.0, 4.0)
    assert (0, 0, 0.0, None, None, {}, {}, ()) == (
        result.reads, result.failed, result.throughput, result.requests, result.mean,
        result.percentiles, result.by_size, result.tail)
