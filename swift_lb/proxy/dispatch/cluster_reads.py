"""Which cluster serves a read: this one, another one by way of this proxy, or one for the client.

    early     before the request is served here: regions of one Swift, and containers that are
              declared immutable, since the object's version is not known yet
    late      this cluster has answered 200, with LATE_FROM bytes or more: the version is known, and
              only an answer with the same ETag and X-Timestamp is accepted from elsewhere
    absent    all primaries here answered 404, none with a tombstone
    back      another cluster has redirected the client here, and what is here is absent or another
              version: it is fetched from there

Whatever fails elsewhere, the client gets the answer of this cluster.
"""
from functools import partial

from swift_lb.dispatch.containers import heard_as
from swift_lb.dispatch.router import ChosenRoute
from swift_lb.model import FETCH, LOCAL, REDIRECT, Route
from swift_lb.proxy.dispatch.answers import pass_on
from swift_lb.proxy.dispatch.clusters import FROM, container_of
from swift_lb.proxy.dispatch.delegation import header_of
from swift_lb.proxy.dispatch.facts import body_size
from swift_lb.proxy.dispatch.held import HeldAnswer
from swift_lb.proxy.dispatch.redirects import REDIRECTED, redirect
from swift_lb.proxy.guard import fails_open
from swift_lb.proxy.seam import ABSENT, container_facts
from swift_lb.wire import redirect as wire
from swift_lb.wire.redirect import Origin, version_of

READS = ('GET', 'HEAD')
SYNC = 'HTTP_X_CONTAINER_SYNC_AUTH'
LATE_FROM = 65536       # bytes; one piece of the body has been read when an answer of Swift begins
PLANNED = 'early', 'late'       # moments when this cluster can serve a read, too
MANIFESTS = 'x-static-large-object', 'x-object-manifest', 'x-symlink-target'


