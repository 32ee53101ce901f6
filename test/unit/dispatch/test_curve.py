"""The Curve, expected response times by requests in flight: rising, and near true queues."""
import math
import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.dispatch.slots import Slots

from swift_lb.dispatch.curve import IDLE, PRIOR, SHORTEST, TAU, Curve, band_number, isotonic, knots

SERVICE = 0.02      # seconds
SAMPLES = st.lists(st.tuples(
    st.integers(0, 10_000), st.floats(0.0, 100.0), st.floats(0.0, 20.0)), min_size=1, max_size=60)


def curve_of(*samples):
    """Return a Curve with the samples (in_flight, seconds), all added at the instant 0."""
    curve = Curve()
    for in_flight, seconds in samples:
        curve.add(in_flight, seconds, 0.0)
    return curve


def watched(slots, load, rng, add, seconds=40.0, service=SERVICE):
    """Simulate a closed loop of clients; return the sorted in_flight at each arrival.

    `add(in_flight at arrival, seconds taken, instant of the end)` is called for each request. Four
    clients a slot, whose pauses would make a load of `load` if no request waited.
    """
    clients, station, seen = 4 * slots, Slots(slots), []
    think = service * (clients / (load * slots) - 1)

    def come(at):
        before = station.in_flight
        seen.append(before)

        def done(end):
            add(before, end - at, end)
            station.plan(end + rng.expovariate(1 / think), come)
        station.come(at, rng.expovariate(1 / service), done)
    for _ in range(clients):
        station.plan(rng.expovariate(1 / think), come)
    station.run(seconds)
    return sorted(seen)


def truth(in_flight, slots, service=SERVICE):
    """Return the true mean seconds of a request that finds `in_flight` others."""
    return service * max(1, (in_flight + 1) / slots)


@pytest.mark.parametrize(('in_flight', 'band'), [
    (0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 4), (6, 5), (7, 5), (8, 6), (11, 6), (12, 7),
    (15, 7), (16, 8), (23, 8), (24, 9), (4095, 23), (4096, 24)])
def test_bands_of_the_time_curve_widen_with_requests_in_flight(in_flight, band):
    assert band == band_number(in_flight)


def test_a_time_curve_without_requests_expects_no_times():
    assert (None, None, None) == (
        Curve().expected(0, 0.0), Curve().step(0, 0.0), Curve().mean_seconds)


@pytest.mark.parametrize(('in_flight', 'seconds'), [
    (0, 0.010 * math.sqrt(1 / 4)), (3, 0.010), (5, 0.015), (7, 0.020), (15, 0.040), (79, 0.200)])
def test_times_between_two_bands_of_in_flight_are_interpolated(in_flight, seconds):
    assert curve_of((3, 0.010), (7, 0.020)).expected(in_flight, 0.0) == pytest.approx(seconds)


def test_the_time_curves_step_is_the_delay_by_one_more_request():
    curve = curve_of((3, 0.010), (7, 0.020))
    assert curve.step(3, 0.0) == pytest.approx((0.020 - 0.010) / 4)
    assert curve.step(7, 0.0) == pytest.approx((0.040 - 0.020) / 8)


@pytest.mark.parametrize('seconds', [math.nan, math.inf, -1.0, 1e9])
def test_the_time_curve_ignores_invalid_times(seconds):
    assert curve_of((0, seconds)).expected(0, 0.0) is None
    assert curve_of((0, 0.0)).expected(0, 0.0) == SHORTEST


@given(SAMPLES)
def test_the_time_curve_is_monotone_finite_and_positive(samples):
    curve, now = Curve(), 0.0
    for in_flight, seconds, gap in samples:
        now += gap
        curve.add(in_flight, seconds, now)
    heights = [curve.expected(in_flight, now) for in_flight in range(200)]
    assert all(0 < height < math.inf for height in heights)
    assert all(one <= other * (1 + 1e-9) for one, other in pairwise(heights))
    assert all(curve.step(in_flight, now) >= 0 for in_flight in range(0, 5000, 97))
    assert max(heights) <= 9_999.0 * 200


