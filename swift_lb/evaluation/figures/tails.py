"""p99 and p99.9 against workers."""
from swift_lb.evaluation.figures import style, svg
from swift_lb.evaluation.figures.curves import plot
from swift_lb.evaluation.tables import TAILS


def draw(results, name):
    """Return the SVG: a row for each size, a panel for each percentile of the reads."""
    sizes = results.plan.sizes
    figure, rows = svg.panels(len(sizes), len(TAILS), (13, 0.9 + 3.4 * len(sizes)))
    for size, row in zip(sizes, rows, strict=True):
        for tail, axes in zip(TAILS, row, strict=True):
            for policy, look in style.of(results.plan.policies).items():
                plot(axes, results.line(policy, size), _percentile(tail), 1000, look)
            axes.set_title(f'{size}: p{tail:g} of the response time, ms', fontsize=9)
            style.times_axis(axes)
            style.workers_axis(axes, sorted(results.plan.workers))
    figure.legend(*rows[0][0].get_legend_handles_labels(), loc='outside lower center', ncols=5,
                  fontsize=8, frameon=False)
    return svg.svg_of(figure, name)


def _percentile(tail):
    def value(point):
        found = point.tail(tail)
        return None if found is None else (found, found, found)
    return value
