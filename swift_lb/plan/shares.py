"""Sharing out: fractions that come out alike on every machine, and are 1 together. Pure.

Sums are math.fsum, which rounds once: what Python's sum() gives has changed in 3.12.
"""
import math

PARTS = 1_000_000       # a share is so many parts


def mean(values):
    """Return the mean of `values`, None of none."""
    values = tuple(values)
    return math.fsum(values) / len(values) if values else None


def rounded(value):
    """Return `value` in whole parts."""
    return round(value * PARTS) / PARTS


def shared_out(weights):
    """Return {name: share} of {name: weight}: whole parts that are 1 together, or {} for no weight.

    By largest remainders; of equal remainders the first names have the larger shares.
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
    """Return {name: weight}, 1 together, of which the fraction `floor` is shared out alike."""
    total = math.fsum(weights.values())
    if total <= 0:
        return {}
    alike = floor / len(weights)
    return {name: alike + (1 - floor) * weight / total for name, weight in weights.items()}


def bounded(weights, ratio):
    """Return {name: weight} of which none is less than the largest one's `ratio`-th part."""
    least = max(weights.values(), default=0.0) / ratio
    return {name: max(weight, least) for name, weight in weights.items()}
