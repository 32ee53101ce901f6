"""Shedding: smooth, light requests last, and goodput stays where the queue would eat it."""
import random
from itertools import pairwise

import pytest
from unit.dispatch.slots import Slots

from swift_lb.dispatch.content import COMPUTING, LARGE, LIGHT, SMALL
from swift_lb.dispatch.shedding import FALL, LATEST, MOST, RISE, SOONEST, Shedder, retry_after

CRITICAL = 40       # requests in flight, five times what is in service
LATE = 2.0          # seconds until the Instruction says what is so
TICK = 0.1


def shedding(seconds, all_critical=True, every=0.1):
    """Return a Shedder after so long, with a queue that stays."""
    shedder = Shedder()
    for turn in range(round(seconds / every) + 1):
        shedder.update(all_critical, 50, turn * every)
    return shedder


def test_nothing_is_refused_while_somebody_is_not_critical():
    shedder = shedding(60.0, all_critical=False)
    assert 0.0 == shedder.level
    assert not shedder.sheds(COMPUTING, random.Random(1))


@pytest.mark.parametrize('every', [0.01, 0.1, 1.0])
@pytest.mark.parametrize(('seconds', 'share', 'light'), [
    (0.0, 0.0, 0.0), (1.0, 0.1, 0.0), (5.0, 0.5, 0.0), (9.0, 0.9, 0.0), (12.0, 0.9, 0.3),
    (60.0, 0.9, 0.9)])
def test_the_share_rises_and_light_requests_come_last(seconds, share, light, every):
    shedder = shedding(seconds, every=every)
    assert [share] * 3 + [light] == pytest.approx(
        [shedder.share(content) for content in (SMALL, LARGE, COMPUTING, LIGHT)])


def test_after_a_silence_it_rises_by_no_more_than_a_second_does():
    shedder = Shedder()
    shedder.update(True, 50, 0.0)
    shedder.update(True, 50, 3600.0)
    assert shedder.level == pytest.approx(RISE)


def test_it_falls_smoothly_and_comes_to_nothing():
    shedder = shedding(5.0)
    before = shedder.level
    shedder.update(False, 50, 6.0)
    assert before * (1 - FALL) == pytest.approx(shedder.level, rel=0.01)
    shedder.update(False, 50, 3600.0)
    assert 0.0 == shedder.level


def test_it_does_not_rise_while_the_queue_grows_shorter():
    shedder = shedding(5.0)
    for turn in range(50):
        shedder.update(True, 50 - turn, 5.0 + (turn + 1) / 10)
    assert shedder.level < 0.5


def test_a_clock_that_goes_back_changes_nothing():
    shedder = shedding(5.0)
    shedder.update(True, 50, 1.0)
    assert shedder.level == pytest.approx(0.5)


def test_the_share_is_what_is_refused():
    shedder, rng = shedding(5.0), random.Random(1)
    refused = sum(shedder.sheds(SMALL, rng) for _ in range(10_000))
    assert refused == pytest.approx(5000, abs=4 * 50)       # four standard deviations
    assert not any(shedder.sheds(LIGHT, rng) for _ in range(100))


def test_retry_after_is_whole_seconds_and_not_the_same_for_all():
    rng = random.Random(1)
    assert set(range(SOONEST, LATEST + 1)) == {retry_after(rng) for _ in range(1000)}


class Overload:
    """8 slots of 50 ms; every other request is light; clients wait for 5 to 10 s, then it is lost.

    What clients do not wait for any more is served all the same: nobody sees that they are gone.
    """

    def __init__(self, load, light, shedder, seed=1):
        """`load` of capacity, of which light requests take `light` of what others do."""
        self.good, self.levels = 0.0, []
        self._light, self._shedder, self._rng = light, shedder, random.Random(seed)
        self._rate = load * 8 / (0.050 * (1 + light) / 2)
        self._station, self._seen, self._critical = Slots(8), [], False

    def goodput(self, seconds=60.0):
        """Return the fraction of capacity that served who still waited."""
        self._station.plan(0.0, self._come)
        self._station.plan(0.0, self._tick)
        self._station.run(seconds)
        return self.good / 8 / seconds

    def _come(self, at):
        rng, content = self._rng, LIGHT if self._rng.random() < 0.5 else SMALL
        self._station.plan(at + rng.expovariate(self._rate), self._come)
        if self._shedder is not None and self._shedder.sheds(content, rng):
            return
        size = 0.050 * (self._light if content == LIGHT else 1) * rng.expovariate(1)
        until = at + rng.uniform(5.0, 10.0)

        def done(end):
            if end <= until:
                self.good += size
        self._station.come(at, size, done)

    def _tick(self, at):
        self._station.plan(at + TICK, self._tick)
        self._seen.append(self._station.in_flight)
        before = self._seen[-round(LATE / TICK) - 1:][0] if at >= LATE else 0
        self._critical = before >= (0.8 * CRITICAL if self._critical else CRITICAL)
        if self._shedder is not None:
            self._shedder.update(self._critical, self._station.in_flight, at)
            self.levels.append(self._shedder.level)


@pytest.mark.parametrize('light', [0.1, 0.5])
def test_goodput_stays_at_twice_the_load(light):
    peak = max(Overload(load, light, None).goodput() for load in (0.8, 0.9, 1.0))
    overload = Overload(2.0, light, Shedder())
    assert overload.goodput() >= 0.9 * peak
    assert Overload(2.0, light, None).goodput() < 0.5 * peak        # what it is good for
    steps = [abs(one - other) for one, other in pairwise(overload.levels)]
    assert max(steps) <= RISE * TICK * 1.001
    assert max(overload.levels) <= MOST + 0.25      # light requests are hardly refused


def test_below_capacity_hardly_anything_is_lost():
    assert Overload(0.8, 0.1, Shedder()).goodput() >= 0.97 * Overload(0.8, 0.1, None).goodput()
