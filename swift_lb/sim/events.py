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
    """Make every service of the device take `factor` times as long."""
    device.condition.slow *= factor
    yield
    device.condition.slow /= factor


def later(_cluster, device, seconds):
    """Make every seek of the device take `seconds` longer."""
    device.condition.later += seconds
    yield
    device.condition.later -= seconds


def hang(cluster, device):
    """Serve nothing until the change ends, then everything that waits."""
    device.condition.hang = True
    cluster.hung.append(device)
    yield
    device.condition.hang = False
    cluster.hung.remove(device)
    device.recover()


def fail(_cluster, device, status, seconds):
    """Refuse every request with the HTTP `status`, `seconds` after it came."""
    device.condition.fail = (status, seconds)
    yield
    device.condition.fail = None


def pause(_cluster, device, fraction, seconds):
    """Make a `fraction` of the seeks take `seconds` longer, as garbage collection does."""
    device.condition.pause = (fraction, seconds)
    yield
    device.condition.pause = (0.0, 0.0)


def fluctuate(cluster, device, factor, seconds):
    """Set the device's mean service time to one of two values at random, every `seconds` seconds.

    They are its normal mean and this mean divided by `factor`, with equal chances. Source:
    Suresh et al. (C3), NSDI'15, section 6, and muUpdater.py of its simulator absim.
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
    """Read in the background at random instants, as replication, reconstruction and audit do.

    There are `rate` reads of `size` bytes per second. At the end the device completes the read
    that it has started.
    """
    rng = random.Random(f'{cluster.seed} rebuild {device.node}')
    while True:
        yield rng.expovariate(rate)
        device.work(Background(size))


class Background:
    """One read of rebuild(), with the interface of an Attempt; no count of requests includes it."""

    __slots__ = ('left', 'size')
    ahead, gone = None, False

    def __init__(self, size):
        self.size = self.left = size

    def deliver(self, size):
        """Do nothing: no proxy waits for a background read."""


@dataclass(frozen=True)
class During:
    """An event that changes the devices of `nodes` from the instant `at` until `until`.

    `change` is a generator function of this module, such as slow(), and `values` are its last
    arguments.
    """

    change: object
    values: tuple
    nodes: tuple
    at: float = 0.0
    until: float = math.inf

    def plan(self, cluster):
        """Schedule the begin and the end of the change on the agenda of the cluster."""
        for node in self.nodes:
            steps = self.change(cluster, cluster.devices[node], *self.values)
            self._schedule(cluster.agenda, steps)

    def _schedule(self, agenda, steps):
        agenda.at(self.at, next, steps)
        if self.until < math.inf:
            agenda.at(self.until, tuple, steps)     # to the end of the generator


class Repeated(During):
    """An event whose `change` is made again and again from the instant `at` until `until`."""

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
    """An event at which one worker (`forget`) or all workers (`expire`) lose their measurements.

    `loss` names the method of the Cluster that is called.
    """

    loss: str
    number: int = 0     # of the worker; 0 is the first
    at: float = 0.0
    until: float = field(default=math.inf, init=False)

    def plan(self, cluster):
        """Schedule the workers' loss of measurements on the agenda of the cluster."""
        cluster.agenda.at(self.at, getattr(cluster, self.loss), self.number)
