"""A cut as codestreams that a decoder decodes whole: those of its lower resolutions. Pure.

Pillow cannot reduce an image whose upper left corner is not that of the canvas, as that of a cut
seldom is: it compares corners at different resolutions. Nor can it where a tile has no pixel at the
lower resolution, as a narrow last column may have none. So the header says what the lower
resolutions are instead, and the decoder reads their packets, which are the first ones of each
tile. It ignores those that follow.
"""
from swift_lb.chains.chain import in_memory
from swift_lb.chains.jpeg2000.grid import Rectangle, divisible
from swift_lb.chains.jpeg2000.index import read_index
from swift_lb.chains.jpeg2000.main_header import cut_header
from swift_lb.chains.jpeg2000.markers import EOC, TWO
from swift_lb.chains.jpeg2000.packets import is_prefix
from swift_lb.chains.jpeg2000.place import place_comment, place_of
from swift_lb.chains.jpeg2000.tile_parts import only_part, read_head
from swift_lb.errors import ChainError


def unlowered(header):
    """Return why cuts of an image with this MainHeader cannot be lowered, or ''."""
    if header.unreduced or is_prefix(header.coding):
        return header.unreduced
    return 'the packets of the image are not in the order of resolutions'


def is_lowered_by_pillow(grid, times):
    """Return whether Pillow can reduce an image with this TileGrid `times` times."""
    return not times or (grid.image[:2] == (0, 0) and grid.is_filled(times))


def lowered(cut, times):
    """Return [(area, codestream, reduce), ...], which are a cut at `times` halvings more.

    The areas, Rectangles on the canvas at that resolution, do not overlap. The decoder must reduce
    each codestream `reduce` times: 0 or, where Pillow can, `times`.
    """
    place = place_of(cut)
    area = place.area.halved(times)
    if not times:
        return [(area, cut, 0)]
    index = in_memory(read_index(len(cut), len(cut)), cut)
    header = index.header
    if is_lowered_by_pillow(header.grid, times):
        return [(area, cut, times)]
    if unlowered(header) or times > header.coding.levels:
        raise ChainError(unlowered(header) or 'the image has no such resolution')
    grid, data = header.grid, memoryview(cut)
    tiles = grid.tiles(area, times)
    pieces = [tiles] if divisible(grid, tiles, times) else [
        Rectangle(column, row, column + 1, row + 1)
        for row in range(tiles.top, tiles.bottom) for column in range(tiles.left, tiles.right)]
    comment = place_comment(place.reduced + times, place.image)
    found = []
    for tiles in pieces:
        area = grid.area(tiles).halved(times)
        if area.area:
            found.append((area, _codestream(index, data, tiles, times, comment), 0))
    return found


def _codestream(index, data, tiles, times, comment):
    """Return the codestream of a Rectangle of tiles."""
    pieces, grid = [cut_header(index.header, tiles, times, comment)], index.header.grid
    for number, tile in enumerate(tiles.numbers(grid.columns)):
        packets = [_packets(index.parts, data, at) for at in index.parts.of_tile(tile)]
        pieces += only_part(number, packets)
    return b''.join([*pieces, TWO.pack(EOC)])


def _packets(parts, data, at):
    """Return the packets of the tile-part at a position of TileParts."""
    begin, end = parts.offsets[at], parts.offsets[at] + parts.lengths[at]
    head = read_head(data[:end], begin)
    if head is None or not head.plain:
        raise ChainError('a tile of the image has a header of its own')
    return data[begin + head.size:end]
