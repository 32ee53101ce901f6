"""Routes that lose are shut, for longer each time; their errors are known."""
import random

import pytest

from swift_lb.dispatch.gains import FEW, MAX_SHUT, SHUT, SPACING, TRY_EVERY, WINDOW, Gains
from swift_lb.model import FETCH, LOCAL, REDIRECT, EndedRedirect, Route

HERE, THERE = Route('ksu', LOCAL), Route('ucsb', FETCH)


def told(gains, measured, count, now=0.0):
    """Let `count` reads by THERE take `measured` seconds; 1 s is predicted, and of HERE as well.

    Returns the instant of the last one.
    """
    for number in range(count):
        last = now + number * SPACING
        gains.add(THERE, 1.0, measured, (HERE, 1.0), last)
    return last


def test_a_route_that_loses_is_shut_after_few_reads():
    gains = Gains()
    now = told(gains, 1.5, FEW - 1)
    assert not gains.is_shut(THERE, now)
    now = told(gains, 1.5, 1, now + SPACING)
    assert gains.is_shut(THERE, now)
    assert gains.is_shut(THERE, now + SHUT - 1)
    assert not gains.is_shut(THERE, now + SHUT)
    assert gains.figures(now)[THERE].shut_for == SHUT


def test_a_route_that_gains_stays_open():
    gains = Gains()
    now = told(gains, 0.9, 10 * WINDOW)
    assert not gains.is_shut(THERE, now)
    assert gains.figures(now)[THERE].gain == pytest.approx(0.1)


@pytest.mark.parametrize(('mean', 'is_shut'), [(0.9, False), (1.0, False), (2.0, True)])
def test_a_route_whose_gain_varies_is_shut_only_if_it_surely_loses(mean, is_shut):
    gains, rng, now = Gains(), random.Random(1), 0.0
    for _read in range(20 * WINDOW):
        now = told(gains, rng.expovariate(1 / mean), 1, now + SPACING)
    assert is_shut == (gains.figures(now)[THERE].shut_for > 0 or gains.is_shut(THERE, now - SHUT))


def test_reads_of_one_moment_count_as_one():
    gains = Gains()
    for number in range(10 * FEW):
        gains.add(THERE, 1.0, 1.5, (HERE, 1.0), number * SPACING / 11)
    assert not gains.is_shut(THERE, 10 * FEW * SPACING / 11)


def test_a_route_is_shut_for_twice_as_long_each_time():
    gains, now, lasts = Gains(), 0.0, []
    for _time in range(11):
        now = told(gains, 2.0, FEW, now)
        lasts.append(gains.figures(now)[THERE].shut_for)
        now += lasts[-1]
    assert lasts == [*[8.0 * 2 ** number for number in range(9)], MAX_SHUT, MAX_SHUT]


def test_a_route_that_has_gained_since_it_was_shut_is_shut_briefly_again():
    gains = Gains()
    now = told(gains, 2.0, FEW)
    now = told(gains, 2.0, FEW, now + SHUT)
    assert gains.figures(now)[THERE].shut_for == 2 * SHUT
    now = told(gains, 0.5, FEW, now + 2 * SHUT)
    while not gains.is_shut(THERE, now):
        now = told(gains, 2.0, 1, now + SPACING)
    assert gains.figures(now)[THERE].shut_for == SHUT


def test_a_route_is_judged_by_what_local_reads_really_take():
    gains = Gains()
    for _read in range(FEW):
        gains.add(HERE, 1.0, 2.0, (HERE, 1.0), 0.0)
    told(gains, 1.5, FEW)       # more than predicted here, less than measured here
    assert not gains.is_shut(THERE, 0.0)
    assert gains.figures(0.0)[THERE].gain == pytest.approx(0.5)


def test_reads_of_absent_objects_have_errors_but_no_gain():
    gains = Gains()
    for _read in range(2 * FEW):
        gains.add(THERE, 1.0, 3.0, None, 0.0)
    figures = gains.figures(0.0)[THERE]
    assert (2 * FEW, 2.0, 2.0, None, 0.0) == figures
    assert gains.figures(0.0)[THERE].error == 2.0
    assert HERE not in gains.figures(0.0)


def test_one_of_200_reads_is_a_try():
    gains = Gains()
    tries = [gains.is_try(1.0, 2.0) for _read in range(4 * TRY_EVERY)]
    assert tries.count(True) == 4
    assert not any(tries[:TRY_EVERY - 1])


def test_tries_cost_a_hundredth_of_all_seconds_at_most():
    gains, lost = Gains(), 0.0
    for read in range(1, 100_000):
        lost += 1.0 if gains.is_try(0.02, 1.02) else 0.0
        assert lost <= 0.01 * 0.02 * read + 1e-9
    assert lost > 0


def test_a_route_that_fails_however_quickly_is_shut():
    gains = Gains()
    for number in range(FEW):
        assert not gains.is_shut(THERE, number * SPACING)
        gains.failed(THERE, 0.001, number * SPACING)
    assert gains.is_shut(THERE, FEW * SPACING)


def test_a_route_that_fails_now_and_then_but_gains_more_stays_open():
    gains, now = Gains(), 0.0
    for _time in range(WINDOW):
        now = told(gains, 0.5, 4, now + SPACING)
        gains.failed(THERE, 0.1, now + SPACING)
        now += SPACING
    assert not gains.is_shut(THERE, now)


def ended(count, gain, begin=0):
    """Return `count` EndedRedirects that were 0.1 s later than predicted."""
    return [EndedRedirect(f'{number:08x}', 0.1, gain) for number in range(begin, begin + count)]


def test_a_redirect_that_loses_is_shut_by_what_the_other_cluster_tells():
    gains, route = Gains(), Route('ucsb', REDIRECT)
    gains.hear(route, ended(FEW, 0.5), HERE, 0.0)
    assert not gains.is_shut(route, 0.0)
    gains.hear(route, ended(WINDOW, -0.5, FEW), HERE, 0.0)
    assert gains.is_shut(route, 0.0)
    assert not gains.is_shut(THERE, 0.0)


def test_an_ended_redirect_counts_once_however_often_it_is_told():
    gains, route = Gains(), Route('ucsb', REDIRECT)
    for _summary in range(FEW):
        gains.hear(route, ended(4, -0.5), HERE, 0.0)
    assert not gains.is_shut(route, 0.0)
    assert (4, pytest.approx(0.1), pytest.approx(-0.5)) == (
        gains.figures(0.0)[route].reads, gains.figures(0.0)[route].bias,
        gains.figures(0.0)[route].gain)


def test_a_try_by_redirect_shows_an_error_but_no_gain():
    gains, route = Gains(), Route('ucsb', REDIRECT)
    gains.hear(route, ended(WINDOW, None), HERE, 0.0)
    assert gains.figures(0.0)[route][:4] == (WINDOW, pytest.approx(0.1), pytest.approx(0.1), None)


def test_gains_of_redirects_count_from_what_local_reads_really_take():
    gains, route = Gains(), Route('ucsb', REDIRECT)
    for number in range(FEW):
        gains.add(HERE, 1.0, 1.6, None, float(number))     # 0.6 s later than predicted
    gains.hear(route, ended(WINDOW, -0.5), HERE, 0.0)
    assert not gains.is_shut(route, 0.0)
    assert gains.figures(0.0)[route].gain == pytest.approx(0.1)
