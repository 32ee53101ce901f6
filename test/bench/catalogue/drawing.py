"""The paper's Figures 3 and 4: the throughput of each balancer, by mix and kind of request."""
import statistics

from bench.catalogue.figures import OURS
from bench.catalogue.paper import MIXES

from swift_lb.drawing.looks import legend, look
from swift_lb.drawing.png import picture

FIGURES = (('G0', 'G1'), ('G4',))   # 3 and 4
SPACE = 0.8                         # of a line, that its bars take


def draw(result, most, path):
    """Draw `result`, {column: {balancer: CatalogueRuns}}, and `most`, MAX's, as a PNG at `path`."""
    names = list(dict.fromkeys(name for by_balancer in result.values() for name in by_balancer))
    picture(lambda figure: _draw(figure, names[::-1], result, most),
            (15, 1.4 + 0.27 * len(names)), path)


def _draw(figure, names, result, most):
    panels = [(kinds, mix) for kinds in FIGURES for mix in MIXES]
    handles = {}
    for axes, (kinds, mix) in zip(figure.subplots(1, len(panels), sharey=True), panels,
                                  strict=True):
        for number, kind in enumerate(kinds):
            style = look(number if len(kinds) > 1 else 2)['color']
            rates = [_median(result[mix, kind].get(name, ())) for name in names]
            height = SPACE / len(kinds)
            middles = [place + SPACE / 2 - height * (number + 0.5) for place in range(len(names))]
            handles[kind] = axes.barh(middles, rates, height, color=style)
            handles[f'MAX of {kind}'] = axes.axvline(_median(most[mix, kind]), color=style,
                                                     linestyle='--')
        axes.set(title=f'{mix}: {" and ".join(kinds)}', xlim=(0, None), xlabel='requests a second',
                 ylim=(-0.6, len(names) - 0.4))
        axes.set_yticks(range(len(names)), names)
        axes.grid(axis='y', visible=False)
        for label in axes.get_yticklabels():
            label.set_fontweight('bold' if label.get_text() == OURS else 'normal')
    legend(figure, [*handles.values()], [*handles], (0.08, 0))
    figure.subplots_adjust(left=0.16)


def _median(runs):
    return statistics.median(run.rate for run in runs) if runs else 0.0
