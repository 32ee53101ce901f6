"""Which route would a read take, and why? The answer for a status page.

It changes nothing, but that dispatch/away.py counts it among the decisions.
"""
import random

from swift_lb.dispatch.image_routes import route_costs
from swift_lb.model import FETCH, LOCAL, REDIRECT, Route
from swift_lb.policy.clusters.adaptive import cost_words
from swift_lb.proxy.dispatch.cluster_asked import ABSENT, EARLY, asked_read
from swift_lb.proxy.dispatch.cluster_status import NO_READS, age_of
from swift_lb.proxy.dispatch.redirects import NEVER

REFUSED = 'it has refused a request for the container in the last 10 minutes'
LACKED = 'it did not have the object, or not in this version, in the last 5 seconds'


class ClusterWhy:
    """Explains the routes of reads, for one worker."""

    def __init__(self, choice, others, options, served, hedges):
        """Take the worker's ClusterChoice, OtherClusters, DispatchOptions, Served, ClusterHedges.
        """
        self._choice, self._others, self._options = choice, others, options
        self._served, self._router, self._hedges = served, choice.router, hedges

    def describe(self, facts, query, now):
        """Return a dict of the routes of a read with these RequestFacts, the best first.

        None if it is no read of an object, or nothing is known of clusters. `query` may have
        `moment`, `bytes`, the size of the object, and `follows`, 1 if the client is known to follow
        redirects.
        """
        known = self._others.known()
        if known is None or facts.method not in ('GET', 'HEAD') or facts.path.count('/') < 4:
            return None
        head = self._served.curve.expected(self._served.in_flight(), now)
        read = asked_read(self._choice, self._others, self._options.cluster_policy, head, facts,
                          query, now)
        inputs = self._choice.inputs(read.env, read.pending, self._usable(read, now))
        candidates, seen = self._router.considered(*inputs, now)
        policy = self._router.policy
        order = policy.order(candidates, seen, now, random.Random())
        why = {route: policy.explain(route, candidates, seen, now) for route in order}
        everything = dict.fromkeys([*order, seen.here, *(
            Route(name, kind) for name in sorted({*known.names, *known.others})
            for kind in (FETCH, REDIRECT))])
        hedge = self._hedges.would(read.env) if order[:1] == [seen.here] else None
        return {'moment': read.moment, 'size': read.pending.size, 'content': facts.content,
                'network': read.pending.network, 'client': read.pending.client.rtt,
                'stays': read.stays,
                'hedge': hedge and hedge.cluster, 'late': hedge and hedge.late,
                'routes': [self._entry(route, read, order, why, now) for route in everything]}

    def _usable(self, read, now):
        """Return the names of the clusters among which the policy chooses."""
        names = [] if read.stays else read.named
        return names if read.moment == ABSENT else [
            name for name in names if self._choice.credits.has(name, now)]

    def _entry(self, route, read, order, why, now):
        cost = self._cost(route, read)
        figures = self._router.gains.figures(now).get(route, NO_READS)
        is_other = route.kind != LOCAL
        refused = is_other and self._refused(route.cluster, read.env)
        reason = why[route] if route in why else self._left_out(route, read, now)
        if refused and route in why:
            reason = refused
        elif cost is not None:
            reason = reason.removeprefix(cost_words(cost)).lstrip(', ')     # they stand beside it
        elif route in why and is_other:
            reason += f': {self._missing(route.cluster, read.pending.content)}'
        return route._asdict() | figures._asdict() | {
            'place': order.index(route) + 1 if route in why and not refused else None,
            'seconds': cost and cost.seconds, 'forecast_error': cost and cost.error,
            'terms': dict(cost.terms) if cost else {},
            'credits': self._choice.credits.left(route.cluster, now) if is_other else None,
            'age': age_of(route.cluster, self._others.known(), now), 'why': reason}

    def _refused(self, cluster, env):
        """Return a sentence on what `cluster` has answered lately to such a read, or None."""
        if self._others.refuses(cluster, env):
            return REFUSED
        return LACKED if self._others.lacks(cluster, env) else None

    def _cost(self, route, read):
        """Return the RouteCost of a Route, also of one that is left out; None if unknown."""
        names = [route.cluster] if route.kind != LOCAL else []
        if names and route.cluster not in self._others.summaries():
            return None
        pending, here, others, _states = self._choice.inputs(read.env, read.pending, names)
        return route_costs(pending._replace(follows=True), here,
                           [one._replace(trusted=True) for one in others]).get(route)

    def _left_out(self, route, read, now):
        """Return why the policy does not choose among routes with this one."""
        if route.kind == LOCAL:
            return 'the object is absent here'
        name, summaries = route.cluster, self._others.summaries()
        if summaries and name not in summaries:
            return 'dead: no summary comes from it'
        if read.stays is not None:
            return read.stays
        if name not in read.named:
            return ('the version here is not known yet, and it is no region that has the data, nor '
                    'is the container immutable' if read.moment == EARLY else
                    'the container does not name it, and it is no region')
        if read.moment != ABSENT and not self._choice.credits.has(name, now):
            return 'no credit left'
        if self._router.gains.is_shut(route, now):
            return f'shut for {self._router.gains.figures(now)[route].shut_for:.0f} s: it has lost'
        return self._no_redirect(read)

    def _no_redirect(self, read):
        if self._options.redirect == NEVER:
            return f'redirect = {NEVER}'
        if not read.pending.follows:
            return 'the client is not known to follow redirects'
        return 'it has no url, or one of a host not in trust, or http and the client has https'

    def _missing(self, name, content):
        """Return which fact of the cluster `name` is not known, so that it has no cost."""
        known = self._others.known()
        link = known.links.get(name)
        if link is None or not link.bandwidth:
            return f'no {"link" if link is None else "bandwidth"} is measured yet'
        return f'no times of {content} requests are known yet'
