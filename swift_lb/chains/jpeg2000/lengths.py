"""Lengths of packets, as the marker segments PLT and PLM have them. Pure.

A length is written in groups of seven bits, the highest first; all bytes but its last one have the
top bit.
"""
import re

_LENGTH = re.compile(rb'[\x80-\xff]{0,4}[\x00-\x7f]')


def decode(data):
    """Return the list of the lengths in `data`, or None if it is not valid."""
    found = _LENGTH.findall(data)
    if sum(map(len, found)) != len(data):
        return None
    return [token[0] if len(token) == 1 else (token[0] & 127) << 7 | token[1] if len(token) == 2
            else _long(token) for token in found]


def _long(token):
    """Return the length that the bytes of `token` are."""
    value = 0
    for byte in token:
        value = value << 7 | byte & 127
    return value


def plt_lengths(contents):
    """Return the bytes of the lengths in the PLT segments of a tile-part, or None."""
    if not contents or any(content[:1] != bytes((number & 255,))
                           for number, content in enumerate(contents)):
        return None
    return b''.join([content[1:] for content in contents])


def plm_lengths(contents):
    """Return a list of the bytes of the lengths of each tile-part from PLM segments, or None."""
    found = []
    for content in sorted(contents, key=lambda content: content[:1]):
        at = 1
        while at < len(content):
            end = at + 1 + content[at]
            if end > len(content):
                return None
            found.append(content[at + 1:end])
            at = end
    return found or None
