"""The time of requests of each class of content at one proxy, which other clusters are told. Pure.

The Curve has the time of all requests, by the number in flight. A class takes a multiple of it:

    ratio   += (sample - ratio) / min(samples, MEAN_OVER)       sample: seconds of a request over
                                                                those that the Curve expected
    seconds = ratio x Curve.measured(n)             of one more request, with n in flight
    step    = ratio x (Curve.measured(2 n + 1) - Curve.measured(n)) / (n + 1)
    n       the mean of what the requests since the last time found in flight; the number now if
            none has come. At one instant it varies by chance: with that, other clusters' forecasts
            err by 50 ms on average, with the mean by 30 (`swift-lb sim sites`, many-3)
    requests = requests x e^(-(now - at) / TAU) + 1     the weight of this proxy among several

A class that was not served for FORGET_AFTER seconds is unknown again.

    MEAN_OVER = 50, TAU = 10 s      as in the Curve
    FORGET_AFTER = 600 s            the speed of disks and the mix of objects stay for longer than a
                                    pause between requests
"""
import math

from swift_lb.dispatch.curve import MEAN_OVER, TAU
from swift_lb.wire.cluster_summary import MAX_SECONDS
from swift_lb.wire.observations import ServedTime

FORGET_AFTER = 600.0    # seconds


class ClassTime:
    """How much longer than the mean the requests of one class take, and how many there are."""

    __slots__ = ('at', 'ratio', 'requests', 'samples')

    def __init__(self):
        self.ratio = self.requests = self.at = 0.0
        self.samples = 0

    def add(self, ratio, now):
        """Learn from a request which took `ratio` times the seconds that the Curve expected."""
        self.requests = self.weight(now) + 1.0
        self.at = now
        self.samples = samples = min(self.samples + 1, MEAN_OVER)
        self.ratio += (ratio - self.ratio) / samples

    def weight(self, now):
        """Return the number of requests of the last seconds, older ones counted less."""
        return self.requests * math.exp(min(0.0, self.at - now) / TAU)


class ServedTimes:
    """The times of all classes of content at one proxy."""

    def __init__(self):
        self._classes = {}      # class of content -> ClassTime
        self._came = self._found = 0    # requests, and the sum of what they found in flight

    def add(self, content, ratio, now):
        """Learn from a request of the class `content`; `ratio` is the result of Curve.add()."""
        if ratio is None:
            return
        known = self._classes.get(content)
        if known is None:
            known = self._classes[content] = ClassTime()
        known.add(ratio, now)

    def came(self, in_flight):
        """Note that a request has come when `in_flight` others were here."""
        self._came += 1
        self._found += in_flight

    def times(self, curve, in_flight, now):
        """Return a ServedTime for each class, as a tuple, with `in_flight` requests here now.

        The next call returns those of the time from now on.
        """
        if self._came:
            in_flight = self._found / self._came
            self._found = self._came = 0
        usual = curve.measured(in_flight, now)
        if usual is None:
            return ()
        more = curve.measured(2 * in_flight + 1, now) - usual
        return tuple([
            ServedTime(content, min(one.ratio * usual, MAX_SECONDS),
                       min(max(0.0, one.ratio * more / (in_flight + 1)), MAX_SECONDS),
                       one.weight(now))
            for content, one in self._classes.items() if now - one.at < FORGET_AFTER])
