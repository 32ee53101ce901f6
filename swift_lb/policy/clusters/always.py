"""The two policies that always leave, to measure what each way to leave costs.

    always_fetch        FETCH, by R_hj, then LOCAL, then REDIRECT
    always_redirect     REDIRECT, by the client's round trip, then LOCAL, then FETCH

    R_hj                the round trip from here to the cluster, over which a fetch goes
    client's            the round trip from the client to the cluster: policy/clusters/nearest.py

They are for comparison, not for use: they choose the nearest cluster, whatever its load, the size
of the object or the errors of the forecasts. With them, too, a route of an unknown cluster comes
after LOCAL.

Source: H-SWEB (policy/clusters/adaptive.py), section 4, whose two ways to other clusters these are.
"""
from swift_lb.model import FETCH, LOCAL, REDIRECT
from swift_lb.policy.clusters.nearest import distance
from swift_lb.policy.clusters.ranked import Ranked, milliseconds


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


class AlwaysRedirect(AlwaysFetch):
    """Order REDIRECT first, by the round trip from the client to the cluster, and FETCH last."""

    kinds = (REDIRECT, FETCH)
