"""Cygnus' two thresholds: from which load a node is not chosen any more, and is to shed. Pure.

    reject      nothing delegated goes there any more; its DNS weight does not grow
    critical    besides, it delegates of what it receives; its DNS weight goes down

Othman, Balasubramanian, Schmidt, "Performance Evaluation of an Adaptive Middleware Load Balancing
and Monitoring Service", section 3.4. Each node has its own, from its knee (plan/knee.py), or the
conf says one for all. A node comes back when its load is RELEASE of the threshold, or it would come
and go with each report. When thresholds are so wrong that most nodes are over them, as in the
paper's Figure 10, there is panic, and they count for nothing.
"""
from swift_lb.model import CRITICAL, REJECTED, UP
from swift_lb.plan.load import IN_FLIGHT, metric_of

RELEASE = 0.8


def verdicts(reports, options):
    """Return {name: UP, REJECTED or CRITICAL} of `reports`; who knows no load is UP."""
    metric = metric_of(reports, options)
    return {report.node: verdict(report, report.metrics.get(metric), options, metric == IN_FLIGHT)
            for report in reports}


def verdict(report, value, options, own):
    """Return what the load `value` makes of a node; metrics of which more is better have none.

    A node's `own` thresholds are requests in flight, and hold for nothing else.
    """
    reject, critical = (report.reject, report.critical) if own else (None, None)
    reject = reject if options.reject is None else options.reject
    critical = critical if options.critical is None else options.critical
    if value is None or options.metric in options.higher:
        return UP
    if over(value, critical, report.told == CRITICAL):
        return CRITICAL
    if over(value, reject, report.told in (REJECTED, CRITICAL)):
        return REJECTED
    return UP


def over(value, threshold, already):
    """Return whether `value` is over `threshold`, or, if it was `already`, not yet back."""
    if threshold is None:
        return False
    return value >= (RELEASE * threshold if already else threshold)
