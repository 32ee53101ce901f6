"""Parsers of a scenario's values, which return seconds, bytes or fractions, or raise ValueError.

Distributions of service times are written by name:

    constant 10ms         always this time
    exponential 10ms      the mean; memoryless, as in queueing theory and in C3's simulator
    gamma 10ms 0.5        the mean, and the coefficient of variation; seeks and turns of a disk
    uniform 5ms 15ms      the minimum and the maximum
"""
import math
import re

SECONDS = {'us': 1e-6, 'ms': 1e-3, 's': 1.0}
BYTES = {'B': 1, 'KiB': 2**10, 'MiB': 2**20, 'GiB': 2**30}
QUANTITY = re.compile(r'([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)')


def seconds(text):
    """Parse `10ms`, `1.5s` or `200us`; return seconds."""
    return _with_unit(text, SECONDS, 'a time such as 10ms or 1.5s')


def size(text):
    """Parse `4KiB`, `64MiB` or `100B`; return bytes."""
    return int(_with_unit(text, BYTES, 'a size such as 4KiB'))


def _with_unit(text, units, what):
    match = QUANTITY.fullmatch(text)
    if not match or match[2] not in units:
        raise ValueError(f'{text!r} must be {what}')
    return float(match[1]) * units[match[2]]


def number(text):
    """Parse a finite number of at least 0; return a float."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise ValueError(f'{text!r} must be a number of at least 0')
    return value


def positive(parse, text):
    """Return parse(text); raises ValueError unless it is more than 0."""
    value = parse(text)
    if not value:
        raise ValueError(f'{text!r} must be more than 0')
    return value


def whole(text):
    """Parse a whole number of at least 1."""
    if not text.isdecimal() or not int(text):
        raise ValueError(f'{text!r} must be a whole number of at least 1')
    return int(text)


def share(text):
    """Parse a percentage such as `5%`; return it as a fraction."""
    if not text.endswith('%'):
        raise ValueError(f'{text!r} must be a percentage such as 5%')
    return number(text[:-1]) / 100


def distribution(text):
    """Return (draw, mean, variation) of a distribution such as `gamma 10ms 0.5`.

    The forms are in the docstring of the module. `draw(rng)` returns random seconds. The
    variation is the standard deviation over the mean. Raises ValueError with a sentence.
    """
    name, *words = text.split() or ['']
    if name not in KINDS:
        raise ValueError(f'{name!r}: a service time is one of {", ".join(KINDS)}')
    parsers, build = KINDS[name]
    if len(words) != len(parsers):
        raise ValueError(f'{name} takes {len(parsers)} values, not {len(words)}')
    values = [parse(word) for parse, word in zip(parsers, words, strict=True)]
    if not all(values):
        raise ValueError(f'{text!r}: every value must be more than 0')
    return build(*values)


def _constant(mean):
    return (lambda rng: mean), mean, 0.0


def _exponential(mean):
    rate = 1 / mean
    return (lambda rng: rng.expovariate(rate)), mean, 1.0


def _gamma(mean, variation):
    shape = 1 / variation ** 2
    return (lambda rng: rng.gammavariate(shape, mean / shape)), mean, variation


def _uniform(low, high):
    mean = (low + high) / 2
    return (lambda rng: rng.uniform(low, high)), mean, abs(high - low) / 12 ** 0.5 / mean


KINDS = {
    'constant': ((seconds,), _constant),
    'exponential': ((seconds,), _exponential),
    'gamma': ((seconds, number), _gamma),
    'uniform': ((seconds, seconds), _uniform),
}
