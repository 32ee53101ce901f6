"""The reversible wavelet 5/3 of JPEG 2000, and its colour transform, on arrays of integers. Pure.

    high[n] = x[2n + 1] - floor((x[2n] + x[2n + 2]) / 2)
    low[n]  = x[2n] + floor((high[n - 1] + high[n] + 2) / 4)

    x       a row or a column, indexed by coordinates on the canvas of the image
    x[..]   beyond an end is the mirror image: x[end + 1] = x[end - 1]
    A single pixel is low[n] if its coordinate is 2n, and high[n] = 2 x[2n + 1] else.

    y = floor((red + 2 green + blue) / 4), blue - green, red - green

ISO/IEC 15444-1, annexes F and G.2. Each step adds to some numbers what it computes from others, so
its inverse subtracts the same, and is exact for all integers, also where they overflow.
"""
from typing import NamedTuple

import numpy as np


class Bands(NamedTuple):
    """The result of one level of the transform: a quarter of the numbers in each array.

    The names are the filters of rows, then of columns: `high_low` has the differences along rows.
    """

    low: np.ndarray
    high_low: np.ndarray
    low_high: np.ndarray
    high: np.ndarray


def forward(array, left, top):
    """Return the Bands of a two-dimensional array, whose first number is at these coordinates."""
    rows = _split(array, top)       # columns first, as the standard does: rounding depends on it
    (low, high_low), (low_high, high) = (_split(row.T, left) for row in rows)
    return Bands(low.T, high_low.T, low_high.T, high.T)


def inverse(bands, left, top):
    """Return the array of which forward() makes these Bands, with the same coordinates."""
    low = _joined(bands.low.T, bands.high_low.T, left)
    high = _joined(bands.low_high.T, bands.high.T, left)
    return _joined(low.T, high.T, top)


def coarser(left, top, right, bottom):
    """Return the (left, top, right, bottom) of Bands.low of an area of the canvas."""
    return (left + 1) // 2, (top + 1) // 2, (right + 1) // 2, (bottom + 1) // 2


def shapes(left, top, right, bottom):
    """Return the shapes of the Bands of an area of the canvas."""
    x0, y0, x1, y1 = coarser(left, top, right, bottom)
    columns, rows = (x1 - x0, right // 2 - left // 2), (y1 - y0, bottom // 2 - top // 2)
    return Bands(*((height, width) for height in rows for width in columns))


def decorrelated(array):
    """Return the planes of an array of pixels, red, green and blue made into y and differences.

    The array has the shape (height, width, components), the result (components, height, width).
    Planes that are not of these three colours, such as alpha, stay.
    """
    planes = np.array(np.moveaxis(array, 2, 0), order='C')
    if len(planes) >= 3:
        red, green, blue = planes[:3]
        blue -= green
        red -= green
        green += (blue + red) >> 2
        planes[:3] = np.stack((green, blue, red))
    return planes


def correlated(planes):
    """Return the array of pixels of which decorrelated() makes these planes."""
    planes = np.copy(planes)
    if len(planes) >= 3:
        green, blue, red = np.copy(planes[:3])
        green -= (blue + red) >> 2
        planes[:3] = np.stack((red + green, green, blue + green))
    return np.moveaxis(planes, 0, 2)


def _split(array, start):
    """Return (low, high) along the first axis, on which the first coordinate is `start`."""
    low, high = (np.copy(array[(start + odd) % 2::2], order='K') for odd in (0, 1))
    if not len(low) or not len(high):
        return low, high * 2
    odd_first = start % 2 == 1
    high -= _sums(low, len(high), odd_first) >> 1
    low += (_sums(high, len(low), not odd_first) + 2) >> 2
    return low, high


def _joined(low, high, start):
    """Return the array of which _split() makes `low` and `high`."""
    joined = np.empty_like(low, shape=(len(low) + len(high), *low.shape[1:]))
    even, odd = joined[start % 2::2], joined[1 - start % 2::2]
    if not len(low) or not len(high):
        even[:], odd[:] = low, high >> 1
        return joined
    odd_first = start % 2 == 1
    low = low - ((_sums(high, len(low), not odd_first) + 2) >> 2)
    even[:] = low
    np.add(high, _sums(low, len(high), odd_first) >> 1, out=odd)
    return joined


def _sums(source, count, is_first):
    """Return, for `count` places beside the places of `source`, the sum of both neighbours.

    `is_first` is whether the first of these places comes before the first of `source`. At an end
    the only neighbour counts twice.
    """
    sums = np.empty_like(source, shape=(count, *source.shape[1:]))
    end = len(source) - 1 + is_first
    np.add(source[:-1], source[1:], out=sums[int(is_first):end])
    if is_first:
        np.add(source[0], source[0], out=sums[0])
    if end < count:
        np.add(source[-1], source[-1], out=sums[end])
    return sums
