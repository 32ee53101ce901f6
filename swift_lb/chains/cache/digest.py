"""A set of keys in few bytes, as another cluster gets it: a Bloom filter. Pure.

    bits   = -keys x ln(false) / ln(2)^2        9.6 a key for 1 %
    probes = bits / keys x ln(2)                7 for 1 %
    bit i  = (first + i x second) mod bits      first, second: 64 bits each of the key

    false   the fraction of keys that are not in the set, but seem to be

Bloom, "Space/time trade-offs in hash coding with allowable errors" (1970); two hashes suffice:
Kirsch and Mitzenmacher, "Less Hashing, Same Performance" (2006). Keys are SHA-256 in hex, so that
they are hashes already.
"""
from math import ceil, log

FALSE = 0.01
HEAD = b'slbd\x01'      # the name of the format; a byte with the number of probes follows
MOST = 1 << 20          # bytes of a digest that is read: 800,000 keys


class Digest:
    """A set of keys, which may seem to have a few more."""

    def __init__(self, bits, probes):
        """Take the bits, a bytearray, and how many of them each key sets."""
        self._bits, self._probes = bits, probes

    @classmethod
    def of(cls, keys, false=FALSE):
        """Return the Digest of a collection of keys, with a fraction `false` of wrong answers."""
        bits = max(64, ceil(-len(keys) * log(false) / log(2) ** 2))
        digest = cls(bytearray(-(-bits // 8)), max(1, round(-log(false) / log(2))))
        for key in keys:
            for place in digest._places(key):
                digest._bits[place >> 3] |= 1 << (place & 7)
        return digest

    def __contains__(self, key):
        """Return whether a key is in the set, or seems to be."""
        return all(self._bits[place >> 3] >> (place & 7) & 1 for place in self._places(key))

    def _places(self, key):
        many = len(self._bits) * 8
        place, step = int(key[:16], 16) % many, (int(key[16:32], 16) | 1) % many
        for _probe in range(self._probes):
            yield place
            place = (place + step) % many

    def dumps(self):
        """Return the digest as bytes."""
        return HEAD + bytes((self._probes,)) + self._bits

    @classmethod
    def loads(cls, data):
        """Return the Digest of these bytes; raises ValueError if they are none."""
        bits, probes = data[len(HEAD) + 1:], data[len(HEAD):len(HEAD) + 1]
        if data[:len(HEAD)] != HEAD or not 1 <= int.from_bytes(probes, 'big') <= 32 or not (
                8 <= len(bits) <= MOST):
            raise ValueError('not a digest of keys')
        return cls(bytearray(bits), probes[0])
