"""How a read is answered by another cluster: by the first of its routes that gets an answer.

Whatever fails elsewhere, there is no answer, and the client gets that of this cluster. A cluster
that has failed is not asked for the same read again, by whatever route.
"""
from swift_lb.dispatch.budget import RetryBudget
from swift_lb.dispatch.router import ChosenRoute
from swift_lb.model import FETCH, LOCAL, REDIRECT, Route
from swift_lb.proxy.dispatch.answers import pass_on
from swift_lb.proxy.dispatch.cluster_rules import ABSENT, BACK, PLANNED, patience_at, wanted_at
from swift_lb.proxy.dispatch.clusters import FAILED, container_of
from swift_lb.proxy.dispatch.facts import image_key
from swift_lb.proxy.dispatch.redirected import RedirectedReads, predicted
from swift_lb.proxy.dispatch.redirects import REDIRECTED, redirect
from swift_lb.proxy.dispatch.route_times import RouteTimes
from swift_lb.proxy.dispatch.status import NO_ANSWER, NO_CREDIT, REFUSED
from swift_lb.wire.redirect import Origin


class Elsewhere:
    """Sends the reads of one worker to other clusters, and passes their answers on."""

    def __init__(self, others, requests, choice, observer, counts, clock, wall, fall_back):
        """Take OtherClusters, ClusterRequests, a ClusterChoice, an Observer and DispatchCounts.

        `clock()` returns monotonic seconds, `wall()` seconds since 1970; `fall_back(component)`
        reports a component that has failed.
        """
        self._others, self._requests, self._choice = others, requests, choice
        self._observer, self._counts, self._clock, self._wall = observer, counts, clock, wall
        self._router = choice.router
        self.times = RouteTimes(choice.router, observer, counts, clock, fall_back)
        self._redirected_here = RedirectedReads(clock, observer.note_ended, fall_back)
        self._budgets = {ABSENT: RetryBudget(), BACK: RetryBudget()}

    def earn(self):
        """Count a read that may leave, by which the budget for reads without a credit grows."""
        for budget in self._budgets.values():
            budget.earn()

    def answer(self, choice, env, start_response, moment, version):
        """Return the body of the first route of `choice` that answers, None if none does.

        `choice` is a list of ChosenRoutes, the best first; those after LOCAL are not used. `moment`
        and `version`, the one that is wanted, are as in cluster_rules.py: see is_acceptable().
        """
        first = None        # why the read does not take the best route
        for chosen in choice:
            if chosen.route.kind == LOCAL:
                self._router.used(chosen, self._clock())
                break
            why = self._why_not(chosen, env, moment)
            if why is None and chosen.route.kind == REDIRECT:
                self._router.used(chosen, self._clock())
                return self._redirected(chosen, env, start_response, moment, version)
            body = self._fetched(chosen, env, start_response, moment, version) if not why else None
            if body is not None:
                return body
            first = first or why or NO_ANSWER
        if first is not None and moment in PLANNED:
            self._counts.stays(moment, first)
        return None

    def _why_not(self, chosen, env, moment):
        """Return why a read must not take a ChosenRoute now, else take a credit, return None."""
        cluster = chosen.route.cluster
        if cluster not in self._others.summaries() or cluster in env.get(FAILED, ()) or (
                chosen.route.kind == FETCH
                and not self._others.proxies(cluster, patience_at(moment, chosen.cost))):
            return NO_ANSWER
        if self._others.refuses(cluster, env):
            return REFUSED
        if self._others.lacks(cluster, env):
            return NO_ANSWER
        has_credit = (self._choice.credits.take(cluster, self._clock()) if moment in PLANNED else
                      self._may_spend(moment, cluster))
        return None if has_credit else NO_CREDIT

    def _may_spend(self, moment, cluster):
        """Take a token for a read that has no credit; return whether there was one."""
        if self._budgets[moment].spend(self._clock()):
            return True
        self._counts.count('cluster_failures', cluster, 'budget')
        return False

    def back(self, cluster, env, start_response, version):
        """Return the body of the answer of `cluster`, which has redirected the client here.

        None without one. The other arguments are those of answer().
        """
        if not self._may_spend(BACK, cluster):
            return None
        return self._fetched(chosen_for(cluster), env, start_response, BACK, version)

    def _fetched(self, chosen, env, start_response, moment, version):
        """Return the body of the answer that is fetched by a ChosenRoute, None without one.

        The other arguments are those of answer().
        """
        answer = self.fetch(chosen, env, moment, version)
        if answer is None:
            return None
        if moment == ABSENT:        # the budget is for objects that are nowhere
            self._budgets[ABSENT].put_back()
        self._counts.count('fetched', chosen.route.cluster, moment)
        self._observer.note_sent(chosen.route)
        return pass_on(answer, env, start_response)

    def fetch(self, chosen, env, moment, version):
        """Return the Answer that is fetched by a ChosenRoute, None without one.

        When it ends, its seconds are compared with the prediction. The other arguments are those of
        answer().
        """
        cluster, begun, answer = chosen.route.cluster, self._clock(), None
        self._router.used(chosen, begun)
        wanted = wanted_at(moment, version, self._choice.is_region(cluster), chosen.cost)
        try:
            answer = self._requests.fetch(cluster, env, wanted)
        finally:
            if answer is None:
                self._router.ended(chosen)
        if answer is None:
            env.setdefault(FAILED, set()).add(cluster)
            if moment in PLANNED:
                self._router.failed(chosen, self._clock() - begun, self._clock())
            return None
        self.times.watch(chosen, begun, answer)
        if answer.head.status == 200 and answer.head.length and image_key(env) is None:
            # No size of it is known here.
            self._choice.router.containers.note_size(
                container_of(env['PATH_INFO']), env['PATH_INFO'], answer.head.length)
        return answer

    def _redirected(self, chosen, env, start_response, moment, version):
        route = chosen.route
        self._counts.count('redirected', route.cluster, moment)
        self._observer.note_sent(route)
        cluster = self._others.identity().cluster
        origin = Origin(cluster.name, version, *predicted(chosen))
        return redirect(env, start_response, self._others.summaries()[route.cluster].url,
                        origin, cluster.keys[0], self._wall())

    def at_end_here(self, env):
        """Return what to call at the end of the redirected read of `env`, which begins here."""
        return self._redirected_here.on_end(env[REDIRECTED], env)


def chosen_for(cluster):
    """Return the ChosenRoute of a read that is fetched from `cluster`, whatever it costs."""
    return ChosenRoute(Route(cluster, FETCH), None)
