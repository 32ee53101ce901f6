"""Where the pixels of a Task are in an image, and in a cut. Pure.

A cut has its own place, so that the decoder needs no index: the tiles of its SIZ are where
they are in the image, and a comment has how often the cut has been reduced, and the image's area:

    swift-lb reduced=1 image=0,0,2048,2048
"""
import re
from typing import NamedTuple

from swift_lb.chains.jpeg2000.grid import Rectangle, halved, read_grid
from swift_lb.chains.jpeg2000.main_header import PLACE
from swift_lb.chains.jpeg2000.markers import COM, SIZ, SOT, segments
from swift_lb.errors import BAD_REQUEST, ChainError

_TEXT = re.compile(rb'reduced=(\d{1,2}) image=(\d{1,10}),(\d{1,10}),(\d{1,10}),(\d{1,10})')


class CutPlace(NamedTuple):
    """Where a cut is on the canvas of its image."""

    reduced: int            # halvings that the cut has already
    area: Rectangle         # of the cut, after these
    image: Rectangle        # of the image, before any
    components: int         # of a pixel


def pixels_of(image, task):
    """Return the Rectangle of a Task's pixels, on the canvas reduced `task.reduce` times.

    `image` is the area of the image on the canvas. Raises ChainError if there are none.
    """
    whole = image.halved(task.reduce)
    if task.region is None:
        found = whole
    else:
        x, y, width, height = task.region
        if x < 0 or y < 0 or width < 1 or height < 1:
            raise ChainError('a region has no negative numbers, and at least one pixel',
                             BAD_REQUEST)
        left, top = image.left + x, image.top + y
        found = Rectangle(max(whole.left, left >> task.reduce),
                          max(whole.top, top >> task.reduce),
                          min(whole.right, halved(left + width, task.reduce)),
                          min(whole.bottom, halved(top + height, task.reduce)))
    if not found.area:
        raise ChainError('the region is outside of the image, or empty at this resolution',
                         BAD_REQUEST)
    return found


def grown(area, image, task, overview):
    """Return the area from which the coefficients of a Task are computed.

    `area` is what pixels_of() returned. It is grown to whole pixels of the overview, which has
    `overview` halvings, and clipped to the image.
    """
    times = overview - task.reduce
    if times < 1:
        raise ChainError('the overview is not coarser than the task', BAD_REQUEST)
    whole = image.halved(task.reduce)
    return Rectangle(max(whole.left, area.left >> times << times),
                     max(whole.top, area.top >> times << times),
                     min(whole.right, halved(area.right, times) << times),
                     min(whole.bottom, halved(area.bottom, times) << times))


def place_comment(reduced, image):
    """Return the content of the COM segment with the place of a cut."""
    return PLACE + f'reduced={reduced} image={",".join(map(str, image))}'.encode()


def place_of(cut):
    """Return the CutPlace of a cut."""
    found, _ = segments(cut, 2, SOT)
    if not found or found[0][0] != SIZ:
        raise ChainError('the cut is no codestream')
    grid = read_grid(bytes(cut[found[0][1]:found[0][2]]))
    area, many = grid.image, len(grid.components)
    for marker, first, end in found:
        text = bytes(cut[first:end])
        if marker == COM and text.startswith(PLACE):
            match = _TEXT.fullmatch(text[len(PLACE):])
            if match:
                reduced, *image = map(int, match.groups())
                return CutPlace(reduced, area, Rectangle(*image), many)
    return CutPlace(0, area, area, many)
