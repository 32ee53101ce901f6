"""Parsers of COSBench's selectors, c(1) u(1,5) r(1,5) s(1,5) h(1|5|3,...), and sizes, u(4,64)KB.

COSBench ignores some parts of a selector: it reads r(1,2,3) as r(1,2), and u(1,2,3) as
u(1,2147483647). So does this module, and `odd_numbers` and `odd_sizes` return a warning. A text
that COSBench refuses raises ValueError, whose message continues a sentence that begins with the
text.
"""
import re
from dataclasses import replace

from swift_lb.wire.cosbench.findings import shown
from swift_lb.wire.cosbench.kinds import BLANKS, LARGEST
from swift_lb.wire.cosbench.model import Selector

UNITS = {'GB': 1000**3, 'MB': 1000**2, 'KB': 1000, 'B': 1}
FORMS = 'c(n), u(a,b), r(a,b), s(a,b) or h(lo|hi|weight,...)'
FROM_1 = 'begins below 1; COSBench counts from 1'
NO_HISTOGRAM = 'is no histogram; write h(lo|hi|weight,lo|hi|weight,...)'
KINDS = {'c': 'constant', 'u': 'uniform', 'r': 'range', 's': 'sequential', 'h': 'histogram'}
LETTERS = {kind: letter for letter, kind in KINDS.items()}
NO_OBJECT = Selector('range', 1, 0)  # r(0,0): no object, for works on containers only
PLAIN = re.compile(r'c\(N\)|u\(N(,N)?\)|[rs]\(N,N\)|N-N|h\(N\|(N)?\|N(,N\|(N)?\|N)*\)'
                   .replace('N', '[0-9]+'))   # the texts that COSBench reads completely


def numbers(text):
    """Return the Selector of container or object numbers that `text`, like r(1,5), describes."""
    if text in ('r(0,0)', '0-0'):
        return NO_OBJECT
    form = re.fullmatch(r'([cursh])\(([^)]*)\).*', text, re.DOTALL)
    if not form:
        return old_range(text)
    kind, inside = KINDS[form[1]], parts(form[2], ',')
    if kind == 'constant':
        value = number(inside[0] if inside else '')   # may be 0
        return Selector(kind, value, value)
    if kind == 'histogram':
        return histogram(inside)
    if kind == 'uniform' and len(inside) not in (0, 2):
        inside = inside[0], str(LARGEST)
    return between(kind, inside)


def sizes(text):
    """Return the Selector of sizes in bytes that `text`, like u(4,64)KB, describes."""
    selector, unit = size_parts(text)
    plain = numbers(selector)
    if plain == NO_OBJECT:
        raise ValueError(FROM_1)
    step = UNITS[unit]
    return replace(plain, low=plain.low * step, high=plain.high * step, step=step, buckets=tuple(
        (low * step, high * step, weight) for low, high, weight in plain.buckets))


def odd_numbers(text):
    """Return a warning if COSBench ignores a part of `text`, like r(1,2,3), else None."""
    return None if PLAIN.fullmatch(text) else read_as(written(numbers(text)))


def odd_sizes(text):
    """Return a warning if COSBench ignores a part of `text`, like r(1,2,3)KB, else None."""
    selector, unit = size_parts(text)
    plain = PLAIN.fullmatch(selector) and text == selector + unit
    return None if plain else read_as(written(numbers(selector)) + unit)


def read_as(text):
    """Return the end of a warning, which says that COSBench reads `text` instead."""
    return f'is read as {shown(text)}, as COSBench reads it'


def written(selector):
    """Return a Selector whose step is 1 as text, like u(1,5)."""
    if selector == NO_OBJECT:
        return 'r(0,0)'
    inside = f'{selector.low},{selector.high}'
    if selector.kind == 'constant':
        inside = str(selector.low)
    if selector.kind == 'histogram':
        inside = ','.join(f'{low}|{"" if high == LARGEST else high}|{weight}'
                          for low, high, weight in selector.buckets)
    return f'{LETTERS[selector.kind]}({inside})'


def size_parts(text):
    """Return (selector, unit) of a size in text: ('u(4,64)', 'KB') for 'u(4,64)KB'."""
    selector, parenthesis, rest = text.partition(')')
    unit = rest.strip(BLANKS)
    if not parenthesis or not any(map(unit.endswith, UNITS)):
        raise ValueError('is no size; write a selector and a unit, like c(64)KB: GB, MB, KB or B, '
                         'and a KB is 1000 bytes')
    if unit not in UNITS:
        known = next(known for known in UNITS if unit.endswith(known))
        raise ValueError(f'is no size: its unit, {shown(unit)}, is {known} to COSBench; write GB, '
                         'MB, KB or B, and a KB is 1000 bytes')
    return selector + parenthesis, unit


def parts(text, separator):
    """Return the parts of `text` between separators, without empty parts, as COSBench splits it."""
    return [part for part in text.split(separator) if part]


def old_range(text):
    """Return the Selector of a text like 1-5, the older form of r(1,5)."""
    bounds = parts(text, '-')
    if len(bounds) < 2 or not all(map(is_number, bounds[:2])):
        raise ValueError(f'is no selector; write {FORMS}, without blanks')
    return between('range', bounds)


def between(kind, bounds):
    """Return the Selector of `kind` between the first two of `bounds`, texts, both included."""
    if len(bounds) < 2:
        raise ValueError('takes two numbers, the first and the last')
    low, high = map(number, bounds[:2])
    check_bounds(low, high)
    return Selector(kind, low, high)


def check_bounds(low, high):
    """Raise ValueError unless 1 <= low <= high."""
    if low < 1:
        raise ValueError(FROM_1)
    if low > high:
        raise ValueError(f'begins at {low}, after its end, {high}')


def histogram(inside):
    """Return the histogram Selector of the texts `inside`, lo|hi|weight, sorted by lower bound."""
    if not inside:
        raise ValueError(NO_HISTOGRAM)
    buckets = tuple(sorted(map(bucket, inside), key=lambda bucket: bucket[0]))
    total = sum(weight for _low, _high, weight in buckets)
    if not 1 <= total <= LARGEST:
        raise ValueError(f'has weights that sum to {total}; 1 to {LARGEST} is possible')
    return Selector('histogram', buckets[0][0], max(high for _low, high, _weight in buckets),
                    buckets)


def bucket(text):
    """Return (low, high, weight) of lo|hi|weight, or of lo||weight, which has no upper end."""
    values = parts(text, '|')
    if len(values) == 2 and text.count('|') == 1:
        raise ValueError('has a bucket lo|weight, which COSBench refuses; write lo||weight for a '
                         'bucket without an upper end')
    if text.count('|') == 2 and '||' in text:
        low, _bars, weight = text.partition('||')
        values = [low, str(LARGEST), weight]
    if len(values) != 3:
        raise ValueError(NO_HISTOGRAM)
    low, high, weight = map(number, values)
    check_bounds(low, high)
    return low, high, weight


def is_number(text):
    """Return whether Java's parser accepts `text` as a whole number of 0 or more."""
    return bool(re.fullmatch('[+]?[0-9]+', text))


def number(text):
    """Return the whole number that `text` is; raises ValueError unless it is from 0 to 2^31 - 1."""
    if not is_number(text):
        raise ValueError(f"has '{shown(text)}' where a whole number belongs")
    if len(text) > 20 or int(text) > LARGEST:
        raise ValueError(f'has a number above {LARGEST}, which is as far as COSBench counts')
    return int(text)
