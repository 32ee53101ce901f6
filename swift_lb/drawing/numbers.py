"""Numbers formatted for display; '-' is unknown, which is None or NaN. Pure."""
import math

UNKNOWN = '-'


def known(value):
    """Return whether the value is known: neither None nor NaN."""
    return value is not None and not math.isnan(value)


def three_digits(value):
    """Return a number as text of some three digits: 0.0031, 2.02, 12.3, 2,546; '-' if unknown."""
    if not known(value):
        return UNKNOWN
    if 0 < value < 0.0995:
        return f'{value:.2g}'
    if value < 9.995:
        return f'{value:.2f}' if value else '0'
    return f'{value:.1f}' if value < 99.95 else f'{value:,.0f}'


def milliseconds(seconds):
    """Return `seconds` as text of some three digits in ms, without the unit; '-' if unknown."""
    return three_digits(seconds * 1e3) if known(seconds) else UNKNOWN


def megabytes(size):
    """Return bytes, or bytes/s, as text in MB of 10^6 bytes, without the unit; '-' if unknown."""
    return three_digits(size / 1e6) if known(size) else UNKNOWN


def percent(fraction):
    """Return a success ratio as a percentage without the sign; 100 only if nothing failed.

    It is truncated, not rounded: 99.996 % is 99.99. The text is '-' if the ratio is unknown.
    """
    if not known(fraction):
        return UNKNOWN
    if fraction == 1:
        return '100'
    hundredths = math.floor(round(fraction * 1e4, 6))  # 0.57 * 1e4 is slightly below 5700
    return f'{min(hundredths, 9999) / 100:.2f}'


def share(fraction):
    """Return a fraction as a percentage: 47 %; '-' if it is unknown."""
    return f'{fraction * 100:.0f} %' if known(fraction) else UNKNOWN


def gain(fraction):
    """Return a gain, or a negative fraction for a loss, as text: +11.58 %; '-' if unknown."""
    return f'{fraction * 100:+.2f} %' if known(fraction) else UNKNOWN


def spread(span, write):
    """Return (median, minimum, maximum, ...) as `30.0 (20.0..40.0)`, each formatted by `write`.

    Only the median if minimum and maximum look alike; `-` if `span` is None.
    """
    if span is None:
        return UNKNOWN
    median, least, most = map(write, span[:3])
    return median if least == most else f'{median} ({least}..{most})'


def clock_time(seconds):
    """Return an elapsed time: 0:05, 5:00, 1:02:03."""
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f'{hours}:{minutes:02d}:{rest:02d}' if hours else f'{minutes}:{rest:02d}'


def duration(seconds):
    """Return a duration for a sentence: 5 s, 12 min 05 s, 1 h 41 min."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    if minutes >= 60:
        return f'{minutes // 60} h {minutes % 60:02d} min'
    return f'{minutes} min {rest:02d} s' if minutes else f'{rest} s'


def plural(number, noun, nouns=None):
    """Return a number with its noun: `1 worker`, `2 workers`; `nouns` is an irregular plural."""
    return f'{number:,} {noun}' if number == 1 else f'{number:,} {nouns or f"{noun}s"}'
