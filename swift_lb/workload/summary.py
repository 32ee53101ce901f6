"""What a run of reads came to."""
import math
import statistics
from typing import NamedTuple


class Summary(NamedTuple):
    """The figures of one run; times in seconds, rates in requests per second."""

    throughput: float     # answered with success, per second
    mean: float           # response times of the successes; nan where there was none
    p50: float
    p99: float
    success_ratio: float


def summarize(samples, begin, end):
    """Return the Summary of the samples answered between the instants `begin` and `end`."""
    inside = [sample for sample in samples
              if begin <= sample.began_at + sample.response_time < end]
    times = sorted(sample.response_time for sample in inside if sample.success)
    return Summary(
        throughput=len(times) / (end - begin),
        mean=statistics.fmean(times) if times else math.nan,
        p50=percentile(times, 0.50), p99=percentile(times, 0.99),
        success_ratio=len(times) / len(inside) if inside else math.nan)


def percentile(ordered, fraction):
    """Return the least of `ordered` that at least `fraction` of them do not exceed (nearest rank).

    nan for an empty list.
    """
    if not ordered:
        return math.nan
    return ordered[max(0, math.ceil(fraction * len(ordered)) - 1)]


def median_of(summaries):
    """Return the Summary whose every figure is the median of that figure over `summaries`."""
    return Summary(*(statistics.median(figures) for figures in zip(*summaries, strict=True)))
