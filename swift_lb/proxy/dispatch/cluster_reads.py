"""Serves a read here, or has it served by another cluster: fetched by this proxy, or redirected.

The moments of that decision, and which answers of another cluster are accepted at each, are in
cluster_rules.py. Whatever fails elsewhere, the client gets the answer of this cluster.
"""
from functools import partial

from swift_lb.dispatch.containers import heard_as
from swift_lb.model import LOCAL
from swift_lb.proxy.dispatch import cluster_rules as rules
from swift_lb.proxy.dispatch.answers import mark, pass_on
from swift_lb.proxy.dispatch.clusters import FROM, container_of
from swift_lb.proxy.dispatch.elsewhere import chosen_for
from swift_lb.proxy.dispatch.facts import body_size, image_key
from swift_lb.proxy.dispatch.held import HeldAnswer
from swift_lb.proxy.dispatch.image_routes import ROUTES, ImageRoutes
from swift_lb.proxy.dispatch.redirects import REDIRECTED
from swift_lb.proxy.dispatch.renewals import ContainerRenewals
from swift_lb.proxy.guard import fails_open
from swift_lb.proxy.seam import ABSENT, container_facts
from swift_lb.wire import redirect as wire

SYNC = 'HTTP_X_CONTAINER_SYNC_AUTH'


class ClusterReads:
    """Serves the reads of one worker, here or in another cluster."""

    def __init__(self, app, others, choice, hedges, elsewhere, fall_back, clock):
        """Take the next WSGI app, OtherClusters, a ClusterChoice, ClusterHedges, and Elsewhere.

        `fall_back(component)` reports a component that has failed; `clock()` returns monotonic
        seconds.
        """
        self._app, self._others, self._choice, self._hedges = app, others, choice, hedges
        self._elsewhere, self.fall_back, self._clock = elsewhere, fall_back, clock
        self._containers = choice.router.containers
        self._renewals = ContainerRenewals(app, self._containers, fall_back, clock)

    def clusters_of(self, env):
        """Return the names of the other clusters that may answer a request, None if none may.

        The result is () while the container is not known, and for a client that another cluster
        has redirected here: then only that cluster may answer. No cluster may answer a request that
        comes from another cluster itself, nor one from container-sync: its HEAD asks whether this
        very cluster has an object, and if another one answered, the object would not be copied.
        """
        if env['REQUEST_METHOD'] not in rules.READS or FROM in env or SYNC in env:
            return None
        path = env.get('PATH_INFO', '')
        if not rules.is_object(path):
            return None
        facts = self._containers.facts(container_of(path), self._clock())
        names = () if facts is None or REDIRECTED in env else self._choice.names(facts) or None
        return None if names is None or body_size(env) != 0 else names

    def early(self, env, start_response, names):
        """Return the body of another cluster's answer to a request that is not yet served here.

        None if the request is to be served here. `names` are those of clusters_of().
        """
        if env['REQUEST_METHOD'] != 'GET' or REDIRECTED in env or image_key(env) is not None:
            return None
        choice = self._choice.early(env, names)
        body = self._elsewhere.answer(choice, env, start_response, rules.EARLY, wire.UNSEEN)
        if body is not None:
            self._renewals.note_left(env)
        return body

    def serve(self, original, env, start_response, serve):
        """Return the body of the answer to a request, of this cluster or of another one.

        `original` is a copy of the request's environment as it came, `env` the environment with
        which `serve(start_response)` serves the request here.
        """
        self._elsewhere.earn()
        at_end = self._elsewhere.at_end_here(original) if original.get(REDIRECTED) else None
        is_image = image_key(original) is not None
        if is_image and not original.get(REDIRECTED):
            env[ROUTES] = ImageRoutes(original, self._choice, self._others, self._elsewhere,
                                      self._clock, self.fall_back)
        held, answer = self._first_head(original, serve, is_image)
        if answer is not None:
            return pass_on(answer, env, start_response)
        body = self._instead(original, env, held, start_response)
        if body is None:
            held.on_complete = held.on_complete or at_end
            return held.send(start_response)
        mark(env)
        self._close(held)
        return body

    def _first_head(self, original, serve, is_image):
        """Return (HeldAnswer of this cluster, None), or (None, Answer of a sooner one)."""
        hedge = None if is_image else self._hedges.of(original)
        if hedge is None:
            return HeldAnswer(serve), None
        return self._hedges.first_head(hedge, serve, partial(
            self._elsewhere.fetch, chosen_for(hedge.cluster), original, rules.HEDGE, wire.UNSEEN))

    @fails_open('clusters')
    def _close(self, held):
        held.close()

    @fails_open('clusters')
    def _instead(self, original, env, held, start_response):
        """Return the body of another cluster's answer, None if the client gets the HeldAnswer.

        `original` is as in serve(), `env` is the environment after it was served here. A filter may
        have replaced its path, as domain_remap does for some hosts: then the container that was
        read is not the one that the other clusters know by the client's path.
        """
        is_asked = container_of(env['PATH_INFO']) == container_of(original['PATH_INFO'])
        status, headers = held.status[:3], held.headers()
        if is_asked:
            self._learn(original, env, headers, status)
        origin = original.get(REDIRECTED)
        body = origin and self._back(origin, original, start_response, status, headers)
        if body is not None or not is_asked:
            return body
        if status == '404':
            return self._elsewhere.answer(
                self._choice.absent(original), original, start_response, rules.ABSENT, wire.ABSENT
            ) if env.get(ABSENT) else None
        return self._late(original, held, start_response, headers) if origin is None else None

    def _learn(self, original, env, headers, status):
        container = container_of(original['PATH_INFO'])
        now = self._clock()
        if self._containers.facts(container, now) is None or (
                self._containers.is_old(container, now)):
            facts = container_facts(env, self._app)
            if facts is not None:
                self._containers.learn(container, facts, now)
        size = headers.get('content-length', '')
        if status == '200' and size.isdecimal() and image_key(original) is None:
            self._containers.note_size(container, original['PATH_INFO'], int(size))

    def _back(self, origin, original, start_response, status, headers):
        """Return the body of the answer of the cluster that has redirected the client here.

        None if that would be the same as the one held here, or if it does not answer. The client
        has asked that cluster, so what it says counts, a 404 as well: the object may have been
        deleted there. If it is only heard as a part of a group, another cluster of the group may
        answer, so only the very version is accepted.
        """
        summaries = self._others.summaries()
        name = heard_as(origin.cluster, summaries)
        if name is None or rules.is_what_origin_has(origin, self._choice.is_region(name), status,
                                                    headers):
            return None
        version = wire.ABSENT if name == origin.cluster else origin.version
        return self._elsewhere.back(name, original, start_response, version)

    def _late(self, original, held, start_response, headers):
        """Return the body of another cluster's answer to a read that is answered here, or None."""
        size = rules.late_size(original['REQUEST_METHOD'], held.status[:3], headers)
        if size is None or image_key(original) is not None:     # ImageRoutes have chosen
            return None
        choice = self._choice.late(original, size)
        if choice and choice[0].route.kind == LOCAL:
            held.on_complete = self._elsewhere.times.measured(choice[0], self._clock())
        version = rules.version_of_headers(headers)
        return None if version is None else self._elsewhere.answer(
            choice, original, start_response, rules.LATE, version)
