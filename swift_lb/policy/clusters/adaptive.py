"""adaptive: the route with the least predicted seconds, but here unless another is much sooner.

    cost        seconds + error
    LOCAL comes before each route to another cluster for which
                seconds(LOCAL) <= (1 + band) x seconds(other) + error(other) + error(LOCAL)
            If Swift itself would read the data over a link (same_link, dispatch/routes.py)
                seconds(LOCAL) <= seconds(other)                                    same link
                seconds(LOCAL) <= (1 + band) x seconds(other) + error(other)        other ways
            The routes before it, and those behind it, are ordered by cost

    seconds     from the decision until the client has the last byte: dispatch/cost.py
    error       the mean absolute error of the forecasts in it, as they have erred so far
    band        0.1: a hop over a wide-area network is work for both clusters. It is less than the
                0.25 of policy/backends/adaptive.py, since the errors of the forecasts, which are
                known here, count besides. In `swift-lb sim sites`, compared with 0.25, the mean is
                7 % less where half of the data are away or one of three clusters is overloaded, 3 %
                in spill; no read leaves one of two clusters with the same load; and flows of reads
                rise and fall less often, since a fetch is sooner than a region's own read by about
                a quarter

Both errors count against leaving. If a wrong prediction keeps a read here, the read misses a gain;
if it makes the read leave, the read is slower than with plain Swift. If Swift itself would read
over the link, neither error counts against a fetch over it, nor does the band: Swift's read has the
same errors, and is work for both clusters, too. With errors, a fetch of 1.5 MB over a busy link,
which was sooner whatever the bandwidth, would have stayed for an error of 5.4 s. Among other
clusters, the error counts as seconds do, so that of two equal forecasts the surer one is followed.

LOCAL is first, too, if it or all others are unknown. If the object is absent here, the others are
ordered by cost. Two things keep many hosts from choosing the same cluster at once: the credits that
it gives, and the seconds that each read sent there adds to the cost until its next summary. So no
chance is needed, as it is for backends.

Source: ours. The sum of terms is that of Andresen and McCune, "Towards a Hierarchical Scheduling
System for Distributed WWW Server Clusters" (H-SWEB, HPDC 1998), with slow start and streaming; the
published error is that of Wolski's Network Weather Service.
"""
from swift_lb.model import LOCAL, RouteCost
from swift_lb.policy.clusters.ranked import Ranked
from swift_lb.policy.duration import milliseconds

SOONER, HERE, LATER = range(3)


class SoonestRoute(Ranked):
    """Order by predicted seconds + error, LOCAL before all routes that are not much sooner."""

    fact, needs_gain = RouteCost, True

    def __init__(self, options):
        self.band = options.band

    def costs(self, routes, known, rng):
        """Return {route: (SOONER, HERE or LATER than LOCAL, predicted seconds + their error)}."""
        own, costs = known.costs.get(known.here), {}
        for route in routes:
            cost = known.costs[route]
            costs[route] = (HERE if route.kind == LOCAL else
                            SOONER if own is None or own.seconds > self._limit(cost, own) else
                            LATER, cost.seconds + cost.error)
        return costs

    def _limit(self, other, own):
        """Return the seconds up to which LOCAL comes before another route, by their RouteCosts."""
        if not own.same_link:
            return (1.0 + self.band) * other.seconds + other.error + own.error
        return other.seconds if other.same_link else (
            (1.0 + self.band) * other.seconds + other.error)

    def _reason(self, route, candidates, known):
        own = known.costs[route]
        reason = cost_words(own)
        if route.kind != LOCAL:
            return reason
        limits = [self._limit(known.costs[other], own) for other in candidates
                  if other != route and other in known.costs]
        if not limits:
            return f'{reason}, and nothing is known of another route'
        return f'{reason}, first up to {milliseconds(min(limits))}'


def cost_words(cost):
    """Return a RouteCost as text: the sum, its error, and its terms."""
    terms = ' + '.join(f'{name} {milliseconds(seconds)}' for name, seconds in cost.terms)
    return f'expected {milliseconds(cost.seconds)} +- {milliseconds(cost.error)} = {terms}'
