"""The events of a scenario; plan(cluster) schedules an event on the agenda.

A change of a device is a generator function of (cluster, device, *values): what is before its
`yield` begins the change, what follows it ends the change. Changes of one device combine: two that
make it 2 and 3 times as slow make it 6 times as slow.

A repeated change yields, after each of its steps, the seconds until the next one.
"""
import math
import random
from dataclasses import dataclass, field


def slow(_cluster, device, factor):
    """Make every service take `factor` times as long."""
    device.condition.slow *= factor
    yield
    device.condition.slow /= factor


def later(_cluster, device, seconds):
    """Make every seek take `seconds` longer."""
    device.condition.later += seconds
    yield
    device.condition.later -= seconds


def hang(cluster, device):
    """Serve nothing until the end, then everything that waits."""
    device.condition.hang = True
    cluster.hung.append(device)
    yield
    device.condition.hang = False
    cluster.hung.remove(device)
    device.recover()


def fail(_cluster, device, status, seconds):
    """Refuse every request with a status, after some seconds."""
    device.condition.fail = (status, seconds)
    yield
    device.condition.fail = None


def pause(_cluster, device, fraction, seconds):
    """Make a fraction of the seeks take some seconds longer: garbage collection, recalibration."""
    device.condition.pause = (fraction, seconds)
    yield
    device.condition.pause = (0.0, 0.0)


def fluctuate(cluster, device, factor, seconds):
    """Set, each interval, the device's mean to its own or `factor` times less, as C3's paper does.

    Both have the same chance. Source: Suresh et al., NSDI'15, section 6, and muUpdater.py of its
    simulator absim.
    """
    rng, now = random.Random(f'{cluster.seed} fluctuation {device.node}'), 1.0
    try:
        while True:
            before, now = now, 1.0 if rng.random() < 0.5 else 1 / factor
            device.condition.slow *= now / before
            yield seconds
    finally:
        device.condition.slow *= 1.0 / now


def rebuild(cluster, device, rate, size):
    """Read in the background at random instants: replication, reconstruction, audit.

    At the end the device completes the read that it has started.
    """
    rng = random.Random(f'{cluster.seed} rebuild {device.node}')
    while True:
        yield rng.expovariate(rate)
        device.work(Background(size))


class Background:
    """One read of `rebuild`, with the interface of an Attempt; it is not counted."""

    __slots__ = ('left', 'size')
    ahead, gone = None, False

    def __init__(self, size):
        self.size = self.left = size

    def deliver(self, size):
        """Do nothing: no proxy waits for it."""


@dataclass(frozen=True)
class During:
    """A `change` of some devices between two instants, called with `values`."""

    change: object
    values: tuple
    nodes: tuple
    at: float = 0.0
    until: float = math.inf

    def plan(self, cluster):
        """Schedule the begin and the end of the change."""
        for node in self.nodes:
            steps = self.change(cluster, cluster.devices[node], *self.values)
            self._schedule(cluster.agenda, steps)

    def _schedule(self, agenda, steps):
        agenda.at(self.at, next, steps)
        if self.until < math.inf:
            agenda.at(self.until, tuple, steps)     # to the end of the generator


class Repeated(During):
    """A repeated change of some devices between two instants."""

    def _schedule(self, agenda, steps):
        agenda.at(self.at, lambda steps: self._step(agenda, steps), steps)

    def _step(self, agenda, steps):
        if agenda.now >= self.until:
            steps.close()
        else:
            agenda.at(min(agenda.now + next(steps), self.until),
                      lambda steps: self._step(agenda, steps), steps)


@dataclass(frozen=True)
class OfWorkers:
    """A loss at an instant, a method of the Cluster: `forget` of one worker, or `expire` of all."""

    loss: str
    number: int = 0     # of the worker; 0 is the first
    at: float = 0.0
    until: float = field(default=math.inf, init=False)

    def plan(self, cluster):
        """Schedule the loss."""
        cluster.agenda.at(self.at, getattr(cluster, self.loss), self.number)
