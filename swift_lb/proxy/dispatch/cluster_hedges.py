"""Which reads are hedged, that is, also sent to another cluster if the head is late here.

They are those that may be served early: by a region of the same Swift, or because the container is
immutable. Then the answer of another cluster is right, although the version here is not known yet.
The cluster is asked whose round trip and seconds until a head have the least sum. When a head is
late is in dispatch/late_heads.py, how both answers are awaited in cluster_race.py.
"""
from functools import partial
from math import inf
from typing import NamedTuple

from swift_lb.dispatch.late_heads import LateHeads
from swift_lb.dispatch.routes import PendingRead
from swift_lb.model import FETCH, Route
from swift_lb.proxy.dispatch.cluster_choice import STAY
from swift_lb.proxy.dispatch.cluster_race import ClusterRace
from swift_lb.proxy.dispatch.clusters import container_of
from swift_lb.proxy.dispatch.facts import facts_of
from swift_lb.proxy.dispatch.held import HeldAnswer
from swift_lb.proxy.dispatch.redirects import REDIRECTED
from swift_lb.proxy.guard import fails_open


class ClusterHedge(NamedTuple):
    """To which cluster a read is hedged if its head is late."""

    cluster: str
    content: str            # class of content of the read
    late: float | None      # seconds after which its head is late; None: it is not hedged now


class ClusterHedges:
    """Hedges the reads of one worker to other clusters."""

    def __init__(self, policy, others, choice, counts, note_sent, clock, logger, fall_back):
        """Take the name of the policy of clusters, OtherClusters, a ClusterChoice, DispatchCounts.

        `note_sent(route)` counts a read that another cluster has answered by a Route. `clock()`
        returns monotonic seconds, `logger` is a logger of Swift's, `fall_back(component)` reports a
        component that has failed.
        """
        self._stays, self._others, self._choice = policy == STAY, others, choice
        self._counts, self._note_sent, self._clock, self._logger = counts, note_sent, clock, logger
        self.fall_back = fall_back
        self._heads = LateHeads()

    @fails_open('clusters')
    def of(self, env):
        """Return the ClusterHedge of a request that has come, None if no cluster may be asked."""
        hedge = self.would(env)
        if hedge is not None:
            self._heads.earn()
        return hedge

    def would(self, env):
        """Return what of() would return now, without counting a read."""
        if self._stays or env['REQUEST_METHOD'] != 'GET' or REDIRECTED in env:
            return None
        now, container = self._clock(), container_of(env['PATH_INFO'])
        facts = self._choice.router.containers.facts(container, now)
        names = facts and self._choice.early_names(facts, self._choice.names(facts))
        if not names:
            return None
        content, known = facts_of(env).content, self._others.known()
        _read, names = self._choice.placed(PendingRead(0.0, content, 0.0), facts, names)
        candidates = [name for name in names if content in known.times.get(name, ())
                      and name in known.links and self._choice.credits.has(name, now)
                      and self._choice.may_replace(env, name)
                      and self._others.may_ask(name, env) and self._others.proxies(name, inf)]
        if not candidates:
            return None
        name = min(candidates, key=lambda name: (known.links[name].rtt
                                                 + known.times[name][content].seconds))
        return ClusterHedge(name, content,
                            self._heads.late_after(content, known.links[name].rtt))

    def first_head(self, hedge, serve, fetch):
        """Return (HeldAnswer of this cluster, None), or (None, Answer of the other one).

        It is that whose head comes first. `hedge` is the ClusterHedge of the read.
        `serve(start_response)` serves it here, `fetch()` returns the Answer of the other cluster,
        None without one. Raises what `serve` raises.
        """
        here = partial(self._served, hedge.content, serve)
        if hedge.late is None:
            return here(), None
        asked, answer = [], None
        race = ClusterRace(here, fetch, self._logger, self.fall_back)
        try:
            held, answer = race.run(hedge.late, lambda: self._may_ask(hedge.cluster, asked))
        finally:
            if asked:
                self._count(hedge.cluster, answer is not None)
        return held, answer

    @fails_open('clusters')
    def _count(self, cluster, has_won):
        self._counts.count('cluster_hedges', cluster, 'won' if has_won else 'lost')
        if has_won:
            self._note_sent(Route(cluster, FETCH))

    @fails_open('clusters')
    def _may_ask(self, cluster, asked):
        """Take a token and a credit of `cluster`; if there are both, append it to `asked`."""
        now, credits = self._clock(), self._choice.credits
        if credits.has(cluster, now) and self._heads.spend() and credits.take(cluster, now):
            asked.append(cluster)
        return bool(asked)

    def _served(self, content, serve):
        begun = self._clock()
        held = HeldAnswer(serve)
        self._learn(content, held.status, begun)
        return held

    @fails_open('clusters')
    def _learn(self, content, status, begun):
        if status.startswith('2'):      # a refusal or a failure may come sooner
            self._heads.add(content, self._clock() - begun)
