"""How loaded a node is, and whether it is over a threshold: for the rule set `balanced`. Pure.

    auto    load = (in_flight + 1) x response_time

        in_flight       requests in the node's proxies, without those it has delegated
        response_time   seconds to the head of an answer; the mean of other nodes if it gave none

    Where loads of this form are equal, a node twice as fast has more than twice the requests, and
    idle nodes differ by their speed alone. nginx's least_time uses the same product. CPU says less:
    Akamai's manual advises against it, and Prequal does not balance it. CPU is the load where less
    than half of the nodes know in_flight.

    Any other metric is used unchanged, or its reciprocal where more of it is better. A node that
    does not know its load is assumed to have the other nodes' mean: never 0, never the best.

    reject      from this load on nothing is delegated to a node, and its DNS weight does not grow
    critical    from this load on it also delegates what it receives, and its DNS weight goes down

The thresholds are Cygnus': Othman, Balasubramanian, Schmidt, "Performance Evaluation of an Adaptive
Middleware Load Balancing and Monitoring Service", section 3.4. Each node has its own, from its knee
(plan/knee.py), or the conf sets one for all. A node over a threshold is back below it at RELEASE
times the threshold, so that its state does not change with each report.
"""
import math

from swift_lb.model import CRITICAL, REJECTED, UP
from swift_lb.plan.options import AUTO
from swift_lb.plan.shares import mean

IN_FLIGHT, RESPONSE_TIME, REQUESTS, CPU = 'in_flight', 'response_time', 'requests', 'cpu'
MIN_LOAD = 1e-6
RELEASE = 0.8


def metric_of(reports, options):
    """Return the name of the metric that thresholds are for: the option, or in_flight or cpu.

    For the option `auto` it is in_flight if at least half of the `reports` have it, else cpu.
    """
    if options.metric != AUTO:
        return options.metric
    known = sum(IN_FLIGHT in report.metrics for report in reports)
    return IN_FLIGHT if 2 * known >= len(reports) else CPU


def loads(reports, options):
    """Return {node name: load} of all `reports`, each above 0, in the unit of the plan's metric."""
    metric = metric_of(reports, options)
    if options.metric == AUTO and metric == IN_FLIGHT:
        known = auto_loads(reports)
    else:
        known = {report.node: metric_load(report, metric, options) for report in reports}
    others = mean(load for load in known.values() if load is not None)
    return {name: max(MIN_LOAD, (1.0 if others is None else others) if load is None else load)
            for name, load in known.items()}


def metric_load(report, metric, options):
    """Return a report's load by `metric`, its reciprocal if more is better, None without it."""
    value = report.metrics.get(metric)
    if value is None or metric not in options.higher:
        return value
    return 1 / value if value > 0 else None


def auto_loads(reports):
    """Return {name: (in_flight + 1) x response_time}, None where in_flight is not reported."""
    times = {report.node: report.metrics.get(RESPONSE_TIME) for report in reports}
    mean_time = mean(seconds for seconds in times.values() if seconds is not None) or 1.0
    return {report.node: None if IN_FLIGHT not in report.metrics else
            (report.metrics[IN_FLIGHT] + 1)
            * (mean_time if times[report.node] is None else times[report.node])
            for report in reports}


def debited(reports, load):
    """Return {name: load}, each plus what may have been delegated to the node since its report.

    The other nodes were told a rate to delegate to it. By Little's law, this rate times the seconds
    that a request stays is the number that have come; they raise the load by their fraction of the
    requests that the node had.
    """
    total = math.fsum((1 - report.keep) * report.metrics.get(REQUESTS, 0.0) for report in reports)
    return {report.node: load[report.node] * (1 + _growth(report, total * report.take))
            for report in reports}


def _growth(report, rate):
    stay = min(report.interval, report.metrics.get(RESPONSE_TIME, report.interval))
    return rate * stay / (report.metrics.get(IN_FLIGHT, 0.0) + 1)


def threshold_states(reports, options):
    """Return {name: UP, REJECTED or CRITICAL} of `reports`; UP where the metric is unknown."""
    metric = metric_of(reports, options)
    return {report.node: threshold_state(report, report.metrics.get(metric), options,
                                         metric == IN_FLIGHT) for report in reports}


def threshold_state(report, value, options, own):
    """Return UP, REJECTED or CRITICAL of a node whose metric is `value`.

    It is UP for a metric of which more is better. If `own`, `value` is in requests in flight, and
    the thresholds in the report apply; those of the conf override them.
    """
    reject, critical = (report.reject, report.critical) if own else (None, None)
    reject = reject if options.reject is None else options.reject
    critical = critical if options.critical is None else options.critical
    if value is None or options.metric in options.higher:
        return UP
    if _is_over(value, critical, report.told == CRITICAL):
        return CRITICAL
    if _is_over(value, reject, report.told in (REJECTED, CRITICAL)):
        return REJECTED
    return UP


def _is_over(value, threshold, already):
    if threshold is None:
        return False
    return value >= (RELEASE * threshold if already else threshold)
