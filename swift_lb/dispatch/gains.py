"""What routes to other clusters have gained, and how wrong their predictions were. Pure.

Of each route the last WINDOW reads count:

    error   mean absolute difference of measured and predicted seconds
    bias    mean of measured minus predicted seconds
    gain    mean of (seconds predicted here + bias of local reads) - measured seconds. Only reads
            that could have been served here count, SPACING apart at least, and no tries. A read
            that got no answer has a gain of - its seconds, since it is served here after these

A redirected read is measured by the cluster that has served it. That cluster tells the result, an
EndedRedirect, in its summaries, so all workers here learn from the same ones.

A route that surely loses is shut: no read takes it for some time.

    loses   after FEW gains or more, mean + SURE x its standard error < 0
    shut    for SHUT seconds the first time, then each time for twice as long, MAX_SHUT at most. For
            SHUT again if the route has surely gained meanwhile: if
            mean - SURE x its standard error > 0
    after   the route is open, and no gain of it is known

One of TRY_EVERY reads that may leave is a try: it takes the second-best route, so that the errors
of all routes are known. That route was expected to lose, and is not shut because it does. Each read
saves TRY_COST of its predicted seconds, and a try is made only when what it is predicted to lose
has been saved; so tries make all reads together slower by that fraction at most.

    WINDOW = 64     the paper gives no number; as many summaries count for the loss of a link
    FEW = 16        the standard error of 16 exponential times is a quarter of their mean
    SURE = 3        when one cluster relieves another, reads leave until both take the same time:
                    gains are near 0, and by chance their mean is below 0 now and then. If the mean
                    alone decided, an overloaded cluster would shut all its routes within a minute
    SPACING = 0.25 s    reads that come at the same time meet the same queue: they show no more than
                    one of them does
    SHUT = 8 s      a route that lost only because of a fault, such as a round trip 10 times as
                    long, serves reads again within 10 s after that. A route that always loses is
                    opened four times more, for FEW reads each, than if SHUT were two minutes
    MAX_SHUT = 3600 s
"""
import math
import statistics
from collections import deque
from typing import NamedTuple

from swift_lb.model import LOCAL
from swift_lb.plan.shares import mean

WINDOW, FEW = 64, 16
SURE, SPACING = 3.0, 0.25
SHUT, MAX_SHUT = 8.0, 3600.0
TRY_EVERY, TRY_COST = 200, 0.01
HEARD = 512     # names: far more than all that 18 clusters tell at a time, so none counts twice


class RouteFigures(NamedTuple):
    """What the last reads by one route have shown; None where nothing is known."""

    reads: int
    error: float | None     # seconds
    bias: float | None      # seconds
    gain: float | None      # seconds
    shut_for: float         # seconds, 0 if the route is open


class RouteHistory:
    """The errors and gains, in seconds, of the last WINDOW reads by one route."""

    __slots__ = ('at', 'errors', 'gains', 'lasts', 'until')

    def __init__(self):
        self.errors, self.gains = deque(maxlen=WINDOW), deque(maxlen=WINDOW)
        self.at = self.until = float('-inf')    # instants: of the last gain; until it is shut
        self.lasts = SHUT

    @property
    def bias(self):
        """The mean of measured minus predicted seconds, 0 before FEW reads."""
        return mean(self.errors) if len(self.errors) >= FEW else 0.0

    def gain(self, seconds, now):
        """Learn that a read has gained `seconds`; shut the route if it surely loses.

        The gain is ignored within SPACING of the last one. `now` is monotonic seconds.
        """
        if now - self.at >= SPACING:
            self.at = now
            self.learn(seconds, now)

    def learn(self, seconds, now):
        """Learn as gain() does, but also within SPACING of the last gain."""
        self.gains.append(seconds)
        if len(self.gains) < FEW or now < self.until:
            return
        if surely_negative(self.gains):
            self.gains.clear()
            self.until, self.lasts = now + self.lasts, min(MAX_SHUT, 2 * self.lasts)
        elif surely_negative([-one for one in self.gains]):
            self.lasts = SHUT


class Gains:
    """The histories of all routes at one worker."""

    def __init__(self):
        self._histories = {}    # Route -> RouteHistory
        self._left, self._saved = TRY_EVERY, 0.0     # reads until the next try; seconds for it
        self._heard = deque(maxlen=HEARD)       # names of EndedRedirects

    def add(self, route, predicted, measured, here, now):
        """Learn from a read by `route` for which seconds were `predicted`, and then `measured`.

        `here` is (the local Route, the seconds predicted of it), None if the read could not be
        served here, or was a try. `now` is monotonic seconds.
        """
        history = self._histories.setdefault(route, RouteHistory())
        history.errors.append(measured - predicted)
        if here is None or route.kind == LOCAL:
            return
        local, seconds = here
        history.gain(seconds + self._bias(local) - measured, now)

    def hear(self, route, ended, local, now):
        """Learn from those of the EndedRedirects `ended`, of reads by `route`, that are new.

        A cluster tells each of them in many summaries. `local` is the local Route, `now` monotonic
        seconds.
        """
        for one in ended:
            if one.name in self._heard:
                continue
            self._heard.append(one.name)
            history = self._histories.setdefault(route, RouteHistory())
            history.errors.append(one.error)
            if one.gain is not None:
                history.learn(one.gain + self._bias(local), now)

    def _bias(self, local):
        return self._histories[local].bias if local in self._histories else 0.0

    def failed(self, route, seconds, now):
        """Learn that a read by `route` got no answer, and so has lost `seconds`."""
        self._histories.setdefault(route, RouteHistory()).gain(-seconds, now)

    def is_shut(self, route, now):
        """Return whether `route` must not be taken at `now`, since it has lost."""
        history = self._histories.get(route)
        return history is not None and now < history.until

    def is_try(self, best, second):
        """Return whether a read is a try of the second-best route; call this once for each read.

        `best` and `second` are the seconds that are predicted of the best two routes.
        """
        self._left -= 1
        self._saved += TRY_COST * best
        if self._left > 0 or self._saved < second - best:
            return False
        self._left, self._saved = TRY_EVERY, 0.0
        return True

    def figures(self, now):
        """Return {Route: RouteFigures} of all routes that reads have taken, at `now`."""
        return {route: RouteFigures(
            len(one.errors), mean([abs(error) for error in one.errors]), mean(one.errors),
            mean(one.gains), max(0.0, one.until - now))
            for route, one in self._histories.items()}


def surely_negative(values):
    """Return whether the mean of 2 or more `values` is below 0 by SURE standard errors."""
    return statistics.fmean(values) + SURE * statistics.stdev(values) / math.sqrt(len(values)) < 0
