"""Which route a simulated read takes: by a policy of clusters, or by the oracle.

The policy decides as a cluster's hosts do: dispatch/clusters.py tells which clusters are alive,
dispatch/routes.py the predicted seconds, and the policy orders the routes. It decides early, before
the read waits here: its head is expected after as long as the Curve says.
"""
from functools import partial

from swift_lb.dispatch.content import SMALL
from swift_lb.dispatch.cost import Way
from swift_lb.dispatch.routes import Read, routes
from swift_lb.model import LOCAL, ClusterState, NodeLoad, Route, RouteCost, Snapshot
from swift_lb.policy.clusters import make_cluster_policy

ORACLE = 'oracle'


def decider(name, world, rng):
    """Return the function (Site, SiteRead) -> Route of the policy `name`, or of ORACLE."""
    if name == ORACLE:
        return partial(least_true, world)
    return partial(least_predicted, world, make_cluster_policy(name), rng)


def least_true(world, site, read):
    """Return the Route by which a SiteRead would end first; all queues and links are known."""
    return min(world.carrier.open_routes(site, read),
               key=lambda route: (world.carrier.end_of(site, read, route), route))


def least_predicted(world, policy, rng, site, read):
    """Return the Route of a SiteRead that the `policy` orders first, by what the Site knows."""
    now, here = world.agenda.now, Route(site.name, LOCAL)
    head = site.curve.expected(site.station.in_flight, now)
    if head is None:
        return here
    summaries = site.outside.summaries(now)
    asked = summaries if read.far is None else [read.far] if read.far in summaries else []
    costs = routes(facts_of(read, head, site, world.setting), site.name,
                   site.outside.places(asked))
    client_rtt = world.setting.client.rtt
    loads = {route: NodeLoad(choices=site.outside.chosen[route.cluster], evidence={
        RouteCost: cost,
        ClusterState: site.state(route.cluster, summaries.get(route.cluster), client_rtt)})
        for route, cost in costs.items()}
    snapshot = Snapshot(loads, common={Route: here})
    return policy.order([*costs], snapshot, now, rng)[0]


def facts_of(read, head, site, setting):
    """Return the Read of a SiteRead whose head is expected here after `head` seconds."""
    link = read.far and site.outside.clusters.links.get(read.far)
    far = read.far and Way(setting.rtt, link.bandwidth if link else setting.rate)
    return Read(read.size, SMALL, head, client=setting.client, follows=read.follows, far=far)
