"""traffic_counting: each backend gets its configured share of the bytes.

    cost = bytes / weight

    bytes    of bodies, both ways, that went through the backend for this host, ever
    weight   static (weighed.py)

Source: Apache, mod_lbmethod_bytraffic.c, Weighted Traffic Counting in Piorkowski et al., who
found it over two times slower than the best. Blind to time: who answers slowly has few bytes and
gets more requests, and who fails has none and gets all. Bytes are counted when they have passed, so
that all requests until then go the same way. Apache counts the heads too, here bodies count.
"""
from swift_lb.model import Traffic
from swift_lb.policy.backends.weighed import Weighed


class TrafficCounting(Weighed):
    """Order by bytes and weight."""

    def cost_of(self, load, weight):
        """Return the bytes for each unit of weight."""
        traffic = load.evidence.get(Traffic)
        return traffic.bytes / weight if traffic else 0.0

    def words(self, load, weight):
        """Say it."""
        return f'{self.cost_of(load, weight):,.0f} bytes for each unit of its weight {weight:g}'
