"""The times of classes of content: multiples of what the curve says for all requests."""
import pytest

from swift_lb.dispatch.curve import Curve
from swift_lb.dispatch.served_times import FORGET_AFTER, ServedTimes


def served(*rows, now=100.0):
    """Return (ServedTimes, Curve) after 200 rounds of `rows`: (class, in flight, seconds)."""
    times, curve = ServedTimes(), Curve()
    for _round in range(200):
        for content, in_flight, seconds in rows:
            curve.came(now)
            times.add(content, curve.add(in_flight, seconds, now), now)
            now += 0.001
    return times, curve


def test_a_class_that_takes_longer_has_the_larger_multiple_of_the_curve():
    times, curve = served(('small', 0, 0.01), ('large', 0, 0.03))
    large, small = sorted(times.times(curve, 0, 101.0))
    assert ('large', 'small') == (large.content, small.content)
    assert (0.03, 0.01) == pytest.approx((large.seconds, small.seconds), rel=0.1)


def test_one_request_more_takes_longer_by_the_step_if_each_waits_for_all_others():
    times, curve = served(*[('small', number, 0.01 * (number + 1)) for number in range(8)])
    one, = times.times(curve, 3, 101.0)
    assert (0.04, 0.01) == pytest.approx((one.seconds, one.step), rel=0.15)


def test_the_times_are_for_the_mean_of_what_the_last_requests_found_in_flight():
    times, curve = served(*[('small', number, 0.01 * (number + 1)) for number in range(8)])
    for found in (1, 5, 1, 5):
        times.came(found)
    found, = times.times(curve, 7, 101.0)
    since, = times.times(curve, 7, 102.0)       # none has come
    assert (0.04, 0.08) == pytest.approx((found.seconds, since.seconds), rel=0.15)


def test_a_class_counts_less_when_it_is_not_served_and_is_forgotten_in_the_end():
    times, curve = served(('small', 0, 0.01))
    before, = times.times(curve, 0, 101.0)
    later, = times.times(curve, 0, 160.0)
    assert before.requests > 20 > 1 > later.requests
    assert before.seconds == pytest.approx(later.seconds)   # an idle proxy does not become quicker
    assert () == times.times(curve, 0, 102.0 + FORGET_AFTER)


def test_nothing_is_told_before_the_curve_is_known():
    times = ServedTimes()
    times.add('small', None, 1.0)
    assert () == times.times(Curve(), 0, 1.0)
