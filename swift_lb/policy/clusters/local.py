"""local: every object is read here, as in plain Swift.

    order       LOCAL first, the others at random

If the object is absent here, no cluster is preferred: on_absent (policy/clusters/on_absent.py)
prefers one.
"""
from swift_lb.model import LOCAL
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
