"""The part of a report on the cells: a drawing, and a table."""
from bench.chains.cell_clients import POLICIES

from swift_lb.chains.chain import POINTS
from swift_lb.drawing.document import Picture, ReportTable, Section, Text
from swift_lb.drawing.looks import COLORS, legend, readable
from swift_lb.drawing.svg import drawing

SAYS = ('mean seconds until the client has its pixels, by D1, D2, D3, D4 alone and by the choice '
        'of the server, for each bandwidth, client and load')
SIZE = 8.6, 5.4         # inches
BAR = 0.16              # of the distance of two bandwidths


def section(results):
    """Return the Section on {name of a cell: CellResult}."""
    picture = Picture('cells', 'Mean seconds until the client has its 512x512 pixels. The choice '
                      'should be as low as the lowest bar beside it.', drawing(
                          lambda figure: _draw(figure, results), SIZE, 'cells', SAYS))
    return Section('The choice of a point', (
        Text('One decoder, a round trip of 20 ms; parts at random places of lossless images of '
             '2048x2048. A point that is far slower than another one is asked less often.'),
        picture, _table(results)))


def _table(results):
    rows = tuple((name, *(f'{1e3 * one.means[policy]:.0f}' if policy in one.means else ''
                          for policy in POLICIES),
                  f'{one.ratio:.3f} +- {one.error:.3f}', one.best,
                  ', '.join(f'{point} {count}' for point, count in sorted(one.chosen.items())))
                 for name, one in results.items())
    return ReportTable('Mean milliseconds, and the choice over the best point alone',
                       ('cell', *POINTS, 'the choice', 'over the best', 'the best', 'chosen'), rows,
                       frozenset(('the choice',)))


def _draw(figure, results):
    rates, places = ([*dict.fromkeys(words)] for words in zip(*(
        (name.split()[0], name.partition(' ')[2]) for name in results), strict=True))
    panels = figure.subplots(-(-len(places) // 2), min(len(places), 2), squeeze=False, sharey=True)
    bars = {}
    for axes, place in zip(panels.flat, places, strict=False):
        for number, policy in enumerate(POLICIES):
            known = [(rates.index(name.split()[0]), one.means[policy])
                     for name, one in results.items()
                     if name.partition(' ')[2] == place and policy in one.means]
            bars[policy] = axes.bar([at + BAR * (number - 2) for at, _mean in known],
                                    [mean for _at, mean in known], BAR, color=COLORS[number])
        axes.set(yscale='log', title='client {}, server {}'.format(*place.split()), ylabel='s')
        axes.set_xticks(range(len(rates)), [f'{rate}bit/s' for rate in rates])
        axes.grid(axis='x', visible=False)
        readable(axes.yaxis)
    legend(figure, [*bars.values()], [*POINTS, 'the choice'], (0.1, 0.35))
