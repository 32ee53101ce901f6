"""Series of numbers, and how well a forecast of each next one does on them."""
import json
import math
from pathlib import Path
from statistics import fmean

from swift_lb.plan.forecast.predictors import LONGEST, predictors
from swift_lb.plan.forecast.series import MeasuredSeries

BEST = 1.05         # times the error of the best single predictor, at most
LEARNING = 100      # values at the beginning that do not count


RECORDED = Path(__file__).resolve().parents[1] / 'cases/series/link.json'


def recorded(name):
    """Return a function of anything: the list of numbers `name` in the file RECORDED."""
    return lambda _rng: json.loads(RECORDED.read_text())[name]


def walk(rng):
    """Yield the values of a random walk."""
    value = 5.0
    while True:
        value += rng.gauss(0.0, 0.2)
        yield value


SERIES = {      # name: function of a random.Random that yields the values
    'constant': lambda rng: (5.0 for _number in range(1000)),
    'step': lambda rng: (5.0 + 4.0 * (number // 100 % 2) for number in range(1000)),
    'noisy step': lambda rng: (5.0 + 4.0 * (number // 100 % 2) + rng.gauss(0.0, 1.0)
                               for number in range(1000)),
    'periodic': lambda rng: (5.0 + 3.0 * math.sin(number / 10) for number in range(1000)),
    'noise': lambda rng: (5.0 + rng.gauss(0.0, 1.0) for _number in range(1000)),
    'bursts': lambda rng: (4.0 + rng.paretovariate(1.5) for _number in range(1000)),
    'walk': lambda rng: (value for value, _number in zip(walk(rng), range(1000), strict=False)),
    'round trip': recorded('round trip, ms'),
    'bandwidth': recorded('bandwidth, kB/s')}


def errors(values):
    """Return mean absolute errors after LEARNING: of a MeasuredSeries, of the best predictor."""
    series, named, own = MeasuredSeries(), predictors(), []
    others = {name: [] for name in named}
    history, last = [], {}
    for number, value in enumerate(values):
        if number >= LEARNING:
            own.append(abs(series.forecast.value - value))
            for name, forecast in last.items():
                others[name].append(abs(forecast - value))
        series.add(value)
        history = [*history, value][-LONGEST:]
        last = {name: predict(history) for name, predict in named.items()}
    return fmean(own), min(map(fmean, others.values()))
