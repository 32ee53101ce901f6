"""What a client that has an overview of an image lacks for an area of it: a message of D3. Pure.

    head    MAGIC, bytes of a number, components, reduce, overview, area, wanted: see HEAD
    rest    of the numbers below, in zlib's format

    area    of the image after `reduce` halvings, in canvas coordinates
    wanted  the part of it that was asked for
    planes  decorrelated(area)
    low     planes, after overview - reduce levels of the wavelet 5/3
    numbers low - decorrelated(the overview there), then high_low, low_high and high of each level,
            the last level first

The wavelet with which the image was encoded does not matter. Where it was another one, or applied
to each tile, low differs from the overview, and only the message is longer.

The numbers are written as unsigned ones (0, -1, 1, -2, ... become 0, 1, 2, 3, ...), all the least
significant bytes first, then all the next ones. There are hardly any repetitions among them, so
that zlib's strategy RLE makes fewer bytes of them than its default one, in a tenth of the time
(test/bench/chains decoding).
"""
import struct
import zlib
from typing import NamedTuple

import numpy as np

from swift_lb.chains.chain import MOST_REDUCE
from swift_lb.chains.wavelet import (
    Bands,
    coarser,
    correlated,
    decorrelated,
    forward,
    inverse,
    shapes,
)
from swift_lb.errors import ChainError

MAGIC = b'slbD\x01'
HEAD = struct.Struct('>5sBBBB4I4I')
SIGNED = {1: np.int16, 2: np.int32}     # bytes of a pixel's component: the type of its numbers
PIXELS = {1: np.uint8, 2: np.uint16}
MOST_PIXELS = 1 << 28                   # of an area that is rebuilt


class DetailsHead(NamedTuple):
    """The head of a message."""

    depth: int          # bytes of a component of a pixel
    components: int
    reduce: int
    overview: int
    area: tuple         # left, top, right, bottom
    wanted: tuple

    @property
    def levels(self):
        """The levels of the wavelet."""
        return self.overview - self.reduce


def overview_area(area, levels):
    """Return the (left, top, right, bottom) of an area in the overview."""
    for _level in range(levels):
        area = coarser(*area)
    return area


def pack(array, overview, reduce, halvings, area, wanted):
    """Return the message from which rebuild() makes the `wanted` part of an array of pixels.

    `array` has the pixels of `area`, of the image after `reduce` halvings, and `overview` those of
    the same area after `halvings`.
    """
    depth = array.dtype.itemsize
    low = _planes(array)
    bands, corner = [], area
    for _level in range(halvings - reduce):
        level = [forward(plane, *corner[:2]) for plane in low]
        low, corner = [one.low for one in level], coarser(*corner)
        bands.append([number for one in level for number in one[1:]])
    residual = [plane - known for plane, known in zip(low, _planes(overview), strict=True)]
    numbers = [number.ravel() for group in (residual, *reversed(bands)) for number in group]
    head = HEAD.pack(MAGIC, depth, len(low), reduce, halvings, *area, *wanted)
    deflate = zlib.compressobj(1, strategy=zlib.Z_RLE)
    return head + deflate.compress(_bytes_of(np.concatenate(numbers))) + deflate.flush()


def rebuild(message, overview, corner=(0, 0)):
    """Return the array of pixels of a message.

    `overview` is an array with the image after as many halvings as the message says, or a part of
    it; `corner` are the canvas coordinates (x, y) of its first pixel. Raises ChainError if the
    message is damaged, or the overview is another one.
    """
    head = head_of(message)
    left, top, right, bottom = overview_area(head.area, head.levels)
    x, y = corner
    known = overview[max(top - y, 0):max(bottom - y, 0), max(left - x, 0):max(right - x, 0)]
    if known.shape[:2] != (bottom - top, right - left) or left < x or top < y or (
            known.dtype, _components(known)) != (PIXELS[head.depth], head.components):
        raise ChainError('the overview is not the one for which the coefficients were computed')
    planes = _inverse(head, _numbers(message, head), _planes(known))
    pixels = _pixels(planes, PIXELS[head.depth])
    columns, rows = (slice(head.wanted[at] - head.area[at], head.wanted[at + 2] - head.area[at])
                     for at in (0, 1))
    return pixels[rows, columns]


def head_of(message):
    """Return the DetailsHead of a message; raises ChainError if it is none."""
    try:
        magic, depth, components, reduce, overview, *areas = HEAD.unpack_from(message)
    except struct.error:
        magic = None
    if magic != MAGIC:
        raise ChainError('these are no coefficients')
    head = DetailsHead(depth, components, reduce, overview, tuple(areas[:4]), tuple(areas[4:]))
    inner, outer = head.wanted, head.area
    if depth not in PIXELS or not 1 <= components <= 4 or not (
            0 < head.levels <= MOST_REDUCE
            and outer[0] <= inner[0] < inner[2] <= outer[2]
            and outer[1] <= inner[1] < inner[3] <= outer[3]
            and (outer[2] - outer[0]) * (outer[3] - outer[1]) <= MOST_PIXELS):
        raise ChainError('the coefficients are damaged')
    return head


def _inverse(head, numbers, known):
    """Return the planes of the area, by the numbers of a message and the planes of the overview."""
    areas = [head.area]
    for _level in range(head.levels):
        areas.append(coarser(*areas[-1]))
    at, low = 0, []
    for plane in known:
        low.append(plane + numbers[at:at + plane.size].reshape(plane.shape))
        at += plane.size
    for area in reversed(areas[:-1]):
        wider = []
        for plane in low:
            bands = [plane]
            for shape in shapes(*area)[1:]:
                size = shape[0] * shape[1]
                bands.append(numbers[at:at + size].reshape(shape))
                at += size
            wider.append(inverse(Bands(*bands), *area[:2]))
        low = wider
    return low


def _components(array):
    return 1 if array.ndim == 2 else array.shape[2]


def _planes(array):
    """Return the list of planes of an array of pixels, as signed numbers."""
    signed = array.astype(SIGNED[array.dtype.itemsize])
    return [signed] if array.ndim == 2 else list(decorrelated(signed))


def _pixels(planes, dtype):
    """Return the array of pixels of planes."""
    return (planes[0] if len(planes) == 1 else correlated(np.stack(planes))).astype(dtype)


def _bytes_of(numbers):
    """Return signed numbers as bytes, by significance."""
    bits = numbers.dtype.itemsize * 8
    unsigned = ((numbers << 1) ^ (numbers >> (bits - 1))).astype(f'<u{bits // 8}', copy=False)
    return np.ascontiguousarray(unsigned.view(np.uint8).reshape(-1, bits // 8).T).tobytes()


def _numbers(message, head):
    """Return the signed numbers of a message; raises ChainError if it is damaged."""
    dtype = np.dtype(SIGNED[head.depth])
    left, top, right, bottom = head.area
    size = (right - left) * (bottom - top) * head.components * dtype.itemsize
    inflate = zlib.decompressobj()
    try:
        data = inflate.decompress(memoryview(message)[HEAD.size:], size + 1)
    except zlib.error:
        data = b''
    if len(data) != size or not inflate.eof:
        raise ChainError('the coefficients are damaged')
    planes = np.frombuffer(data, np.uint8).reshape(dtype.itemsize, -1)
    unsigned = np.ascontiguousarray(planes.T).view(f'<u{dtype.itemsize}').ravel()
    signed = unsigned.astype(dtype)
    return ((signed >> 1) & np.iinfo(dtype).max) ^ -(signed & 1)
