"""Who can run in a scenario: the policies of the registry, and the oracle.

    NAME        as its authors have it: every worker knows what it has seen itself
    NAME@host   all workers of a host have one book, as `adaptive` has
    oracle      sees every queue (oracle.py)
    affinity    Swift's read_affinity, told which devices are the slowest: these come last, and
                the others at random
    ...+hedge   any of them, and reads that take long are sent to a second device (load/hedge.py)

`adaptive` always shares: it is made for the book of the host. `weighted` gets for its weights the
true speeds of the healthy devices, as an operator would who has profiled them before; `affinity`
leaves the slowest out, as the evaluation on a lab does (evaluation/targets.py).
"""
import sys
from types import MappingProxyType

from swift_lb.errors import ConfigError
from swift_lb.policy import POLICIES, make_policy
from swift_lb.replica_options import ReplicaOptions
from swift_lb.sim.cluster import Contender
from swift_lb.sim.oracle import Oracle

ORACLE, AFFINITY = 'oracle', 'affinity'
LEAVES_OUT = "Swift's read_affinity, told which devices are the slowest: these come last."
SHARING = {'adaptive'}
SHARED, HEDGED = '@host', '+hedge'


def labels():
    """Return the labels of all that can run, each with or without HEDGED."""
    found = [ORACLE, AFFINITY]
    for name in POLICIES:
        found += [name] if name in SHARING else [name, name + SHARED]
    return found


def make(label):
    """Return what Cluster wants to have of the policy called `label`: make_policy(cluster)."""
    plain, name = label.removesuffix(HEDGED), name_of(label)
    if plain not in labels():
        raise ConfigError([f'unknown policy {label!r}: the policies are {", ".join(labels())}, '
                           f'and each of them with {HEDGED}'])
    hedged = label != plain
    if name == ORACLE:
        return lambda cluster: Contender(Oracle(cluster), hedged=hedged)
    if name == AFFINITY:
        return lambda cluster: Contender(_affinity(cluster.scenario), hedged=hedged)
    shared = name in SHARING or name != plain
    return lambda cluster: _made(name, shared, hedged, cluster.scenario)


def name_of(label):
    """Return the name of the policy called `label`."""
    return label.removesuffix(HEDGED).removesuffix(SHARED)


def _made(name, shared, hedged, scenario):
    policy = make_policy(ReplicaOptions(policy=name, weights=_profiled(scenario)))
    return Contender(policy, getattr(policy, 'kinds', ()), shared, hedged)


def _profiled(scenario):
    return MappingProxyType({tuple(place.node): place.kind.slots / place.kind.mean
                             for place in scenario.places})


def _affinity(scenario):
    speeds = _profiled(scenario)
    least = min(speeds.values())
    weights = {node: float(speed > least) for node, speed in speeds.items()}
    return make_policy(ReplicaOptions(policy='weighted', weights=MappingProxyType(weights)))


def says(label):
    """Return in a sentence what the policy called `label` does."""
    name = name_of(label)
    said = [LEAVES_OUT if name == AFFINITY else
            _first_line(Oracle if name == ORACLE else POLICIES[name])]
    if SHARED in label:
        said.append('One book a host.')
    if label.endswith(HEDGED):
        said.append('Hedged.')
    return ' '.join(said)


def _first_line(policy):
    return sys.modules[policy.__module__].__doc__.partition('\n')[0]