class ClusterReads:
    """Serves the reads of one worker, here or in another cluster."""

    def __init__(self, app, others, choice, hedges, observer, fall_back, counts, clock, wall):
        """Take the next WSGI app, OtherClusters, a ClusterChoice, ClusterHedges, an Observer.

        `counts` are DispatchCounts; `fall_back(component)` reports a component that has failed;
        `clock()` returns monotonic seconds, `wall()` seconds since 1970.
        """
        self._app, self._others, self._choice, self._counts = app, others, choice, counts
        self._hedges, self._observer, self.fall_back = hedges, observer, fall_back
        self._clock, self._wall = clock, wall
        self._containers, self._router = choice.router.containers, choice.router

    def clusters_of(self, env):
        """Return the names of the other clusters that may answer a request, None if none may.

        () if its container is not known yet. None may answer a request that comes from another
        cluster itself, or from container-sync: its HEAD asks whether this very cluster has an
        object, and if another one answered, the object would not be copied.
        """
        if env['REQUEST_METHOD'] not in READS or FROM in env or SYNC in env:
            return None
        path = env.get('PATH_INFO', '')
        if path.count('/') < 4 or body_size(env) != 0:
            return None
        facts = self._containers.facts(container_of(path), self._clock())
        return () if facts is None else self._choice.names(facts) or None

    def early(self, env, start_response, names):
        """Return the body of another cluster's answer to a request that is not yet served here.

        `names` are those of clusters_of(). None if it is to be served here.
        """
        if env['REQUEST_METHOD'] != 'GET' or REDIRECTED in env:
            return None
        choice = self._choice.early(env, names)
        return self._elsewhere(choice, env, start_response, 'early') if choice else None

    def serve(self, original, env, start_response, serve):
        """Return the body of the answer to a request, of this cluster or of another one.

        `original` is a copy of the request's environment as it came; `serve(start_response)` has it
        served here.
        """
        held, answer = self._first_head(original, serve)
        if answer is not None:
            return pass_on(answer, env, start_response)
        body = self._instead(original, env, held, start_response)
        if body is None:
            return held.send(start_response)
        self._close(held)
        return body

    def _first_head(self, original, serve):
        """Return (the HeldAnswer of this cluster, None), or (None, Answer of one that was sooner).
        """
        hedge = self._hedges.of(original)
        if hedge is None:
            return HeldAnswer(serve), None
        return self._hedges.first_head(hedge, serve, partial(self._hedged, hedge, original))

    def _hedged(self, hedge, env):
        """Return the Answer of the cluster of a ClusterHedge, or None."""
        summary = self._others.summaries().get(hedge.cluster)
        if summary is None:
            return None
        chosen = ChosenRoute(Route(hedge.cluster, FETCH), None)
        self._router.used(chosen, self._clock())
        return self._fetched(chosen, summary, env, None)

    @fails_open('clusters')
    def _close(self, held):
        held.close()

    @fails_open('clusters')
    def _instead(self, original, env, held, start_response):
        """Return the body of another cluster's answer, None if the client gets the one `held`."""
        status, headers = held.status[:3], held.headers()
        self._learn(original, env, headers, status)
        version = version_of_headers(headers)
        if status == '404':
            if not env.get(ABSENT):
                return None
            return self._back(original, start_response, None) or self._elsewhere(
                self._choice.absent(original), original, start_response, 'absent')
        size = headers.get('content-length', '')
        if status not in ('200', '206') or any(name in headers for name in MANIFESTS):
            return None
        origin = original.get(REDIRECTED)
        if origin is not None and origin.version not in (version, wire.ABSENT):
            return self._back(original, start_response, origin.version)
        if original['REQUEST_METHOD'] == 'HEAD' or not size.isdecimal() or int(size) < LATE_FROM:
            return None
        choice = self._choice.late(original, int(size))
        if choice and choice[0].route.kind == LOCAL:
            held.on_complete = self._measured(choice[0], self._clock())
        return None if version is None else self._elsewhere(choice, original, start_response,
                                                            'late', version)

    def _learn(self, original, env, headers, status):
        container = container_of(original['PATH_INFO'])
        if self._containers.facts(container, self._clock()) is None:
            facts = container_facts(env, self._app)
            if facts is not None:
                self._containers.learn(container, facts, self._clock())
        size = headers.get('content-length', '')
        if status == '200' and size.isdecimal():
            self._containers.note_size(container, original['PATH_INFO'], int(size))

    def _back(self, original, start_response, version):
        """Return the body of the answer of the cluster that has redirected the client here.

        None if it was not redirected, or that cluster does not have it in `version`, None: in any.
        """
        origin = original.get(REDIRECTED)
        name = origin and heard_as(origin.cluster, self._others.summaries())
        if not name or (version is None and origin.version == wire.ABSENT):
            return None
        return self._elsewhere([ChosenRoute(Route(name, FETCH), None)], original, start_response,
                               'back', origin.version)

    def _elsewhere(self, choice, env, start_response, moment, version=None):
        """Return the body of the first route of `choice` that answers, None if none does.

        `choice` is a list of ChosenRoutes, the best first; behind LOCAL none is used. `moment` is
        when the choice was made, one word. The answer must have the `version`, unless that is None.
        """
        summaries = self._others.summaries()
        for chosen in choice:
            route, summary = chosen.route, summaries.get(chosen.route.cluster)
            if route.kind == LOCAL:
                self._router.used(chosen, self._clock())
                break
            if summary is None or not self._others.may_ask(route.cluster, env):
                continue
            if moment in PLANNED and not self._choice.credits.take(route.cluster, self._clock()):
                continue
            self._router.used(chosen, self._clock())
            if route.kind == REDIRECT:
                self._counts.count('redirected', route.cluster, moment)
                self._observer.note_sent(route)
                return self._redirected(summary, env, start_response, version)
            answer = self._fetched(chosen, summary, env, version)
            if answer is not None:
                self._counts.count('fetched', route.cluster, moment)
                self._observer.note_sent(route)
                return pass_on(answer, env, start_response)
        return None

    def _fetched(self, chosen, summary, env, version):
        """Return the Answer of another cluster in the `version`, which is measured, or None."""
        begun, answer = self._clock(), None
        try:
            answer = self._others.fetch(chosen.route.cluster, summary.relays, env,
                                        partial(has_version, version))
        finally:
            if answer is None:
                self._router.ended(chosen.route)
        if answer is not None:
            self._measure(chosen, begun, answer)
            if answer.head.status == 200 and answer.head.length:    # no size of it is known here
                self._containers.note_size(container_of(env['PATH_INFO']), env['PATH_INFO'],
                                           answer.head.length)
        return answer

    def _redirected(self, summary, env, start_response, version):
        cluster = self._others.identity().cluster
        return redirect(env, start_response, summary.url,
                        Origin(cluster.name, version or wire.ABSENT), cluster.keys[0],
                        self._wall())

    def _measure(self, chosen, begun, answer):
        """Let the end of `answer`, an Answer, show whether the prediction of `chosen` was right."""
        measured, end = self._measured(chosen, begun), answer.on_end

        def on_end(error):
            self._router.ended(chosen.route)
            if answer.complete:
                measured()
            end(error)
        answer.on_end = on_end

    def _measured(self, chosen, begun):
        """Return a function to call when the last byte of a ChosenRoute has come."""
        def measured():
            seconds = self._clock() - begun
            self._router.measured(chosen, seconds, begun + seconds)
            if chosen.cost is None or chosen.route.kind == LOCAL:
                return
            self._observer.note_measured(chosen.route, chosen.cost.seconds, seconds)
            if chosen.here is not None:
                self._counts.count_saved(chosen.route.cluster, chosen.here[1] - seconds)
        return measured


def version_of_headers(headers):
    """Return the version that an answer's headers name, {lower-case name: value}; None without."""
    etag, timestamp = headers.get('etag'), headers.get('x-timestamp')
    return version_of(etag, timestamp) if etag and timestamp else None


def has_version(version, answer):
    """Return whether an Answer is of the object's `version`; any is if that is None."""
    if version is None:
        return True
    return version == version_of_headers({name: header_of(answer, name)
                                          for name in ('etag', 'x-timestamp')})
