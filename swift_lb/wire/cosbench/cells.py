"""The cells of COSBench's CSV files: numbers formatted as Java does, text made safe.

Nothing is quoted in these files, and their readers expect no quotes.
"""
NO_VALUE = 'N/A'
REPLACED = str.maketrans({',': '-', ';': ' ', '"': "'"})


def number(value):
    """Write a number as Java's DecimalFormat("0.##"): at most two decimals, half to even.

    None as N/A.
    """
    if value is None:
        return NO_VALUE
    return f'{value:.2f}'.rstrip('0').rstrip('.')


def percent(fraction):
    """Write a fraction as Java's DecimalFormat("0.##%"); None as N/A."""
    return NO_VALUE if fraction is None else f'{number(fraction * 100)}%'


def text(words):
    """Return `words` without separators of cells and lines, replaced as COSBench replaces them."""
    return ' '.join(words.translate(REPLACED).split())


def name(words):
    """Return a name usable in a file name: no slashes, no control characters, limited length."""
    words = ''.join(char if char.isprintable() and char not in '/\\' else '-' for char in words)
    return text(words).encode(errors='replace')[:150].decode(errors='ignore') or '-'


def line(cells):
    """Return one CSV line of `cells`."""
    return ','.join(map(str, cells)) + '\n'


def stamp(at):
    """Write a datetime in COSBench's format; '' for None."""
    return at.strftime('%Y-%m-%d %H:%M:%S') if at else ''


def states(history):
    """Return one cell for each (state, datetime) pair of `history`."""
    return [f'{state} @ {stamp(at)}' for state, at in history]
