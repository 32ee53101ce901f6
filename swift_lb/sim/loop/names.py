"""DNS: an authority that answers with some of the addresses, and caches that keep an answer."""
import math
from bisect import bisect
from itertools import accumulate

GOLDEN = (math.sqrt(5) - 1) / 2     # its multiples, without their whole parts, are the most even


class Authority:
    """Answer with k addresses, each as often as its share wants: systematic sampling.

    k is as large as the shares allow, and at least 2: an address can be in an answer only once, so
    k times the largest share must not be more than 1. Where to cut is not random: few caches ask
    in a TTL, and by chance alone their answers would be far from the shares.
    """

    def __init__(self, names, start):
        """Answer with all of `names` alike until an Instruction says otherwise."""
        self._start, self._even = start, dict.fromkeys(names, 1 / len(names))

    def answer(self, instruction):
        """Return a list of addresses by an Instruction, or None."""
        parts = instruction.parts if instruction else ()
        shares = {part.node: part.dns for part in parts if part.dns > 0} or self._even
        self._start = (self._start + GOLDEN) % 1.0
        size = min(len(shares), max(2, math.floor(1 / max(shares.values()) + 1e-6)))
        chosen, cut, sofar = [], self._start, 0.0
        for name, part in capped(shares, size).items():
            sofar += part
            if sofar > cut:
                chosen.append(name)
                cut += 1
        return chosen


def capped(shares, size):
    """Return {address: chance to be in an answer of `size`}, none more than 1."""
    sure = set()
    while True:
        rest = sum(share for name, share in shares.items() if name not in sure)
        factor = (size - len(sure)) / rest if rest else 0.0
        more = {name for name, share in shares.items()
                if name not in sure and share * factor > 1}
        if not more:
            return {name: 1.0 if name in sure else share * factor
                    for name, share in shares.items()}
        sure |= more


class Caches:
    """Keep answers for a TTL each; who asks is one of a cache's clients."""

    def __init__(self, setting, answer, rng):
        """`answer()` returns a new answer."""
        count = range(setting.caches)
        self._answer, self._rng, self._ttl = answer, rng, setting.ttl
        self._answers = [answer() for _cache in count]
        self._expires = [rng.random() * setting.ttl for _cache in count]
        self._sizes = [*accumulate(1 / (cache + 1) if setting.uneven else 1.0 for cache in count)]

    def any(self):
        """Return the number of a cache, the more often the more clients it has."""
        return bisect(self._sizes, self._rng.random() * self._sizes[-1])

    def look_up(self, cache, now):
        """Return the addresses that a client of `cache` gets."""
        if now >= self._expires[cache]:
            self._answers[cache] = self._answer()
            self._expires[cache] = now + self._ttl
        return self._answers[cache]
