"""The nouns of a scenario: what is simulated, all frozen."""
from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from swift_lb.model import Node


@dataclass(frozen=True)
class DeviceKind:
    """How a healthy device of one kind serves."""

    draw: Callable           # rng -> seconds of one seek
    mean: float              # of these
    variation: float         # their standard deviation, in means
    slots: int = 1           # chunks served at once
    rate: float = 150e6      # bytes per second of one slot
    cache: int = 0           # objects that fit into the page cache


class Place(NamedTuple):
    """One device where it stands."""

    node: Node
    kind: DeviceKind


@dataclass(frozen=True)
class Scenario:
    """A cluster, its clients, and what happens; times in seconds, sizes in bytes."""

    name: str
    says: str                            # one sentence
    places: tuple                        # of Place
    seconds: float = 60.0
    warm_up: float = 10.0                # of these nothing counts
    hosts: int = 1                       # of proxies
    workers: int = 8                     # processes of each
    load: float = 0.8                    # of what the devices can serve; an open loop
    clients: int = 0                     # or so many that ask when they are answered
    sizes: tuple = ((4096, 1.0),)        # (bytes, share)
    objects: int = 4096
    hot: float = 0.0                     # share of the reads that are of one object
    replicas: int = 3
    fragments: tuple | None = None       # (k, m), in place of replicas
    reports: bool = True                 # nodes report their load with their answers
    round_trip: float = 0.0004           # between proxy and node
    node_timeout: float = 10.0           # Swift's
    events: tuple = ()                   # each has plan(cluster)

    @property
    def capacity(self):
        """Return how many reads of these sizes per second all devices can serve."""
        parts = self.fragments[0] if self.fragments else 1
        size = sum(size * share for size, share in self.sizes) / parts
        return sum(kind.slots / (kind.mean + size / kind.rate)
                   for _node, kind in self.places) / parts

    @property
    def rate(self):
        """Return how many reads per second the clients of an open loop begin."""
        return self.load * self.capacity

    def ring(self, rng):
        """Return for each object the Nodes that hold it, all different; all hold as many.

        As a ring does it: devices are dealt out like cards, and the deck is shuffled anew whenever
        too few are left.
        """
        nodes = [place.node for place in self.places]
        width = sum(self.fragments) if self.fragments else self.replicas
        found, deck = [], []
        for _object in range(self.objects):
            hand, deck = deck[:width], deck[width:]
            if len(hand) < width:
                fresh = rng.sample(nodes, len(nodes))
                taken = [node for node in fresh if node not in hand][:width - len(hand)]
                hand += taken
                deck = [node for node in fresh if node not in taken]
            found.append(hand)
        return found

    def pick(self, rng):
        """Return the number of an object to be read."""
        if self.hot and rng.random() < self.hot:
            return 0
        return int(rng.random() * self.objects)

    def size_of(self, rng):
        """Return the size of one read."""
        if len(self.sizes) == 1:
            return self.sizes[0][0]
        shares = list(accumulate(share for _size, share in self.sizes))
        return self.sizes[min(bisect(shares, rng.random() * shares[-1]), len(shares) - 1)][0]
