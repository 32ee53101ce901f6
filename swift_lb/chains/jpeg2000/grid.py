"""The canvas of an image, with its tiles: the marker segment SIZ. Pure.

All coordinates are those of the canvas (T.800, annex B): the image is a rectangle in it, and so is
each tile. After N halvings of the resolution, a coordinate x is ceil(x / 2**N).
"""
from itertools import pairwise
from struct import Struct
from typing import NamedTuple

from swift_lb.errors import ChainError

_FIELDS = Struct('>HIIIIIIIIH')
MAX_TILES, MAX_COMPONENTS = 65535, 4096      # a tile's number has 16 bits; T.800 allows 16384
MAX_PIXELS = 1 << 48
HTJ2K, EXTENDED = 0x4000, 0x8000            # bits of the capabilities: parts 15 and 2


def halved(value, times):
    """Return a coordinate after `times` halvings of the resolution."""
    return -(-value >> times)


class Rectangle(NamedTuple):
    """A rectangle: its upper left corner, and the first column and row after it."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def area(self):
        """The number of pixels."""
        return max(0, self.right - self.left) * max(0, self.bottom - self.top)

    def halved(self, times):
        """Return it after halvings of the resolution."""
        return Rectangle(*[halved(value, times) for value in self])

    def numbers(self, columns):
        """Return the numbers of the tiles in it, of a grid of so many columns."""
        return [row * columns + column for row in range(self.top, self.bottom)
                for column in range(self.left, self.right)]


class TileGrid(NamedTuple):
    """The image and its tiles on the canvas."""

    capabilities: int
    image: Rectangle
    tile: tuple             # width and height
    origin: tuple           # upper left corner of the first tile
    components: tuple       # (bits of a sample, whether signed, horizontal and vertical spacing)

    @property
    def columns(self):
        """The number of columns of tiles."""
        return -(-(self.image.right - self.origin[0]) // self.tile[0])

    @property
    def rows(self):
        """The number of rows of tiles."""
        return -(-(self.image.bottom - self.origin[1]) // self.tile[1])

    def area(self, tiles):
        """Return the area of a Rectangle of tiles, whose unit is a tile, on the canvas."""
        (width, height), (x, y), image = self.tile, self.origin, self.image
        return Rectangle(max(image.left, x + tiles.left * width),
                         max(image.top, y + tiles.top * height),
                         min(image.right, x + tiles.right * width),
                         min(image.bottom, y + tiles.bottom * height))

    def is_filled(self, reduce):
        """Return whether each tile has a pixel of the image reduced `reduce` times."""
        edges = [[*range(self.origin[axis], self.image[axis + 2], self.tile[axis])][1:]
                 for axis in (0, 1)]
        lines = [[self.image[axis], *edges[axis], self.image[axis + 2]] for axis in (0, 1)]
        return all(halved(begin, reduce) < halved(end, reduce)
                   for ends in lines for begin, end in pairwise(ends))

    def tiles(self, area, reduce):
        """Return the Rectangle of the tiles of an area of the image reduced `reduce` times."""
        (width, height), (x, y) = self.tile, self.origin
        return Rectangle(((area.left << reduce) - x) // width, ((area.top << reduce) - y) // height,
                         ((area.right - 1 << reduce) - x) // width + 1,
                         ((area.bottom - 1 << reduce) - y) // height + 1)


def read_grid(content):
    """Return the TileGrid of the content of a SIZ segment."""
    if len(content) < _FIELDS.size:
        raise ChainError('the image has no valid size')
    (capabilities, right, bottom, left, top,
     width, height, x, y, count) = _FIELDS.unpack_from(content)
    valid = (x <= left < right and y <= top < bottom and left < x + width and top < y + height
             and 0 < count <= MAX_COMPONENTS and len(content) == _FIELDS.size + 3 * count)
    if not valid:
        raise ChainError('the image has no valid size')
    raw = content[_FIELDS.size:]
    components = tuple(((bits & 0x7f) + 1, bits > 0x7f, dx, dy)
                       for bits, dx, dy in zip(raw[::3], raw[1::3], raw[2::3], strict=True))
    grid = TileGrid(capabilities, Rectangle(left, top, right, bottom), (width, height), (x, y),
                components)
    if any(not dx or not dy or bits > 38 for bits, _, dx, dy in components):
        raise ChainError('the image has no valid components')
    if grid.columns * grid.rows > MAX_TILES or grid.image.area > MAX_PIXELS:
        raise ChainError('the image has too many tiles or pixels')
    return grid


def cut_grid(grid, tiles, reduce):
    """Return the SIZ content of a codestream of these tiles, reduced `reduce` times.

    Raises ChainError if these tiles, so reduced, are not all of one size.
    """
    area = grid.area(tiles)
    horizontal = _axis(area.left, area.right, grid.tile[0],
                       grid.origin[0], tiles.left, tiles.right, reduce)
    vertical = _axis(area.top, area.bottom, grid.tile[1],
                     grid.origin[1], tiles.top, tiles.bottom, reduce)
    fields = [field for pair in zip(horizontal, vertical, strict=True) for field in pair]
    # no profile: those of part 1 limit where tiles begin
    head = _FIELDS.pack(grid.capabilities & HTJ2K, *fields, len(grid.components))
    return head + b''.join(bytes((bits - 1 | signed << 7, dx, dy))
                           for bits, signed, dx, dy in grid.components)


def divisible(grid, tiles, reduce):
    """Return whether one codestream can have these tiles when they are reduced."""
    mask = (1 << reduce) - 1
    return all(end - first == 1 or not (size | origin) & mask for first, end, size, origin in (
        (tiles.left, tiles.right, grid.tile[0], grid.origin[0]),
        (tiles.top, tiles.bottom, grid.tile[1], grid.origin[1])))


def _axis(left, right, size, origin, first, end, reduce):
    """Return one axis of SIZ: end and begin of the image, size and begin of its tiles."""
    left, right = halved(left, reduce), halved(right, reduce)
    if end - first == 1:
        return right, left, right - left, left
    return right, left, size >> reduce, origin + first * size >> reduce
