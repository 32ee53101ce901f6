"""Charts of p99 and p99.9 against workers."""
from swift_lb.drawing.looks import legend
from swift_lb.drawing.svg import drawing
from swift_lb.evaluation.figures import style
from swift_lb.evaluation.figures.curves import plot
from swift_lb.evaluation.tables import TAILS


def draw(results, name):
    """Return the SVG: a row for each size, a panel for each percentile of the reads."""
    height = 0.9 + 3.1 * len(results.plan.sizes)
    return drawing(lambda figure: _draw(figure, results), (style.WIDTH, height), name,
                   'p99 and p99.9 of the response time of reads against workers')


def _draw(figure, results):
    sizes = results.plan.sizes
    rows = figure.subplots(len(sizes), len(TAILS), squeeze=False)
    for size, row in zip(sizes, rows, strict=True):
        for tail, axes in zip(TAILS, row, strict=True):
            for policy, look in style.of(results.plan.policies).items():
                plot(axes, results.line(policy, size), _percentile(tail), 1000, look)
            style.against_workers(axes, f'{size}: p{tail:g} of the response time, ms',
                                  results.plan.workers)
            style.times(axes)
    legend(figure, *rows[0][0].get_legend_handles_labels(), (0.12, 0.3))


def _percentile(tail):
    def value(point):
        seconds = point.tail(tail)
        return None if seconds is None else (seconds, seconds, seconds)
    return value
