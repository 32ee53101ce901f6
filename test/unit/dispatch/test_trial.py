"""The Trial: it finds out whether refusing requests shortens the response times of others."""
import math
import random

import pytest

from swift_lb.dispatch.trial import FEW, HOLD, LITTLE, MAX_HOLDS, PERIOD, Trial

RATE = 50           # answers a second


class Watched:
    """A Trial that gets random answers each second; with 100 in flight they take 2 s (median)."""

    def __init__(self, slope, seed=1, spread=0.3):
        """`slope`: 1 for a queue, 0 for a slow disk; `spread`: deviation of ln(in_flight)."""
        self.trial, self._rng, self.now = Trial(), random.Random(seed), 0.0
        self._slope, self._spread = slope, spread

    def fails(self, seconds, share=0.5, rate=RATE):
        """Feed `rate` answers/s for `seconds`, a `share` refused; return the last Trial.fails()."""
        result = False
        for _second in range(round(seconds)):
            self.now += 1
            for _one in range(rate):
                in_flight = 100 * math.exp(self._rng.gauss(0, self._spread))
                took = 2 * (in_flight / 100) ** self._slope * self._rng.lognormvariate(0, 0.5)
                self.trial.add(in_flight, took, self.now)
            result = self.trial.fails(share, self.now)
        return result


@pytest.mark.parametrize('seed', range(5))
def test_a_trial_does_not_fail_if_times_grow_with_in_flight(seed):
    watched = Watched(1.0, seed)
    assert not any(watched.fails(PERIOD) for _time in range(20))


@pytest.mark.parametrize('seed', range(5))
def test_a_trial_fails_for_hold_s_if_times_ignore_in_flight(seed):
    watched = Watched(0.0, seed)
    assert not watched.fails(PERIOD - 1)
    assert watched.fails(5)
    assert watched.fails(HOLD - 10, 0.0)
    assert not watched.fails(20, 0.0)


def test_each_failure_of_a_trial_lasts_twice_as_long_as_the_last():
    watched, held = Watched(0.0), []
    for _time in range(3):
        while not watched.fails(1):
            pass
        begun = watched.now
        while watched.fails(1, 0.0):
            pass
        held.append((watched.now - begun) / HOLD)
    assert [1, 2, 4] == pytest.approx(held, rel=0.02)
    watched.fails(2 * HOLD * MAX_HOLDS, 0.0, rate=0)       # an hour and more later
    while not watched.fails(1):
        pass
    assert watched.fails(HOLD - 2, 0.0, rate=0)
    assert not watched.fails(4, 0.0, rate=0)


def test_a_trial_never_fails_by_few_answers_or_a_steady_in_flight():
    assert not Watched(0.0, spread=0.05).fails(3 * PERIOD)
    few = Watched(0.0)
    assert not few.fails(FEW - 1, rate=1)
    assert not few.fails(PERIOD - FEW + 2, rate=0)


def test_a_trial_does_not_fail_while_few_requests_are_refused():
    watched = Watched(0.0)
    assert not watched.fails(3 * PERIOD, 0.9 * LITTLE)
    assert not watched.fails(PERIOD - 2)


def test_a_trial_ignores_requests_that_came_before_it_began():
    trial = Trial()
    for second in range(1, 200):
        for in_flight in range(1, 100):
            trial.add(in_flight, 1000.0, second)        # came long ago
        assert not trial.fails(0.5, second)


def test_a_trial_still_fails_after_the_clock_is_set_back():
    watched = Watched(0.0)
    watched.fails(PERIOD - 2)
    assert not watched.trial.fails(0.5, 0.0)
    assert watched.fails(5)
