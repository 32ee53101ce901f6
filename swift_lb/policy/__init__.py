"""In what order are the replicas of an object tried? The policies and their one registry.

A policy is an object with three methods. All are pure: no I/O, no clock, no module state; `now` in
seconds and `rng`, a random.Random, are arguments.

    order(candidates, snapshot, now, rng) -> list     all candidates, each once, best first
    knows(node, snapshot, now) -> bool                are the facts of a node that it uses known?
    explain(node, candidates, snapshot, now) -> str   the reason for the node's place among them

A policy that needs more than what a NodeLoad has sets `kinds`: subclasses of load/evidence.py's
Evidence, of which the LoadBook keeps an object for each node. doc/developing.md has the steps.
"""
from swift_lb.errors import ConfigError
from swift_lb.policy.adaptive import Adaptive
from swift_lb.policy.c3 import C3, ElasticArs
from swift_lb.policy.cassandra_snitch import CassandraSnitch
from swift_lb.policy.in_flight import LeastInFlight, PeakEwma, TwoChoices
from swift_lb.policy.lb_rlt import ConnectTime, LastThroughput, LbRlt, Shuffle, Weighted
from swift_lb.policy.prequal import Prequal

POLICIES = {
    'shuffle': Shuffle,                # the LB-RLT paper's LB-R
    'weighted': Weighted,              # LB-RW
    'connect_time': ConnectTime,       # LB-RCT
    'last_throughput': LastThroughput,  # LB-RL
    'lb_rlt': LbRlt,                   # LB-RLT
    'least_in_flight': LeastInFlight,  # of other systems, after their sources
    'two_choices': TwoChoices,
    'peak_ewma': PeakEwma,
    'c3': C3,
    'prequal': Prequal,
    'cassandra_snitch': CassandraSnitch,
    'elastic_ars': ElasticArs,
    'adaptive': Adaptive,              # ours
}
SHARING = ('adaptive',)     # policies whose workers share a book wherever they are compared


def kinds_of(names):
    """Return the Evidence subclasses in the `kinds` of the policies called `names`, each once."""
    return tuple(dict.fromkeys(kind for name in names
                               for kind in getattr(POLICIES[name], 'kinds', ())))


def make_policy(options):
    """Return the policy that ReplicaOptions name; ConfigError, with all names, if it is unknown."""
    try:
        return POLICIES[options.policy](options)
    except KeyError:
        raise ConfigError([f'unknown policy {options.policy!r}: the policies are '
                           f'{", ".join(POLICIES)}']) from None
