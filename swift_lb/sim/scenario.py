"""The parts of a scenario, all frozen: kinds of devices, devices, and the scenario itself."""
from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from swift_lb.model import Node


@dataclass(frozen=True)
class DeviceKind:
    """How healthy devices of one kind serve reads."""

    draw: Callable           # (rng) -> seconds of one seek
    mean: float              # of these seconds
    variation: float         # their standard deviation divided by the mean
    slots: int = 1           # chunks served at once
    rate: float = 150e6      # bytes per second of one slot
    cache: int = 0           # number of objects that fit into the page cache


class DevicePlace(NamedTuple):
    """One device: its Node, which is its address and name, and its kind."""

    node: Node
    kind: DeviceKind


@dataclass(frozen=True)
class Scenario:
    """A cluster, its clients, and its events; times in seconds, sizes in bytes."""

    name: str
    says: str                            # a sentence that describes it
    places: tuple                        # of DevicePlace
    seconds: float = 60.0
    warm_up: float = 10.0                # excluded from the figures
    hosts: int = 1                       # hosts of proxies
    workers: int = 8                     # proxy processes on each host
    load: float = 0.8                    # fraction of the devices' capacity (open loop)
    clients: int = 0                     # number of clients (closed loop); 0: open loop
    sizes: tuple = ((4096, 1.0),)        # (bytes, share)
    objects: int = 4096
    hot: float = 0.0                     # fraction of the reads of a single object
    replicas: int = 3
    fragments: tuple | None = None       # (k, m), instead of replicas
    reports: bool = True                 # whether nodes report their load
    round_trip: float = 0.0004           # seconds between proxy and node
    node_timeout: float = 10.0           # seconds, as in Swift
    events: tuple = ()                   # objects with plan(cluster)

    @property
    def capacity(self):
        """Return how many reads per second, of the scenario's sizes, all devices can serve."""
        parts = self.fragments[0] if self.fragments else 1
        size = sum(size * share for size, share in self.sizes) / parts
        return sum(kind.slots / (kind.mean + size / kind.rate)
                   for _node, kind in self.places) / parts

    @property
    def rate(self):
        """Return the reads per second that the clients of an open loop start."""
        return self.load * self.capacity

    def ring(self, rng):
        """Return a list of each object's list of Nodes; all devices hold equally many objects.

        As from a Swift ring, each object takes the next devices of a shuffled list of all
        devices; when too few are left, a new list is shuffled.
        """
        nodes = [place.node for place in self.places]
        width = sum(self.fragments) if self.fragments else self.replicas
        objects, left = [], []
        for _object in range(self.objects):
            holders, left = left[:width], left[width:]
            if len(holders) < width:
                fresh = rng.sample(nodes, len(nodes))
                added = [node for node in fresh if node not in holders][:width - len(holders)]
                holders += added
                left = [node for node in fresh if node not in added]
            objects.append(holders)
        return objects

    def pick(self, rng):
        """Return the number of a random object to read; the hot object is number 0."""
        if self.hot and rng.random() < self.hot:
            return 0
        return int(rng.random() * self.objects)

    def size_of(self, rng):
        """Return the random size of one read, in bytes; `sizes` gives the probabilities."""
        if len(self.sizes) == 1:
            return self.sizes[0][0]
        shares = list(accumulate(share for _size, share in self.sizes))
        return self.sizes[min(bisect(shares, rng.random() * shares[-1]), len(shares) - 1)][0]
