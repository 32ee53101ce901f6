"""What routes to other clusters have gained, and how wrong their predictions were. Pure.

Of each route the last WINDOW reads count:

    error   mean absolute difference of measured and predicted seconds
    bias    mean of measured minus predicted seconds
    gain    mean of (seconds predicted here + bias of local reads) - measured seconds; only reads
            that could have been served here have one

A route whose gain is below 0 after FEW reads is shut for SHUT seconds, and twice as long each time
that it is shut again, MAX_SHUT at most. It begins again with no gains. One of TRY_EVERY reads that
may leave takes the second-best route, so that the errors of all are known.

    WINDOW = 64     the paper gives no number; as many summaries count for the loss of a link
    FEW = 16        the standard error of 16 exponential times is a quarter of their mean. The mean
                    decides, not a bound of its confidence: a lower bound would shut good routes
                    whose gain merely varies, an upper bound would keep bad ones for long
    SHUT = 120 s, MAX_SHUT = 3600 s     as dispatch/trial.py: HOLD, and 32 times as long
"""
from collections import deque
from typing import NamedTuple

from swift_lb.model import LOCAL

WINDOW, FEW = 64, 16
SHUT, MAX_SHUT = 120.0, 3600.0
TRY_EVERY = 200


class RouteFigures(NamedTuple):
    """What the last reads by one route have shown; None where nothing is known."""

    reads: int
    error: float | None     # seconds
    bias: float | None      # seconds
    gain: float | None      # seconds
    shut_for: float         # seconds, 0 if the route is open


class RouteHistory:
    """The last WINDOW reads by one route."""

    __slots__ = ('errors', 'gains', 'lasts', 'until')

    def __init__(self):
        self.errors, self.gains = deque(maxlen=WINDOW), deque(maxlen=WINDOW)
        self.until, self.lasts = float('-inf'), SHUT

    @property
    def bias(self):
        """The mean of measured minus predicted seconds, 0 before FEW reads."""
        return mean_of(self.errors) if len(self.errors) >= FEW else 0.0


class Gains:
    """The histories of all routes at one worker."""

    def __init__(self):
        self._histories = {}    # Route -> RouteHistory
        self._left = TRY_EVERY

    def add(self, route, predicted, measured, here, now):
        """Learn from a read by `route` that was predicted to take, and took, so many seconds.

        `here` is (the local Route, the seconds predicted of it), None if it could not be served
        here. `now` is monotonic seconds.
        """
        history = self._histories.setdefault(route, RouteHistory())
        history.errors.append(measured - predicted)
        if here is None or route.kind == LOCAL:
            return
        local, seconds = here
        bias = self._histories[local].bias if local in self._histories else 0.0
        history.gains.append(seconds + bias - measured)
        if now >= history.until and len(history.gains) >= FEW and mean_of(history.gains) < 0:
            history.gains.clear()
            history.until = now + history.lasts
            history.lasts = min(MAX_SHUT, 2 * history.lasts)

    def is_shut(self, route, now):
        """Return whether `route` is not to be taken at `now`."""
        history = self._histories.get(route)
        return history is not None and now < history.until

    def is_try(self):
        """Return whether this read, of those that may leave, is to take the second-best route."""
        self._left -= 1
        if self._left > 0:
            return False
        self._left = TRY_EVERY
        return True

    def figures(self, now):
        """Return {Route: RouteFigures} of all routes that reads have taken."""
        return {route: RouteFigures(
            len(one.errors), mean_of([abs(error) for error in one.errors]), mean_of(one.errors),
            mean_of(one.gains), max(0.0, one.until - now))
            for route, one in self._histories.items()}

    def error(self, route):
        """Return the mean absolute error of `route`'s predictions in seconds, 0 before FEW reads.
        """
        history = self._histories.get(route)
        if history is None or len(history.errors) < FEW:
            return 0.0
        return mean_of([abs(error) for error in history.errors])


def mean_of(values):
    """Return the mean of a sequence of numbers, None if it is empty."""
    return sum(values) / len(values) if values else None
