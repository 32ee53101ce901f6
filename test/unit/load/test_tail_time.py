"""TailTime's estimate of the p95 of first byte times: how exact, and how soon it adapts."""
import random

import pytest

from swift_lb.load.tail_time import CLASSES, NO_BODY, WHOLE, TailTime

P95 = 2.9957    # of exponential times of mean 1


def learnt(draw, samples=20_000, rest=2_000, tail=None):
    """Return the mean of the p95 in seconds that `tail`, by default a new TailTime, estimates.

    `draw()` returns one first byte time in seconds. An estimate follows each of `samples` of them;
    the mean leaves out the first `rest` estimates.
    """
    tail, total = tail or TailTime(), 0.0
    for number in range(samples):
        tail.add(WHOLE, draw())
        if number >= rest:
            total += tail.seconds(WHOLE)
    return total / (samples - rest)


def test_the_first_p95_is_three_times_the_first_sample():
    tail = TailTime()
    assert [None] * 3 == [tail.seconds(size_class) for size_class in CLASSES]
    tail.add(NO_BODY, 0.5)
    assert [1.5, None, None] == [tail.seconds(size_class) for size_class in CLASSES]


@pytest.mark.parametrize('seed', range(5))
@pytest.mark.parametrize('scale', [1e-4, 1.0, 100.0])
def test_95_percent_of_times_are_below_the_p95_for_any_mean(seed, scale):
    rng = random.Random(seed)
    assert pytest.approx(P95, rel=0.05) == learnt(lambda: rng.expovariate(1 / scale)) / scale


def test_95_percent_of_uniform_times_are_below_the_p95():
    rng = random.Random(1)
    assert pytest.approx(0.95, rel=0.03) == learnt(rng.random)


def test_one_pause_in_a_hundred_reads_does_not_raise_the_p95():
    rng = random.Random(1)

    def draw():
        return rng.expovariate(1) + (50.0 if rng.random() < 0.01 else 0.0)
    assert P95 < learnt(draw) < 1.2 * P95


def test_the_p95_follows_a_fourfold_slowdown_within_70_samples():
    results = []
    for seed in range(200):
        rng, tail = random.Random(seed), TailTime()
        for number in range(1070):
            tail.add(WHOLE, rng.expovariate(1 if number < 1000 else 0.25))
        results.append(tail.seconds(WHOLE))
    assert 3 * P95 < sorted(results)[100] < 4.5 * P95


@pytest.mark.parametrize('number', [float('nan'), float('inf'), -1.0, 1e300])
def test_an_impossible_p95_is_unknown_until_the_next_sample(number):
    words = [number] * 3
    tail = TailTime(words)
    assert tail.seconds(WHOLE) is None
    tail.add(WHOLE, 0.25)
    assert 0.75 == tail.seconds(WHOLE)
