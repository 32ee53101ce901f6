"""The 18 predictors of the Network Weather Service: each forecasts the next value of a series.

    last            the last value
    mean            of all values
    smooth_G        exponential smoothing: forecast += G x (value - forecast)
    mean_K          of the last K values
    median_K        of the last K values
    trimmed_K       mean of the last K values without the T least and the T largest, T = .3 x K
    adaptive_A_B    median of the last K values; K moves by a step within A to B, to the side
                    whose median would have been nearer to the new value

Source: Wolski, "Dynamically forecasting network performance using the Network Weather Service",
Cluster Computing 1 (1998), and the parameters of its program. The adaptive median of the program
compares windows of `step` values; here they have K - step and K + step values, as is meant.
"""
from statistics import fmean

LONGEST = 51        # of the windows: so many values are kept
TRIM = 0.3


def last(values):
    """Return the last of `values`."""
    return values[-1]


def mean_of(size):
    """Return a function of a list of values: the mean of its last `size` ones."""
    return lambda values: fmean(values[-size:])


def middle(ordered):
    """Return the median of `ordered`, a sorted list."""
    half, odd = divmod(len(ordered), 2)
    return ordered[half] if odd else (ordered[half - 1] + ordered[half]) / 2


def median_of(size):
    """Return a function of a list of values: the median of its last `size` ones."""
    return lambda values: middle(sorted(values[-size:]))


def trimmed_of(size):
    """Return a function of a list of values: the trimmed mean of its last `size` ones."""
    def trimmed(values):
        ordered = sorted(values[-size:])
        cut = int(TRIM * len(ordered))
        return fmean(ordered[cut:len(ordered) - cut])
    return trimmed


class Smoothing:
    """Exponential smoothing with a gain; it begins at the first value."""

    def __init__(self, gain):
        self._gain, self._forecast = gain, None

    def __call__(self, values):
        """Return the forecast after the last of `values`, which is new."""
        if self._forecast is None:
            self._forecast = values[-1]
        self._forecast += self._gain * (values[-1] - self._forecast)
        return self._forecast


class RunningMean:
    """The mean of all values that have come."""

    def __init__(self):
        self._count, self._mean = 0, 0.0

    def __call__(self, values):
        """Return the forecast after the last of `values`, which is new."""
        self._count += 1
        self._mean += (values[-1] - self._mean) / self._count
        return self._mean


class AdaptiveMedian:
    """The median of a window that becomes longer or shorter, whichever would have been better."""

    def __init__(self, least, most, size, step):
        """Take the window's limits, its first `size`, and the `step` of a change, all in values."""
        self._least, self._most, self._size, self._step = least, most, size, step
        self._medians = {}      # size of the window: its median before the last value

    def __call__(self, values):
        """Return the forecast after the last of `values`, which is new."""
        if self._medians:
            # The present size comes first: it stays if no other is better.
            self._size = min(self._medians, key=lambda size: abs(self._medians[size] - values[-1]))
        sizes = self._size, self._size - self._step, self._size + self._step
        self._medians = {size: middle(sorted(values[-size:])) for size in sizes
                         if self._least <= size <= self._most}
        return self._medians[self._size]


def predictors():
    """Return {name: predictor} of the 18.

    A predictor is a function of the list of the last values, of which values[-1] is new; it returns
    the forecast of the next value. It must be called once after each value.
    """
    smoothings = {f'smooth_{gain:.2f}': Smoothing(gain)
                  for gain in (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75)}
    return {'last': last, 'mean': RunningMean(), **smoothings,
            'median_31': median_of(31), 'median_5': median_of(5),
            'mean_31': mean_of(31), 'mean_5': mean_of(5),
            'trimmed_31': trimmed_of(31), 'trimmed_51': trimmed_of(51),
            'adaptive_5_21': AdaptiveMedian(5, 21, 10, 1),
            'adaptive_21_51': AdaptiveMedian(21, 51, 30, 5)}
