"""Which proxy answers a request? The dispatcher's policies and their one registry.

A policy of backends has the methods of swift_lb/policy: order, knows and explain. Its candidates
are Backends (model.py), one of them this proxy, and it finds in

    snapshot.of(backend)      in_flight, choices and last_turn, counted over this host's requests,
                              and in `evidence`, by class, its NodeInstruction, Forecast, Traffic
    snapshot.common           RequestFacts: the request; Backend: which candidate is this proxy

Most policies are those of Piorkowski et al., "Load Balancing for Heterogeneous Web Servers",
section 2.1, each after the system from which the paper took it.

Two attributes and one optional method:

    choices   the number of other backends, drawn at random, among which it chooses; None: all
    counts    whether it uses this host's counts of requests. All workers share them in a LoadBook,
              and looking them up costs more than all the rest
    stays(own, here, elsewhere)   True if this proxy would be first in any order. `own` is its
              NodeInstruction, `here` the seconds in which it is expected to answer, `elsewhere` the
              least for any peer. `own` and `here` may be None. A request that stays needs no order

The caller leaves out backends that have left, are drained or do not answer. doc/developing.md has
the steps to add a policy.
"""
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from swift_lb.errors import ConfigError
from swift_lb.policy.backends.adaptive import ExpectedFirst
from swift_lb.policy.backends.hashed import DestinationHash, LocalityLeastConnection, SourceHash
from swift_lb.policy.backends.in_flight import (
    Fair,
    LeastConnection,
    NeverQueue,
    ShortestQueueFirst,
    WeightedLeastConnection,
)
from swift_lb.policy.backends.instruction import CygnusLeastLoaded, LeastLoaded, Tllb
from swift_lb.policy.backends.shares import (
    PendingRequestCounting,
    RequestCounting,
    TrafficCounting,
)
from swift_lb.policy.backends.turns import AtRandom, RoundRobin, WeightedRoundRobin

BACKEND_POLICIES = {
    'random': AtRandom,                 # nginx's
    'round_robin': RoundRobin,          # of Piorkowski et al., 2.1, from here on
    'weighted_round_robin': WeightedRoundRobin,
    'least_loaded': LeastLoaded,
    'least_connection': LeastConnection,
    'weighted_least_connection': WeightedLeastConnection,
    'locality_least_connection': LocalityLeastConnection,
    'destination_hash': DestinationHash,
    'source_hash': SourceHash,
    'fair': Fair,
    'never_queue': NeverQueue,
    'shortest_queue_first': ShortestQueueFirst,
    'request_counting': RequestCounting,
    'traffic_counting': TrafficCounting,
    'pending_request_counting': PendingRequestCounting,
    'tllb': Tllb,                       # of other papers
    'cygnus_least_loaded': CygnusLeastLoaded,
    'adaptive': ExpectedFirst,          # ours
}


class BackendOptions(NamedTuple):
    """The operator's options for policies of backends; each policy uses only some of them."""

    # static weights: (name of a node,), (ip, port) or (ip,) -> weight, 0 or more; 1 if absent
    weights: Mapping = MappingProxyType({})
    band: float = 0.25      # `adaptive`: nothing is delegated for less than this fraction of time


def make_backend_policy(name, options=None):
    """Return the policy called `name`; for an unknown name raise ConfigError with all names."""
    if name not in BACKEND_POLICIES:
        raise ConfigError([f'unknown policy {name!r}: the policies are '
                           f'{", ".join(BACKEND_POLICIES)}'])
    return BACKEND_POLICIES[name](BackendOptions() if options is None else options)
