"""Is it a queue that makes requests take long? Seen by refusing some of them. Pure.

Of the requests that have come, and been answered, since a `share` of LITTLE or more is refused:

    x = ln(in_flight + 1)       before each, when it came
    y = ln(seconds)             that it took
    slope = cov(x, y) / var(x)

    After each PERIOD, slope < HALF: it is no queue. Nothing is refused for HOLD seconds, and twice
    as long each time it comes out like this again within HOLD x MAX_HOLDS

Where requests wait for something that is busy, half as many take half as long: the slope is 1.
Where requests take long for another reason, such as a slow disk or network, the slope is 0. That
can not be seen before anything is refused: by Little's law requests that take longer are also more
in flight, so that both grow together with a queue and without one. Refusing requests shortens the
times only where there is a queue.

The number of answers would tell it, too (refusing where there is no queue costs answers), but not
when the load or the kind of requests changes at the same time, as when an overload begins.

    HALF = 0.5      between the two
    PERIOD = 40 s   in 20 s or 30 s a queue of 40 was not seen now and then: a request sees much the
                    same as the one before it, so that a thousand are no more than a few. And in the
                    first seconds short requests are over, long ones not yet
    FEW = 20        samples, and
    MIN_VARIANCE = 0.005    of x, of some 7 % more or fewer in flight: less decides nothing
    LITTLE = 0.1    of the requests that come
    HOLD = 120 s, at most MAX_HOLDS times as long: where all is slow for good, the refusals of a
                    PERIOD come more and more seldom
"""
import math

HALF, PERIOD, FEW, MIN_VARIANCE, LITTLE = 0.5, 40.0, 20, 0.005, 0.1
HOLD, MAX_HOLDS = 120.0, 32
QUICKEST = 1e-6     # seconds


class Trial:
    """Finds out for one worker whether its requests take long because of a queue."""

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
        """Take a request that had `in_flight` others before it and took `seconds` until `now`."""
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
        """Return whether refusing requests has proved useless: none is to be refused for a while.

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
