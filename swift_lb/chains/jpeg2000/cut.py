"""The cut: a codestream of the tiles and the resolutions that a Task needs. Pure.

Tiles stay where they are on the canvas, so that wavelets, precincts and code blocks are those of
the image, and the pixels are exact. Packets of resolutions that are not needed are left out if
their lengths are known; SIZ, COD and QCD are then those of the smaller image.
"""
from typing import NamedTuple

from swift_lb.chains.jpeg2000.fetch import fetched
from swift_lb.chains.jpeg2000.grid import Rectangle, divisible
from swift_lb.chains.jpeg2000.lowered import unlowered
from swift_lb.chains.jpeg2000.main_header import cut_header
from swift_lb.chains.jpeg2000.markers import EOC, SOT, SOT_SEGMENT, TWO
from swift_lb.chains.jpeg2000.place import grown, pixels_of, place_comment
from swift_lb.chains.jpeg2000.ranges import Fetched, joined
from swift_lb.chains.jpeg2000.tile_parts import only_part
from swift_lb.errors import BAD_REQUEST, ChainError

MOST_PIECES = 1 << 15       # tile-parts and runs of packets of a cut: they take 10 ms to look at
MANY = 'the part has too many tiles, or too many parts of them'
_END = TWO.pack(EOC)


class CutPlan(NamedTuple):
    """What a cut has."""

    tiles: Rectangle        # of tiles
    whole: bool             # whether it is the whole image, since no part can be cut out
    reduced: int            # resolutions that are left out
    left: int               # how often the decoder must reduce the cut
    spans: tuple            # of each tile: ((first, end), ...) of the object
    ranges: list            # (first, last) that are read

    def comment(self, index):
        """Return the content of the COM segment with the place of the cut."""
        return place_comment(self.reduced, index.header.grid.image)


def plan_cut(index, task, overview=None):
    """Return the CutPlan of a Task, with the area that the coefficients for an overview need."""
    return plan_of(index, task, tiles_of(index, task, overview))


def tiles_of(index, task, overview=None):
    """Return the Rectangle of the tiles that a Task needs, for an overview as for plan_cut()."""
    grid, levels = index.header.grid, index.header.coding.levels
    if not 0 <= task.reduce <= levels or (overview or 0) > levels:
        raise ChainError(f'the image can be reduced 0 to {levels} times', BAD_REQUEST)
    area = pixels_of(grid.image, task)
    if overview is not None:
        area = grown(area, grid.image, task, overview)
    return grid.tiles(area, task.reduce)


def plan_of(index, task, tiles):
    """Return the CutPlan of a Task that needs a Rectangle of tiles."""
    grid = index.header.grid
    known = bool(index.sums) and divisible(grid, tiles, task.reduce)
    if index.uncut or is_large(index, tiles) or (
            task.reduce and not known and unlowered(index.header)):
        spans = (((index.body, index.end),),)
        return CutPlan(Rectangle(0, 0, grid.columns, grid.rows), True, 0, task.reduce, spans,
                       [(index.body, index.end - 1)])
    reduced = task.reduce if known else 0
    spans = spans_of(index, tiles, reduced)
    ranges = joined([span for tile in spans for span in tile])
    return CutPlan(tiles, False, reduced, task.reduce - reduced, spans, ranges)


def is_large(index, tiles):
    """Return whether a Rectangle of tiles has more than MOST_PIECES."""
    least, columns = tiles.area * (1 + len(index.runs)), index.header.grid.columns
    if least > MOST_PIECES or index.parts.is_one_each:
        return least > MOST_PIECES
    parts = sum(len(index.parts.of_tiles(row * columns + tiles.left, row * columns + tiles.right))
                for row in range(tiles.top, tiles.bottom))
    return parts + tiles.area * len(index.runs) > MOST_PIECES


