"""By which route is a read served? The policies of clusters and their one registry.

A policy of clusters has the methods of swift_lb/policy: order, knows and explain. Its candidates
are Routes (model.py): LOCAL, FETCH and REDIRECT of clusters. In place of a Snapshot it gets
KnownRoutes: the RouteCost of each route, its predicted seconds, and the ClusterState of each
cluster. A policy needs one of the two; a route without it is unknown.

LOCAL is no candidate if the object is absent here. The caller leaves out REDIRECT where the client
may not be redirected, clusters that are dead, and those that give no credit. A policy never orders
an unknown route to another cluster first, unless the object is absent here.
"""
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from swift_lb.errors import ConfigError
from swift_lb.policy.clusters.adaptive import SoonestRoute
from swift_lb.policy.clusters.always_fetch import AlwaysFetch
from swift_lb.policy.clusters.always_redirect import AlwaysRedirect
from swift_lb.policy.clusters.director import Director
from swift_lb.policy.clusters.hsweb import Hsweb
from swift_lb.policy.clusters.local import StayHere
from swift_lb.policy.clusters.locality_weighted import LocalityWeighted
from swift_lb.policy.clusters.nearest import NearestCluster
from swift_lb.policy.clusters.on_absent import OnAbsent
from swift_lb.policy.clusters.round_robin import ClusterTurns
from swift_lb.policy.clusters.zone_aware import ZoneAware

CLUSTER_POLICIES = {
    'local': StayHere,                  # plain Swift
    'round_robin': ClusterTurns,        # of other systems, after their sources
    'nearest': NearestCluster,
    'zone_aware': ZoneAware,
    'locality_weighted': LocalityWeighted,
    'director': Director,
    'on_absent': OnAbsent,
    'always_fetch': AlwaysFetch,
    'always_redirect': AlwaysRedirect,
    'hsweb': Hsweb,                     # the paper's
    'adaptive': SoonestRoute,           # ours
}


class ClusterPolicyOptions(NamedTuple):
    """The operator's options for policies of clusters; most policies use none."""

    band: float = 0.1           # `adaptive`: nothing leaves for less than this fraction of time
    threshold: float = 0.09     # `hsweb`: a read that takes up to so many seconds here stays
    weights: Mapping = MappingProxyType({})     # `locality_weighted`: cluster -> weight, else 1


def make_cluster_policy(name, options=None):
    """Return the policy called `name`; for an unknown name raise ConfigError with all names."""
    if name not in CLUSTER_POLICIES:
        raise ConfigError([f'unknown policy of clusters {name!r}: the policies are '
                           f'{", ".join(CLUSTER_POLICIES)}'])
    return CLUSTER_POLICIES[name](ClusterPolicyOptions() if options is None else options)
