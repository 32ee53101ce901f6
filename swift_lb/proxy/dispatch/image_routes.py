"""The routes of a request for a part of an image, for the filter lb_image.

That filter is right of authentication and knows the points at which the part can be had, with their
costs. So it asks here whether another cluster has the part sooner, at whatever point: the choice
among clusters and points is one. If no decoder answers here, a client that wants pixels can have
them of another cluster only: then the part is absent here, as an object can be.
"""
import random

from swift_lb.dispatch.content import SMALL
from swift_lb.dispatch.cost import by_way
from swift_lb.dispatch.image_routes import cluster_parts
from swift_lb.dispatch.places import assumed
from swift_lb.model import LOCAL
from swift_lb.proxy.dispatch.answers import mark
from swift_lb.proxy.dispatch.cluster_choice import with_data_of
from swift_lb.proxy.dispatch.cluster_rules import IMAGE
from swift_lb.proxy.dispatch.clusters import container_of
from swift_lb.proxy.guard import fails_open
from swift_lb.wire.redirect import version_of

ROUTES = 'swift_lb.image_routes'    # in the environment of a request: its ImageRoutes
ORIGIN = 'HTTP_ORIGIN'


class ImageRoutes:
    """The routes of one request for a part of an image."""

    def __init__(self, original, choice, others, elsewhere, clock, fall_back):
        """Take the request's environment as it came, a ClusterChoice, OtherClusters, Elsewhere.

        `clock()` returns monotonic seconds, `fall_back(component)` reports a component that has
        failed.
        """
        self._original, self._choice, self._others = original, choice, others
        self._elsewhere, self._clock, self.fall_back = elsewhere, clock, fall_back
        self._router, self._here = choice.router, None

    @fails_open('clusters')
    def answer(self, asked, costs, side, server, env, start_response):
        """Return the body of another cluster's answer; None if the part is to be made here.

        `asked` is an AskedImage, `costs` are its PointCosts here, the least first, [] if the client
        can have it at no point here; `side` is the ClientSide, and `server` the ServerSide of this
        cluster. `env` is the environment with which the request is served here; it is marked if
        another cluster answers.
        """
        inputs = self._inputs(asked, costs, side, server)
        if inputs is None:
            return None
        self._choice.keep_warm(inputs[2])
        chosen, now = self._router.choose(*inputs, self._clock()), self._clock()
        if chosen and chosen[0].route.kind == LOCAL:
            self._here = chosen[0], now
        version = version_of(asked.source.etag, asked.source.timestamp)
        body = self._elsewhere.answer(chosen, self._original, start_response, IMAGE, version)
        if body is not None:
            mark(env)
        return body

    @fails_open('clusters')
    def made(self):
        """Learn that the part has just been made here; it is still to be sent."""
        if self._here is not None:
            chosen, begun = self._here
            now = self._clock()
            self._router.measured(chosen, now - begun + chosen.cost.served - chosen.cost.head, now)

    @fails_open('clusters')
    def described(self, asked, costs, side, server):
        """Return a list of dicts of the routes, the best first; the arguments are those above."""
        inputs = self._inputs(asked, costs, side, server)
        if inputs is None:
            return []
        now, policy = self._clock(), self._router.policy
        candidates, seen = self._router.considered(*inputs, now)
        parts = inputs[0].parts
        return [{'cluster': route.cluster, 'route': route.kind,
                 'point': parts[route.cluster].work.point, 'form': parts[route.cluster].work.form,
                 'kept': self._is_kept(asked, route.cluster, parts[route.cluster].work),
                 'seconds': cost and cost.seconds, 'error': cost and cost.error,
                 'terms': dict(cost.terms) if cost else {},
                 'why': policy.explain(route, candidates, seen, now)}
                for route in policy.order(candidates, seen, now, random.Random())
                for cost in [seen.costs.get(route)]]

    def _inputs(self, asked, costs, side, server):
        """Return the arguments of ClusterRouter.choose, but the instant; None: no choice."""
        names = [] if self._choice.stays else self._names()
        if not names:
            return None
        own = {self._others.identity().cluster.name: costs[0]} if costs else {}
        read = self._choice.pending(self._original, self._facts(), 0, 0.0 if own else None)
        parts = {name: self._part(asked, name, side, server, read.network) for name in names}
        parts = {name: cost for name, cost in parts.items() if cost is not None}
        if not parts:
            return None
        read, here, others, states = self._choice.inputs(self._original, read._replace(
            content=SMALL, client=side.way, parts=parts | own), list(parts))
        return read, here, [one._replace(place=assumed(one.place, server.batch))
                            for one in others], states

    def _part(self, asked, name, side, server, network):
        """Return the PointCost of an AskedImage at the cluster `name`, None if it has none."""
        summary = self._others.summaries().get(name)
        place = self._others.places(SMALL).get(name)
        if summary is None or place is None or place.links is None:     # it may have died just now
            return None
        way = by_way(side.way, place.links[network])
        return cluster_parts(asked.works, summary.image, side._replace(way=way),
                             self._router.work_away.there_and_more(name, summary), server,
                             self._choice.kept.of(name, asked.keys))

    def _is_kept(self, asked, name, work):
        """Return whether the result of a Work is kept at a cluster, as far as is known here."""
        if name == self._others.identity().cluster.name:
            return (work.point, work.form) in asked.kept
        return (work.point, work.form) in self._choice.kept.of(name, asked.keys)

    def _facts(self):
        container = container_of(self._original['PATH_INFO'])
        return self._router.containers.facts(container, self._clock())

    def _names(self):
        """Return the names of the other clusters that may make the part."""
        facts, now = self._facts(), self._clock()
        if facts is None:
            return []
        region = self._others.identity().cluster.region
        there = region and self._choice.regions_of(facts.policy)
        names = with_data_of(there, self._choice.names(facts), self._others.summaries())
        return [name for name in names if self._choice.credits.has(name, now) and (
            ORIGIN not in self._original or self._choice.may_replace(self._original, name))]
