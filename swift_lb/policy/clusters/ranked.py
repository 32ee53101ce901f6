"""The bases of the policies of clusters: a rank for each route, the least first.

    rank        (tier, cost, kind, random draw)
    tier        0   LOCAL, if the policy stays: at least if what it needs of this cluster is unknown
                1   a route that is known
                2   any other: never before LOCAL, nor before a route that is known
    kind        LOCAL, then the routes in `kinds`: of equal costs the one of LOCAL is first, so that
                a tie stays here
    draw        the order of equals is random, so that not all hosts choose the same cluster

Policies whose clusters have shares draw one number for each cluster, not for each route: a cluster
with two routes has one share. By an exponential race (policy/backends/weights.py), as Weighted in
policy/lb_rlt.py: after each place the others are drawn in proportion to their shares.
"""
from swift_lb.model import FETCH, LOCAL, REDIRECT, ClusterState
from swift_lb.policy.backends.weights import race

STAY, KNOWN, UNKNOWN = range(3)


class Ranked:
    """Order routes by their costs, but LOCAL before all that are unknown or cost the same."""

    fact = ClusterState             # the class of evidence without which a route is unknown
    needs_own = True                # whether LOCAL is unknown without it as well
    needs_gain = False              # whether a read leaves only for fewer RouteCost.seconds
    kinds = (FETCH, REDIRECT)       # which of the two routes to a cluster is tried first

    def __init__(self, options):
        pass

    def costs(self, routes, snapshot, rng):
        """Return {route: cost, to be minimised} of `routes`, which are known."""
        raise NotImplementedError

    def stays(self, here, costs, snapshot):
        """Return whether the route LOCAL, `here`, is first, whatever its cost in `costs`."""
        return here not in costs

    def order(self, candidates, snapshot, now, rng):
        """Return the routes by cost, LOCAL first if stays() says so, unknown ones last."""
        costs = self.costs([route for route in candidates if self.knows(route, snapshot, now)],
                           snapshot, rng)
        tiers = dict.fromkeys(costs, KNOWN)
        here = here_of(candidates)
        if here is not None and self.stays(here, costs, snapshot):
            tiers[here] = STAY
        kinds = (LOCAL, *self.kinds)
        ranked = [(tiers.get(route, UNKNOWN), costs.get(route, 0.0), kinds.index(route.kind),
                   rng.random(), route) for route in candidates]
        ranked.sort()       # no two draws are equal, so routes are never compared
        return [rank[-1] for rank in ranked]

    def knows(self, route, snapshot, now):
        """Return whether the policy knows what it needs of `route`."""
        return ((route.kind == LOCAL and not self.needs_own)
                or snapshot.of(route).evidence.get(self.fact) is not None)

    def explain(self, route, candidates, snapshot, now):
        """Return the reason for the place of `route` among the candidates, as text."""
        if self.knows(route, snapshot, now):
            return self._reason(route, candidates, snapshot)
        return ('nothing known of this cluster: read here' if route.kind == LOCAL else
                'nothing known: after all that are known')

    def _reason(self, route, candidates, snapshot):
        """Return the cost of a known `route` in the terms of the policy's formula, as text."""
        raise NotImplementedError


class Drawn(Ranked):
    """Order the clusters at random by their shares, those of share 0 last."""

    def shares(self, routes, snapshot):
        """Return {cluster: share, 0 or more, in any unit} of the clusters of `routes`."""
        raise NotImplementedError

    def costs(self, routes, snapshot, rng):
        """Return {route: the number drawn for its cluster}."""
        draws = {cluster: race(share, rng)
                 for cluster, share in self.shares(routes, snapshot).items()}
        return {route: draws[route.cluster] for route in routes}


def here_of(candidates):
    """Return the route LOCAL of the candidates, None if the object is absent here."""
    return next((route for route in candidates if route.kind == LOCAL), None)


def state_of(route, snapshot):
    """Return the ClusterState of `route`, None if it is unknown."""
    return snapshot.of(route).evidence.get(ClusterState)


def milliseconds(seconds):
    """Return seconds as text, in milliseconds: 0.123 ms, 12.3 ms, 1234 ms."""
    number = seconds * 1000
    return f'{number:.0f} ms' if number >= 999.5 else f'{number:.3g} ms'
