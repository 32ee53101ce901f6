"""locality_least_connection: the same path, the same backend, unless that is overloaded.

    home       = backend with the least  -ln(1 - hash(path, backend)) / weight
    overloaded = in_flight(home) > weight(home), and one has in_flight < weight / 2
    first      = home, but if it is overloaded the least  in_flight / weight
    then       = by in_flight / weight

    hash        fraction in [0, 1) (hashed.py)
    in_flight   requests of this host there and not yet answered
    weight      static (weighed.py): here also how many requests are usual, so 1 is little

Source: LVS `lblc`, ip_vs_lblc.c, made for caches, where the destination is an address. What
differs: LVS keeps a table of who has had a destination, at first by `wlc`, and moves one for good
that is overloaded. A policy is pure and keeps none, so the home is by rendezvous hashing (Thaler
and Ravishankar, 1998): the same on all hosts, in proportion to the weights, and only those of a
backend that goes move. After an overload a destination is back at home.
"""
from math import log

from swift_lb.model import Asked
from swift_lb.policy.backends.destination_hash import destination
from swift_lb.policy.backends.hashed import fraction
from swift_lb.policy.backends.weighted_least_connection import WeightedLeastConnection


class LocalityLeastConnection(WeightedLeastConnection):
    """Order the home of the path first, the others by in_flight and weight."""

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates by in_flight and weight, but first the home if it is not busy."""
        found = super().order(candidates, snapshot, now, rng)
        home = self.home(candidates, snapshot)
        if home is not None and not self.overloaded(home, candidates, snapshot):
            found.remove(home)
            found.insert(0, home)
        return found

    def home(self, candidates, snapshot):
        """Return the backend of the path, None if that is not known or nobody has a weight."""
        asked = snapshot.common.get(Asked)
        if asked is None:
            return None
        path = destination(asked)
        return min((backend for backend in candidates if self.weight(backend)),
                   key=lambda backend: self._distance(path, backend), default=None)

    def _distance(self, path, backend):
        where = fraction(f'{path}\0{backend.ip}\0{backend.port}\0{backend.name}')
        return -log(1.0 - where) / self.weight(backend)

    def overloaded(self, home, candidates, snapshot):
        """Return whether `home` has too many requests, and another one few."""
        return snapshot.of(home).in_flight > self.weight(home) and any(
            snapshot.of(backend).in_flight * 2 < self.weight(backend) for backend in candidates)

    def knows(self, backend, snapshot, now):
        """Return whether the path is known."""
        return snapshot.common.get(Asked) is not None

    def explain(self, backend, candidates, snapshot, now):
        """Say whether `backend` is the path's, and what counts if it is not."""
        said = self.reason(backend, snapshot, now)
        if backend != self.home(candidates, snapshot):
            return said
        busy = self.overloaded(backend, candidates, snapshot)
        return f'home of this path{", but overloaded" if busy else ""}: {said}'
