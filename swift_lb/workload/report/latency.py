"""Charts of a stage's response times: by percentile, and as a histogram."""
import itertools
import math

from swift_lb.drawing.looks import legend, look, plain, readable
from swift_lb.drawing.svg import drawing
from swift_lb.workload.figures import nearest_rank, times

BARS = 40           # wanted for the middle 98 % of the histogram
MAX_BARS = 200     # in a whole histogram
PER_DECADE = 20, 400    # minimum and maximum number of bars between 1 and 10 ms, ...
STEPS = 12          # points of the percentile line between 90 and 99 %, 99 and 99.9 % ...
RARITIES = {2: '50%', 10: '90%', 100: '99%', 1000: '99.9%', 10**4: '99.99%', 10**5: '99.999%',
            10**6: '99.9999%', 10**7: '99.99999%'}   # 1 / (1 - p): p
LOGARITHMIC_FROM = 20   # a scale whose end exceeds its beginning by this factor is logarithmic


def response_times(stage, outcomes):
    """Return the SVG of a Workstage's response times; '' if its Outcomes have no timed success."""
    lines = [(number, one.label, list(times(one.op.histogram)))
             for number, one in enumerate(outcomes) if one.percentiles]
    if not lines:
        return ''
    return drawing(lambda figure: _draw(figure, lines), (9.6, 3.3), f'{stage.id}-response-times',
                   f'{stage.id}: response time by percentile, and its histogram')


def by_percentile(steps):
    """Return points (1 / (1 - p), ms): the time that a fraction p of the successes did not exceed.

    `steps` are figures.times(). The last point is the longest time, at p = 1 - 1/n: n successes
    tell nothing about rarer events.
    """
    (longest, count), points = steps[-1], []
    for step in range(math.ceil(math.log10(count) * STEPS)):
        rarity = 10 ** (step / STEPS)
        points.append((rarity, nearest_rank(steps, 1 - 1 / rarity) * 1e3))
    return [*points, (count, longest * 1e3)]


def per_decade(all_steps):
    """Return how many bars of a histogram span a factor of 10 in time, for all operations alike.

    `all_steps` has a list of figures.times() for each operation drawn. The middle 98 % of their
    times get about BARS bars.
    """
    middle = [(nearest_rank(steps, 0.01), nearest_rank(steps, 0.99)) for steps in all_steps]
    ends = [(steps[0][0], steps[-1][0]) for steps in all_steps]
    core, whole = (math.log10(max(max(high) / min(low), 1.001))
                   for low, high in (zip(*middle, strict=True), zip(*ends, strict=True)))
    least, most = PER_DECADE
    return min(max(min(BARS / core, MAX_BARS / whole), least), most)


def bars(steps, many):
    """Return {number of a bar: percent of the successes}; `many` bars span a factor of 10 in time.

    Bar n begins at 10**(n / many) microseconds; `steps` are figures.times().
    """
    percents, before, count = {}, 0, steps[-1][1]
    for seconds, below in steps:
        number = math.floor(math.log10(max(seconds * 1e6, 1)) * many)
        percents[number] = percents.get(number, 0) + (below - before) / count * 100
        before = below
    return percents


def edge(number, many):
    """Return the lower edge of bar `number`, in ms; `many` bars span a factor of 10 in time."""
    return 10 ** (number / many) / 1e3


def _draw(figure, lines):
    left, right = figure.subplots(1, 2)
    drawn = [_percentiles(left, number, steps) for number, _label, steps in lines]
    many = per_decade([steps for _number, _label, steps in lines])
    for number, _label, steps in lines:
        _bars(right, number, bars(steps, many), many)
    left.set(title='Response time by percentile, ms', xscale='log', xlabel='percentile')
    most = max(steps[-1][1] for _number, _label, steps in lines)
    shown = [rarity for rarity in RARITIES if rarity <= most]
    left.set_xticks(shown, [RARITIES[rarity] for rarity in shown])
    left.set_xlim(left=1)
    left.minorticks_off()
    _scales(left, right, [steps for _number, _label, steps in lines])
    right.set(title='Histogram, % of the successes', xlabel='response time, ms', ylim=(0, None))
    legend(figure, drawn, [label for _number, label, _steps in lines], (0.15, 0))


def _percentiles(axes, number, steps):
    return axes.plot(*zip(*by_percentile(steps), strict=True), markersize=3,
                     marker='o' if steps[-1][1] < 10 else '', **look(number))[0]


def _bars(axes, number, percents, many):
    numbers = range(min(percents), max(percents) + 1)
    heights = [percents.get(bar, 0) for bar in numbers]
    edges = [edge(bar, many) for bar in itertools.chain(numbers, [numbers[-1] + 1])]
    axes.stairs(heights, edges, fill=True, color=look(number)['color'], alpha=0.25)
    axes.stairs(heights, edges, linewidth=1.3, **look(number))


def _scales(left, right, all_steps):
    ends = [seconds * 1e3 for steps in all_steps for seconds, _count in (steps[0], steps[-1])]
    if max(ends) > LOGARITHMIC_FROM * min(ends):
        left.set_yscale('log')
        right.set_xscale('log')
        readable(left.yaxis)
        readable(right.xaxis)
    else:
        left.set_ylim(0, max(ends) * 1.06)
        left.yaxis.set_major_formatter(plain)
        right.xaxis.set_major_formatter(plain)
