"""SipHash-2-4 (Aumasson and Bernstein, 2012), the hash of DNS cookies (RFC 9018 4.4). Pure.

    v0, v1, v2, v3 = key ^ "somepseudorandomlygeneratedbytes"
    for each word m of 8 bytes:     v3 ^= m;  2 rounds;  v0 ^= m
    v2 ^= 0xff;  4 rounds;          hash = v0 ^ v1 ^ v2 ^ v3

Words are little-endian. The last one has the message's remaining bytes, zeros, and as its highest
byte the length of the message modulo 256.
"""
import struct

try:
    from siphash24 import siphash24  # in C, of the extra `dns`
except ImportError:
    siphash24 = None

BEGIN = (0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261, 0x7465646279746573)
MASK = 2**64 - 1


def siphash(message, key):
    """Return the hash, 8 bytes, of the bytes `message` under `key`, 16 bytes."""
    if siphash24 is None:
        return in_python(message, key)
    return siphash24(message, key=key).digest()


def in_python(message, key):
    """Return the same as `siphash`, without the package siphash24."""
    low, high = struct.unpack('<2Q', key)
    state = (BEGIN[0] ^ low, BEGIN[1] ^ high, BEGIN[2] ^ low, BEGIN[3] ^ high)
    padded = message + bytes(7 - len(message) % 8) + bytes((len(message) % 256,))
    for (word,) in struct.iter_unpack('<Q', padded):
        v0, v1, v2, v3 = rounds(2, *state[:3], state[3] ^ word)
        state = (v0 ^ word, v1, v2, v3)
    v0, v1, v2, v3 = rounds(4, *state[:2], state[2] ^ 0xff, state[3])
    return struct.pack('<Q', v0 ^ v1 ^ v2 ^ v3)


def rounds(number, v0, v1, v2, v3):
    """Return (v0, v1, v2, v3), words of 64 bits, after `number` SipRounds."""
    for _round in range(number):
        v0, v2 = v0 + v1 & MASK, v2 + v3 & MASK
        v1, v3 = v0 ^ (v1 << 13 & MASK | v1 >> 51), v2 ^ (v3 << 16 & MASK | v3 >> 48)
        v0 = v0 << 32 & MASK | v0 >> 32
        v2, v0 = v2 + v1 & MASK, v0 + v3 & MASK
        v1, v3 = v2 ^ (v1 << 17 & MASK | v1 >> 47), v0 ^ (v3 << 21 & MASK | v3 >> 43)
        v2 = v2 << 32 & MASK | v2 >> 32
    return v0, v1, v2, v3
