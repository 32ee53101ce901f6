"""locality_weighted: Envoy's draw among localities, which are clusters here, by weight.

    share of cluster    weight x min(1, OVERPROVISIONED x nodes / known_nodes)

    weight              by the operator, 1 if it has set none
    nodes               that are up, 0 for this cluster if the object is absent here
    known_nodes         that were up lately
    OVERPROVISIONED     1.4     Envoy's default of 140 %: while 1 / 1.4 = 72 % of the nodes are up,
                                they are taken to be able to serve all

No cluster is preferred for being near. Envoy takes turns by weight, and begins the turns anew when
hosts come or go. Here each order is drawn at random: the shares are the same, and no turns have to
be remembered. Envoy is a proxy, so FETCH comes before REDIRECT. Its panic mode is left to the
caller.

Source: Envoy's manual, "Locality weighted load balancing"; upstream_impl.cc,
effectiveLocalityWeight.
"""
from swift_lb.policy.clusters.ranked import Drawn

OVERPROVISIONED = 1.4


class LocalityWeighted(Drawn):
    """Order at random by the operator's weights, reduced if many nodes of a cluster are down."""

    def __init__(self, options):
        self._weights = options.weights

    def shares(self, routes, known):
        """Return {cluster: its weight x the fraction that its nodes that are up can serve}."""
        return {route.cluster: self._weights.get(route.cluster, 1) * available(
            known.states[route.cluster]) for route in routes}

    def _reason(self, route, candidates, known):
        state = known.states[route.cluster]
        return (f'effective weight {self.shares([route], known)[route.cluster]:.3g} = '
                f'{self._weights.get(route.cluster, 1):g} x min(1, {OVERPROVISIONED:g} x '
                f'{state.nodes} / {state.known_nodes} nodes)')


def available(state):
    """Return the fraction of its weight that a cluster with the ClusterState `state` can serve."""
    return min(1.0, OVERPROVISIONED * state.nodes / max(1, state.known_nodes))
