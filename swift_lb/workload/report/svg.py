"""A matplotlib figure as a piece of HTML: no script, no link, no identifier used twice."""
import io
import math
import re
import warnings
from html import escape

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from swift_lb.workload.report.markup import Markup
from swift_lb.workload.units import printable

COLORS = ('#2b6ca3', '#d1662f', '#3a8f5c', '#8a5fa8', '#b8902c', '#c0487c', '#3aa0a0', '#5b6770')
DASHES = ('-', '--', ':', '-.')
PALE = '#e3e6ea'
STYLE = {
    'svg.fonttype': 'none', 'text.parse_math': False, 'font.size': 9,
    'font.family': 'sans-serif', 'font.sans-serif': ['DejaVu Sans'],
    'axes.spines.top': False, 'axes.spines.right': False, 'axes.edgecolor': '#9aa1ab',
    'axes.labelcolor': '#374151', 'axes.titlesize': 9.5, 'axes.titlelocation': 'left',
    'axes.titlecolor': '#1f2933', 'axes.grid': True, 'axes.axisbelow': True, 'grid.color': PALE,
    'grid.linewidth': 0.7, 'xtick.color': '#9aa1ab', 'ytick.color': '#9aa1ab',
    'xtick.labelcolor': '#374151', 'ytick.labelcolor': '#374151', 'xtick.major.size': 0,
    'ytick.major.size': 0, 'xtick.minor.size': 0, 'ytick.minor.size': 0, 'lines.linewidth': 1.6,
    'legend.frameon': False, 'legend.fontsize': 9, 'path.simplify_threshold': 0.3,
    'figure.facecolor': 'none', 'axes.facecolor': 'none',
}
LONGEST_LABEL = 40
LINE = 130          # characters of a legend that fit side by side
COORDINATES = re.compile(r'\b(?:d|x|y|width|height|transform)="[^"]*"')
STRAIGHT = re.compile(r'\bd="([MLz\d\s.-]*)"')   # after a move, numbers alone are lines
NUMBER = re.compile(r'-?\d+\.\d+')
LEFT_OUT = re.compile(  # what only costs room, and what the page's own style says once
    r'<!--.*?-->|<metadata>.*?</metadata>|<style .*?</style>|<defs>\s*</defs>'
    r'| xmlns(?::xlink)?="[^"]*"| version="[^"]*"| transform="rotate\(-0[^"]*"'
    r"|font-family: 'DejaVu Sans', sans-serif; |(?<=<svg) width=\"[^\"]*\"|(?<=<g) id=\"[^\"]*\"",
    re.DOTALL)


def drawing(draw, size, name, says):
    """Return as SVG what `draw`(figure) draws on a figure of `size` (width, height) inches.

    `name` is the picture's own in the document, `says` what it shows, for who can not see it.
    """
    with matplotlib.rc_context({**STYLE, 'svg.hashsalt': name}), warnings.catch_warnings():
        warnings.filterwarnings('ignore', 'Glyph .* missing')  # the reader's fonts have it
        figure, text = Figure(figsize=size), io.StringIO()
        draw(figure)
        figure.savefig(text, format='svg', metadata=dict.fromkeys(
            ('Creator', 'Date', 'Format', 'Type')))
    return Markup(embedded(text.getvalue(), says))


def embedded(text, says):
    """Return an SVG document as an element of HTML, with what only costs room left out."""
    head, body = LEFT_OUT.sub('', text[text.index('<svg'):]).split('>', 1)
    view = re.search(r'viewBox="[^"]*"', head)[0]
    body = COORDINATES.sub(lambda found: NUMBER.sub(_one_decimal, found[0]), body)
    body = STRAIGHT.sub(lambda found: f'd="{" ".join(found[1].replace("L", " ").split())}"', body)
    body = re.sub(r'(?<=[:;]) (?=[^"<>]*"/?>)', '', re.sub(r'>\s+<', '><', body))
    body = body.replace('xlink:href', 'href')
    while (shorter := body.replace('<g/>', '').replace('<g></g>', '')) != body:
        body = shorter
    return f'<svg role="img" aria-label="{escape(printable(says))}" {view}>{body}'


def _one_decimal(number):
    return f'{float(number[0]):.1f}'.removesuffix('.0')


def legend(figure, handles, labels, gaps=(0.0, 0.0)):
    """Put a legend above the panels of a figure, where it hides no line, and the panels below it.

    `gaps` are between panels side by side and one above another, in parts of a panel.
    """
    shown = [f' {label}' if label.startswith('_') else label  # matplotlib hides those with _
             for label in map(shortened, labels)]
    columns = _columns([len(label) + 8 for label in shown])
    rows = math.ceil(len(shown) / columns)
    width, height = figure.get_size_inches()
    figure.legend(handles, shown, loc='upper left', bbox_to_anchor=(0.5 / width, 1),
                  handlelength=1.8, borderaxespad=0.1, borderpad=0.2, ncols=columns)
    # a layout found by matplotlib takes three times as long
    figure.subplots_adjust(left=0.62 / width, right=1 - 0.1 / width, bottom=0.45 / height,
                           top=1 - (0.32 + 0.19 * rows) / height, wspace=gaps[0], hspace=gaps[1])


def _columns(widths):
    if sum(widths) <= LINE:
        return len(widths)
    return max(1, LINE // max(widths))


def shortened(label):
    """Return a label that leaves room for others."""
    return label if len(label) <= LONGEST_LABEL else f'{label[:LONGEST_LABEL - 3]}...'


def plain(value, _place=None):
    """Write a number of a logarithmic scale: 0.1, 20, 5,000."""
    return f'{value:,.10g}'


def readable(axis):
    """Let a logarithmic axis say 1, 2, 5, 10, 20 ..."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(plain)
    axis.set_minor_locator(NullLocator())


def look(number):
    """Return how line `number` of a figure looks: colors first, then dashes."""
    return {'color': COLORS[number % len(COLORS)],
            'linestyle': DASHES[number // len(COLORS) % len(DASHES)]}
