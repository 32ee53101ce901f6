"""zone_aware: Envoy's way to keep requests in their locality, which is a cluster here.

    o = known_nodes / sum       the clusters' shares of the requests that come in
    u = nodes / sum             their shares of the nodes that can serve
    share of LOCAL              1                     if u >= o, both of this cluster
                                u / o                 else
    share of cluster            (1 - share of LOCAL) x residual / sum of residuals
    residual                    max(0, u - o), of the cluster
    all shares are u, if fewer than MIN_NODES can serve

    nodes                       that are up, 0 for this cluster if the object is absent here
    known_nodes                 that were up lately
    MIN_NODES = 6               Envoy's min_cluster_size: of few hosts a share is too coarse

It stays as long as all nodes get about the same number of requests. Envoy compares the hosts of two
services in each zone, one that sends requests and one that serves them. Here the same nodes do
both: what a cluster receives is taken to be in proportion to its nodes before any failed. So, with
MIN_NODES or more, reads leave only after failures, never for load. An absent object is read
anywhere if no cluster has a residual, or if no state of this cluster is known, as in Envoy if no
zone has capacity left. Envoy's panic mode is left to the caller. Envoy is a proxy, so FETCH comes
before REDIRECT.

Source: Envoy's manual, "Zone aware routing"; load_balancer_impl.cc,
regenerateLocalityRoutingStructures.
"""
from swift_lb.policy.clusters.ranked import Drawn

MIN_NODES = 6


class ZoneAware(Drawn):
    """Order at random by shares: all reads stay, unless too few nodes of this cluster are up."""

    def shares(self, routes, known):
        """Return {cluster: share of the reads that come in here}; the sum is 1, or 0."""
        states = {route.cluster: known.states[route.cluster] for route in routes}
        up = fractions({cluster: state.nodes for cluster, state in states.items()})
        if sum(state.nodes for state in states.values()) < MIN_NODES:
            return up
        here = known.here.cluster
        if here in known.states:        # although the object may be absent here
            states[here] = known.states[here]
        sending = fractions({cluster: state.known_nodes for cluster, state in states.items()})
        return kept_and_spread(here, up, sending)

    def _reason(self, route, candidates, known):
        share = self.shares([each for each in candidates if self.knows(each, known, 0.0)],
                            known)[route.cluster]
        state = known.states[route.cluster]
        return (f'{share:.3g} of all reads: {state.nodes} nodes are up of '
                f'{state.known_nodes}')


def kept_and_spread(here, up, sending):
    """Return {cluster: share}, by Envoy's rule, of the reads that come to the cluster `here`.

    `up` are the clusters' shares of the nodes that can serve, `sending` of those that send
    requests.
    """
    own, asked = up.get(here, 0.0), sending.get(here, 0.0)
    kept = 0.0 if not own else 1.0 if own >= asked else own / asked
    residual = fractions({cluster: max(0.0, share - sending[cluster]) if cluster != here else 0.0
                          for cluster, share in up.items()})
    return {cluster: kept if cluster == here else (1.0 - kept) * share
            for cluster, share in residual.items()}


def fractions(numbers):
    """Return {name: fraction of the sum} of {name: number}, all 0 if the sum is 0."""
    total = sum(numbers.values()) or 1
    return {name: number / total for name, number in numbers.items()}
