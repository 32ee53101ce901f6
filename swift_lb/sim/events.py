"""The events of a scenario; plan(cluster) schedules an event on the agenda.

A change has begin(cluster, device) and end(cluster, device). Changes of one device combine: two
that make it 2 and 3 times as slow make it 6 times as slow.
"""
import math
import random
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Slow:
    """Every service takes `factor` times as long."""

    factor: float

    def begin(self, _cluster, device):
        """Apply the factor."""
        device.condition.slow *= self.factor

    def end(self, _cluster, device):
        """Remove the factor."""
        device.condition.slow /= self.factor


@dataclass(frozen=True)
class Later:
    """Every seek takes `seconds` longer."""

    seconds: float

    def begin(self, _cluster, device):
        """Add the seconds."""
        device.condition.later += self.seconds

    def end(self, _cluster, device):
        """Subtract the seconds."""
        device.condition.later -= self.seconds


@dataclass(frozen=True)
class Hang:
    """Nothing is served until the end, then everything that waits."""

    def begin(self, cluster, device):
        """Stop serving."""
        device.condition.hang = True
        cluster.hung.append(device)

    def end(self, cluster, device):
        """Continue serving."""
        device.condition.hang = False
        cluster.hung.remove(device)
        device.recover()


@dataclass(frozen=True)
class Fail:
    """Every request is refused with a status, after some seconds."""

    status: int
    seconds: float

    def begin(self, _cluster, device):
        """Refuse requests."""
        device.condition.fail = (self.status, self.seconds)

    def end(self, _cluster, device):
        """Serve again."""
        device.condition.fail = None


@dataclass(frozen=True)
class Pause:
    """A fraction of the seeks takes some seconds longer: garbage collection, recalibration."""

    fraction: float
    seconds: float

    def begin(self, _cluster, device):
        """Start to pause."""
        device.condition.pause = (self.fraction, self.seconds)

    def end(self, _cluster, device):
        """Stop pausing."""
        device.condition.pause = (0.0, 0.0)


@dataclass(frozen=True)
class During:
    """A change of some devices between two instants."""

    change: object
    nodes: tuple
    at: float = 0.0
    until: float = math.inf

    def plan(self, cluster):
        """Schedule the begin and the end of the change."""
        for node in self.nodes:
            cluster.agenda.at(self.at, lambda device: self.change.begin(cluster, device),
                              cluster.devices[node])
            if self.until < math.inf:
                cluster.agenda.at(self.until, lambda device: self.change.end(cluster, device),
                                  cluster.devices[node])


@dataclass(frozen=True)
class Repeated:
    """An event that happens again and again to some devices, until its end.

    `kind(cluster, device, *values)` makes the object for a device: step() does it once and returns
    the seconds until the next time; last() restores the device.
    """

    kind: type
    values: tuple
    nodes: tuple
    at: float = 0.0
    until: float = math.inf

    def plan(self, cluster):
        """Put the first step of each device on the agenda."""
        for node in self.nodes:
            steps = self.kind(cluster, cluster.devices[node], *self.values)
            cluster.agenda.at(self.at, lambda steps: self._step(cluster.agenda, steps), steps)

    def _step(self, agenda, steps):
        if agenda.now >= self.until:
            steps.last()
        else:
            agenda.at(min(agenda.now + steps.step(), self.until),
                      lambda steps: self._step(agenda, steps), steps)


class Fluctuation:
    """C3's: each interval a device's mean is, with equal chance, its own or `factor` times less.

    Source: Suresh et al., NSDI'15, section 6, and muUpdater.py of its simulator absim.
    """

    def __init__(self, cluster, device, factor, seconds):
        self._rng = random.Random(f'{cluster.seed} fluctuation {device.node}')
        self._condition, self._factor, self._seconds = device.condition, factor, seconds
        self._now = 1.0     # the factor by which it has multiplied `slow`

    def step(self):
        """Set one of the two speeds at random; return the seconds until the next step."""
        self._set(1.0 if self._rng.random() < 0.5 else 1 / self._factor)
        return self._seconds

    def last(self):
        """End the fluctuation: give the device back the speed that it had before."""
        self._set(1.0)

    def _set(self, now):
        self._condition.slow *= now / self._now
        self._now = now


class Rebuild:
    """Background reads at random instants: replication, reconstruction, audit."""

    def __init__(self, cluster, device, rate, size):
        self._rng = random.Random(f'{cluster.seed} rebuild {device.node}')
        self._device, self._rate, self._size = device, rate, size
        self._began = False

    def step(self):
        """Start one read."""
        if self._began:
            self._device.work(Background(self._size))
        self._began = True
        return self._rng.expovariate(self._rate)

    def last(self):
        """Stop; a device completes the read that it has started."""


class Background:
    """One read of a Rebuild, with the interface of an Attempt; it is not counted."""

    __slots__ = ('left', 'size')
    ahead, gone = None, False

    def __init__(self, size):
        self.size = self.left = size

    def deliver(self, size):
        """Do nothing: no proxy waits for it."""


@dataclass(frozen=True)
class Restart:
    """A worker of a proxy restarts and loses its own book."""

    number: int     # 0 is the first
    at: float = 0.0
    until: float = field(default=math.inf, init=False)

    def plan(self, cluster):
        """Schedule the restart."""
        cluster.agenda.at(self.at, cluster.forget, self.number)


@dataclass(frozen=True)
class Expire:
    """An event: every book forgets all measures at once, as after a long idle time."""

    at: float = 0.0
    until: float = field(default=math.inf, init=False)

    def plan(self, cluster):
        """Schedule the loss."""
        cluster.agenda.at(self.at, cluster.expire, None)
