"""What the policies have in common that go by a hash of the request: a map of slots.

    slot    = hash / 2^48 x W           W = sum of the weights
    first   = whose slots it is in, of a line of all backends in which each has its weight
    then    = who follows in the line, and from its end on from its beginning

    hash    48 bits of BLAKE2b, alike in all processes and on all hosts
    line    by ip, port and name, alike wherever the candidates and the weights are

Source: HAProxy's `hash-type map-based`, lb_map.c: hash modulo W in an array of W slots. Scaled here
instead of modulo, as weights may be fractions; HAProxy deals out the slots one by one, here those
of a backend are together: the shares are the same. Another hash is used, its `sdbm` having no
advantage here. As there, nearly everything moves when a backend comes or goes; with HAProxy all
keys are mapped anew then, here a request has a second place to go to.
"""
from hashlib import blake2b

from swift_lb.model import Asked
from swift_lb.policy.backends.weighed import ONLY_AFTER, Weighed

BYTES = 6       # 48 bits: a float has them all, so that the fraction is less than 1


def fraction(text):
    """Return a fraction in [0, 1) that is always the same for `text`."""
    digest = blake2b(text.encode('utf-8', 'surrogateescape'), digest_size=BYTES).digest()
    return int.from_bytes(digest, 'big') / 256 ** BYTES


class Hashed(Weighed):
    """Order by a hash of what is asked, at random if that is not known."""

    counts = False
    hashes = ''     # the word for what is hashed

    def text(self, asked):
        """Return what is hashed of an Asked, '' if it is not known."""
        raise NotImplementedError

    def hashed(self, snapshot):
        """Return what is hashed, '' if it is not known."""
        asked = snapshot.common.get(Asked)
        return self.text(asked) if asked else ''

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates from the one that has the hash on, weight 0 last."""
        text = self.hashed(snapshot)
        if not text:
            return super().order(candidates, snapshot, now, rng)
        line = sorted(candidates)
        weights = [self.weight(backend) for backend in line]
        first = self._slot(weights, fraction(text) * sum(weights))
        turned = line[first:] + line[:first]
        return sorted(turned, key=lambda backend: not self.weight(backend))

    def _slot(self, weights, slot):
        for place, weight in enumerate(weights):
            if slot < weight:
                return place
            slot -= weight
        return 0        # of no weights at all

    def cost_of(self, load, weight):
        """Return the same for all: who it is does not depend on loads."""
        return 0

    def knows(self, backend, snapshot, now):
        """Return whether what is hashed is known."""
        return bool(self.hashed(snapshot))

    def reason(self, backend, snapshot, now):
        """Say what is hashed."""
        if not self.weight(backend):
            return ONLY_AFTER
        return f'by the hash of the {self.hashes} {self.hashed(snapshot)}'

    def unknown(self, backend, snapshot):
        """Say what happens then."""
        return 'at random'
