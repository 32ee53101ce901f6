"""A series of measurements, and the forecast of its next value with the forecast's error. Pure.

The predictors forecast each value. 16 choosers each take the forecast of the predictor that has
erred least: by mean absolute or mean squared error, over all values or the last 1, 5, 10, 20, 30,
50 or 100. The forecast of the series is that of the chooser that itself has erred least, by mean
absolute error over all values (Network Weather Service; see predictors.py).

Published with it are the mean absolute and mean squared errors of that chooser over the last
RECENT values. The Network Weather Service publishes those over all values; then the queues of one
busy minute would make a link look unsure for hours, and its first values for ever.
"""
from collections import deque
from typing import NamedTuple

from swift_lb.plan.forecast.predictors import LONGEST, predictors
from swift_lb.plan.shares import mean

WINDOWS = 1, 5, 10, 20, 30, 50, 100
RECENT = 30     # values: a minute of summaries


class SeriesForecast(NamedTuple):
    """The forecast of the next value of a series, and how it was made."""

    value: float
    mae: float | None       # mean absolute error of the chooser lately; None after one value
    mse: float | None       # mean squared error likewise
    chooser: str            # such as mae_30: least mean absolute error over the last 30 values
    predictor: str          # the predictor that it took


class ErrorChooser:
    """Takes the forecast of the predictor with the least sum of errors, over all or a window."""

    def __init__(self, name, window, count):
        """Take a name, the number of values of the window, None for all, and that of predictors."""
        self.name, self._window, self._sums = name, window, [0.0] * count
        self._recent, self._added = deque(), 0
        self.best = 0           # index of the predictor
        self.absolute, self.lately = 0.0, deque(maxlen=RECENT)      # its own errors: sum; the last

    def add(self, errors, absolute):
        """Add the errors of all predictors for the last value, two lists.

        `errors` are those by which this chooser chooses, absolute or squared.
        """
        own = absolute[self.best]
        self.absolute += own
        self.lately.append(own)
        if self._window is None:
            self._sums = [total + error for total, error in zip(self._sums, errors, strict=True)]
        else:
            self._slide(errors)
        self.best = self._sums.index(min(self._sums))

    def _slide(self, errors):
        recent = self._recent
        recent.append(errors)
        self._added += 1
        if len(recent) <= self._window:
            self._sums = [total + error for total, error in zip(self._sums, errors, strict=True)]
            return
        old = recent.popleft()
        if self._added % self._window:
            self._sums = [total + error - gone for total, error, gone
                          in zip(self._sums, errors, old, strict=True)]
        else:       # anew, now and then: rounding errors must not add up
            self._sums = [sum(column) for column in zip(*recent, strict=True)]


class MeasuredSeries:
    """Measurements in their order, and the forecast of the next."""

    def __init__(self):
        self._predictors = predictors()
        self._names = tuple(self._predictors)
        self._values, self._forecasts = [], None
        count = len(self._names)
        self._choosers = [(kind, ErrorChooser(f'{kind}_{window or "all"}', window, count))
                          for window in (None, *WINDOWS) for kind in ('mae', 'mse')]

    def add(self, value):
        """Learn from `value`, a finite number."""
        if self._forecasts is not None:
            absolute = [abs(value - forecast) for forecast in self._forecasts]
            squared = [error * error for error in absolute]
            for kind, chooser in self._choosers:
                chooser.add(absolute if kind == 'mae' else squared, absolute)
        self._values.append(value)
        del self._values[:-LONGEST]
        self._forecasts = [predict(self._values) for predict in self._predictors.values()]

    @property
    def forecast(self):
        """The SeriesForecast of the next value; None before the first value."""
        if self._forecasts is None:
            return None
        chooser = min((chooser for _kind, chooser in self._choosers), key=lambda one: one.absolute)
        return SeriesForecast(
            self._forecasts[chooser.best], mean(chooser.lately),
            mean([error * error for error in chooser.lately]), chooser.name,
            self._names[chooser.best])
