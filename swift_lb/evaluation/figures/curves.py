"""Charts against the number of workers: success ratio, throughput, mean and p99 response time."""
from swift_lb.drawing.looks import legend, plain
from swift_lb.drawing.svg import drawing
from swift_lb.evaluation.figures import style
from swift_lb.evaluation.tables import TAILS

PANELS = (('(a) success ratio, %', lambda point: _flat(point.success_ratio()), 100),
          ('(b) throughput, reads/s', lambda point: point.throughput('read'), 1),
          ('(c) mean response time, ms', lambda point: point.response_time(), 1000))


def draw(results, size, name):
    """Return the SVG of success ratio, throughput, mean response time of reads of `size` objects.

    Each policy in the Results has a line: the median of the repeats against the number of workers;
    bars show the range of the repeats. `name` is unique in the page.
    """
    return drawing(lambda figure: _draw(figure, results, size), (style.WIDTH, 3.9), name,
                   f'reads of {size} objects against workers: success ratio, throughput and mean '
                   'response time')


def _draw(figure, results, size):
    panels = figure.subplots(1, len(PANELS))
    for axes, (title, value, factor) in zip(panels, PANELS, strict=True):
        for policy, look in style.of(results.plan.policies).items():
            _plot(axes, results.line(policy, size), value, factor, look)
        style.against_workers(axes, title, results.plan.workers)
        axes.yaxis.set_major_formatter(plain)
    panels[0].set_ylim(-3, 103)
    panels[1].set_ylim(bottom=0)
    style.times(panels[2])
    legend(figure, *panels[1].get_legend_handles_labels(), (0.17, 0))


def _flat(value):
    return None if value is None else (value, value, value)


def draw_tails(results, name):
    """Return the SVG of p99 and p99.9 of the reads' response time against the number of workers.

    Each size in the Results has a row of panels. `name` is unique in the page.
    """
    height = 0.9 + 3.1 * len(results.plan.sizes)
    return drawing(lambda figure: _draw_tails(figure, results), (style.WIDTH, height), name,
                   'p99 and p99.9 of the response time of reads against workers')


def _draw_tails(figure, results):
    sizes = results.plan.sizes
    rows = figure.subplots(len(sizes), len(TAILS), squeeze=False)
    for size, row in zip(sizes, rows, strict=True):
        for tail, axes in zip(TAILS, row, strict=True):
            for policy, look in style.of(results.plan.policies).items():
                _plot(axes, results.line(policy, size),
                      lambda point, tail=tail: _flat(point.tail(tail)), 1000, look)
            style.against_workers(axes, f'{size}: p{tail:g} of the response time, ms',
                                  results.plan.workers)
            style.times(axes)
    legend(figure, *rows[0][0].get_legend_handles_labels(), (0.12, 0.3))


def _plot(axes, line, value, factor, look):
    """Draw a line of one policy's figure against the number of workers, with bars for their range.

    `line` is {workers: RepeatedRuns}; `value(RepeatedRuns)` returns (median, minimum, maximum, ...)
    or None; `factor` converts these to the unit of the axis; `look` holds keywords of axes.plot.
    """
    known = [(workers, span) for workers, point in line.items() if (span := value(point))]
    axes.plot([workers for workers, _span in known],
              [span[0] * factor for _workers, span in known], **look)
    bars = [(workers, span[1] * factor, span[2] * factor)
            for workers, span in known if span[2] > span[1]]
    if bars:
        axes.vlines(*zip(*bars, strict=True), color=look['color'], linewidth=0.8, alpha=0.6)
