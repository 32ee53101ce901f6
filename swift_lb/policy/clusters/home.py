"""The two policies that read here every object that is here.

    local       LOCAL first, the others in random order
    on_absent   LOCAL first, then FETCH of one cluster after another, by name

They differ if the object is absent here: `local` has no order then, and `on_absent` that of MinIO,
which sends a GET or HEAD of an absent object to the targets of the bucket's replication, in the
order of its conf, until one has it; the client is never redirected. A cluster has no such list, so
the order is that of the names: the same on all hosts.

Source: plain Swift. MinIO, cmd/bucket-replication.go: proxyHeadToRepTarget.
"""
from swift_lb.model import LOCAL, REDIRECT
from swift_lb.policy.clusters.ranked import Ranked


class StayHere(Ranked):
    """Order LOCAL first, and all others at random."""

    def costs(self, routes, known, rng):
        """Return {route: 0 of LOCAL, 1 of the others}."""
        return {route: int(route.kind != LOCAL) for route in routes}

    def knows(self, route, known, now):
        """Return True: the policy needs no facts."""
        return True

    def _reason(self, route, candidates, known):
        if route.kind == LOCAL:
            return 'always read here'
        return 'only if it is not read here'


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
