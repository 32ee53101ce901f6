"""The order in which contestants, such as policies, run; the range of a figure over runs. Pure."""
import statistics
from typing import NamedTuple


class RunSpan(NamedTuple):
    """A figure over several runs: median, minimum, maximum, and the number of runs."""

    median: float
    least: float
    most: float
    runs: int

    def overlaps(self, other):
        """Return whether the range, least to most, overlaps that of the RunSpan `other`."""
        return self.least <= other.most and other.least <= self.most


def span(values):
    """Return the RunSpan of those `values` that are not None; None if there are none."""
    known = [value for value in values if value is not None]
    return RunSpan(statistics.median(known), min(known), max(known), len(known)) if known else None


def rotated(contestants, turn):
    """Return `contestants` in order, beginning with another one in each `turn`, 0, 1, 2 ...

    So no contestant is always the first, on a cold machine, or the last, on a throttled one.
    """
    shift = turn % len(contestants)
    return [*contestants[shift:], *contestants[:shift]]


def alternating(contestants, block):
    """Return `contestants` forwards in blocks 0, 2 ... and backwards in blocks 1, 3 ... (ABBA).

    So a machine that becomes slower, or faster, with time favours none of the contestants.
    """
    return [*contestants][::-1 if block % 2 else 1]
