"""Pixels as lines of a terminal: two rows of pixels a line, in 24-bit colours. Pure."""
import numpy

UPPER_HALF = '\N{UPPER HALF BLOCK}'
RESET = '\x1b[0m'


def picture(pixels, columns, lines):
    """Yield the lines of an array of pixels, which fit into a terminal of this size."""
    rgb = as_rgb(pixels)
    step = max(1, -(-rgb.shape[1] // columns), -(-rgb.shape[0] // (2 * max(lines - 2, 1))))
    small = rgb[::step, ::step]
    if len(small) % 2:
        small = numpy.concatenate((small, small[-1:]))
    for upper, lower in zip(small[::2], small[1::2], strict=True):
        yield ''.join(f'\x1b[38;2;{a[0]};{a[1]};{a[2]}m\x1b[48;2;{b[0]};{b[1]};{b[2]}m{UPPER_HALF}'
                      for a, b in zip(upper.tolist(), lower.tolist(), strict=True)) + RESET


def as_rgb(pixels):
    """Return an array of pixels as red, green and blue of 8 bits."""
    eight = (pixels >> 8).astype(numpy.uint8) if pixels.dtype == numpy.uint16 else pixels
    if eight.ndim == 2 or eight.shape[2] < 3:
        gray = eight if eight.ndim == 2 else eight[:, :, 0]
        return numpy.repeat(gray[:, :, None], 3, axis=2)
    return eight[:, :, :3]
