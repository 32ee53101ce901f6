"""The arithmetic of the paper's tables 8 and 9, and of MAX and E. Pure.

    gain = best others / reference - 1        above 0: the reference answers sooner than the rest

Source: Almeida et al., "LB-RLT Approach for Load Balancing Heterogeneous Storage Nodes", 4.3.

    E = t_min * th / N

    t_min   the mean response time at minimal load, seconds
    th      requests per second at saturation
    N       processors; here the requests that all nodes together serve at once, for a slot of a
            lab's node is what a processor is there: one request at a time
    E       1: no slot is ever idle, and nothing but the slot takes time

Source: Piorkowski et al., "Load Balancing for Heterogeneous Web Servers", formula 2.
"""
import statistics
from typing import NamedTuple


class ComparisonRow(NamedTuple):
    """The response times for one number of workers, in seconds; None if nothing was answered."""

    workers: int
    times: dict             # label -> mean response time
    best: float | None      # the best of the others
    gain: float | None      # best others / reference - 1
    counts: bool            # whether every policy answered everything: only then part of the mean


class Summary(NamedTuple):
    """The mean, best and worst gain over the rows that count, as fractions."""

    mean: float
    best: float
    worst: float


def compare(times, reference, others, counting):
    """Return a ComparisonRow for each number of workers.

    `times` is {label: {workers: seconds or None}}, `reference` and `others` are labels; `counting`
    holds the numbers of workers whose rows count.
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
    """Return the Summary of the ComparisonRows that count; None without any."""
    gains = [row.gain for row in rows if row.counts and row.gain is not None]
    return Summary(statistics.fmean(gains), max(gains), min(gains)) if gains else None


def efficiency(t_min, throughput, processors):
    """Return E of formula 2; None if the least time or the number of processors is unknown."""
    return t_min * throughput / processors if t_min and processors else None
