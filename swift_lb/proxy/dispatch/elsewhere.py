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
from swift_lb.proxy.dispatch.status import NO_ANSWER, NO_CREDIT, REFUSED
from swift_lb.wire.redirect import Origin

FAILED = 'swift_lb.failed'      # in the environment: the clusters that have not answered the read


class Elsewhere:
    """Sends the reads of one worker to other clusters, and passes their answers on."""

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
        first = None        # why the read does not take the best route
        for chosen in choice:
            if chosen.route.kind == LOCAL:
                self._router.used(chosen, self._clock())
                break
            why = self._why_not(chosen, env, moment)
            if why is None and chosen.route.kind == REDIRECT:
                self._router.used(chosen, self._clock())
                return self._redirected(chosen.route, env, start_response, moment, version)
            body = self.fetched(chosen, env, start_response, moment, version) if not why else None
            if body is not None:
                return body
            first = first or why or NO_ANSWER
        if first is not None and moment in PLANNED:
            self._counts.stays(moment, first)
        return None

    def _why_not(self, chosen, env, moment):
        """Return why a read must not take a ChosenRoute now, else None: then it has its credit."""
        cluster = chosen.route.cluster
        if cluster not in self._others.summaries() or cluster in env.get(FAILED, ()) or (
                chosen.route.kind == FETCH
                and not self._others.proxies(cluster, patience(chosen, moment))):
            return NO_ANSWER
        if not self._others.may_ask(cluster, env):
            return REFUSED
        if moment in PLANNED and not self._choice.credits.take(cluster, self._clock()):
            return NO_CREDIT
        return None

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
        """Return the Answer that is fetched by a ChosenRoute, None without one.

        At its end it is compared with its prediction.
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
        """Call measured() at the end of an Answer, if all of its body has come."""
        measured, end = self.measured(chosen, begun), answer.on_end

        def on_end(error):
            self._router.ended(chosen.route)
            if answer.complete:
                measured()
            end(error)
        answer.on_end = on_end

    def measured(self, chosen, begun):
        """Return a function to call when the last byte of a read by a ChosenRoute has come.

        It learns the seconds since the instant `begun`.
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
    """Return the seconds for which a read waits for its head by a ChosenRoute.

    They are infinite if this cluster cannot serve it, by the `moment`, one of cluster_rules.py.
    """
    return patience_of(chosen.cost) if moment in PLANNED else inf
