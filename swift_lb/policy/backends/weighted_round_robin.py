"""weighted_round_robin: one after another, each as often as its weight says.

    cost = (choices + 1) / weight

    choices   times this host has put the backend first
    weight    static (weighed.py)

Source: LVS `wrr`, ip_vs_wrr.c; nginx's default, smooth since 1.3.1. The shares are theirs, the
sequence is another: of 2 : 1 : 1 LVS makes `a a b c`, nginx `a b c a`, and here after the first `a`
come `a`, `b` and `c` in an order of chance. What differs: they hold nothing against a backend for
the time it was away, here it has fewer choices then, and is first until it has made up for it.
"""
from swift_lb.policy.backends.weighed import Weighed


class WeightedRoundRobin(Weighed):
    """Order by choices and weight."""

    def cost_of(self, load, weight):
        """Return when its next turn is due."""
        return (load.choices + 1) / weight

    def words(self, load, weight):
        """Say the cost and its factors."""
        return (f'next due at {self.cost_of(load, weight):.3g} = ({load.choices} times first + 1) '
                f'/ weight {weight:g}')
