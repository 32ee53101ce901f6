"""Numbers formatted for display: ms, MB/s, ages, shares; '-' is unknown. Pure."""
from swift_lb.drawing.numbers import UNKNOWN, three_digits


def duration(seconds):
    """Return `seconds` as short text: 0.4 ms, 12 ms, 1.5 s, 40 s, 5 min, 3 h, 2 d; '-' for None."""
    if seconds is None:
        return UNKNOWN
    for unit, length, below in (('ms', 1e-3, 999.5), ('s', 1, 99.5), ('min', 60, 99.5),
                                ('h', 3600, 47.5)):
        if seconds / length < below:
            return f'{_two_digits(seconds / length)} {unit}'
    return f'{seconds / 86400:.0f} d'


def signed(seconds):
    """Return a difference in seconds as text with its sign: +12 ms, -1.5 s; '-' for None."""
    if seconds is None:
        return UNKNOWN
    return f'{"-" if seconds < 0 else "+"}{duration(abs(seconds))}'


def throughput(rate):
    """Return bytes per second as text: 232 MB/s, where 1 MB is 10^6 bytes; '-' for None."""
    if rate is None:
        return UNKNOWN
    if rate < 999.5:
        return f'{rate:.0f} B/s'
    for unit, size in (('kB/s', 1e3), ('MB/s', 1e6)):
        if rate / size < 999.5:
            return f'{three_digits(rate / size)} {unit}'
    return f'{three_digits(rate / 1e9)} GB/s'


def per_second(rate):
    """Return a rate of events per second as text without a unit: 0.3, 12; '-' for None."""
    return UNKNOWN if rate is None else _two_digits(rate)


def share(fraction):
    """Return a fraction as a percentage with one decimal: 83.1%; '-' for None."""
    return UNKNOWN if fraction is None else f'{fraction:.1%}'


def count(number):
    """Return a count as text with thousands separated: 12,345."""
    return f'{number:,}'


def digits(number, form):
    """Return a number as text in the format `form`, such as `.2f`; '-' for None."""
    return UNKNOWN if number is None else format(number, form)


def spread(least, most, write):
    """Return a range formatted by `write`, such as `3.9-8.8 ms`; '' if both ends look alike."""
    low, high = write(least), write(most)
    if low == high:
        return ''
    (number, _space, unit), (_number, _space, high_unit) = low.partition(' '), high.partition(' ')
    return f'{number if unit == high_unit else low}-{high}'


def plural(number, noun):
    """Return a number with its noun, in the plural if need be: `1 worker`, `2 workers`."""
    return f'{number} {noun}' if number == 1 else f'{number} {noun}s'


def _two_digits(value):
    return f'{value:.1f}' if value < 9.95 else f'{value:,.0f}'