@pytest.mark.parametrize('seed', range(3))
@pytest.mark.parametrize('load', [0.5, 1.2])
@pytest.mark.parametrize('slots', [1, 4, 8])
def test_a_queues_time_curve_is_within_20_percent_of_its_times(slots, load, seed):
    """Only where in_flight was often seen: a mean of 100 random times is itself off by a tenth."""
    curve = Curve()
    seen = watched(slots, load, random.Random(seed), curve.add)
    for in_flight in range(seen[len(seen) // 10], seen[-len(seen) // 10] + 1):
        assert curve.expected(in_flight, 40.0) == pytest.approx(
            truth(in_flight, slots), rel=0.2)


@pytest.mark.parametrize(('slots', 'load'), [(1, 0.5), (1, 1.2), (4, 1.2), (8, 0.5), (8, 1.2)])
@pytest.mark.parametrize('factor', [4, 1 / 4])
def test_the_time_curve_follows_a_change_of_the_proxys_speed(slots, load, factor):
    """85 % of times are within a factor of 2 after 100 requests, and of 1.5 after 200."""
    rng, curve, result = random.Random(1), Curve(), []
    watched(slots, load, rng, curve.add)

    def add(in_flight, seconds, end):
        curve.add(in_flight, seconds, 40.0 + end)
        result.append(curve.expected(in_flight, 40.0 + end)
                      / truth(in_flight, slots, SERVICE * factor))
    watched(slots, load, rng, add, seconds=20.0, service=SERVICE * factor)
    after = result[100:200]
    assert sum(1 / 2 < ratio < 2 for ratio in after) >= 0.85 * len(after)
    late = result[200:]
    assert sum(2 / 3 < ratio < 3 / 2 for ratio in late) >= 0.85 * len(late)


def test_one_slow_request_changes_the_time_curve_little():
    curve = curve_of(*[(0, 0.010)] * 50)
    curve.add(0, 60.0, 1.0)
    assert curve.expected(0, 2.0) < 0.013


def test_an_old_time_curve_point_rises_if_new_ones_are_slower():
    curve = curve_of(*[(0, 0.010)] * 50)
    for turn in range(50):
        curve.add(7, 0.800, 100.0 + turn / 10)
    assert curve.expected(0, 105.0) == pytest.approx(0.100, rel=0.05)


def test_old_times_without_newer_samples_nearby_still_count():
    curve = curve_of((0, 0.030), (1, 0.010))
    curve.add(7, 0.040, 86_400.0)
    assert 0.005 <= curve.expected(0, 86_400.0) <= curve.expected(1, 86_400.0) <= 0.040


def test_isotonic_regression_equals_results_worked_by_hand():
    assert [1.0, 2.5, 2.5, 4.0] == isotonic([1.0, 3.0, 2.0, 4.0], [1.0] * 4)
    assert [2.0, 2.0, 2.0] == isotonic([4.0, 1.0, 1.0], [1.0, 1.0, 1.0])
    assert isotonic([4.0, 1.0], [1.0, 3.0]) == pytest.approx([1.75, 1.75])
    assert [] == isotonic([], [])


def test_queueing_bounds_a_time_curve_point_of_few_samples():
    assert [1.0, (1 * 9.0 + PRIOR * 2.0) / (1 + PRIOR)] == knots(
        [0.0, 1.0], [1.0, 9.0], [100.0, 1.0])[1]
    assert [(1 * 1.0 + PRIOR * 4.5) / (1 + PRIOR), 9.0] == knots(
        [0.0, 1.0], [1.0, 9.0], [1.0, 100.0])[1]


def served(curve, in_flight, seconds, now):
    curve.came(now)
    curve.add(in_flight, seconds, now)


def test_expected_times_fall_while_no_request_comes():
    curve = Curve()
    for second in range(20):
        served(curve, 0, 0.4, second)
    assert 0.4 == pytest.approx(curve.expected(0, 19 + IDLE))
    assert 0.1 == pytest.approx(curve.expected(0, 19 + IDLE + 2 * TAU))
    served(curve, 0, 0.4, 19 + IDLE + 2 * TAU)
    assert 0.4 == pytest.approx(curve.expected(0, 19 + IDLE + 2 * TAU))
    for second in range(60, 120):
        curve.came(second)      # and does not count: the proxy is not idle
    assert 0.4 == pytest.approx(curve.expected(0, 120))
    assert curve.expected(0, 1e7) > 0
