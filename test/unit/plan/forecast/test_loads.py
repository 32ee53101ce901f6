"""A node's forecasts of its own load: which metrics are forecast, and from which readings."""
import pytest

from swift_lb.plan.forecast.loads import NONE, NWS, LoadForecasts, forecast_metrics
from swift_lb.plan.forecast.series import MeasuredSeries
from swift_lb.plan.options import DEFAULTS


@pytest.mark.parametrize(('options', 'names'), [
    ({}, {'in_flight', 'response_time', 'cpu'}), ({'metric': 'disk'}, {'disk'}),
    ({'rules': 'tllb'}, {'cpu', 'memory', 'network'})])
def test_only_metrics_that_the_plan_takes_for_load_are_forecast(options, names):
    options = DEFAULTS._replace(**options)
    assert names == {*forecast_metrics(NWS, options)}
    assert () == forecast_metrics(NONE, options)


def test_each_metric_has_the_forecast_of_its_own_series():
    forecasts, alone = LoadForecasts(('cpu', 'memory')), MeasuredSeries()
    for number in range(30):
        alone.add(number % 3)
        both = forecasts.after({'cpu': number % 3, 'memory': 7.0, 'disk': 1.0})
        assert both == {'cpu': alone.forecast.value, 'memory': 7.0}


def test_a_metric_without_a_reading_has_no_forecast():
    forecasts = LoadForecasts(('cpu', 'in_flight'))
    assert {'cpu': 0.5} == forecasts.after({'cpu': 0.5})
    assert {} == forecasts.after({})
    assert {'cpu': 0.5, 'in_flight': 4.0} == forecasts.after({'cpu': 0.5, 'in_flight': 4.0})
