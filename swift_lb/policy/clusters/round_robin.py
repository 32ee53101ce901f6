"""round_robin: the clusters take turns, as with one DNS name that has an address of each cluster.

    cost        choices: the reads that this worker has sent to the cluster, by whichever route

A DNS server sends all addresses, each time beginning with another one, and knows neither distance
nor load nor where an object is. The client then connects to the cluster itself, so REDIRECT comes
before FETCH. A cluster that returns gets all reads until it has had as many as the others; with DNS
it gets its usual share at once.

Source: RFC 1794, "DNS Support for Load Balancing"; BIND's `rrset-order cyclic`.
"""
from swift_lb.model import FETCH, REDIRECT
from swift_lb.policy.clusters.ranked import Ranked


class ClusterTurns(Ranked):
    """Order by the reads that this worker has sent to each cluster, fewest first."""

    needs_own, kinds = False, (REDIRECT, FETCH)

    def costs(self, routes, known, rng):
        """Return {route: reads that this worker has sent to its cluster}."""
        return {route: known.choices.get(route.cluster, 0) for route in routes}

    def _reason(self, route, candidates, known):
        return f'{known.choices.get(route.cluster, 0)} reads were sent to this cluster'
