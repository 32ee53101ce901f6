"""The forecasts of series: their error beside that of the best single predictor, and their cost.

    python test/bench/forecasts.py

For each kind of series, 1000 values long, or 240 if it was recorded on a link with other traffic
(test/bench/clusters/record.py), and after the first 100: the mean absolute error of
swift_lb/plan/forecast, that of the best of the 18 predictors for this series, their ratio, and the
microseconds of processor time of one value, the median of rounds. Exits with 1 if a ratio is over
1.05, or a value takes more than 250 us.
"""
import random
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.forecast_series import BEST, SERIES, errors

from swift_lb.plan.forecast.series import MeasuredSeries

LIMIT, ROUNDS, SEED = 250.0, 5, 1


def microseconds(values):
    """Return the microseconds of processor time that a MeasuredSeries takes for one of `values`."""
    results = []
    for _round in range(ROUNDS):
        series, begin = MeasuredSeries(), time.process_time()
        for value in values:
            series.add(value)
            _ = series.forecast
        results.append((time.process_time() - begin) / len(values) * 1e6)
    return statistics.median(results)


def main():
    """Print the table; return the exit status."""
    worst = slowest = 0.0
    print(f'{"series":<12}{"error":>8}{"best":>8}{"ratio":>8}{"us":>8}')
    for name, series in SERIES.items():
        own, best = errors(series(random.Random(SEED)))
        ratio = own / best if best else 1.0
        took = microseconds(list(series(random.Random(SEED))))
        worst, slowest = max(worst, ratio), max(slowest, took)
        print(f'{name:<12}{own:>8.3f}{best:>8.3f}{ratio:>8.3f}{took:>8.0f}')
    return int(worst > BEST or slowest > LIMIT)


if __name__ == '__main__':
    sys.exit(main())
