"""Parsers of a scenario's values, to seconds, bytes and fractions; they raise ValueError."""
import math
import re

SECONDS = {'us': 1e-6, 'ms': 1e-3, 's': 1.0}
BYTES = {'B': 1, 'KiB': 2**10, 'MiB': 2**20, 'GiB': 2**30}
QUANTITY = re.compile(r'([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)')


def seconds(text):
    """Parse `10ms`, `1.5s`, `200us`."""
    return _with_unit(text, SECONDS, 'a time such as 10ms or 1.5s')


def size(text):
    """Parse `4KiB`, `64MiB`, `100B`."""
    return int(_with_unit(text, BYTES, 'a size such as 4KiB'))


def _with_unit(text, units, what):
    found = QUANTITY.fullmatch(text)
    if not found or found[2] not in units:
        raise ValueError(f'{text!r} must be {what}')
    return float(found[1]) * units[found[2]]


def number(text):
    """Parse a finite number of at least 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise ValueError(f'{text!r} must be a number of at least 0')
    return value


def whole(text):
    """Parse a whole number of at least 1."""
    if not text.isdecimal() or not int(text):
        raise ValueError(f'{text!r} must be a whole number of at least 1')
    return int(text)


def share(text):
    """Parse `5%`, as a fraction."""
    if not text.endswith('%'):
        raise ValueError(f'{text!r} must be a percentage such as 5%')
    return number(text[:-1]) / 100
