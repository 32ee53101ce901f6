"""The index of an image: its main header, its tile-parts and the lengths of its packets. Pure."""
from array import array
from typing import NamedTuple

from swift_lb.chains.jpeg2000.boxes import find_codestream
from swift_lb.chains.jpeg2000.fetch import ByteWindow
from swift_lb.chains.jpeg2000.lengths import decode, plm_lengths
from swift_lb.chains.jpeg2000.main_header import MainHeader, split_header
from swift_lb.chains.jpeg2000.markers import SOT, segments
from swift_lb.chains.jpeg2000.packets import packet_counts, resolutions
from swift_lb.chains.jpeg2000.tile_parts import (
    LEAST,
    PartHead,
    TileParts,
    in_order,
    parts_of_tlm,
    require_all,
)
from swift_lb.chains.jpeg2000.walk import NO_TLM, heads_of, walked
from swift_lb.errors import ChainError

FIRST = 65536                   # bytes of the first read
_MAX_HEADER = 1 << 21
_MAX_SUMS = 1 << 18             # tiles x runs
_MAX_PACKETS = 1 << 16          # of a tile: 10 ms
_MAX_LENGTH = 5                 # bytes of the length of a packet
_PORTION = 10_000               # bytes of lengths at a time: some milliseconds
_A_TILE = 30                    # bytes of lengths that take as long as a tile does besides


class ImageIndex(NamedTuple):
    """What is known of an image. All offsets are in the object."""

    size: int               # of the object
    start: int              # of the codestream
    body: int               # the first tile-part
    end: int                # of the codestream
    header: MainHeader
    colours: str            # why its samples are no colours, or ''
    uncut: str              # why no tile can be cut out, or ''
    parts: TileParts
    runs: tuple             # resolution of each run of packets, see packets.py
    sums: array             # bytes of each run of each tile, tile by tile; empty if not known

    @property
    def is_prefixed(self):
        """Whether the lower resolutions are the beginning of each tile."""
        return self.runs == tuple(range(len(self.runs)))

    def columns_of(self, first, end, reduced):
        """Return the sums of the tiles from `first` to before `end`: an array for each run.

        They are of the runs that are left after `reduced` halvings.
        """
        count, most = len(self.runs), self.header.coding.levels - reduced
        return [self.sums[first * count + at:end * count:count]
                for at, resolution in enumerate(self.runs) if resolution <= most]


def read_index(size, first=FIRST):
    """Read the ImageIndex of an object of `size` bytes: a generator.

    `first` is the number of bytes that it reads first.
    """
    window = ByteWindow(size)
    yield from window.have(0, min(size, 12), first)
    start, end, colours = yield from find_codestream(window)
    body = yield from _body(window, start, end)
    place = start - window.start
    header, tlm, plm = split_header(window.data, place, place + body - start)
    parts, heads = yield from _parts(window, tlm, plm, body, end)
    yield []        # and other requests go on
    uncut = header.uncut
    if parts is None:
        uncut, parts, order = uncut or NO_TLM, TileParts(*map(array, 'HQQI')), []
    else:
        parts, order = in_order(parts)
        require_all(parts, header.grid.columns * header.grid.rows)
    found = [heads[at] for at in order] if heads else []
    yield []
    runs, sums = yield from _sums(header, parts, found)
    if sums:
        parts = parts._replace(heads=array('I', [head.size for head in found]))
    return ImageIndex(size, start, body, end, header, colours, uncut, parts, runs, sums)


def _body(window, start, end):
    """Return the offset of the first tile-part: a generator, after which the header is read."""
    known = FIRST
    while True:
        place = yield from window.have(start, min(start + known, end))
        at = segments(memoryview(window.data)[:place + end - start], place + 2, SOT)[1]
        if at is not None:
            return at - place + start
        if known > _MAX_HEADER or start + known >= end:
            raise ChainError('the image has no tiles, or too long a header')
        known *= 4


def _parts(window, tlm, plm, body, end):
    """Return [(tile, offset, length, head)], or None, and PartHeads, or []: a generator."""
    parts = parts_of_tlm(tlm, body, end)
    if not parts:
        parts, heads = yield from walked(window, body, end)
        return parts, heads if parts and len(heads) == len(parts) else []
    packed = plm_lengths(plm)
    if packed and len(packed) == len(parts):
        # They have no other head: if they do, their lengths do not fit, and are not known.
        return parts, [PartHead(LEAST, data, True) for data in packed]
    heads = yield from heads_of(parts[:1])
    if heads and heads[0].lengths is not None:
        heads = yield from heads_of(parts)
    return parts, heads if len(heads) == len(parts) else []


def _sums(header, parts, heads):
    """Return (runs, sums) of an ImageIndex: a generator."""
    grid, coding = header.grid, header.coding
    runs = resolutions(coding, len(grid.components))
    tiles = grid.columns * grid.rows
    if (header.unreduced or not heads or not runs or tiles * len(runs) > _MAX_SUMS
            or not all(head.plain for head in heads)):
        return (), array('Q')
    counts, sums, columns, done = packet_counts(grid, coding, runs), array('Q'), grid.columns, 0
    for tile in range(tiles):
        places = parts.of_tile(tile)
        packed = [heads[at].lengths or b'' for at in places]
        sizes = [parts.lengths[at] - heads[at].size for at in places]
        found = _tile_sums(packed, sizes, counts(tile % columns, tile // columns))
        if not found:
            return (), array('Q')
        sums.extend(found)
        done += sum(map(len, packed)) + _A_TILE
        if done > _PORTION:
            yield []
            done = 0
    return runs, sums


def _tile_sums(packed, sizes, counts):
    """Return the bytes of each run of a tile, [] unless it has as many packets as it should.

    `packed` are the bytes of the lengths of each of its parts, whose packets have `sizes` bytes.
    """
    many = sum(counts or ())
    if not 0 < many <= _MAX_PACKETS or sum(map(len, packed)) > _MAX_LENGTH * many:
        return []
    lengths = []
    for data, size in zip(packed, sizes, strict=True):
        found = decode(data)
        if found is None or sum(found) != size:
            return []
        lengths += found
    if len(lengths) != many:
        return []
    found, at = [], 0
    for count in counts:
        found.append(sum(lengths[at:at + count]))
        at += count
    return found
