"""Small clusters for the tests of the simulator."""
from swift_lb.model import Node
from swift_lb.sim.cluster import Cluster
from swift_lb.sim.quantity import distribution
from swift_lb.sim.scenario import DeviceKind, DevicePlace, Scenario

INSTANT = 1e18      # bytes per second: chunks that take no time


class InOrder:
    """A policy that leaves replicas in the order of the ring."""

    def order(self, candidates, _snapshot, _now, _rng):
        """Return the candidates as they are."""
        return list(candidates)


def in_order(_cluster):
    """Return the policy InOrder; Cluster calls this function to make its policy."""
    return InOrder(), (), False


def kind(service='constant 10ms', **more):
    return DeviceKind(*distribution(service), **{'rate': INSTANT} | more)


def node(number):
    return Node(f'10.0.0.{number}', 6200, 'sd0')


def scenario(kinds, **more):
    """Return a Scenario of a device of each kind, without a network's delay."""
    places = tuple(DevicePlace(node(number), one) for number, one in enumerate(kinds, 1))
    return Scenario('small', 'A small one.', places, **{
        'round_trip': 0.0, 'warm_up': 0.0, 'workers': 1, 'objects': 1,
        'replicas': len(places)} | more)


class Alone(Cluster):
    """A cluster with no clients: reads are begun by hand."""

    def __init__(self, scenario, make_policy=in_order, replicas=None):
        """`replicas` are the Nodes of the one object, in order."""
        super().__init__(scenario, make_policy, 1)
        self._clients = self
        self.replicas = replicas or [place.node for place in scenario.places]
        self.ends, self._reads = [], []

    def begin(self):
        """Begin the reads, after all other events of the same instant."""
        for at, begin in self._reads:
            self.agenda.at(at, begin, None)

    def read(self, read, size=1, at=0.0, worker=0):
        """Begin a read of the class `read` at the instant `at`."""
        self._reads.append((at, lambda _nothing: read(
            self.workers[worker], 0, self.replicas, size,
            lambda result, success: self.ends.append(
                (round(self.agenda.now, 6), result.size, success)))))

    def ended(self):
        """Run the simulation to its end; return (instant, size, success) of every read."""
        self.run()
        return self.ends


