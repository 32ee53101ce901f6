"""COSBench's selectors, c(1) u(1,5) r(1,5) s(1,5) h(1|5|3,...), and sizes, u(4,64)KB.

What is not one raises ValueError; its message goes after the value in a sentence.
"""
import re
from dataclasses import replace

from swift_lb.wire.cosbench.findings import shown
from swift_lb.wire.cosbench.model import Selector

LARGEST = 2**31 - 1   # COSBench counts in 32 bits
UNITS = {'GB': 1000**3, 'MB': 1000**2, 'KB': 1000, 'B': 1}
FORMS = 'c(n), u(a,b), r(a,b), s(a,b) or h(lo|hi|weight,...)'
KINDS = {'u': 'uniform', 'r': 'range', 's': 'sequential'}
NOTHING = Selector('range', 1, 0)  # r(0,0): no object at all, for works that only see to containers


def numbers(text):
    """Return the Selector that `text` stands for."""
    if text in ('r(0,0)', '0-0'):
        return NOTHING
    if old := re.fullmatch(r'([0-9]+)-([0-9]+)', text):
        return between('range', old.groups())
    form = re.fullmatch(r'([cursh])\(([^()]*)\)', text)
    if not form:
        raise ValueError(f'is no selector; write {FORMS}, without blanks')
    letter, inside = form.groups()
    if letter == 'c':
        return constant(inside)
    if letter == 'h':
        return histogram(inside)
    bounds = inside.split(',')
    if letter == 'u' and len(bounds) == 1:
        bounds.append(str(LARGEST))
    return between(KINDS[letter], bounds)


def sizes(text):
    """Return the Selector of sizes, in bytes, that `text` stands for."""
    form = re.fullmatch(r'(.*\))(GB|MB|KB|B)', text)
    if not form:
        raise ValueError('is no size; write a selector and a unit, like c(64)KB: GB, MB, KB or B, '
                         'and a KB is 1000 bytes')
    return scaled(numbers(form[1]), UNITS[form[2]])


def scaled(selector, unit):
    """Return `selector` with each of its numbers times `unit`."""
    buckets = tuple((low * unit, high * unit, weight) for low, high, weight in selector.buckets)
    return replace(selector, low=selector.low * unit, high=selector.high * unit, step=unit,
                   buckets=buckets)


def constant(inside):
    """Return the Selector of one number, which may be 0."""
    value = number(inside)
    return Selector('constant', value, value)


def between(kind, bounds):
    """Return the Selector of the numbers between two `bounds`, both included."""
    if len(bounds) != 2:
        raise ValueError('takes two numbers, the first and the last')
    low, high = map(number, bounds)
    check_bounds(low, high)
    return Selector(kind, low, high)


def check_bounds(low, high):
    """Raise ValueError unless 1 <= low <= high."""
    if low < 1:
        raise ValueError('begins below 1; COSBench counts from 1')
    if low > high:
        raise ValueError(f'begins at {low}, after its end, {high}')


def histogram(inside):
    """Return the Selector of weighted buckets, sorted by where they begin."""
    buckets = tuple(sorted(map(bucket, inside.split(',')), key=lambda found: found[0]))
    total = sum(weight for _low, _high, weight in buckets)
    if not 1 <= total <= LARGEST:
        raise ValueError(f'has weights that sum to {total}; 1 to {LARGEST} is possible')
    return Selector('histogram', buckets[0][0], max(high for _low, high, _weight in buckets),
                    buckets)


def bucket(text):
    """Return (low, high, weight) of lo|hi|weight; lo||weight or lo|weight has no upper end.

    The one with two bars is all that COSBench reads, the other is what it is described as.
    """
    parts = text.split('|')
    if len(parts) == 2:
        parts.insert(1, '')
    if len(parts) != 3:
        raise ValueError('is no histogram; write h(lo|hi|weight,lo|hi|weight,...)')
    low, high, weight = map(number, (parts[0], parts[1] or str(LARGEST), parts[2]))
    check_bounds(low, high)
    return low, high, weight


def number(text):
    """Return the number `text` stands for."""
    if not re.fullmatch('[0-9]+', text):
        raise ValueError(f"has '{shown(text)}' where a whole number belongs")
    if len(text) > 20 or int(text) > LARGEST:
        raise ValueError(f'has a number above {LARGEST}, which is as far as COSBench counts')
    return int(text)
