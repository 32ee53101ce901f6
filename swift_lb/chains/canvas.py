"""The area of a codestream on JPEG 2000's canvas, at a resolution, as its SIZ segment has it. Pure.

A cut is in the image's own canvas coordinates, divided by 2 for each halving of the resolution; so
the place of each of its pixels in the image is known without the image's index.
"""
import struct
from typing import NamedTuple

from swift_lb.chains.jpeg2000.place import place_of
from swift_lb.errors import ChainError

SIZ = struct.Struct('>HHHHIIIIIIIIH')      # SOC, SIZ, Lsiz, Rsiz, then Xsiz and so on, and Csiz
COMPONENT = struct.Struct('BBB')
SOC_SIZ = 0xff4f, 0xff51
MAX_COMPONENTS = 4


class Canvas(NamedTuple):
    """The area of a decoded codestream: canvas coordinates at its resolution."""

    left: int
    top: int
    right: int
    bottom: int
    components: int
    depth: int              # bits of a component
    halvings: int           # of the image's resolution
    origin: tuple           # of the image, on the canvas at full resolution: (x, y)

    @property
    def width(self):
        """Columns of pixels."""
        return self.right - self.left

    @property
    def height(self):
        """Rows of pixels."""
        return self.bottom - self.top

    @property
    def pixels(self):
        """Pixels of the area."""
        return self.width * self.height

    def reduced(self, times):
        """Return the area after `times` more halvings; raises ChainError if nothing is left."""
        if times < 0:
            raise ChainError('the cut is of a lower resolution than the task')
        return self._replace(left=shrunk(self.left, times), top=shrunk(self.top, times),
                             right=shrunk(self.right, times), bottom=shrunk(self.bottom, times),
                             halvings=self.halvings + times)

    def area(self, task):
        """Return (left, top, right, bottom) of the Task's pixels, in canvas coordinates.

        The Task's `reduce` are this area's halvings. Raises ChainError if the area lacks a pixel.
        """
        if task.region is None:
            return self[:4]
        x, y = (at + offset for at, offset in zip(task.region[:2], self.origin, strict=True))
        left, top = (max(at >> task.reduce, edge) for at, edge in ((x, self.left), (y, self.top)))
        right = min(shrunk(x + task.region.width, task.reduce), self.right)
        bottom = min(shrunk(y + task.region.height, task.reduce), self.bottom)
        if left >= right or top >= bottom:
            raise ChainError('the region is outside of the cut', '400 Bad Request')
        return left, top, right, bottom


def shrunk(at, times):
    """Return a canvas coordinate after `times` halvings: ceil(at / 2**times)."""
    return -(-at >> times)


def canvas_of(cut):
    """Return the Canvas of a codestream; raises ChainError if it is none, or can not be decoded."""
    try:
        soc, siz, _length, _rsiz, right, bottom, left, top, *_tiles, count = SIZ.unpack_from(cut)
        sizes = [COMPONENT.unpack_from(cut, SIZ.size + COMPONENT.size * number)
                 for number in range(min(count, MAX_COMPONENTS))]
    except struct.error:
        raise ChainError('the image is shorter than its header') from None
    if (soc, siz) != SOC_SIZ:
        raise ChainError('the image is no JPEG 2000 codestream')
    if not 1 <= count <= MAX_COMPONENTS:
        raise ChainError(f'the image has {count} components, and 1 to {MAX_COMPONENTS} are decoded')
    if len(set(sizes)) != 1 or sizes[0][1:] != (1, 1) or sizes[0][0] & 0x80:
        raise ChainError('components that are signed, subsampled or not alike are not decoded')
    depth = sizes[0][0] + 1
    if depth > (16 if count == 1 else 8):
        raise ChainError(f'{depth} bits of {count} components are not decoded exactly')
    if right <= left or bottom <= top:
        raise ChainError('the image has no pixels')
    place = place_of(cut)
    return Canvas(left, top, right, bottom, count, depth, place.reduced, place.image[:2])
