"""By which route is a read served? The candidates, what is known of each, and the choice. Pure.

A worker has one ClusterRouter. A policy of clusters orders the candidates: the routes to the
clusters that may serve the read. The caller leaves out clusters that are dead and, unless the
object is absent here, those that give no more credit; ClusterRouter leaves out routes that are shut
(gains.py), also unless the object is absent.

Parts of images have gains of their own: they take seconds where other reads take milliseconds, and
show little of a route's gains for these.
"""
from typing import NamedTuple

from swift_lb.dispatch.away import ReadsAway, WorkAway
from swift_lb.dispatch.containers import Containers
from swift_lb.dispatch.gains import Gains
from swift_lb.dispatch.image_routes import route_costs
from swift_lb.dispatch.routes import KnownCluster, local_route
from swift_lb.model import (
    FETCH,
    REDIRECT,
    ClusterState,
    KnownRoutes,
    Route,
    RouteCost,
    fast_tuple,
)


class ChosenRoute(NamedTuple):
    """A Route that a read may take, in the order of a policy, with its prediction."""

    route: Route
    cost: RouteCost | None      # None if unknown
    here: tuple | None = None   # (local Route, its predicted seconds), None if absent or unknown
    is_try: bool = False        # whether another route is predicted to be better


class ClusterRouter:
    """Chooses routes of reads for one worker, and learns from them."""

    def __init__(self, policy, rng):
        """Take a policy of clusters, and a random.Random."""
        self.policy, self._rng = policy, rng
        self.containers = Containers()
        self.gains, self.part_gains = Gains(), Gains()      # whole objects; parts of images
        self._choices = {}      # cluster -> reads that were sent there
        self.away, self.work_away = ReadsAway(), WorkAway()     # whole objects; parts of images
        self._most_nodes = {}   # cluster -> the most nodes that were up

    def known(self, place, window=0.0, trusted=False):
        """Return the KnownCluster at a Place; the other arguments are its fields.

        Without a link to it no client is redirected there.
        """
        more = self.away.more(place.fetch.cluster, place.summary)
        return fast_tuple(KnownCluster, (place, window, more, trusted and place.rtt is not None))

    def choose(self, read, here, known, states, now):
        """Return [ChosenRoute, ...], the best first, of the routes of a PendingRead.

        `here` is the name of this cluster; `known` are the KnownClusters that may serve the read;
        `states` is {name: ClusterState} of these and of this one. The caller uses no route that
        comes after LOCAL. `now` is monotonic seconds.
        """
        self.away.forget(now)
        self.work_away.forget(now)
        candidates, seen = self.considered(read, here, known, states, now)
        order, costs = self.policy.order(candidates, seen, now, self._rng), seen.costs
        absent, own = read.head is None, costs.get(seen.here)
        tried = None if absent else self._tried(order, costs, self._gains_of(read.parts))
        if tried is not None:
            order = [tried, *(route for route in order if route != tried)]
        before = None if own is None else (seen.here, own.seconds)
        return [fast_tuple(ChosenRoute, (route, costs.get(route), before, route == tried))
                for route in order]

    def considered(self, read, here, known, states, now):
        """Return (the candidates of a read, KnownRoutes of them), and change nothing.

        The arguments are those of choose(). LOCAL is the first candidate, but if the object is
        absent here it is none.
        """
        local, absent, gains = local_route(here), read.head is None, self._gains_of(read.parts)
        candidates = [] if absent else [local]
        for place, _idle, _more, trusted in known:
            if absent or not gains.is_shut(place.fetch, now):
                candidates.append(place.fetch)
            if read.follows and trusted and (
                    absent or not gains.is_shut(place.redirect, now)):
                candidates.append(place.redirect)
        costs = route_costs(read, here, known, self.policy.needs_paper)
        return candidates, fast_tuple(KnownRoutes, (local, costs, states, self._choices))

    def _gains_of(self, parts):
        """Return the Gains of reads whose `parts`, or part of a cost, are not None, or of others.
        """
        return self.gains if parts is None else self.part_gains

    def _tried(self, order, costs, gains):
        """Return the route that this read tries, the second-best one, or None for no try.

        Both must be known. `gains` are the Gains of such reads.
        """
        if len(order) < 2:
            return None
        first, second = costs.get(order[0]), costs.get(order[1])
        is_try = first and second and gains.is_try(first.seconds, second.seconds)
        return order[1] if is_try else None

    def used(self, chosen, now):
        """Count a read that takes a ChosenRoute `now`; if it is fetched, ended() must follow."""
        route = chosen.route
        self._choices[route.cluster] = self._choices.get(route.cluster, 0) + 1
        away, amount = self._away_of(chosen)
        if route.kind == FETCH:
            away.began(route.cluster, None, amount)
        elif route.kind == REDIRECT and chosen.cost is not None:
            away.began(route.cluster, now + chosen.cost.seconds - chosen.cost.client, amount)

    def measured(self, chosen, seconds, now):
        """Learn that the last byte of a read by a ChosenRoute has come `now`, after `seconds`.

        The client's work after it, which is not seen here, is taken to be as predicted.
        """
        if chosen.cost is not None:
            self._gains_of(chosen.cost.part).add(
                chosen.route, chosen.cost.seconds, seconds + chosen.cost.client,
                None if chosen.is_try else chosen.here, now)

    def hear(self, name, ended, here, now):
        """Learn from EndedRedirects of the cluster `name`, which it tells at `now`.

        `here` is the name of this cluster.
        """
        for gains, is_part in ((self.gains, False), (self.part_gains, True)):
            gains.hear(Route(name, REDIRECT), [one for one in ended if one.is_part == is_part],
                       local_route(here), now)

    def failed(self, chosen, seconds, now):
        """Learn that a read by a ChosenRoute had no answer after `seconds`, at `now`."""
        self._gains_of(chosen.cost and chosen.cost.part).failed(chosen.route, seconds, now)

    def ended(self, chosen):
        """Note that a read has ended that was fetched by a ChosenRoute, or was not answered."""
        away, amount = self._away_of(chosen)
        away.ended(chosen.route.cluster, amount)

    def _away_of(self, chosen):
        """Return what counts a read by a ChosenRoute, and as how much."""
        part = chosen.cost and chosen.cost.part
        return (self.away, 1) if part is None else (
            self.work_away, part.server - part.wait)

    def state(self, name, summary, clusters, network):
        """Return the ClusterState of the cluster `name`, for a client in `network`.

        `summary` is its ClusterSummary, `clusters` are the Clusters of this host, with a link to
        it.
        """
        path = clusters.paths.get(name, {}).get(network)
        return ClusterState(summary.nodes, self.most_nodes(name, summary.nodes), summary.load,
                            summary.least_load, clusters.links[name].rtt,
                            None if path is None else path.rtt)

    def most_nodes(self, name, nodes):
        """Note that `nodes` of the cluster `name` are up; return the most that ever were."""
        self._most_nodes[name] = max(nodes, self._most_nodes.get(name, 0))
        return self._most_nodes[name]
