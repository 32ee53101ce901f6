"""The policies that look at no load: at random or by turns.

    random                every order equally likely; nginx's `random` without `two`, all weights
                          being equal
    round_robin           cost = last_turn
    weighted_round_robin  cost = (choices + 1) / weight

    last_turn   how many orders this host had made when it last put the backend first, 0: never
    choices     times this host has put the backend first
    weight      static (weights.py)

`round_robin`: HAProxy `balance roundrobin`, Pound, lighttpd `round-robin`, with equal weights.
These walk through a list and begin again. Taking the backend whose last turn is longest ago is the
same, and remains so when backends come and go. Each host has its own turns, as each balancer has.

`weighted_round_robin`: LVS `wrr`, ip_vs_wrr.c; nginx's default, smooth since 1.3.1. The shares are
theirs, the sequence is another: from weights 2 : 1 : 1 LVS makes `a a b c`, nginx `a b c a`, and
here `a`, `b` and `c` follow the first `a` in random order. In LVS and nginx a backend that was away
gets its usual share when it returns; here it has fewer choices, and is first until it catches up.
"""
from swift_lb.policy.backends.weights import WeightedCost
from swift_lb.policy.cost import LowestCost
from swift_lb.policy.lb_rlt import Shuffle


class AtRandom(Shuffle):
    """Order the backends at random, every order equally likely."""

    choices, counts = None, False


class RoundRobin(LowestCost):
    """Order by turns: the backend that was put first longest ago is first."""

    choices, counts = None, True

    def cost(self, backend, snapshot, now):
        """Return how many orders this host had made when it last put `backend` first, 0: never."""
        return snapshot.of(backend).last_turn

    def _reason(self, backend, snapshot, now):
        turn = snapshot.of(backend).last_turn
        return f'last put first at turn {turn}' if turn else 'never put first'


class WeightedRoundRobin(WeightedCost):
    """Order by (choices + 1) / weight: the backend that is furthest behind its share is first."""

    def _cost_of(self, load, weight):
        return (load.choices + 1) / weight

    def _words(self, load, weight):
        return (f'next due at {self._cost_of(load, weight):.3g} = ({load.choices} times first + 1) '
                f'/ weight {weight:g}')
