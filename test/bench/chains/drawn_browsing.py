"""The drawing of the bench of browsing: the response times with kept results and without."""
from swift_lb.drawing.looks import COLORS, DASHES, legend, plain
from swift_lb.drawing.png import picture


def draw(times, path):
    """Draw {(rule, cache): sorted seconds} as cumulative shares, a PNG at `path`."""
    picture(lambda figure: _draw(figure, times), (6.4, 3.8), path)


def _draw(figure, times):
    axes, lines = figure.subplots(), {}
    rules = [*dict.fromkeys(rule for rule, _cache in times)]
    for (rule, cache), seconds in times.items():
        shares = [(place + 1) / len(seconds) for place in range(len(seconds))]
        lines[f'{rule}, cache {cache}'], = axes.step(
            [1000 * one for one in seconds], shares, color=COLORS[rules.index(rule)],
            linestyle=DASHES[cache == 'off'], where='post')
    axes.set(xscale='log', ylim=(0, 1), xlabel='response time, ms',
             title='share of the views that are answered by then')
    axes.xaxis.set_major_formatter(plain)
    legend(figure, [*lines.values()], [*lines])
