"""weighted_least_connection: the fewest requests of this host for the weight.

    cost = in_flight / weight

    in_flight   requests of this host there and not yet answered
    weight      static (weighed.py)

Source: LVS `wlc`, ip_vs_wlc.c, which compares h1 x w2 with h2 x w1, the same; h is 256 x active
connections + inactive ones, and a request is never inactive. So of idle backends none is better
for its weight, unlike in `never_queue`, whose + 1 is not here. LVS takes the first of equals in its
list, here chance decides.
"""
from swift_lb.policy.backends.weighed import Weighed


class WeightedLeastConnection(Weighed):
    """Order by in_flight and weight."""

    def cost_of(self, load, weight):
        """Return in_flight for each unit of weight."""
        return load.in_flight / weight

    def words(self, load, weight):
        """Say the cost and its factors."""
        return (f'{self.cost_of(load, weight):.3g} = {load.in_flight} in flight / '
                f'weight {weight:g}')
