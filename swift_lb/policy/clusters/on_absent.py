"""on_absent: what is here is read here; an absent object is asked for in one cluster after another.

    order       LOCAL first, then FETCH by the names of the clusters, then REDIRECT

MinIO sends a GET or HEAD of an absent object to the targets of the bucket's replication, in the
order of its conf, until one has it; the client is never redirected. A cluster has no such list, so
the order is that of the names: the same on all hosts.

Source: MinIO, cmd/bucket-replication.go: proxyHeadToRepTarget.
"""
from swift_lb.model import LOCAL, REDIRECT
from swift_lb.policy.clusters.local import StayHere


class OnAbsent(StayHere):
    """Order LOCAL first, and then the other clusters by name."""

    def costs(self, routes, known, rng):
        """Return {route: (whether the client is redirected, name of another cluster)}."""
        return {route: (route.kind == REDIRECT, '' if route.kind == LOCAL else route.cluster)
                for route in routes}

    def _reason(self, route, candidates, known):
        if route.kind == LOCAL:
            return 'read here, as it is here'
        return 'if it is not here: clusters by name'
