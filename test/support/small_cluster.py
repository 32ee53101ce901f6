"""Simulated clusters of a few devices, for the tests of the simulator."""
from swift_lb.model import Node
from swift_lb.sim.cluster import Cluster
from swift_lb.sim.quantity import distribution
from swift_lb.sim.scenario import DeviceKind, DevicePlace, Scenario

INSTANT = 1e18      # bytes per second: chunks that take no time


class InOrder:
    """A policy that leaves replicas in the order of the ring."""

    def order(self, candidates, _snapshot, _now, _rng):
        """Return a list of the candidates in their given order."""
        return list(candidates)


def in_order(_cluster):
    """Return the policy InOrder, in the triple that Cluster expects of a `make_policy`."""
    return InOrder(), (), False


def kind(service='constant 10ms', **more):
    return DeviceKind(*distribution(service), **{'rate': INSTANT} | more)


def node(number):
    return Node(f'10.0.0.{number}', 6200, 'sd0')


def scenario(kinds, **more):
    """Return a Scenario with one device of each DeviceKind in `kinds`, and no network delay.

    `more` are fields of the Scenario.
    """
    places = tuple(DevicePlace(node(number), one) for number, one in enumerate(kinds, 1))
    return Scenario('small', 'A small one.', places, **{
        'round_trip': 0.0, 'warm_up': 0.0, 'workers': 1, 'objects': 1,
        'replicas': len(places)} | more)


class Alone(Cluster):
    """A simulated cluster without clients: the test begins each read by read()."""

    def __init__(self, scenario, make_policy=in_order, replicas=None):
        """`replicas`: the Nodes of the only object, in the ring's order; by default all nodes."""
        super().__init__(scenario, make_policy, 1)
        self._clients = self
        self.replicas = replicas or [place.node for place in scenario.places]
        self.ends, self._reads = [], []

    def begin(self):
        """Plan the reads that read() collected, after all other events of the same instant."""
        for at, begin in self._reads:
            self.agenda.at(at, begin, None)

    def read(self, read, size=1, at=0.0, worker=0):
        """Have a read of the class `read` begin at the instant `at`: `size` bytes, by `worker`."""
        self._reads.append((at, lambda _nothing: read(
            self.workers[worker], 0, self.replicas, size,
            lambda result, success: self.ends.append(
                (round(self.agenda.now, 6), result.size, success)))))

    def ended(self):
        """Run to the end; return [(instant of its end, bytes, success)] of reads, as they ended."""
        self.run()
        return self.ends


