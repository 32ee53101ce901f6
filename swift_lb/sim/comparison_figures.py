"""The charts of a comparison: a heat map of ratios, and distributions of response times."""
import math

from swift_lb.drawing.looks import legend, look, plain
from swift_lb.drawing.numbers import UNKNOWN, three_digits
from swift_lb.drawing.svg import drawing
from swift_lb.sim.comparison_tables import P99, SHUFFLE
from swift_lb.sim.contenders import ORACLE
from swift_lb.sim.measures import TAIL

WORST = 10          # the ratio with the darkest colour
CHARTED = ('paper', 'one-slow-disk', 'fluctuating', 'repaired-disk')   # scenarios with a chart
MAX_LINES = 8             # policies in a chart: the number of colours
TENTHS = (1, 0.1, 0.01, 0.001, 0.0001)


def heat(grid, reference, value, name, says):
    """Return an <svg> text, a heat map of a Grid with a cell for each scenario and policy.

    A cell is the median over the seeds of value(figures of a run) divided by that of `reference`, a
    policy. `name` must be unique in the page; `says` describes the map in words.
    """
    size = (3 + 0.62 * len(grid.policies), 1.8 + 0.24 * len(grid.scenarios))
    return drawing(lambda figure: _heat(figure, grid, reference, value), size, name, says)


def _heat(figure, grid, reference, value):
    rows = [[span.median if (span := grid.to(reference, scenario, policy, value)) else math.nan
             for policy in grid.policies] for scenario in grid.scenarios]
    axes = figure.subplots()
    axes.pcolormesh(rows, cmap='YlOrRd', norm='log', vmin=1, vmax=WORST, edgecolors='white',
                    linewidth=1)
    for row, values in enumerate(rows):
        for column, ratio in enumerate(values):
            axes.text(column + 0.5, row + 0.5, UNKNOWN if math.isnan(ratio) else
                      three_digits(ratio), ha='center', va='center', fontsize=7,
                      color='white' if ratio > WORST / 2 else '#1f2933')
    axes.set_xticks([place + 0.5 for place in range(len(grid.policies))], grid.policies,
                    rotation=40, ha='left', fontsize=8)
    axes.set_yticks([place + 0.5 for place in range(len(grid.scenarios))], grid.scenarios,
                    fontsize=8)
    axes.xaxis.tick_top()
    axes.invert_yaxis()
    axes.grid(visible=False)
    width, height = figure.get_size_inches()
    figure.subplots_adjust(left=1.5 / width, right=1 - 0.9 / width, bottom=0.1 / height,
                           top=1 - 1.2 / height)


def distributions(grid, name):
    """Return an <svg> text: the reads slower than a time, by policy, in up to 4 scenarios."""
    shown = [scenario for scenario in CHARTED if scenario in grid.scenarios] or grid.scenarios[:4]
    policies = _few(grid)
    size = (11, 0.6 + 2.8 * math.ceil(len(shown) / 2) + 0.2 * math.ceil(len(policies) / 6))
    return drawing(lambda figure: _distributions(figure, grid, shown, policies), size, name,
                   'share of the reads that take longer than a time, by policy')


def _few(grid):
    """Return `shuffle` and MAX_LINES - 1 policies of the least p99 relative to the oracle's."""
    means = {policy: grid.mean_to(ORACLE, policy, P99) or math.inf for policy in grid.policies}
    nearest = sorted((policy for policy in grid.policies if policy != SHUFFLE), key=means.get)
    chosen = {*nearest[:MAX_LINES - 1], SHUFFLE}
    return [policy for policy in grid.policies if policy in chosen]


def _distributions(figure, grid, shown, policies):
    panels = figure.subplots(math.ceil(len(shown) / 2), 2, squeeze=False)
    handles = {}
    for axes, scenario in zip(panels.flat, shown, strict=False):
        for number, policy in enumerate(policies):
            points = [(seconds.median * 1000, fraction) for place, fraction in enumerate(TAIL)
                      if (seconds := grid.of(scenario, policy, _slower(place)))]
            line, = axes.plot([at for at, _share in points], [fraction for _at, fraction in points],
                              **look(number))
            handles.setdefault(policy, line)
        axes.set(xscale='log', yscale='log', ylim=(TAIL[-1], 1),
                 title=f'{scenario}: reads that take longer than ... ms')
        axes.set_yticks(TENTHS, [f'{fraction * 100:g} %' for fraction in TENTHS])
        axes.xaxis.set_major_formatter(plain)
    for axes in panels.flat[len(shown):]:
        axes.set_visible(False)
    legend(figure, [*handles.values()], [*handles], (0.14, 0.35))


def _slower(place):
    return lambda figures: figures['tail'][place] if figures['tail'] else None


