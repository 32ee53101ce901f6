"""Charts of a stage over time: throughput, response time, success ratio."""
import math
from typing import NamedTuple

from swift_lb.drawing.looks import legend, look, plain
from swift_lb.drawing.svg import drawing
from swift_lb.workload.figures import figures_of_tick, labels_of, success_ratio
from swift_lb.workload.result import Progress

MIN_POINTS = 2          # points that are needed for a line
MAX_POINTS = 150   # of a line; more cannot be distinguished on paper


class Point(NamedTuple):
    """Figures of one operation in an interval, whose middle is `at` seconds after the start."""

    at: float             # the middle of the interval
    throughput: float     # per second; response time in ms, ratio in percent; nan: none ended
    response_time: float
    success_ratio: float


def timeline(result):
    """Return the SVG of a StageResult's figures over time; '' if there are too few points."""
    ticks = groups(result.timeline)
    operations = max((len(tick.ops) for tick in result.timeline), default=0)
    lines = [points(ticks, number) for number in range(operations)]
    if len(ticks) < MIN_POINTS or all(math.isnan(point.success_ratio)
                                  for line in lines for point in line):
        return ''
    return drawing(lambda figure: _draw(figure, result, lines), (9.6, 5.0),
                   f'{result.stage.id}-timeline',
                   f'{result.stage.id}: throughput, response time and success ratio over time')


def groups(ticks):
    """Divide `ticks`, a timeline, into at most MAX_POINTS lists: each becomes one point of a chart.

    A short remainder at the end joins the last list, because rates over a few ms are noise.
    """
    width = math.ceil(len(ticks) / MAX_POINTS) or 1
    chunks = [ticks[first:first + width] for first in range(0, len(ticks), width)]
    if len(chunks) > 1 and _seconds(chunks[-1]) < _seconds(chunks[-2]) / 2:
        chunks[-2:] = [chunks[-2] + chunks[-1]]
    return chunks


def _seconds(ticks):
    return sum(tick.seconds for tick in ticks)


def points(groups_of_ticks, number):
    """Return the Points of operation number `number`, from 0: one for each group of Ticks."""
    drawn, at = [], 0.0
    for some in groups_of_ticks:
        seconds = _seconds(some)
        drawn.append(_point(at + seconds / 2, seconds, Progress(*map(sum, zip(
            *(tick.ops[number] for tick in some), strict=True)))))
        at += seconds
    return drawn


def _point(at, seconds, sums):
    figures = figures_of_tick(sums, seconds)
    return Point(at, figures.throughput,
                 math.nan if figures.response_time is None else figures.response_time * 1e3,
                 success_ratio(sums) * 100)


def ramps(result):
    """Return a list of the spans of a stage in which no work measured: ramp-up and ramp-down.

    They are (begin, end), in seconds after the start of the StageResult `result`. The list is empty
    if a work has no runtime.
    """
    works = [work for work in result.stage.works if work.type == 'normal' and work.runtime]
    whole = _seconds(result.timeline)
    if not works or len(works) < len(result.stage.works):
        return []
    begin = min(work.rampup for work in works)
    end = max(work.rampup + work.runtime for work in works)
    down = min(whole, max(work.rampup + work.runtime + work.rampdown for work in works))
    return [span for span in ((0.0, min(begin, whole)), (end, down)) if span[0] < span[1]]


def _draw(figure, result, lines):
    panels = figure.subplots(3, 1, sharex=True, height_ratios=(3, 3, 2))
    titles = ('Throughput, op/s', 'Mean response time, ms', 'Success ratio, %')
    for axes, title, field in zip(panels, titles, Point._fields[1:], strict=True):
        drawn = [_line(axes, number, line, field) for number, line in enumerate(lines)]
        axes.set_title(title)
        axes.grid(axis='x', visible=False)
        axes.set_ylim(0, axes.get_ylim()[1] * 1.05)
        axes.yaxis.set_major_formatter(plain)
    lowest = min(point.success_ratio for line in lines for point in line
                 if not math.isnan(point.success_ratio))
    panels[2].xaxis.set_major_formatter(plain)
    panels[2].set_ylim(min(90, math.floor(lowest / 10) * 10), 101)
    panels[2].set(xlabel='seconds after the start', xlim=(0, max(_seconds(result.timeline), 1e-3)))
    shaded = [axes.axvspan(*span, color='#9aa1ab', alpha=0.2, linewidth=0)
              for span in ramps(result) for axes in panels]
    legend(figure, [*drawn, *shaded[:1]], [*labels_of(result.stage), *(
        ['ramp-up, ramp-down: not measured'] if shaded else [])], (0, 0.32))


def _line(axes, number, line, field):
    marker = 'o' if len(line) < 20 else ''
    return axes.plot([point.at for point in line], [getattr(point, field) for point in line],
                     marker=marker, markersize=3, **look(number))[0]

