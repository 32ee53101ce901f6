"""The tile-parts of a codestream: where each is, and how long. Pure."""
from array import array
from bisect import bisect_left
from struct import Struct
from typing import NamedTuple

from swift_lb.chains.jpeg2000.lengths import plt_lengths
from swift_lb.chains.jpeg2000.markers import COM, PLT, SOD, SOT, SOT_SEGMENT, TWO, segments
from swift_lb.errors import ChainError

MAX_PARTS = 1 << 17                     # twice the number of tiles that an image can have
LEAST = SOT_SEGMENT.size + 2            # bytes of a tile-part: SOT and SOD
_MAX_PART = (1 << 32) - 1


class TileParts(NamedTuple):
    """The tile-parts in the order of their tiles, and for each tile in that of the codestream."""

    tiles: array            # numbers of tiles
    offsets: array          # in the object
    lengths: array
    heads: array            # bytes from SOT to SOD; 0 if not known

    @property
    def is_one_each(self):
        """Whether each tile has one part, at the position that is its number."""
        return len(self.tiles) == self.tiles[-1] + 1

    def of_tile(self, tile):
        """Return the range of the positions of a tile's parts."""
        return self.of_tiles(tile, tile + 1)

    def of_tiles(self, first, end):
        """Return the range of the positions of the parts of tiles `first` to before `end`."""
        return range(bisect_left(self.tiles, first), bisect_left(self.tiles, end))


def only_part(tile, packets):
    """Return the pieces of the one tile-part of a tile, whose packets are a list of bytes."""
    length = LEAST + sum(map(len, packets))
    if length > _MAX_PART:
        raise ChainError('a tile of the image is too long')
    return [SOT_SEGMENT.pack(SOT, 10, tile, length, 0, 1), TWO.pack(SOD), *packets]


def in_order(parts):
    """Return (TileParts, positions) of (tile, offset, length, head) in the codestream's order.

    `positions` are those in `parts` of the parts of TileParts.
    """
    order = sorted(range(len(parts)), key=lambda at: parts[at][0])      # stable
    columns = zip(*[parts[at] for at in order], strict=True)
    return TileParts(*map(array, 'HQQI', columns)), order


def require_all(parts, tiles):
    """Raise ChainError unless each of the `tiles` tiles, and no other one, has a part."""
    if parts.tiles[-1] >= tiles or len(set(parts.tiles)) != tiles:
        raise ChainError('the image lacks tiles, or has some that are not in it')


def parts_of_tlm(contents, first, end):
    """Return [(tile, offset, length, 0), ...] from TLM segments, or None if they are not valid.

    `first` is the offset of the first tile-part, `end` that of the end of the codestream.
    """
    found, at = [], first
    for content in sorted(contents, key=lambda content: content[:1]):
        form = _tlm_form(content)
        if form is None or (len(content) - 2) % form.size:
            return None
        for entry in form.iter_unpack(content[2:]):
            tile, length = entry if len(entry) == 2 else (len(found), *entry)
            if length < LEAST or len(found) == MAX_PARTS:
                return None
            found.append((tile, at, length, 0))
            at += length
    return found if found and at <= end else None


def _tlm_form(content):
    """Return the Struct of the entries of a TLM segment, or None."""
    if len(content) < 2:
        return None
    number, length = content[1] >> 4 & 3, content[1] >> 6 & 1
    if number == 3:
        return None
    return Struct('>' + ('', 'B', 'H')[number] + 'HI'[length])


class PartHead(NamedTuple):
    """The head of a tile-part."""

    size: int               # bytes from SOT to SOD
    lengths: bytes | None   # of its packets, see lengths.py; None if not known
    plain: bool             # whether it has nothing but lengths and comments


def read_head(data, at):
    """Return the PartHead of the tile-part at data[at:], or None if `data` ends before it does."""
    found, end = segments(data, at + SOT_SEGMENT.size, SOD)
    if end is None:
        return None
    plts = [bytes(data[first:last]) for marker, first, last in found if marker == PLT]
    plain = all(marker in (PLT, COM) for marker, _, _ in found)
    return PartHead(end + 2 - at, plt_lengths(plts), plain)
