"""The forecast of a series: near that of the best predictor, with its own error published."""
import random
from statistics import fmean

import pytest
from support.forecast_series import BEST, SERIES, errors

from swift_lb.plan.forecast.predictors import LONGEST
from swift_lb.plan.forecast.series import MeasuredSeries

SEEDS = 1, 2, 3


@pytest.mark.parametrize('seed', SEEDS)
@pytest.mark.parametrize('name', SERIES)
def test_the_error_is_at_most_1_05_times_that_of_the_best_predictor(name, seed):
    own, best = errors(SERIES[name](random.Random(seed)))
    assert own <= BEST * best + 1e-12


def test_there_is_no_forecast_without_values_and_no_error_after_one():
    series = MeasuredSeries()
    assert series.forecast is None
    series.add(3.0)
    assert (3.0, None, None) == series.forecast[:3]


def test_the_published_error_is_the_mean_of_the_choosers_own_errors():
    series, absolute = MeasuredSeries(), []
    for value in (1.0, 2.0, 4.0):
        if series.forecast is not None:
            absolute.append(abs(series.forecast.value - value))
        series.add(value)
    assert series.forecast.mae == pytest.approx(fmean(absolute))
    assert series.forecast.mse == pytest.approx(fmean(error * error for error in absolute))


def test_sums_of_windows_do_not_drift_after_huge_values():
    series = MeasuredSeries()
    for value in (1e15, *[1.0] * 500, *[2.0, 1.0] * 100):
        series.add(value)
    windowed = {chooser.name: chooser for _kind, chooser in series._choosers}
    expected = [sum(column) for column in zip(*windowed['mae_50']._recent, strict=True)]
    assert expected == pytest.approx(windowed['mae_50']._sums, abs=1e-9)


def test_a_series_uses_the_same_memory_after_many_values():
    series = MeasuredSeries()
    for number in range(1000):
        series.add(float(number % 7))
    assert LONGEST == len(series._values)
    assert 100 == max(len(chooser._recent) for _kind, chooser in series._choosers)
