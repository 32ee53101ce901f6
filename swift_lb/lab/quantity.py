"""Parsers of seconds, bytes and fractions with units: `80ms`, `64KiB`, `10%`."""
import re

SECONDS = {'': 1, 's': 1, 'ms': 1e-3, 'us': 1e-6, 'min': 60}
BYTES = {'': 1, 'B': 1, 'KiB': 1 << 10, 'MiB': 1 << 20, 'GiB': 1 << 30}
FRACTION = {'': 1, '%': 0.01}
NUMBER = re.compile(r'(\d{0,15}\.?\d{1,15})\s*([A-Za-z%]*)', re.ASCII)


def seconds(text):
    """Parse a time; a bare number is seconds. Raises ValueError with what is accepted."""
    value = _scaled(text, SECONDS)
    if value is None or value <= 0:
        raise ValueError('must be a time of more than 0, such as 80ms or 0.5s')
    return value


def size(text):
    """Parse a size of at least one byte; a bare number is bytes."""
    value = _scaled(text, BYTES)
    if value is None or value < 1:
        raise ValueError('must be a size of at least 1 byte, such as 64KiB, 1MiB or 1000')
    return int(value)


def fraction(text):
    """Parse a number of [0, 1], or a percentage."""
    value = _scaled(text, FRACTION)
    if value is None or value > 1:
        raise ValueError('must be a fraction of 0 to 1, such as 0.1 or 10%')
    return value


def _scaled(text, units):
    match = NUMBER.fullmatch(text.strip())
    return float(match[1]) * units[match[2]] if match and match[2] in units else None


def show_size(value):
    """Return a size in bytes as text with a binary unit."""
    for unit in ('B', 'KiB', 'MiB'):
        if value < 1024:
            return f'{value:.4g} {unit}'
        value /= 1024
    return f'{value:.4g} GiB'
