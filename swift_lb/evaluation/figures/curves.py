"""Figures 3 and 4: success ratio, throughput and response time against workers."""
from swift_lb.evaluation.figures import style, svg


def draw(results, size, name):
    """Return the SVG of reads of `size` objects; bars are the least and the greatest repeat."""
    figure, [axes] = svg.panels(1, 3, (13, 4.4))
    panels = (('(a) success ratio, %', lambda point: _flat(point.success_ratio()), 100),
              ('(b) throughput, reads/s', lambda point: point.throughput('read'), 1),
              ('(c) response time, ms', lambda point: point.response_time(), 1000))
    for panel, (title, value, factor) in zip(axes, panels, strict=True):
        for policy, look in style.of(results.plan.policies).items():
            plot(panel, results.line(policy, size), value, factor, look)
        panel.set_title(title, fontsize=9)
        style.workers_axis(panel, sorted(results.plan.workers))
    axes[0].set_ylim(-3, 103)
    style.times_axis(axes[2])
    figure.legend(*axes[1].get_legend_handles_labels(), loc='outside lower center', ncols=5,
                  fontsize=8, frameon=False)
    return svg.svg_of(figure, name)


def _flat(ratio):
    return None if ratio is None else (ratio, ratio, ratio)


def plot(axes, line, value, factor, look):
    """Draw one policy's {workers: Point}; `value` gives (mean, least, most) of a Point or None."""
    known = [(workers, span) for workers, point in line.items() if (span := value(point))]
    if not known:
        axes.plot([], [], **look)
        return
    axes.plot([workers for workers, _span in known],
              [span[0] * factor for _workers, span in known], **look)
    bars = [(workers, least * factor, most * factor)
            for workers, (_mean, least, most) in known if most > least]
    if bars:
        axes.vlines(*zip(*bars, strict=True), color=look['color'], linewidth=0.8, alpha=0.6)
