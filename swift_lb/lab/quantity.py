"""Seconds, bytes and fractions as people write them: `80ms`, `64KiB`, `10%`."""
import math
import re

SECONDS = {'': 1, 's': 1, 'ms': 1e-3, 'us': 1e-6, 'min': 60}
BYTES = {'': 1, 'B': 1, 'KiB': 1 << 10, 'MiB': 1 << 20, 'GiB': 1 << 30}
NUMBER = re.compile(r'([0-9]*\.?[0-9]+(?:e[+-]?[0-9]+)?)\s*([A-Za-z%]*)')


def seconds(text):
    """Parse a time; a bare number is seconds. Raises ValueError that says what is accepted."""
    return _scaled(text, SECONDS, 'a time such as 80ms or 0.5s')


def size(text):
    """Parse a size of at least one byte; a bare number is bytes."""
    value = int(_scaled(text, BYTES, 'a size such as 64KiB, 1MiB or 1000'))
    if value < 1:
        raise ValueError('must be at least 1 byte')
    return value


def fraction(text):
    """Parse a number of [0, 1], or a percentage."""
    value = _scaled(text, {'': 1, '%': 0.01}, 'a fraction such as 0.1 or 10%', least=0)
    if value > 1:
        raise ValueError('must be a fraction of 0 to 1, or 0% to 100%')
    return value


def _scaled(text, units, wanted, least=None):
    match = NUMBER.fullmatch(text.strip())
    if not match or match[2] not in units:
        raise ValueError(f'must be {wanted}')
    value = float(match[1]) * units[match[2]]
    if not math.isfinite(value) or (value <= 0 if least is None else value < least):
        raise ValueError(f'must be {wanted}, more than 0')
    return value


def show_seconds(value):
    """Print a time with the unit that keeps it readable."""
    if value >= 1:
        return f'{value:.3g} s'
    return f'{value * 1e3:.3g} ms' if value >= 1e-3 else f'{value * 1e6:.3g} us'


def show_size(value):
    """Print a size in bytes with a binary unit."""
    for unit in ('B', 'KiB', 'MiB'):
        if value < 1024:
            return f'{value:.4g} {unit}'
        value /= 1024
    return f'{value:.4g} GiB'
