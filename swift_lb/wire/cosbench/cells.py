"""The cells of COSBench's CSV files: numbers formatted as Java does, text made safe.

Nothing is quoted in these files, and their readers expect no quotes.
"""
NO_VALUE = 'N/A'
REPLACED = str.maketrans({',': '-', ';': ' ', '"': "'"})


def number(value):
    """Return a number as Java's DecimalFormat("0.##") writes it, and 'N/A' for None.

    It has at most two decimals and is rounded half to even.
    """
    if value is None:
        return NO_VALUE
    return f'{value:.2f}'.rstrip('0').rstrip('.')


def percent(fraction):
    """Return a fraction as Java's DecimalFormat("0.##%") writes it, like 12.5%; 'N/A' for None."""
    return NO_VALUE if fraction is None else f'{number(fraction * 100)}%'


def text(words):
    """Return `words` for a CSV cell: , becomes -, " becomes ', ; and any white space one blank."""
    return ' '.join(words.translate(REPLACED).split())


def name(words):
    """Return `words` as a file name of at most 150 bytes, `-` if nothing is left.

    Slashes and control characters become `-`; other characters are replaced as by text().
    """
    words = ''.join(char if char.isprintable() and char not in '/\\' else '-' for char in words)
    return text(words).encode(errors='replace')[:150].decode(errors='ignore') or '-'


def line(cells):
    """Return the CSV line, with its line break, that consists of `cells`."""
    return ','.join(map(str, cells)) + '\n'


def stamp(at):
    """Return a datetime as COSBench writes it, like 2024-05-31 12:30:00; '' for None."""
    return at.strftime('%Y-%m-%d %H:%M:%S') if at else ''


def states(history):
    """Return one CSV cell, `STATE @ TIME`, for each (state, datetime) pair of `history`."""
    return [f'{state} @ {stamp(at)}' for state, at in history]
