"""From matplotlib to an SVG element that can stand inside a page."""
import io
import re

# matplotlib names every group; of what nothing refers to, many drawings in a page share the name.
UNUSED_ID = re.compile(r' id="(?:figure|axes|patch|line2d|text|legend|xtick|ytick|matplotlib|'
                       r'LineCollection)[._]?[\w.]*"')
FINE = re.compile(r'(\d\.\d)\d+')      # of a point of 1/72 inch, the second digit is not seen
INDENT = re.compile(r'\n\s+')


def panels(rows, columns, size):
    """Return (figure, axes as a list of rows) of `size` inches; nothing looks for a display."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    return pyplot.subplots(rows, columns, figsize=size, layout='constrained', squeeze=False)


def svg_of(figure, name):
    """Return the <svg> element of `figure` and forget it.

    `name` is the salt of its ids, so that drawings in one page do not meet; letters stay letters,
    which keeps it small, and nothing in it points outside.
    """
    import matplotlib
    from matplotlib import pyplot
    text = io.StringIO()
    with matplotlib.rc_context({'svg.fonttype': 'none', 'svg.hashsalt': name,
                                'font.sans-serif': ['DejaVu Sans']}):
        figure.savefig(text, format='svg', metadata=dict.fromkeys(
            ('Creator', 'Date', 'Format', 'Type')))
    pyplot.close(figure)
    found = re.sub(r'<metadata>.*?</metadata>', '', text.getvalue(), flags=re.DOTALL)
    for pattern, text in ((UNUSED_ID, ''), (FINE, r'\1'), (INDENT, '\n')):
        found = pattern.sub(text, found)
    return found[found.index('<svg'):]