def spans_of(index, tiles, reduced):
    """Return the spans of each of a Rectangle of tiles, see tile_spans()."""
    parts, columns, found = index.parts, index.header.grid.columns, []
    if not parts.is_one_each or (reduced and not index.is_prefixed):
        return tuple(tile_spans(index, tile, reduced) for tile in tiles.numbers(columns))
    for row in range(tiles.top, tiles.bottom):      # by columns of arrays: most images are such
        first, end = row * columns + tiles.left, row * columns + tiles.right
        offsets = parts.offsets[first:end]
        if reduced:
            sizes = map(sum, zip(*index.columns_of(first, end, reduced), strict=True))
            found += [((at, at + head), (at + head, at + head + size)) for at, head, size in zip(
                offsets, parts.heads[first:end], sizes, strict=True)]
        else:
            found += [((at, at + length),) for at, length in zip(
                offsets, parts.lengths[first:end], strict=True)]
    return tuple(found)


def tile_spans(index, tile, reduced):
    """Return the spans of a tile: of its tile-parts, or, reduced, of a head and of its packets."""
    parts, places = index.parts, index.parts.of_tile(tile)
    if not reduced:
        return tuple((parts.offsets[at], parts.offsets[at] + parts.lengths[at]) for at in places)
    first = parts.offsets[places[0]]
    spans = [(first, first + parts.heads[places[0]])]
    kept, begin = _kept(index, tile, reduced), 0
    for at in places:
        data = parts.offsets[at] + parts.heads[at] - begin      # offset of the tile's first packet
        end = begin + parts.lengths[at] - parts.heads[at]
        spans += [(data + max(start, begin), data + min(stop, end))
                  for start, stop in kept if start < end and stop > begin]
        begin = end
    return tuple(spans)


def _kept(index, tile, reduced):
    """Return [(start, stop), ...] of the packets to keep among those of a tile."""
    count, most = len(index.runs), index.header.coding.levels - reduced
    found, at = [], 0
    for resolution, size in zip(index.runs, index.sums[tile * count:(tile + 1) * count],
                                strict=True):
        if resolution <= most and size:
            if found and found[-1][1] == at:
                found[-1] = found[-1][0], at + size
            else:
                found.append((at, at + size))
        at += size
    return found


def read_cut(index, task, overview=None):
    """Read the cut of a Task: a generator, which returns a codestream."""
    plan = plan_cut(index, task, overview)
    blocks = yield from fetched(plan.ranges)
    return cut_of(index, plan, Fetched(plan.ranges, blocks))


def cut_of(index, plan, data):
    """Return the codestream that a CutPlan describes; `data` has the bytes, a Fetched."""
    grid = index.header.grid
    pieces = [cut_header(index.header, plan.tiles, plan.reduced,
                         plan.comment(index))]
    if plan.whole:
        return b''.join(pieces + [data.bytes_of(*span) for span in plan.spans[0]])
    write = _reduced_tile if plan.reduced else _whole_tile
    for number, tile in enumerate(plan.tiles.numbers(grid.columns)):
        blocks = [data.bytes_of(*span) for span in plan.spans[number]]
        pieces += write(number, tile, blocks)
    return b''.join([*pieces, _END])


def _whole_tile(number, tile, blocks):
    """Return the pieces of the tile-parts in `blocks`, with a new number for their tile."""
    pieces = []
    for block in blocks:
        part, parts = _require_tile(block, tile)
        pieces += [SOT_SEGMENT.pack(SOT, 10, number, len(block), part, parts),
                   block[SOT_SEGMENT.size:]]
    return pieces


def _reduced_tile(number, tile, blocks):
    """Return the pieces of one tile-part; the first of `blocks` is a head, the others packets."""
    _require_tile(blocks[0], tile)
    return only_part(number, blocks[1:])


def _require_tile(block, tile):
    """Return (number of the part, of parts) of the head of a tile-part, which is `tile`'s."""
    marker, _, number, _, part, parts = SOT_SEGMENT.unpack_from(block)
    if marker != SOT or number != tile:
        raise ChainError('the index of the image does not have its tile-parts where they are')
    return part, parts
