"""In what order do we try them? One file a policy, one registry.

A policy is an object with three methods, all pure (`now` in seconds and `rng`, a random.Random, are
arguments; no I/O, no clock, no module state):

    order(candidates, snapshot, now, rng) -> list   all candidates, each once, best first
    knows(node, snapshot, now) -> bool              has it the facts it wants of a node?
    explain(node, candidates, snapshot, now) -> str why the node stands among these where it does

and, if it needs more than NodeLoad has, `kinds`: the classes of load/ whose evidence the book is to
keep of each node (load/evidence.py).

To add one: copy shuffle.py, write `order`, add a line to POLICIES. The laws of test/unit/policy run
over the registry and take it up without another edit.
"""
from swift_lb.errors import ConfigError
from swift_lb.policy.adaptive import Adaptive
from swift_lb.policy.c3 import C3
from swift_lb.policy.cassandra_snitch import CassandraSnitch
from swift_lb.policy.connect_time import ConnectTime
from swift_lb.policy.elastic_ars import ElasticArs
from swift_lb.policy.last_throughput import LastThroughput
from swift_lb.policy.lb_rlt import LbRlt
from swift_lb.policy.least_in_flight import LeastInFlight
from swift_lb.policy.peak_ewma import PeakEwma
from swift_lb.policy.prequal import Prequal
from swift_lb.policy.shuffle import Shuffle
from swift_lb.policy.two_choices import TwoChoices
from swift_lb.policy.weighted import Weighted

POLICIES = {
    'shuffle': Shuffle,                # the paper's LB-R
    'weighted': Weighted,              # LB-RW
    'connect_time': ConnectTime,       # LB-RCT
    'last_throughput': LastThroughput,  # LB-RL
    'lb_rlt': LbRlt,                   # LB-RLT
    'least_in_flight': LeastInFlight,  # of others, as their sources have them
    'two_choices': TwoChoices,
    'peak_ewma': PeakEwma,
    'c3': C3,
    'prequal': Prequal,
    'cassandra_snitch': CassandraSnitch,
    'elastic_ars': ElasticArs,
    'adaptive': Adaptive,              # ours
}


def kinds_of(names):
    """Return the classes of evidence that the policies of these names want kept, each once."""
    return tuple(dict.fromkeys(kind for name in names
                               for kind in getattr(POLICIES[name], 'kinds', ())))


def make_policy(options):
    """Return the policy that `options` (a config.ReplicaOptions) names.

    Raises ConfigError, which lists the known policies, for any other name.
    """
    try:
        return POLICIES[options.policy](options)
    except KeyError:
        raise ConfigError([f'unknown policy {options.policy!r}: the policies are '
                           f'{", ".join(POLICIES)}']) from None
