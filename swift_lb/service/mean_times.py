"""Means of the ServedTimes of several workers or nodes, weighted by their requests. Pure."""
import math

from swift_lb.wire.observations import ServedTime

LEAST_WEIGHT = 1e-3     # requests: a class that was not served lately still counts a little


def weighted(lists):
    """Return {class of content: the mean ServedTime} of all ServedTimes in `lists`."""
    classes = {}
    for one in [one for times in lists for one in times]:
        classes.setdefault(one.content, []).append(one)
    return {content: _mean(content, times) for content, times in classes.items()}


def mean_seconds(times):
    """Return the mean seconds of ServedTimes of any classes, None if there are none."""
    times = [*times]
    return _mean('', times).seconds if times else None


def _mean(content, times):
    weights = [max(one.requests, LEAST_WEIGHT) for one in times]
    total = math.fsum(weights)
    seconds, step = [math.fsum(weight * getattr(one, name) for weight, one in zip(
        weights, times, strict=True)) / total for name in ('seconds', 'step')]
    return ServedTime(content, seconds, step, total)
