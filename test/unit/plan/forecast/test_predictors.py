"""Each predictor against numbers worked by hand."""
import pytest

from swift_lb.plan.forecast.predictors import LONGEST, AdaptiveMedian, predictors

RISING = [float(value) for value in range(1, 61)]


def forecasts(values):
    """Return {name: forecast} of all predictors after the list `values`."""
    named, history, result = predictors(), [], {}
    for value in values:
        history = [*history, value][-LONGEST:]
        result = {name: predict(history) for name, predict in named.items()}
    return result


def test_there_are_the_18_predictors_of_the_network_weather_service():
    assert 18 == len(predictors())


def test_after_one_value_every_predictor_forecasts_that_value():
    assert {7.5} == {*forecasts([7.5]).values()}


@pytest.mark.parametrize(('name', 'expected'), [
    ('last', 60.0), ('mean', 30.5), ('mean_5', 58.0), ('mean_31', 45.0), ('median_5', 58.0),
    ('median_31', 45.0),
    ('trimmed_31', 45.0),       # of 30 to 60 without the 9 least and the 9 largest
    ('trimmed_51', 35.0)])
def test_means_and_medians_of_rising_values_equal_those_worked_by_hand(name, expected):
    assert expected == pytest.approx(forecasts(RISING)[name])


@pytest.mark.parametrize(('name', 'expected'), [
    ('median_5', 2.5), ('trimmed_31', 2.5), ('mean_5', 26.5), ('mean', 26.5), ('last', 100.0)])
def test_an_outlier_of_four_values_changes_means_but_not_medians(name, expected):
    assert expected == forecasts([1.0, 2.0, 3.0, 100.0])[name]


def test_exponential_smoothing_moves_by_its_gain():
    assert 1.75 == forecasts([1.0, 2.0])['smooth_0.75']
    assert 1.0 + 0.05 + 0.05 * 0.95 == pytest.approx(forecasts([1.0, 2.0, 2.0])['smooth_0.05'])


def test_an_adaptive_median_takes_a_shorter_window_while_values_rise():
    median, history, sizes = AdaptiveMedian(5, 21, 10, 1), [], []
    for value in RISING:
        history.append(value)
        median(history)
        sizes.append(median._size)
    assert (10, 5) == (sizes[0], sizes[-1])
