"""What stands between the commas of COSBench's files: numbers as Java writes them, text made safe.

Nothing is quoted in these files, and their readers expect no quotes.
"""
NOTHING = 'N/A'
REPLACED = str.maketrans({',': '-', ';': ' ', '"': "'"})


def number(value):
    """Write a number as Java's DecimalFormat("0.##"): two digits at most, half to even; or N/A."""
    if value is None:
        return NOTHING
    return f'{value:.2f}'.rstrip('0').rstrip('.')


def percent(fraction):
    """Write a fraction as DecimalFormat("0.##%"); N/A where there is none."""
    return NOTHING if fraction is None else f'{number(fraction * 100)}%'


def text(words):
    """Return text that neither ends its cell nor its line, changed as COSBench does Config-Info."""
    return ' '.join(words.translate(REPLACED).split())


def name(words):
    """Return a name that is also fit for a file's: no slash, nothing unprintable, not too long."""
    words = ''.join(char if char.isprintable() and char not in '/\\' else '-' for char in words)
    return text(words).encode(errors='replace')[:150].decode(errors='ignore') or '-'


def line(cells):
    """Return one line of a file."""
    return ','.join(map(str, cells)) + '\n'


def stamp(at):
    """Write a datetime as COSBench does; nothing for None."""
    return at.strftime('%Y-%m-%d %H:%M:%S') if at else ''


def states(history):
    """Return a cell for each of the (state, datetime) pairs."""
    return [f'{state} @ {stamp(at)}' for state, at in history]
