"""What is left to chance: ties, what is nearly a tie, and choices by weight.

    nearly    cost x (1 + near x u)     u uniform in [0, 1)
    race      Exp(1) / weight           the least is i with probability w_i / sum(w)

    near      a fraction: two costs that differ by less are as good as equal

Of two costs within `near` of each other either can come first, the better the more often, and equal
ones equally often; beyond it the better is always first. Many who see nearly the same must not all
go the same way: what TAO's load balancer calls the thundering herd. The race is that of
policy/weighted.py.
"""
from math import inf, log


def by_cost(costs, rng):
    """Return the backends of {backend: cost}, the least cost first, ties by chance."""
    # no two draws are equal, so backends are never compared
    found = [(cost, rng.random(), backend) for backend, cost in costs.items()]
    found.sort()
    return [backend for _cost, _draw, backend in found]


def nearly(cost, near, rng):
    """Return `cost`, or up to the fraction `near` more."""
    return cost * (1.0 + near * rng.random())


def race(weight, rng):
    """Return when one of `weight` arrives at the goal; weight 0 never does."""
    return -log(1.0 - rng.random()) / weight if weight else inf
