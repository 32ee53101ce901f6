"""What matplotlib draws, as a piece of HTML or a file: no script, no link, no id used twice.

matplotlib is imported when something is drawn: it is an extra, and takes two seconds and 50 MiB.
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
"""     # what a page with drawings in it has to say once
COORDINATES = re.compile(r'\b(?:d|x|y|width|height|transform)="[^"]*"')
STRAIGHT = re.compile(r'\bd="([MLz\d\s.-]*)"')   # after a move, numbers alone are lines
NUMBER = re.compile(r'-?\d+\.\d+')
LEFT_OUT = re.compile(  # what only costs room, and what the page's own style says once
    r'<!--.*?-->|<metadata>.*?</metadata>|<style .*?</style>|<defs>\s*</defs>'
    r'| xmlns(?::xlink)?="[^"]*"| version="[^"]*"| transform="rotate\(-0[^"]*"'
    r"|font-family: 'DejaVu Sans', sans-serif; |(?<=<svg) width=\"[^\"]*\"|(?<=<g) id=\"[^\"]*\"",
    re.DOTALL)
VIEW = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


def drawing(draw, size, name, says):
    """Return as an <svg> element what `draw`(figure) draws on `size` (width, height) inches.

    `name` is the drawing's own in its page, `says` what it shows, for who can not see it. The page
    has to have the CSS above.
    """
    import matplotlib
    from matplotlib.figure import Figure
    with matplotlib.rc_context({**STYLE, 'svg.hashsalt': name}), warnings.catch_warnings():
        warnings.filterwarnings('ignore', 'Glyph .* missing')  # the reader's fonts have it
        figure, text = Figure(figsize=size), io.StringIO()
        draw(figure)
        figure.savefig(text, format='svg', metadata=dict.fromkeys(
            ('Creator', 'Date', 'Format', 'Type')))
    return _embedded(text.getvalue(), says)


def _embedded(text, says):
    """Return an SVG document as an element of HTML, with what only costs room left out."""
    head, body = LEFT_OUT.sub('', text[text.index('<svg'):]).split('>', 1)
    body = COORDINATES.sub(lambda found: NUMBER.sub(_one_decimal, found[0]), body)
    body = STRAIGHT.sub(lambda found: f'd="{" ".join(found[1].replace("L", " ").split())}"', body)
    body = re.sub(r'(?<=[:;]) (?=[^"<>]*"/?>)', '', re.sub(r'>\s+<', '><', body))
    body = body.replace('xlink:href', 'href').rstrip()
    while (shorter := body.replace('<g/>', '').replace('<g></g>', '')) != body:
        body = shorter
    return f'<svg role="img" aria-label="{escape(printable(says))}" {VIEW.search(head)[0]}>{body}'


def _one_decimal(number):
    return f'{float(number[0]):.1f}'.removesuffix('.0')


def standalone(element):
    """Return an <svg> element of drawing() as a file of its own, readable on any background."""
    head, body = element.split('>', 1)
    width, height = VIEW.search(head).groups()
    return (f'{head} xmlns="http://www.w3.org/2000/svg" width="{width}pt" height="{height}pt">'
            f'<style>{CSS}</style><rect width="100%" height="100%" fill="#fff"/>{body}\n')
