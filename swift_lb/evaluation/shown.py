"""Numbers of a report as text; what is not known is a dash."""

NONE = '-'


def ms(seconds):
    """Return milliseconds."""
    return NONE if seconds is None else f'{seconds * 1000:,.1f}'


def rate(per_second):
    """Return operations per second."""
    return NONE if per_second is None else f'{per_second:,.1f}'


def per_cent(fraction, digits=0):
    """Return a fraction in per cent."""
    return NONE if fraction is None else f'{fraction * 100:.{digits}f} %'


def gain(fraction):
    """Return a gain or a loss in per cent, with its sign."""
    return NONE if fraction is None else f'{fraction * 100:+.2f} %'


def ratio(number):
    """Return a plain ratio."""
    return NONE if number is None else f'{number:.2f}'


def spread(span, write):
    """Return a results.Span as median (least..most), or only the figure of a single repeat."""
    if span is None:
        return NONE
    if span.least == span.most:
        return write(span.median)
    return f'{write(span.median)} ({write(span.least)}..{write(span.most)})'


def duration(seconds):
    """Return hours and minutes, or minutes and seconds."""
    whole = max(0, round(seconds))
    if whole >= 3600:
        return f'{whole // 3600} h {whole % 3600 // 60:02} min'
    return f'{whole // 60} min {whole % 60:02} s' if whole >= 60 else f'{whole} s'


def listed(words):
    """Return words as a list in a sentence; empty without any."""
    return ', '.join(map(str, words))
