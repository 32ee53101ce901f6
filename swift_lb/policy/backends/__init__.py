"""Which proxy is to answer? One file a policy, one registry.

A policy of backends is what swift_lb/policy says a policy is, with order, knows and explain; its
candidates are model.Backends, this proxy's own among them, and it finds in

    snapshot.of(backend)      in_flight, choices and last_turn, all of this host's requests, and as
                              evidence its NodeInstruction, its Forecast, its Traffic
    snapshot.common           Asked: what is asked; Backend: which one is this proxy

Most are those of Piorkowski et al., "Load Balancing for Heterogeneous Web Servers", section 2.1,
each as the system has it from which it was taken.

A policy's `choices` says of how many of the other backends, drawn at random, it wants to choose;
None: of all. Its `counts` says whether it goes by this host's counts of requests, which are in a
book that all workers share and cost more than all the rest to look up. A policy that can tell
sooner that a request stays here has `stays(part, here, there)`: this proxy's NodeInstruction, the
seconds expected here, the least that are expected elsewhere, either None where that is not known;
True means that it would be first in any order. Who has left, is drained or does not answer is the
caller's to leave out.

To add one: copy shortest_queue_first.py or adaptive.py and add a line to BACKEND_POLICIES. The laws
of test/unit/policy/backends run over the registry and take it up without another edit.
"""
from swift_lb.errors import ConfigError
from swift_lb.policy.backends.adaptive import Adaptive
from swift_lb.policy.backends.always_delegate import AlwaysDelegate
from swift_lb.policy.backends.at_random import AtRandom
from swift_lb.policy.backends.cygnus_least_loaded import CygnusLeastLoaded
from swift_lb.policy.backends.destination_hash import DestinationHash
from swift_lb.policy.backends.fair import Fair
from swift_lb.policy.backends.least_connection import LeastConnection
from swift_lb.policy.backends.least_loaded import LeastLoaded
from swift_lb.policy.backends.locality_least_connection import LocalityLeastConnection
from swift_lb.policy.backends.never_queue import NeverQueue
from swift_lb.policy.backends.options import BackendOptions
from swift_lb.policy.backends.pending_request_counting import PendingRequestCounting
from swift_lb.policy.backends.request_counting import RequestCounting
from swift_lb.policy.backends.round_robin import RoundRobin
from swift_lb.policy.backends.shortest_queue_first import ShortestQueueFirst
from swift_lb.policy.backends.source_hash import SourceHash
from swift_lb.policy.backends.tllb import Tllb
from swift_lb.policy.backends.traffic_counting import TrafficCounting
from swift_lb.policy.backends.weighted_least_connection import WeightedLeastConnection
from swift_lb.policy.backends.weighted_round_robin import WeightedRoundRobin

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
    'adaptive': Adaptive,               # ours
    'always_delegate': AlwaysDelegate,  # for tests only
}


def make_backend_policy(name, options=None):
    """Return the policy called `name`, with its BackendOptions.

    Raises ConfigError, which lists the known policies, for any other name.
    """
    if name not in BACKEND_POLICIES:
        raise ConfigError([f'unknown policy {name!r}: the policies are '
                           f'{", ".join(BACKEND_POLICIES)}'])
    return BACKEND_POLICIES[name](BackendOptions() if options is None else options)
