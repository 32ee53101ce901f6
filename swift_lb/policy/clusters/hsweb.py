"""hsweb: the least seconds by the formulas of the H-SWEB paper, for reads that take long here.

    LOCAL is first if       paper(LOCAL) <= threshold
    else                    by paper, the least first

    t_s         t_redirection + t_data + t_server + t_net + t_client
    paper       these seconds as dispatch/cost.py computes them: bodies are stored, then forwarded,
                so t_data and t_net add up, and there is no slow start
    threshold   0.09 seconds. The paper has "a predetermined threshold" and does not give it. To ask
                its HCS takes 10 ms and a round trip of 80 ms (section 4): a read that takes no
                longer than this has nothing to gain

The paper has no band and no error: the route with the least seconds is first, by however little; on
a tie the read stays. Unknown clusters are not considered, and if the seconds here are unknown the
read stays. Its HCS, the process that decides, answers with a URL of another cluster or with
"local", and can transfer data that are elsewhere: these are REDIRECT, LOCAL and FETCH.

Not in the paper, since it is the same for all policies: a bandwidth is e^(forecast of its
logarithm) (service/cluster_forecasts.py), and that of a link is at least the ClientPath's of a
client that is reached over it (dispatch/routes.py). No read leaves without a credit, one in 200
takes the second-best route, and a route that surely loses is shut (dispatch/gains.py).

Source: Andresen and McCune, "Towards a Hierarchical Scheduling System for Distributed WWW Server
Clusters", HPDC 1998, sections 2 and 3.
"""
from swift_lb.model import LOCAL, RouteCost
from swift_lb.policy.clusters.ranked import Ranked
from swift_lb.policy.duration import milliseconds


class Hsweb(Ranked):
    """Order by the paper's seconds, but LOCAL first if these are at most the threshold."""

    fact, needs_paper = RouteCost, True

    def __init__(self, options):
        self.threshold = options.threshold

    def costs(self, routes, known, rng):
        """Return {route: seconds by the paper's formulas}."""
        return {route: known.costs[route].paper for route in routes}

    def stays(self, here, costs, known):
        """Return whether LOCAL, `here`, is unknown or takes no longer than the threshold."""
        return here not in costs or costs[here] <= self.threshold

    def _reason(self, route, candidates, known):
        paper = known.costs[route].paper
        reason = f'{milliseconds(paper)} by the terms of the paper'
        if route.kind != LOCAL:
            return reason
        verb = 'up to' if paper <= self.threshold else 'above'
        return f'{reason}, {verb} the threshold of {milliseconds(self.threshold)}'
