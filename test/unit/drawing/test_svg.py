"""An SVG drawing is small, needs no other file, and shares a page with others."""
import re
import subprocess
import sys
from xml.etree import ElementTree

from swift_lb.drawing.looks import COLORS, apart, doubling, legend, look, readable
from swift_lb.drawing.svg import CSS, drawing, standalone

SVG = '{http://www.w3.org/2000/svg}'


def draw(figure):
    """Draw two lines against numbers of workers in `figure`, named `reads` and `_<b>`."""
    axes = figure.subplots()
    lines = [axes.plot([1, 8, 512, 700], [1, 10, 100, 10 ** number], '.', **look(number))[0]
             for number in (0, 3)]
    doubling(axes, [1, 8, 512, 700])
    axes.set_yscale('log')
    readable(axes.yaxis)
    legend(figure, lines, ['reads', '_<b>'])


def drawn(name='one'):
    return drawing(draw, (6, 4), name, 'two "lines" & a \x1b')


def texts(root):
    """Return the set of all texts in the SVG element `root`, without blanks around them."""
    return {''.join(each.itertext()).strip() for each in root.iter(f'{SVG}text')}


def test_matplotlib_is_not_imported_with_the_drawing_modules():
    code = ('import sys, swift_lb.drawing.svg, swift_lb.drawing.looks, swift_lb.drawing.numbers\n'
            'sys.exit("matplotlib" in sys.modules)')
    assert 0 == subprocess.run([sys.executable, '-c', code], check=False).returncode


def test_a_drawing_has_a_description_and_no_external_links():
    root = ElementTree.fromstring(standalone(drawn()))
    assert {'reads', '_<b>', '1', '8', '700', '200'} <= texts(root)
    assert '512' not in texts(root)          # too close to 700
    assert 'two "lines" & a \N{REPLACEMENT CHARACTER}' == root.get('aria-label')
    refers = [value for element in root.iter() for name, value in element.items()
              if name.endswith('href')] + re.findall(r'url\((.*?)\)', drawn())
    assert refers
    assert all(refer.startswith('#') for refer in refers)


def test_two_drawings_in_one_page_have_no_id_in_common():
    ids = [set(re.findall(r' id="([^"]+)"', drawn(name))) for name in ('one', 'two')]
    assert ids[0]
    assert not ids[0] & ids[1]
    assert drawn() == drawn()                # no date, no chance: a repository sees no change


def test_a_drawing_has_less_than_7000_characters():
    assert len(drawn()) < 7000


def test_a_standalone_svg_file_has_a_background_and_a_size():
    root = ElementTree.fromstring(standalone(drawn()))
    assert ('432pt', '288pt') == (root.get('width'), root.get('height'))
    style, background = root[:2]
    assert CSS == style.text
    assert '#fff' == background.get('fill')


def test_lines_differ_by_color_first_and_then_by_dashes():
    assert {'color': COLORS[0], 'linestyle': '-'} == look(0)
    assert {'color': COLORS[1], 'linestyle': '--'} == look(len(COLORS) + 1)


def test_an_axis_omits_numbers_that_would_overlap():
    assert ['1', '2', '', '700'] == apart([1, 2, 512, 700])
