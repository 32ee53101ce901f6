"""never_queue: an idle backend, if there is one; else the one with the shortest expected delay.

    cost = (in_flight + 1) / weight     of those with in_flight > 0, behind all that are idle

    in_flight   requests of this host there and not yet answered
    weight      static (weighed.py); 0 = never idle, but last

Source: LVS `nq`, ip_vs_nq.c, after Weinrib and Shenker, "Greed is not enough", INFOCOM 1988; the
shortest expected delay is its `sed`. LVS takes the first idle server in its list, so that few
requests are all answered by that one; here chance decides among the idle.
"""
from swift_lb.policy.backends.weighed import Weighed


class NeverQueue(Weighed):
    """Order the idle first, the others by expected delay."""

    def cost_of(self, load, weight):
        """Return 0 if it is idle, else the expected delay, in units of a request at weight 1."""
        return (load.in_flight + 1) / weight if load.in_flight else 0.0

    def words(self, load, weight):
        """Say the cost and its factors."""
        if not load.in_flight:
            return 'idle'
        return (f'expected delay {self.cost_of(load, weight):.3g} = ({load.in_flight} in flight '
                f'+ 1) / weight {weight:g}')
