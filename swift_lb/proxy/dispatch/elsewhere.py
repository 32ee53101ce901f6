"""How a read is answered by another cluster: by the first of its routes that has an answer.

Whatever fails elsewhere, there is no answer, and the client gets that of this cluster. A cluster
that has failed is not asked for the same read again, by whatever route.
"""
from functools import partial
from math import inf

from swift_lb.dispatch.clusters import patience_of
from swift_lb.model import FETCH, LOCAL, REDIRECT
from swift_lb.proxy.dispatch.answers import pass_on
from swift_lb.proxy.dispatch.cluster_requests import FETCHED, Wanted
from swift_lb.proxy.dispatch.cluster_rules import BACK, PLANNED, is_acceptable
from swift_lb.proxy.dispatch.clusters import container_of
from swift_lb.proxy.dispatch.redirects import redirect
from swift_lb.wire.redirect import Origin

FAILED = 'swift_lb.failed'      # in the environment: the clusters that have not answered the read


class Elsewhere:
    """Has the reads of one worker answered by other clusters."""

    def __init__(self, others, requests, choice, observer, counts, clock, wall):
        """Take OtherClusters, ClusterRequests, a ClusterChoice, an Observer and DispatchCounts.

        `clock()` returns monotonic seconds, `wall()` seconds since 1970.
        """
        self._others, self._requests, self._choice = others, requests, choice
        self._observer, self._counts, self._clock, self._wall = observer, counts, clock, wall
        self._router = choice.router

    def answer(self, choice, env, start_response, moment, version):
        """Return the body of the first route of `choice` that answers, None if none does.

        `choice` is a list of ChosenRoutes, the best first; behind LOCAL none is used. `moment` is
        one of cluster_rules.py; the `version` that is wanted is as in is_acceptable().
        """
        for chosen in choice:
            route = chosen.route
            if route.kind == LOCAL:
                self._router.used(chosen, self._clock())
                break
            if not self._may_be_sent(chosen, env, moment):
                continue
            if route.kind == REDIRECT:
                self._router.used(chosen, self._clock())
                return self._redirected(route, env, start_response, moment, version)
            body = self.fetched(chosen, env, start_response, moment, version)
            if body is not None:
                return body
        return None

    def _may_be_sent(self, chosen, env, moment):
        """Return whether a read may take a ChosenRoute now; take a credit for it."""
        cluster = chosen.route.cluster
        if cluster not in self._others.summaries() or cluster in env.get(FAILED, ()) or (
                not self._others.may_ask(cluster, env)):
            return False
        if chosen.route.kind == FETCH and not self._others.proxies(cluster,
                                                                   patience(chosen, moment)):
            return False
        return moment not in PLANNED or self._choice.credits.take(cluster, self._clock())

    def fetched(self, chosen, env, start_response, moment, version):
        """Return the body of the answer that is fetched by a ChosenRoute, None without one.

        The other arguments are those of answer().
        """
        answer = self.fetch(chosen, env, moment, version)
        if answer is None:
            return None
        self._counts.count('fetched', chosen.route.cluster, moment)
        self._observer.note_sent(chosen.route)
        return pass_on(answer, env, start_response)

    def fetch(self, chosen, env, moment, version):
        """Return the Answer that is fetched by a ChosenRoute, or None; it is measured at its end.

        The other arguments are those of answer().
        """
        cluster, begun, answer = chosen.route.cluster, self._clock(), None
        self._router.used(chosen, begun)
        wanted = Wanted(partial(is_acceptable, version, self._choice.is_region(cluster)),
                        FETCHED | {404} if moment == BACK else FETCHED, patience(chosen, moment))
        try:
            answer = self._requests.fetch(cluster, env, wanted)
        finally:
            if answer is None:
                self._router.ended(chosen.route)
        if answer is None:
            env.setdefault(FAILED, set()).add(cluster)
            if moment in PLANNED:
                self._router.failed(chosen.route, self._clock() - begun, self._clock())
            return None
        self._measure(chosen, begun, answer)
        if answer.head.status == 200 and answer.head.length:    # no size of it is known here
            self._choice.router.containers.note_size(
                container_of(env['PATH_INFO']), env['PATH_INFO'], answer.head.length)
        return answer

    def _redirected(self, route, env, start_response, moment, version):
        self._counts.count('redirected', route.cluster, moment)
        self._observer.note_sent(route)
        cluster = self._others.identity().cluster
        return redirect(env, start_response, self._others.summaries()[route.cluster].url,
                        Origin(cluster.name, version), cluster.keys[0], self._wall())

    def _measure(self, chosen, begun, answer):
        """Let the end of `answer`, an Answer, show whether the prediction of `chosen` was right."""
        measured, end = self.measured(chosen, begun), answer.on_end

        def on_end(error):
            self._router.ended(chosen.route)
            if answer.complete:
                measured()
            end(error)
        answer.on_end = on_end

    def measured(self, chosen, begun):
        """Return a function to call when the last byte of a ChosenRoute has come.

        The read has begun at the instant `begun`.
        """
        def at_end():
            seconds = self._clock() - begun
            self._router.measured(chosen, seconds, begun + seconds)
            if chosen.cost is None or chosen.route.kind == LOCAL:
                return
            self._observer.note_measured(chosen.route, chosen.cost.seconds, seconds)
            if chosen.here is not None:
                self._counts.count_saved(chosen.route.cluster, chosen.here[1] - seconds)
        return at_end


def patience(chosen, moment):
    """Return for how many seconds a read waits for its head by a ChosenRoute at a moment."""
    return patience_of(chosen.cost) if moment in PLANNED else inf
