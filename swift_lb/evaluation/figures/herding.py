"""How much of the reads one node at a time has, by worker processes of the proxy."""
from swift_lb.evaluation.figures import svg
from swift_lb.evaluation.tables import heading

SHADES = ('#c6d8e8', '#7fa6c9', '#35608c', '#1c3350')


def draw(results, name):
    """Return the SVG of grouped bars; None where no node was asked."""
    plan = results.plan
    order = sorted(plan.proxy_workers)
    spans = {policy: [point.crowding() if point else None for point in (
        results.point(policy, plan.sizes[0], plan.herding_workers, number) for number in order)]
        for policy in plan.policies}
    if not any(span for row in spans.values() for span in row):
        return None
    figure, [[axes]] = svg.panels(1, 1, (13, 3.6))
    width = 0.8 / len(order)
    for offset, number in enumerate(order):
        known = [(place + (offset - (len(order) - 1) / 2) * width, row[offset])
                 for place, row in enumerate(spans.values()) if row[offset]]
        axes.bar([at for at, _span in known], [span.median * 100 for _at, span in known],
                 width * 0.9, label=f'{number} process{"es" if number > 1 else ""}',
                 color=SHADES[offset % len(SHADES)])
        axes.vlines([at for at, _span in known], [span.least * 100 for _at, span in known],
                    [span.most * 100 for _at, span in known], color='black', linewidth=0.8)
    axes.set_xticks(range(len(spans)), [heading(policy).replace(' ', '\n') for policy in spans],
                    fontsize=7)
    axes.axhline(100 / plan.place.nodes, color='black', linewidth=0.6, linestyle=':')
    axes.set(ylim=(0, 103))
    axes.set_ylabel('% of a second\'s reads at its most-read node', fontsize=8)
    axes.tick_params(labelsize=7)
    axes.legend(fontsize=8, ncols=4, frameon=False)
    return svg.svg_of(figure, name)
