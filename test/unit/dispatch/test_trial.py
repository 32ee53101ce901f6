"""Whether refusing costs answers: it is tried, and chance makes no verdict."""
import random

from swift_lb.dispatch.trial import HOLD, Trial

RATE = 100          # answers a second


class Watched:
    """A Trial, second by second, of answers that come by chance."""

    def __init__(self, rate, seed=1):
        self._trial, self._rng, self._rate = Trial(), random.Random(seed), rate
        self._answered = self.now = 0

    def costs(self, seconds, share, kept=1.0):
        """Return whether nothing was to be refused at any time, while so much is answered."""
        return max(self._second(share, kept * self._rate) for _second in range(seconds))

    def _second(self, share, rate):
        self.now += 1
        self._answered += sum(self._rng.random() < rate / 1000 for _slice in range(1000))
        return self._trial.costs(share, self._answered, self.now)


def test_as_much_is_answered_whoever_is_refused():
    for seed in range(5):
        watched = Watched(RATE, seed)
        assert not watched.costs(60, 0.0)
        assert not watched.costs(600, 0.5)


def test_who_is_refused_would_have_been_answered():
    watched = Watched(RATE)
    watched.costs(60, 0.0)
    assert not watched.costs(3, 0.5, 0.5)
    assert watched.costs(15, 0.5, 0.5)
    assert watched.costs(int(HOLD) - 20, 0.0)
    watched.costs(20, 0.0)
    assert not watched.costs(60, 0.0)


def test_less_comes_and_nothing_is_refused():
    watched = Watched(RATE)
    watched.costs(60, 0.0)
    assert not watched.costs(60, 0.0, 0.2)


def test_nothing_is_known_at_first():
    trial = Trial()
    assert not trial.costs(0.0, 0, 5.0)
    assert not trial.costs(0.0, 0, 5.0)
    assert not trial.costs(0.9, 0, 6.0)
    assert not trial.costs(0.9, 0, 4.0)
