"""always_fetch: every read leaves by a fetch, to measure what that way costs.

    order       FETCH, by R_hj, then LOCAL, then REDIRECT
    R_hj        the round trip from here to the cluster, over which a fetch goes

It is for comparison, not for use: it chooses the nearest cluster, whatever its load, the size of
the object or the errors of the forecasts. Here, too, a route of an unknown cluster comes after
LOCAL.

Source: H-SWEB (policy/clusters/adaptive.py), section 4: one of its two ways to other clusters.
"""
from swift_lb.model import FETCH, LOCAL
from swift_lb.policy.clusters.nearest import distance
from swift_lb.policy.clusters.ranked import Ranked
from swift_lb.policy.duration import milliseconds


class AlwaysFetch(Ranked):
    """Order FETCH first, by the round trip from here to the cluster, and REDIRECT last."""

    needs_own = False

    def costs(self, routes, known, rng):
        """Return {route: (place of its kind, seconds of a round trip)}."""
        first, last = self.kinds
        places = (first, LOCAL, last)
        return {route: (places.index(route.kind), self._rtt(route, known)) for route in routes}

    def _rtt(self, route, known):
        if route.kind == FETCH:
            return known.states[route.cluster].rtt
        return distance(route, known)

    def _reason(self, route, candidates, known):
        if route.kind == LOCAL:
            return f'only if there is no route of kind {self.kinds[0]}'
        reason = f'a round trip takes {milliseconds(self._rtt(route, known))}'
        return reason if route.kind == self.kinds[0] else f'after reading here: {reason}'
