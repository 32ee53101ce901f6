"""Who can run in a scenario: the policies of the registry, and the oracle.

    NAME        as the proxy runs it: every worker knows what it has seen itself
    NAME@host   the same, all workers of a host have one book
    oracle      sees every queue (oracle.py)

`adaptive` always shares: it is made for the book of the host. `weighted` gets for its weights the
true speeds of the healthy devices, as an operator would who has profiled them before.
"""
import sys
from types import MappingProxyType

from swift_lb.config import ReplicaOptions
from swift_lb.errors import ConfigError
from swift_lb.policy import POLICIES, make_policy
from swift_lb.sim.oracle import Oracle

ORACLE = 'oracle'
SHARING = {'adaptive'}
SHARED = '@host'


def labels():
    """Return the labels of all that can run."""
    found = [ORACLE]
    for name in POLICIES:
        found += [name] if name in SHARING else [name, name + SHARED]
    return found


def make(label):
    """Return what Cluster wants to have of the policy called `label`: make_policy(cluster)."""
    if label not in labels():
        raise ConfigError([f'unknown policy {label!r}: the policies are {", ".join(labels())}'])
    if label == ORACLE:
        return lambda cluster: (Oracle(cluster), (), False)
    name = label.removesuffix(SHARED)
    return lambda cluster: _made(name, name in SHARING or label != name, cluster.scenario)


def _made(name, shared, scenario):
    policy = make_policy(ReplicaOptions(policy=name, weights=_profiled(scenario)))
    return policy, getattr(policy, 'kinds', ()), shared


def _profiled(scenario):
    return MappingProxyType({tuple(place.node): place.kind.slots / place.kind.mean
                             for place in scenario.places})


def says(label):
    """Return in a sentence what the policy called `label` does."""
    if label == ORACLE:
        return _first_line(Oracle)
    said = _first_line(POLICIES[label.removesuffix(SHARED)])
    return f'{said} One book a host.' if label.endswith(SHARED) else said


def _first_line(policy):
    return sys.modules[policy.__module__].__doc__.partition('\n')[0]
