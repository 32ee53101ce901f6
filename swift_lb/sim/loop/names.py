"""DNS: an authority that answers with some of the addresses, and caches that keep an answer."""
from bisect import bisect
from itertools import accumulate

from swift_lb.zone.deck import membership
from swift_lb.zone.sampling import Places


class Authority:
    """Answer as `swift-lb-dns` does by membership: each address as often as its share wants."""

    def __init__(self, rng):
        """`rng`, a random.Random, says where its sequence starts and jumps to."""
        self._places = Places(rng.random(), rng)

    def answer(self, shares):
        """Return a tuple of addresses by {address: share of the new clients}."""
        records = dict.fromkeys(shares, b'')
        return membership(shares, records, self._places, None, len(shares)).deal().backends


class Caches:
    """Keep answers for a TTL each; who asks is one of a cache's clients."""

    def __init__(self, setting, answer, rng):
        """`answer()` returns (a new answer, the seconds for which it is kept)."""
        count = range(setting.caches)
        self._answer, self._rng = answer, rng
        self._answers = [answer()[0] for _cache in count]
        self._expires = [rng.random() * setting.ttl for _cache in count]
        self._sizes = [*accumulate(1 / (cache + 1) if setting.uneven else 1.0 for cache in count)]

    def any(self):
        """Return the number of a cache, the more often the more clients it has."""
        return bisect(self._sizes, self._rng.random() * self._sizes[-1])

    def look_up(self, cache, now):
        """Return the addresses that a client of `cache` gets."""
        if now >= self._expires[cache]:
            self._answers[cache], seconds = self._answer()
            self._expires[cache] = now + seconds
        return self._answers[cache]
