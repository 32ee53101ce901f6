"""Numbers of a run as people read them; '-' is unknown. Pure."""
import math

UNKNOWN = '-'


def three_digits(value):
    """Write a number with about three digits: 0.0031, 2.02, 12.3, 2,546; nan is unknown."""
    if value is None or math.isnan(value):
        return UNKNOWN
    if 0 < value < 0.0995:
        return f'{value:.2g}'
    if value < 9.995:
        return f'{value:.2f}' if value else '0'
    return f'{value:.1f}' if value < 99.95 else f'{value:,.0f}'


def milliseconds(seconds):
    """Write a response time in ms, without the unit."""
    return three_digits(seconds * 1e3)


def megabytes(size):
    """Write bytes, or bytes per second, in MB of 10^6, without the unit."""
    return three_digits(size / 1e6)


def percent(fraction):
    """Write a success ratio as a percentage, without the sign: 100 where none failed, only there.

    It is cut, not rounded: 99.996 % is 99.99.
    """
    if math.isnan(fraction):
        return UNKNOWN
    if fraction == 1:
        return '100'
    hundredths = math.floor(round(fraction * 1e4, 6))  # 0.57 * 1e4 is a bit less than 5700
    return f'{min(hundredths, 9999) / 100:.2f}'


def clock_time(seconds):
    """Write how long something took: 0:05, 5:00, 1:02:03."""
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f'{hours}:{minutes:02d}:{rest:02d}' if hours else f'{minutes}:{rest:02d}'


def plural(number, noun):
    """Write `1 worker`, `2 workers`."""
    return f'{number:,} {noun}' if number == 1 else f'{number:,} {noun}s'


def printable(text):
    """Return `text` without what moves a terminal's cursor or breaks a line."""
    return ''.join(char if char.isprintable() else '\N{REPLACEMENT CHARACTER}' for char in text)
