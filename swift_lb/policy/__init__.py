"""In what order do we try them? One file a policy, one registry.

A policy is an object with three methods, all pure (`now` in seconds and `rng`, a random.Random, are
arguments; no I/O, no clock, no module state):

    order(candidates, snapshot, now, rng) -> list   all candidates, each once, best first
    knows(node, snapshot, now) -> bool              has it the facts it wants of a node?
    explain(node, snapshot, now) -> str             why the node stands where it stands

To add one: copy shuffle.py, write `order`, add a line to POLICIES. The laws of test/unit/policy run
over the registry and take it up without another edit.
"""
from swift_lb.errors import ConfigError
from swift_lb.policy.connect_time import ConnectTime
from swift_lb.policy.last_throughput import LastThroughput
from swift_lb.policy.lb_rlt import LbRlt
from swift_lb.policy.shuffle import Shuffle
from swift_lb.policy.weighted import Weighted

POLICIES = {
    'shuffle': Shuffle,                # the paper's LB-R
    'weighted': Weighted,              # LB-RW
    'connect_time': ConnectTime,       # LB-RCT
    'last_throughput': LastThroughput,  # LB-RL
    'lb_rlt': LbRlt,                   # LB-RLT
}


def make_policy(options):
    """Return the policy that `options` (a config.ReplicaOptions) names.

    Raises ConfigError, which lists the known policies, for any other name.
    """
    try:
        return POLICIES[options.policy](options)
    except KeyError:
        raise ConfigError([f'unknown policy {options.policy!r}: the policies are '
                           f'{", ".join(POLICIES)}']) from None
