"""How the tiles of an image are coded: the marker segments COD, COC, QCD and QCC. Pure."""
from struct import Struct
from typing import NamedTuple

from swift_lb.chains.chain import MOST_REDUCE
from swift_lb.chains.jpeg2000.markers import COC, COD, QCC, QCD
from swift_lb.errors import ChainError

LRCP, RLCP, RPCL, PCRL, CPRL = range(5)     # progressions: layer, resolution, component, position
PRECINCTS, SOPS = 1, 2                      # bits of the coding style
DERIVED = 1                                 # quantization: steps follow from the first
_COD = Struct('>BBHB')


class Coding(NamedTuple):
    """What COD says: the order of the packets, and the resolutions."""

    style: int
    progression: int
    layers: int
    transform: int          # of components: 1 for RGB
    levels: int             # halvings of the resolution
    reversible: bool
    precincts: tuple        # binary logarithms of (width, height), the least resolution first


def read_coding(content):
    """Return the Coding of the content of a COD segment."""
    if len(content) < 10:
        raise ChainError('the image has no valid coding style')
    style, progression, layers, transform = _COD.unpack_from(content)
    levels, sizes = content[5], content[10:]
    if (progression > CPRL or not layers or levels > MOST_REDUCE or content[9] > 1
            or len(sizes) != (levels + 1 if style & PRECINCTS else 0)):
        raise ChainError('the image has no valid coding style')
    precincts = tuple((size & 15, size >> 4) for size in sizes) or ((15, 15),) * (levels + 1)
    return Coding(style, progression, layers, transform, levels, content[9] == 1, precincts)


def read_component(content, components, coding):
    """Return the Coding of one component: that of COD with what the content of a COC changes."""
    wide = components > 256
    style = content[1 + wide:2 + wide]
    head = _COD.pack(style[0] if style else 0, *coding[1:4])
    return read_coding(head + content[2 + wide:])


def reduced(marker, content, components, levels, times):
    """Return the content of a COD, COC, QCD or QCC segment without the `times` finest levels.

    `levels` is their number before.
    """
    wide = components > 256
    if marker == COD:
        return _fewer_levels(content, 5, content[0], times)
    if marker == COC:
        return _fewer_levels(content, 2 + wide, content[1 + wide], times)
    if marker in (QCD, QCC):
        return _fewer_steps(content, 0 if marker == QCD else 1 + wide, levels - times)
    return content


def _fewer_levels(content, at, style, times):
    """Return a coding style with fewer levels, whose number is content[at]."""
    levels = content[at] - times
    end = at + 5 + (levels + 1 if style & PRECINCTS else 0)
    return content[:at] + bytes((levels,)) + content[at + 1:end]


def _fewer_steps(content, at, levels):
    """Return the quantization steps of so many levels; content[at] is their style."""
    style = content[at] & 31 if len(content) > at else -1
    if style == DERIVED:
        return content
    end = at + 1 + (3 * levels + 1) * (2 if style else 1)
    if style < 0 or end > len(content):
        raise ChainError('the image has no valid quantization')
    return content[:end]
