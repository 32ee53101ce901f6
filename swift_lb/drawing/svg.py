"""Charts of matplotlib as parts of an HTML page or as files: no script, no link, no repeated id.

matplotlib is imported when something is drawn: it is optional, and takes two seconds and 50 MiB.
"""
import io
import re
import warnings
from html import escape

from swift_lb.drawing.looks import STYLE
from swift_lb.drawing.text import printable

CSS = """svg { display: block; width: 100%; height: auto; margin: .8rem 0; }
svg * { stroke-linejoin: round; }
svg text { font-family: "DejaVu Sans", Verdana, Geneva, sans-serif; }
"""     # the CSS of a page that contains charts
COORDINATES = re.compile(r'\b(?:d|x|y|width|height|transform)="[^"]*"')
STRAIGHT = re.compile(r'\bd="([MLz\d\s.-]*)"')   # paths of lines, where SVG needs no L
NUMBER = re.compile(r'-?\d+\.\d+')
LEFT_OUT = re.compile(  # parts without use, or replaced by the CSS of the page
    r'<!--.*?-->|<metadata>.*?</metadata>|<style .*?</style>|<defs>\s*</defs>'
    r'| xmlns(?::xlink)?="[^"]*"| version="[^"]*"| transform="rotate\(-0[^"]*"'
    r"|font-family: 'DejaVu Sans', sans-serif; |(?<=<svg) width=\"[^\"]*\"|(?<=<g) id=\"[^\"]*\"",
    re.DOTALL)
VIEW = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


def drawing(draw, size, name, says):
    """Return an <svg> element with the chart that `draw`(figure) draws.

    `size` is (width, height) in inches; `name` must be unique in the page; `says` describes the
    chart for readers that cannot see it. The page must contain the style sheet CSS.
    """
    import matplotlib
    from matplotlib.figure import Figure
    with matplotlib.rc_context({**STYLE, 'svg.hashsalt': name}), warnings.catch_warnings():
        warnings.filterwarnings('ignore', 'Glyph .* missing')  # the browser's fonts have the glyph
        figure, text = Figure(figsize=size), io.StringIO()
        draw(figure)
        figure.savefig(text, format='svg', metadata=dict.fromkeys(
            ('Creator', 'Date', 'Format', 'Type')))
    return _embedded(text.getvalue(), says)


def _embedded(text, says):
    """Return an SVG document of matplotlib as a shorter <svg> element for an HTML page.

    It lacks comments, metadata, styles and ids of groups, and rounds coordinates. `says` describes
    the chart for readers that cannot see it.
    """
    head, body = LEFT_OUT.sub('', text[text.index('<svg'):]).split('>', 1)
    body = COORDINATES.sub(lambda match: NUMBER.sub(_one_decimal, match[0]), body)
    body = STRAIGHT.sub(lambda match: f'd="{" ".join(match[1].replace("L", " ").split())}"', body)
    body = re.sub(r'(?<=[:;]) (?=[^"<>]*"/?>)', '', re.sub(r'>\s+<', '><', body))
    body = body.replace('xlink:href', 'href').rstrip()
    while (shorter := body.replace('<g/>', '').replace('<g></g>', '')) != body:
        body = shorter
    return f'<svg role="img" aria-label="{escape(printable(says))}" {VIEW.search(head)[0]}>{body}'


def _one_decimal(number):
    return f'{float(number[0]):.1f}'.removesuffix('.0')


def standalone(element):
    """Return an <svg> element of drawing() as a file that is readable on any background."""
    head, body = element.split('>', 1)
    width, height = VIEW.search(head).groups()
    return (f'{head} xmlns="http://www.w3.org/2000/svg" width="{width}pt" height="{height}pt">'
            f'<style>{CSS}</style><rect width="100%" height="100%" fill="#fff"/>{body}\n')
