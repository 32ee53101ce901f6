"""director: Pelican's, a product of unitless weights for distance, load and availability.

    weight      2^(-miles / 200)  x  load weight  x  nodes / known_nodes
    load weight 1                         if load <= 10
                2^(-(load - 10) / 4)      else; the median of the others' if the load is unknown
    order       random, each place in proportion to the weights of those that are left

    miles       MILES x round trip between client and cluster (policy/clusters/nearest.py)
    MILES       62,000: light in fibre, 2/3 of 299,792 km/s, goes there and back in a second
    load        average of the cluster's nodes: requests in flight, if the metric is `auto`

Constants and median are Pelican's. It differs in four ways. Pelican takes miles from a database of
addresses; a round trip includes detours and queues, too. Its load is that of a cache's XRootD, and
its weight of availability is what the server says of itself; here that is nodes / known_nodes. It
has a factor for the object: 2 if the server is known to have it, 1/2 if it is known not to, the
median if that is unknown. Here that is unknown of all other clusters, so the factor is the same,
and is left out. It considers the nearest 15 servers only; there are hardly as many clusters.

The weights have no unit, so nothing says how much load makes up for how much distance: at 80 ms the
distance weighs 2^-25, whatever the load here is. Pelican's issues 2715 and 2716 tell of clients
sent to and fro as loads oscillate, and of load weights of 1e-10 to 1e-60.

The director redirects, so REDIRECT comes before FETCH.

Source: PelicanPlatform/pelican, director/sort_algorithms.go (AdaptiveSort, smSortStochastic) and
sort_utilities.go (computeWeights, thresholdedExponentialHalvingMultiplier).
"""
from statistics import median

from swift_lb.model import FETCH, REDIRECT
from swift_lb.policy.clusters.nearest import distance
from swift_lb.policy.clusters.ranked import Drawn

MILES = 62_000.0            # per second of round trip
HALVING_MILES = 200.0
LOAD_THRESHOLD, HALVING_LOAD = 10.0, 4.0


class Director(Drawn):
    """Order at random by weights of distance, load and nodes that are up, multiplied."""

    kinds = (REDIRECT, FETCH)

    def shares(self, routes, known):
        """Return {cluster: its weight}, the product of its factors()."""
        return {cluster: far * load * status
                for cluster, (far, load, status) in self.factors(routes, known).items()}

    def factors(self, routes, known):
        """Return {cluster: (weight of its distance, of its load, of its nodes)}."""
        loads = {route.cluster: load_weight(known.states[route.cluster].load) for route in routes}
        weights = [load for load in loads.values() if load is not None]
        usual = median(weights) if weights else 1.0
        return {route.cluster: (
            2.0 ** (-MILES * distance(route, known) / HALVING_MILES),
            usual if loads[route.cluster] is None else loads[route.cluster],
            up_weight(known.states[route.cluster])) for route in routes}

    def _reason(self, route, candidates, known):
        far, load, status = self.factors(
            [each for each in candidates if self.knows(each, known, 0.0)], known)[
                route.cluster]
        return (f'weight {far * load * status:.3g} = distance {far:.3g} x load {load:.3g} x '
                f'nodes {status:.3g}')


def load_weight(load):
    """Return the weight of a load, None for an unknown one (None)."""
    if load is None:
        return None
    return 2.0 ** (-max(0.0, load - LOAD_THRESHOLD) / HALVING_LOAD)


def up_weight(state):
    """Return the weight of the nodes that are up, by a ClusterState: their fraction, at most 1."""
    return min(1.0, state.nodes / max(1, state.known_nodes))
