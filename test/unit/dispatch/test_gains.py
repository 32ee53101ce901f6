"""Routes that lose are shut, for longer each time; their errors are known."""
import pytest

from swift_lb.dispatch.gains import FEW, MAX_SHUT, SHUT, TRY_EVERY, WINDOW, Gains
from swift_lb.model import FETCH, LOCAL, Route

HERE, THERE = Route('ksu', LOCAL), Route('ucsb', FETCH)


def told(gains, measured, count, now=0.0):
    """Let `count` reads by THERE take `measured` seconds; 1 s is predicted, and of HERE as well."""
    for _read in range(count):
        gains.add(THERE, 1.0, measured, (HERE, 1.0), now)


def test_a_route_that_loses_is_shut_after_few_reads():
    gains = Gains()
    told(gains, 1.5, FEW - 1)
    assert not gains.is_shut(THERE, 0.0)
    told(gains, 1.5, 1)
    assert gains.is_shut(THERE, 0.0)
    assert gains.is_shut(THERE, SHUT - 1)
    assert not gains.is_shut(THERE, SHUT)
    assert gains.figures(0.0)[THERE].shut_for == SHUT


def test_a_route_that_gains_stays_open():
    gains = Gains()
    told(gains, 0.9, 10 * WINDOW)
    assert not gains.is_shut(THERE, 0.0)
    assert gains.figures(0.0)[THERE].gain == pytest.approx(0.1)


def test_a_route_is_shut_for_twice_as_long_each_time():
    gains, now, lasts = Gains(), 0.0, []
    for _time in range(8):
        told(gains, 2.0, FEW, now)
        lasts.append(gains.figures(now)[THERE].shut_for)
        now += lasts[-1]
    assert lasts == [120.0, 240.0, 480.0, 960.0, 1920.0, MAX_SHUT, MAX_SHUT, MAX_SHUT]


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
    assert gains.error(THERE) == 2.0
    assert gains.error(HERE) == 0.0


def test_one_of_200_reads_is_a_try():
    gains = Gains()
    tries = [gains.is_try() for _read in range(4 * TRY_EVERY)]
    assert tries.count(True) == 4
    assert not any(tries[:TRY_EVERY - 1])
