"""The policies that can run in a scenario: those of the registry, and an oracle.

    NAME        as its authors define it: every worker uses only its own measurements
    NAME@host   all workers of a host share their measurements, as with `adaptive`
    oracle      knows the queue and speed of every device (oracle.py)
    affinity    Swift's read_affinity, configured to read the slowest devices last, and all other
                devices at random
    ...+hedge   any of these, and reads that take long are sent to a second device (load/hedge.py)

`adaptive` always shares its measurements, as it does in a proxy. `weighted` gets the true speeds of
the healthy devices as weights, as if an operator had measured them; `affinity` avoids the slowest
devices, as the evaluation on a lab does (evaluation/targets.py).
"""
import sys
from types import MappingProxyType

from swift_lb.errors import ConfigError
from swift_lb.policy import POLICIES, SHARING, make_policy
from swift_lb.replica_options import ReplicaOptions
from swift_lb.sim.cluster import Contender
from swift_lb.sim.oracle import Oracle

ORACLE, AFFINITY = 'oracle', 'affinity'
LEAVES_OUT = "Swift's read_affinity, told which devices are the slowest: these come last."
SHARED, HEDGED = '@host', '+hedge'


def labels():
    """Return the labels of all contenders; to each of them HEDGED (`+hedge`) may be added."""
    labels_of_all = [ORACLE, AFFINITY]
    for name in POLICIES:
        labels_of_all += [name] if name in SHARING else [name, name + SHARED]
    return labels_of_all


def contender_factory(label):
    """Return a function from a Cluster to the Contender `label`; raises ConfigError if unknown."""
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
    """Return the policy's name in a label: `c3` in `c3@host+hedge`."""
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
    """Return a sentence that describes the contender called `label`, for a report."""
    name = name_of(label)
    sentences = [LEAVES_OUT if name == AFFINITY else
            _first_line(Oracle if name == ORACLE else POLICIES[name])]
    if SHARED in label:
        sentences.append('One book a host.')
    if label.endswith(HEDGED):
        sentences.append('Hedged.')
    return ' '.join(sentences)


def _first_line(policy):
    return sys.modules[policy.__module__].__doc__.partition('\n')[0]
