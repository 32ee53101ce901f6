"""How loaded a node is, to the rule set `balanced`: a number of which less is better. Pure.

    auto    load = (in_flight + 1) x response_time

        in_flight       requests in the node's proxies, without those it has delegated
        response_time   seconds to the head of an answer; of who has answered none, the others' mean

    Where loads of this form are equal, a node twice as fast has more than twice the requests, and
    idle nodes differ by their speed alone. It is what nginx's least_time multiplies. CPU says less:
    Akamai's manual advises against it, and Prequal does not balance it. It is used where less than
    half of the nodes know in_flight.

    Any other metric is taken as it is, or its reciprocal where more of it is better.

Who does not know its load is taken to have the mean of those who do: never 0, never the best.
"""
import math

from swift_lb.plan.options import AUTO
from swift_lb.plan.shares import mean

IN_FLIGHT, RESPONSE_TIME, REQUESTS, CPU = 'in_flight', 'response_time', 'requests', 'cpu'
LEAST = 1e-6        # a load is more than nothing


def metric_of(reports, options):
    """Return the name of the metric that `reports` are judged by, as far as thresholds go."""
    if options.metric != AUTO:
        return options.metric
    known = sum(IN_FLIGHT in report.metrics for report in reports)
    return IN_FLIGHT if 2 * known >= len(reports) else CPU


def loads(reports, options):
    """Return {name: load} of `reports`, more than 0."""
    metric = metric_of(reports, options)
    if options.metric == AUTO and metric == IN_FLIGHT:
        found = predicted(reports)
    else:
        found = {report.node: taken(report, metric, options) for report in reports}
    others = mean(load for load in found.values() if load is not None)
    return {name: max(LEAST, (1.0 if others is None else others) if load is None else load)
            for name, load in found.items()}


def taken(report, metric, options):
    """Return what a report says of `metric` as a load, None if it says nothing."""
    value = report.metrics.get(metric)
    if value is None or metric not in options.higher:
        return value
    return 1 / value if value > 0 else None


def predicted(reports):
    """Return {name: load} by the formula of `auto`, None where in_flight is unknown."""
    times = {report.node: report.metrics.get(RESPONSE_TIME) for report in reports}
    usual = mean(seconds for seconds in times.values() if seconds is not None) or 1.0
    return {report.node: None if IN_FLIGHT not in report.metrics else
            (report.metrics[IN_FLIGHT] + 1)
            * (usual if times[report.node] is None else times[report.node])
            for report in reports}


def debited(reports, load):
    """Return {name: load} with what has been delegated to each since it reported, at most.

    That is what all others were told to delegate to it, for as long as a request stays there, by
    Little's law; as a fraction of what it has in flight.
    """
    total = math.fsum((1 - report.keep) * report.metrics.get(REQUESTS, 0.0) for report in reports)
    return {report.node: load[report.node] * (1 + debit(report, total * report.take))
            for report in reports}


def debit(report, rate):
    """Return how much more a node has to do with `rate` requests a second more, as a fraction."""
    stay = min(report.interval, report.metrics.get(RESPONSE_TIME, report.interval))
    return rate * stay / (report.metrics.get(IN_FLIGHT, 0.0) + 1)
