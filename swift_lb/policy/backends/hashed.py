"""The policies that hash the request: the same path, or client, gets the same backend.

    destination_hash   hashed = path up to the `?`
    source_hash        hashed = address of the client
      slot    = hash / 2^48 x W         W = sum of the weights
      first   = the backend with that slot, in a line in which each backend has `weight` slots
      then    = the backends that follow in the line, and after its end those at its beginning

    locality_least_connection
      home       = backend with the least  -ln(1 - hash(path, backend)) / weight
      overloaded = in_flight(home) > weight(home), and some backend has in_flight < weight / 2
      first      = home, or if it is overloaded the backend with the least  in_flight / weight
      then       = by in_flight / weight

    hash        48 bits of BLAKE2b, the same in all processes and on all hosts
    line        by ip, port and name: the same wherever the candidates and the weights are the same
    in_flight   requests that this host has sent to the backend and that are not yet answered
    weight      static (weights.py). For locality_least_connection it is also the usual number of
                requests, so that a weight of 1 is little

The slots are HAProxy's `hash-type map-based`, lb_map.c: hash modulo W in an array of W slots. Here
the hash is scaled instead, as weights may be fractions. HAProxy deals out the slots one by one,
here those of a backend are together: the shares are the same. Its hash `sdbm` has no advantage
here. In both nearly all requests change their backend when one comes or goes; HAProxy then maps all
keys again, while here a request has a second backend to try.

`destination_hash`: HAProxy `balance uri` without `whole`: "the left part of the URI (before the
question mark)". Piorkowski et al. call it Destination Hashing, and URI in their Table 2.

`source_hash`: HAProxy `balance source`, LVS `sh`. If all clients come through one NAT or one proxy,
one backend gets them all: only the address counts.

`locality_least_connection`: LVS `lblc`, ip_vs_lblc.c, made for caches, where the destination is an
address. LVS keeps a table of destinations and their servers, chosen by `wlc`, and moves a
destination of an overloaded server for good. A policy is pure and keeps no table, so the home is
found by rendezvous hashing (Thaler and Ravishankar, 1998): the same on all hosts, in proportion to
the weights; when a backend goes, only its destinations move. After an overload a destination
returns to its home.
"""
from hashlib import blake2b
from math import log

from swift_lb.model import RequestFacts
from swift_lb.policy.backends.in_flight import WeightedLeastConnection
from swift_lb.policy.backends.weights import ONLY_AFTER, WeightedCost

BYTES = 6       # 48 bits: a float has them all, so that the fraction is less than 1


def fraction(text):
    """Return the hash of `text` as a fraction in [0, 1), always the same for the same text."""
    digest = blake2b(text.encode('utf-8', 'surrogateescape'), digest_size=BYTES).digest()
    return int.from_bytes(digest, 'big') / 256 ** BYTES


def destination(request):
    """Return the path of a RequestFacts without its query."""
    return request.path.partition('?')[0]


class Hashed(WeightedCost):
    """Order by a hash of the request's path or client address, at random if that is unknown."""

    counts = False
    hashes = ''     # the name of the hashed field, in explanations

    def _text(self, request):
        """Return the text of a RequestFacts that is hashed, '' if it is not known."""
        raise NotImplementedError

    def hashed(self, snapshot):
        """Return the text of the snapshot's request that is to be hashed, '' without a request."""
        request = snapshot.common.get(RequestFacts)
        return self._text(request) if request else ''

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates, sorted, from the one on that the hash selects; weight 0 last.

        Those before it in the sorted sequence follow at the end. Without a text, by chance.
        """
        text = self.hashed(snapshot)
        if not text:
            return super().order(candidates, snapshot, now, rng)
        line = sorted(candidates)
        weights = [self.weight(backend) for backend in line]
        first = self._place(weights, fraction(text) * sum(weights))
        rotated = line[first:] + line[:first]
        return sorted(rotated, key=lambda backend: not self.weight(backend))

    def _place(self, weights, slot):
        for place, weight in enumerate(weights):
            if slot < weight:
                return place
            slot -= weight
        return 0        # all weights are 0

    def _cost_of(self, load, weight):
        return 0        # the order does not depend on loads

    def knows(self, backend, snapshot, now):
        """Return whether the request's text to be hashed, its path or client, is known."""
        return bool(self.hashed(snapshot))

    def _reason(self, backend, snapshot, now):
        if not self.weight(backend):
            return ONLY_AFTER
        return f'by the hash of the {self.hashes} {self.hashed(snapshot)}'

    def _unknown(self, backend, snapshot):
        return 'at random'


class DestinationHash(Hashed):
    """Order by a hash of the request's path, without its query."""

    hashes = 'path'

    def _text(self, request):
        return destination(request)


class SourceHash(Hashed):
    """Order by a hash of the client's address."""

    hashes = 'client'

    def _text(self, request):
        return request.client


class LocalityLeastConnection(WeightedLeastConnection):
    """Put the path's backend, by hash, first unless overloaded; the rest by in_flight / weight."""

    usual = 1       # requests of a backend with weight 1

    def order(self, candidates, snapshot, now, rng):
        """Return the hash's backend first if not overloaded, the others by in_flight / weight."""
        ordered = super().order(candidates, snapshot, now, rng)
        home = self.home(candidates, snapshot)
        if home is not None and not self.overloaded(home, candidates, snapshot):
            ordered.remove(home)
            ordered.insert(0, home)
        return ordered

    def home(self, candidates, snapshot):
        """Return the backend that the path's hash selects, None without a path or any weight."""
        request = snapshot.common.get(RequestFacts)
        if request is None:
            return None
        path = destination(request)
        return min((backend for backend in candidates if self.weight(backend)),
                   key=lambda backend: self._distance(path, backend), default=None)

    def _distance(self, path, backend):
        where = fraction(f'{path}\0{backend.ip}\0{backend.port}\0{backend.name}')
        return -log(1.0 - where) / self.weight(backend)

    def overloaded(self, home, candidates, snapshot):
        """Return whether `home`, the path's usual backend, has more in flight than is usual.

        Another candidate must also have fewer in flight than half of what is usual for it.
        """
        return snapshot.of(home).in_flight > self.usual * self.weight(home) and any(
            snapshot.of(backend).in_flight * 2 < self.usual * self.weight(backend)
            for backend in candidates)

    def knows(self, backend, snapshot, now):
        """Return whether the path of the request is known."""
        return snapshot.common.get(RequestFacts) is not None

    def explain(self, backend, candidates, snapshot, now):
        """Return, as text, whether the path's hash selects `backend`, and its cost."""
        cost = self._reason(backend, snapshot, now)
        if backend != self.home(candidates, snapshot):
            return cost
        busy = self.overloaded(backend, candidates, snapshot)
        return f'home of this path{", but overloaded" if busy else ""}: {cost}'
