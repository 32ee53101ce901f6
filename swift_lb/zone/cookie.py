"""DNS cookies: a client that has one does not forge its address (RFC 7873, RFC 9018). Pure.

    server cookie = VERSION, 3 reserved bytes, the time (32 bits), a hash
    hash          = SipHash-2-4 under a secret of all nodes, over:
                    client cookie, version, reserved, time, address of the client

A node accepts the cookies of every node. Two secrets are valid while they are changed: the first
makes cookies, both verify them, and a cookie of the second is replaced (RFC 9018, appendix A.4).
"""
import hmac
import struct

from swift_lb.zone.address import unmapped
from swift_lb.zone.siphash import siphash

CLIENT = 8                      # bytes of a client cookie
WHOLE = 24                      # bytes of a complete cookie: the client's 8 and the server's 16
BEGIN = b'\x01\0\0\0'           # version 1 and 3 reserved bytes
RENEW = 1800        # seconds of age at which a cookie is replaced (RFC 9018, section 4.3)
OLDEST, AHEAD = 3600, 300   # seconds that its time may lie in the past, in the future (same)


class Cookies:
    """Makes and verifies DNS cookies (RFC 7873, RFC 9018) with the server's secrets."""

    def __init__(self, keys):
        """Take `keys`, secrets of 16 bytes each: the first makes cookies, all verify them."""
        self._keys = tuple(keys)
        self._first = self._keys[0]

    def answer(self, option, address, now):
        """Return (the cookie for the reply, whether the query's cookie was valid).

        `option` is the query's cookie, 8 or 16 to 40 bytes, `address` the client's IP address as
        bytes, `now` in seconds since 1970.
        """
        address = unmapped(address)
        key, age = self._verified(option, address, now)
        if key == self._first and age < RENEW:
            return option, True
        begin = option[:CLIENT] + BEGIN + struct.pack('>I', now % 2**32)
        return begin + hash_of(begin, address, self._first), key is not None

    def _verified(self, option, address, now):
        """Return (secret that made the cookie, its age in seconds), both None if it is invalid."""
        if len(option) != WHOLE or option[CLIENT] != BEGIN[0]:
            return None, None
        age = since(option, now)
        if not -AHEAD <= age <= OLDEST:
            return None, None
        for key in self._keys:
            if hmac.compare_digest(option[16:], hash_of(option[:16], address, key)):
                return key, age
        return None, None


def since(option, now):
    """Return the age of the cookie `option` in seconds, negative if it is from the future.

    `now` is in whole seconds since 1970. Times in cookies are serial numbers of 32 bits
    (RFC 1982), which wrap.
    """
    made = int.from_bytes(option[12:16], 'big')
    return (now - made + 2**31) % 2**32 - 2**31


def hash_of(begin, address, key):
    """Return the hash, under `key`, of the first 16 bytes of a cookie and the client's address."""
    return siphash(begin + address, key)
