"""Weights and chance: the base of the policies that use the operator's weights, and random draws.

The weight of a backend is static: that of its name, else of its ip:port, else of its ip, else 1.
Weight 0 is LVS's quiesced server, which gets no new connection; here it comes after all others,
since an order has all candidates.

    nearly    cost x (1 + near x u)     u uniform in [0, 1)
    race      Exp(1) / weight           the least is i with probability w_i / sum(w)

    near      a fraction: two costs that differ by less count as equal

Of two costs within `near` of each other either can come first, the lesser more often, and equal
ones equally often; beyond it the lesser always comes first. Many dispatchers with nearly the same
knowledge must not all choose the same backend: what TAO's load balancer calls the thundering herd.
The race is that of Weighted in policy/lb_rlt.py.
"""
from math import inf, log

from swift_lb.policy.cost import LowestCost

ONLY_AFTER = 'weight 0: only after all others'


class WeightedCost(LowestCost):
    """Order by a cost that depends on the backend's weight, lowest first; weight 0 comes last."""

    choices, counts = None, True

    def __init__(self, options):
        self._weights = options.weights

    def weight(self, backend):
        """Return the operator's weight of `backend`, 1 if none was given."""
        weights = self._weights
        if weights:
            for key in ((backend.name,), (backend.ip, backend.port), (backend.ip,)):
                if key in weights:
                    return weights[key]
        return 1

    def cost(self, backend, snapshot, now):
        """Return (0, cost by load and weight) of `backend`, or (1, 0) for weight 0, to be last."""
        weight = self.weight(backend)
        return (0, self._cost_of(snapshot.of(backend), weight)) if weight else (1, 0)

    def _cost_of(self, load, weight):
        """Return the cost of a backend with this NodeLoad and a weight above 0."""
        raise NotImplementedError

    def _reason(self, backend, snapshot, now):
        weight = self.weight(backend)
        return self._words(snapshot.of(backend), weight) if weight else ONLY_AFTER

    def _words(self, load, weight):
        """Return the cost of a NodeLoad in the terms of the policy's formula, as text."""
        raise NotImplementedError


def by_cost(costs, rng):
    """Return the backends of {backend: cost}, the least cost first, ties at random."""
    # no two draws are equal, so backends are never compared
    ranked = [(cost, rng.random(), backend) for backend, cost in costs.items()]
    ranked.sort()
    return [backend for _cost, _draw, backend in ranked]


def nearly(cost, near, rng):
    """Return `cost`, increased at random by less than the fraction `near`: near costs are ties."""
    return cost * (1.0 + near * rng.random())


def race(weight, rng):
    """Return a random number, exponential with the mean 1 / `weight`; infinite for weight 0.

    Of several backends' numbers, each is the least with a probability in proportion to its weight.
    """
    return -log(1.0 - rng.random()) / weight if weight else inf
