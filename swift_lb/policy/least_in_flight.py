"""Least in flight: the node with the fewest reads of ours, known elsewhere as least connections.

    cost = in_flight

    in_flight   reads sent to the node, by this book's proxies, whose last byte has not come

Needs no measure, so nothing is unknown and nothing expires; a node that hangs is avoided once it
has more than others. Blind to what the requests in flight will take, and to all other proxies'; a
node that fails at once has none in flight and looks idle (Envoy 39737).

Source: HAProxy `leastconn`; nginx `least_conn`; with two choices in Finagle `LeastLoaded`.
"""
from swift_lb.policy.costed import Costed


class LeastInFlight(Costed):
    """Order by in_flight."""

    def cost(self, node, snapshot, now):
        """Return in_flight."""
        return snapshot.of(node).in_flight

    def reason(self, node, snapshot, now):
        """Say it."""
        return f'{snapshot.of(node).in_flight} in flight'
