"""A node's forecasts of its own load, which it reports in place of the last readings. Pure.

    nws     of each metric that the plan takes for load, the forecast of its next dampened reading
            (series.py)
    none    the last dampened reading

The node that measures makes the forecast, from its own readings, and its report carries it as that
metric. So all nodes still plan from the same reports, whether or not they have the same option, and
an agent that has just been started plans as the others do. Forecasts by the receivers would differ
after the first report that one of them has not received.

Only load is forecast. Rates of requests and of delegation are what was counted: DNS weights follow
what happened. A metric without a reading has no forecast, though it has a series: it is unknown.

Wrzeszcz et al., "Two-Layer Load Balancing for Onedata System", name it as future work.
"""
from swift_lb.plan.forecast.series import MeasuredSeries
from swift_lb.plan.load import CPU, IN_FLIGHT, RESPONSE_TIME
from swift_lb.plan.options import AUTO
from swift_lb.plan.tllb import METRICS

METHODS = NONE, NWS = 'none', 'nws'


def forecast_metrics(method, options):
    """Return the names of the metrics to forecast by `method`, NONE or NWS, under PlanOptions."""
    if method == NONE:
        return ()
    if options.rules == 'tllb':
        return tuple(METRICS.values())
    return (IN_FLIGHT, RESPONSE_TIME, CPU) if options.metric == AUTO else (options.metric,)


class LoadForecasts:
    """A MeasuredSeries for each of some metrics of one node."""

    def __init__(self, names):
        """Take the names of the metrics to forecast, as forecast_metrics() returns them."""
        self._series = {name: MeasuredSeries() for name in names}

    def after(self, metrics):
        """Learn from `metrics`, {name: new reading}; return {name: forecast}, where there is one.

        There is one of each metric whose name was given to this object.
        """
        known = {name: series for name, series in self._series.items() if name in metrics}
        for name, series in known.items():
            series.add(metrics[name])
        return {name: series.forecast.value for name, series in known.items()}
