"""The bases of the policies of clusters: a rank for each route, the least first.

    rank        (tier, cost, kind, random draw)
    tier        0   LOCAL, if stays() says so: always if it is unknown, that is, if the policy does
                    not know what it needs of this cluster
                1   a route that is known
                2   any other: it comes after LOCAL, and after all routes that are known
    kind        LOCAL, then the routes in `kinds`: if the costs are equal, the read stays
    draw        the order of equals is random, so that not all hosts choose the same cluster

Policies whose clusters have shares draw one number for each cluster, not for each route: a cluster
with two routes has one share. The numbers are those of an exponential race
(policy/backends/weights.py), as in Weighted of policy/lb_rlt.py: each next place is drawn in
proportion to the shares of those that are left.
"""
from swift_lb.model import FETCH, LOCAL, REDIRECT, ClusterState, RouteCost
from swift_lb.policy.backends.weights import race

STAY, KNOWN, UNKNOWN = range(3)


class Ranked:
    """Order routes by their costs, but LOCAL before all that are unknown or cost the same."""

    fact = ClusterState             # without which a route is unknown: this, or RouteCost
    needs_own = True                # whether LOCAL is unknown without it as well
    needs_gain = False              # whether a read leaves only if that takes fewer seconds
    needs_paper = False             # whether each RouteCost must have the paper's seconds
    kinds = (FETCH, REDIRECT)       # which of the two routes to a cluster is tried first

    def __init_subclass__(cls):
        cls._places = {kind: place for place, kind in enumerate((LOCAL, *cls.kinds))}

    def __init__(self, options):
        pass

    def costs(self, routes, known, rng):
        """Return {route: cost, to be minimised} of `routes`, of which the KnownRoutes know."""
        raise NotImplementedError

    def stays(self, here, costs, known):
        """Return whether the route LOCAL, `here`, is first, whatever its cost in `costs`."""
        return here not in costs

    def order(self, candidates, known, now, rng):
        """Return the routes by cost, LOCAL first if stays() says so, unknown ones last."""
        routes = ([route for route in candidates if route in known.costs]
                  if self.fact is RouteCost else
                  [route for route in candidates if self.knows(route, known, now)])
        costs = self.costs(routes, known, rng)
        here, places, draw = known.here, self._places, rng.random
        first = here if here in candidates and self.stays(here, costs, known) else None
        ranked = []
        for route in candidates:
            cost = costs.get(route)
            ranked.append((STAY, 0.0, 0, 0.0, route) if route == first else
                          (UNKNOWN, 0.0, places[route.kind], draw(), route) if cost is None else
                          (KNOWN, cost, places[route.kind], draw(), route))
        ranked.sort()       # no two draws are equal, so routes are never compared
        return [rank[-1] for rank in ranked]

    def knows(self, route, known, now):
        """Return whether the policy knows what it needs of `route`."""
        if self.fact is RouteCost:
            return route in known.costs
        return route.cluster in known.states or (route.kind == LOCAL and not self.needs_own)

    def explain(self, route, candidates, known, now):
        """Return the reason for the place of `route` among the candidates, as text."""
        if self.knows(route, known, now):
            return self._reason(route, candidates, known)
        return ('nothing known of this cluster: read here' if route.kind == LOCAL else
                'nothing known: after all that are known')

    def _reason(self, route, candidates, known):
        """Return the cost of a known `route` in the terms of the policy's formula, as text."""
        raise NotImplementedError


class Drawn(Ranked):
    """Order the clusters at random by their shares, those of share 0 last."""

    def shares(self, routes, known):
        """Return {cluster: share, 0 or more, in any unit} of the clusters of `routes`."""
        raise NotImplementedError

    def costs(self, routes, known, rng):
        """Return {route: the number drawn for its cluster}."""
        draws = {cluster: race(share, rng)
                 for cluster, share in self.shares(routes, known).items()}
        return {route: draws[route.cluster] for route in routes}
