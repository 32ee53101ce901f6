"""Shares: fractions that are the same on every machine and add up to 1. Pure.

Sums use math.fsum, which rounds once: the results of Python's sum() have changed in 3.12.
"""
import math

PARTS = 1_000_000       # a share is a whole number of millionths


def mean(values):
    """Return the mean of numbers, None if there are none."""
    values = tuple(values)
    return math.fsum(values) / len(values) if values else None


def rounded(value):
    """Return a fraction rounded to whole millionths."""
    return round(value * PARTS) / PARTS


def shared_out(weights):
    """Return {name: share} in proportion to {name: weight}; {} if all weights are 0.

    Shares are multiples of a millionth and add up to 1. They are rounded by the method of largest
    remainders; of equal remainders the first names get the larger shares.
    """
    total = math.fsum(weights.values())
    if total <= 0:
        return {}
    exact = {name: weight / total * PARTS for name, weight in weights.items()}
    parts = {name: math.floor(share) for name, share in exact.items()}
    by_rest = sorted(exact, key=lambda name: (parts[name] - exact[name], name))
    for name in by_rest[:PARTS - sum(parts.values())]:
        parts[name] += 1
    return {name: part / PARTS for name, part in parts.items()}


def with_floor(weights, floor):
    """Return {name: fraction}, 1 together: `floor` is divided equally, the rest by `weights`.

    It is {} if all weights are 0.
    """
    total = math.fsum(weights.values())
    if total <= 0:
        return {}
    equal = floor / len(weights)
    return {name: equal + (1 - floor) * (weight / total) for name, weight in weights.items()}


def bounded(weights, ratio):
    """Return {name: weight}, each raised to the largest one divided by `ratio` if it is less."""
    least = max(weights.values(), default=0.0) / ratio
    return {name: max(weight, least) for name, weight in weights.items()}
