"""Do requests take long because of a queue? Refusing some of them shows it. Pure.

A trial uses the requests that come and are answered while the share refused is at least LITTLE:

    x = ln(in_flight + 1)       in_flight: the other requests when one came
    y = ln(seconds)             seconds: the time that it took
    slope = cov(x, y) / var(x)

    If slope < HALF after a PERIOD, there is no queue. Then nothing is refused for HOLD seconds, and
    twice as long each time the result is the same within HOLD x MAX_HOLDS

Where requests wait for something that is busy, half as many take half as long: the slope is 1.
Where requests take long for another reason, such as a slow disk or network, the slope is 0. This
cannot be seen before anything is refused: by Little's law more requests are in flight when each
takes longer, so that both grow together with a queue and without one. Refusing requests shortens
the times only where there is a queue.

The number of answers would show it, too (refusing where there is no queue costs answers), but not
when the load or the kind of requests changes at the same time, as when an overload begins.

    HALF = 0.5      halfway between the slopes of no queue (0) and of a queue (1)
    PERIOD = 40 s   in 20 s or 30 s a queue of 40 requests was sometimes missed: one request finds
                    nearly the same queue as the one before, so that a thousand show no more than a
                    few. And in the first seconds only short requests have been answered
    FEW = 20        samples: with fewer there is no result
    MIN_VARIANCE = 0.005    variance of x (in_flight varies by some 7 %): the same with less
    LITTLE = 0.1    a tenth of the requests that come
    HOLD = 120 s, at most MAX_HOLDS times as long: where all is slow for good, a PERIOD with
                    refusals comes more and more seldom
"""
import math

HALF, PERIOD, FEW, MIN_VARIANCE, LITTLE = 0.5, 40.0, 20, 0.005, 0.1
HOLD, MAX_HOLDS = 120.0, 32
QUICKEST = 1e-6     # seconds


class Trial:
    """Finds out, while one worker refuses some requests, whether a queue delays the others."""

    __slots__ = ('_at', '_count', '_holds', '_seconds', '_since', '_until', '_x', '_xx', '_xy',
                 '_y')

    def __init__(self):
        self._at, self._holds, self._until = None, 1, -math.inf
        self._since, self._seconds = math.inf, 0.0      # when refusing began, and how long ago
        self._forget()

    def _forget(self):
        self._count = 0
        self._x = self._y = self._xx = self._xy = 0.0    # means, and sums of products about them

    def add(self, in_flight, seconds, now):
        """Learn from a request that found `in_flight` other ones and took `seconds` until `now`."""
        if now - seconds < self._since:
            return
        x, y = math.log(in_flight + 1), math.log(max(seconds, QUICKEST))
        self._count += 1
        off_x = x - self._x
        self._x += off_x / self._count
        self._y += (y - self._y) / self._count
        self._xx += off_x * (x - self._x)
        self._xy += off_x * (y - self._y)

    def fails(self, share, now):
        """Return whether refusing has proved useless, so that nothing is to be refused for a while.

        `share` is the fraction of requests that has been refused since the last call.
        """
        passed = 0.0 if self._at is None else max(0.0, now - self._at)
        self._at = now if self._at is None else max(now, self._at)
        if share < LITTLE:
            self._since, self._seconds = math.inf, 0.0
            self._forget()
        else:
            self._since = min(self._since, now)
            self._seconds += passed
            if self._seconds >= PERIOD:
                self._judge(now)
        return now < self._until

    def _judge(self, now):
        if self._count >= FEW and self._xx >= MIN_VARIANCE * self._count:
            if self._xy < HALF * self._xx:
                if now > self._until + HOLD * MAX_HOLDS:
                    self._holds = 1         # the last time was long ago
                self._until = now + HOLD * self._holds
                self._holds = min(MAX_HOLDS, 2 * self._holds)
            else:
                self._holds = 1
        self._seconds = 0.0
        self._forget()
