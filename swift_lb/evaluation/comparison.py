"""Pure functions that compare policies' response times, and compute the efficiency E.

    gain = best others / reference - 1

    best others     the mean response time of the fastest other policy
    reference       that of the policy which is compared with all others, LB-RLT
    gain            above 0: the reference answers sooner than every other policy

Source: Almeida et al., "LB-RLT Approach for Load Balancing Heterogeneous Storage Nodes", 4.3,
tables 8 and 9.

    E = t_min * th / N

    t_min   the mean response time at minimal load, seconds
    th      requests per second at saturation
    N       processors; here the requests that all nodes together can serve at once, because a
            slot of a lab's node serves one request at a time, as a processor does
    E       1: every slot is always busy, and a request takes no time outside of its slot

Source: Piorkowski et al., "Load Balancing for Heterogeneous Web Servers", formula 2.
"""
import statistics
from typing import NamedTuple


class ComparisonRow(NamedTuple):
    """Each policy's mean response time at one number of workers, and the gain of the reference.

    Times are in seconds, and None if no operation succeeded.
    """

    workers: int
    times: dict             # label -> mean response time
    best: float | None      # the best of the others
    gain: float | None      # best others / reference - 1
    counts: bool            # whether every policy answered everything: only then part of the mean


class Summary(NamedTuple):
    """The mean, best and worst gain of the reference policy over rows that count; 0.1 is 10 %."""

    mean: float
    best: float
    worst: float


def compare(times, reference, others, counting):
    """Return a ComparisonRow for each number of workers.

    `times` is {policy's label: {workers: mean response time in seconds, or None}}. `reference` is
    the label that is compared with the labels `others`. The rows for the numbers of workers in
    `counting` are marked to count in the summary.
    """
    rows = []
    for workers in sorted({workers for column in times.values() for workers in column}):
        row = {label: column.get(workers) for label, column in times.items()}
        own = row.get(reference)
        known = [row[label] for label in others if row.get(label) is not None]
        best = min(known, default=None)
        gain = best / own - 1 if own and best is not None else None
        rows.append(ComparisonRow(workers, row, best, gain, workers in counting))
    return rows


def summary(rows):
    """Return the Summary of the `rows` that count and have a gain; None if there are none."""
    gains = [row.gain for row in rows if row.counts and row.gain is not None]
    return Summary(statistics.fmean(gains), max(gains), min(gains)) if gains else None


def efficiency(t_min, throughput, processors):
    """Return the efficiency t_min * throughput / processors; None if one is unknown.

    `t_min` is the mean response time at minimal load in seconds, `throughput` the requests/s at
    saturation.
    """
    return t_min * throughput / processors if t_min and processors else None
