"""What a worker knows of containers before a read of one of their objects is served. Pure.

It learns from the reads that it serves. A container is known for FRESH seconds, as Swift's own
cache knows it; an object's size is used for a prediction only, never for a decision on its version.
"""
import math
from collections import OrderedDict
from typing import NamedTuple

FRESH = 60.0            # seconds: Swift's recheck_container_existence
MAX_CONTAINERS, MAX_OBJECTS = 10_000, 10_000
WEIGHT = 0.05           # of the last object in the mean size of a container's objects
NOWHERE = 'none'        # in X-Container-Meta-Lb-Clusters: no read leaves this cluster


class ContainerFacts(NamedTuple):
    """Which reads of a container's objects may leave, by the container's headers."""

    clusters: tuple         # names in X-Container-Meta-Lb-Clusters, and of X-Container-Sync-To
    policy: int = 0         # index of its storage policy
    immutable: bool = False     # X-Container-Meta-Lb-Immutable: objects never change
    redirects: bool = False     # X-Container-Meta-Lb-Redirect: its clients follow redirects


class Containers:
    """The containers of which this worker has served an object lately."""

    def __init__(self):
        self._facts = OrderedDict()     # path -> (ContainerFacts, instant until it is known)
        self._means = {}                # path -> mean of the logarithms of objects' bytes
        self._sizes = OrderedDict()     # path of an object -> bytes

    def facts(self, path, now):
        """Return the ContainerFacts of `path`, /v1/ACCOUNT/CONTAINER, None if not known `now`."""
        known = self._facts.get(path)
        return known[0] if known is not None and now < known[1] else None

    def is_old(self, path, now):
        """Return whether the container at `path` is known, and for half of FRESH or longer."""
        known = self._facts.get(path)
        return known is not None and now >= known[1] - FRESH / 2

    def learn(self, path, facts, now):
        """Keep the ContainerFacts of the container at `path` for FRESH seconds."""
        self._facts[path] = facts, now + FRESH
        self._facts.move_to_end(path)
        if len(self._facts) > MAX_CONTAINERS:
            forgotten, _known = self._facts.popitem(last=False)
            self._means.pop(forgotten, None)

    def note_size(self, container, path, size):
        """Learn that the object at `path`, in the container at `container`, has `size` bytes."""
        self._sizes[path] = size
        self._sizes.move_to_end(path)
        if len(self._sizes) > MAX_OBJECTS:
            self._sizes.popitem(last=False)
        value = math.log(max(1, size))
        mean = self._means.get(container, value)
        if container in self._facts:
            self._means[container] = mean + WEIGHT * (value - mean)

    def size(self, container, path):
        """Return the bytes of the object at `path`, or the geometric mean of the container's.

        None if no object of the container is known.
        """
        size = self._sizes.get(path)
        if size is None and container in self._means:
            return math.exp(self._means[container])
        return size


def heard_as(name, summaries):
    """Return the name by which the cluster `name` is in `summaries`: its own or a group's, or None.

    Of groups that it is in, that with the longest name is meant: us.central for us.central.ksu.
    """
    while name not in summaries:
        name, dot, _last = name.rpartition('.')
        if not dot:
            return None
    return name


def may_serve(facts, summaries, ring):
    """Return the names in `summaries` of the clusters that may serve reads of a container.

    They are those that its ContainerFacts name, and the regions of this Swift: summaries with the
    same `ring`, a digest; '' is unknown, and nothing is a region.
    """
    if NOWHERE in facts.clusters:
        return ()
    named = (heard_as(name, summaries) for name in facts.clusters)
    return tuple(dict.fromkeys([*filter(None, named), *regions(summaries, ring)]))


def regions(summaries, ring):
    """Return the names in `summaries` of the clusters that are regions of the Swift of `ring`."""
    return [name for name, one in summaries.items() if ring and one.ring == ring]
