"""nearest: the cluster with the least round trip to the client.

    cost        R_cj, the round trip between client and cluster
                R_ch + R_hj, by way of here, if R_cj or R_ch is unknown; an unknown R_ch counts as 0

What is unknown is never nearer than this cluster. The client connects to the cluster itself, so
REDIRECT comes before FETCH.

Cloudflare's dynamic steering sorts pools by a moving average (EWMA) of the round trips of its
probes, measured where the client is served. Here R_hj is the forecast of the next round trip
(plan/forecast), and R_cj the smoothed round trip that the cluster reports for the client's network.
Nearness says nothing of load, bandwidth, or where an object is: Amazon's
multi-region access points "aren't aware of the data contents", and answer 404 if the nearest bucket
does not have the object.

Source: Cloudflare, Load Balancing, "Dynamic steering". Amazon S3 User Guide, Multi-Region Access
Points.
"""
from swift_lb.model import FETCH, LOCAL, REDIRECT
from swift_lb.policy.clusters.ranked import Ranked
from swift_lb.policy.duration import milliseconds


class NearestCluster(Ranked):
    """Order by the round trip between the client and each cluster, the least first."""

    needs_own, kinds = False, (REDIRECT, FETCH)

    def costs(self, routes, known, rng):
        """Return {route: seconds of a round trip between the client and its cluster}."""
        return {route: distance(route, known) for route in routes}

    def _reason(self, route, candidates, known):
        return f'{milliseconds(distance(route, known))} from the client'


def distance(route, known):
    """Return the seconds of a round trip between the client and the cluster of a known `route`.

    If the client's round trip to this cluster is unknown, it counts as 0.
    """
    here = known.states.get(known.here.cluster)
    own = None if here is None else here.client_rtt
    if route.kind == LOCAL:
        return own or 0.0
    state = known.states[route.cluster]
    if own is None or state.client_rtt is None:
        return (own or 0.0) + state.rtt
    return state.client_rtt
