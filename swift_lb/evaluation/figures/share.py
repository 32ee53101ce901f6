"""Figure 2: which node served the reads, over time, as the workers become more."""
from swift_lb.evaluation import node_share
from swift_lb.evaluation.figures import style, svg
from swift_lb.evaluation.tables import heading

POINTS = 100     # of a line, about: seconds are put together so that there are no more
COLUMNS = 3


def draw(results, size, name):
    """Return the SVG: a panel for each policy, a line for each node; None where nothing is known.

    The runs of the first repeat there is stand side by side, fewest workers first.
    """
    lines = {policy: results.line(policy, size) for policy in results.plan.policies}
    if not any(point.shares() for line in lines.values() for point in line.values()):
        return None
    rows = -(-len(lines) // COLUMNS)
    longest = max(sum(_length(point) for point in line.values()) for line in lines.values())
    width = max(1, round(longest / POINTS))
    figure, axes = svg.panels(rows, COLUMNS, (13, 0.5 + 2.3 * rows))
    flat = [panel for row in axes for panel in row]
    for panel, (policy, line) in zip(flat, lines.items(), strict=False):
        _panel(panel, line, width)
        panel.set_title(heading(policy), fontsize=8)
    for panel in flat[len(lines):]:
        panel.axis('off')
    figure.legend(*flat[0].get_legend_handles_labels(), loc='outside lower center', ncols=6,
                  fontsize=8, frameon=False)
    return svg.svg_of(figure, name)


def _length(point):
    begin, end = point.cells[0].window
    return end - begin


def _panel(axes, line, width):
    begin, ticks = 0.0, []
    for workers, point in line.items():
        cell = point.cells[0]
        seconds = binned(node_share.inside(cell.reads, cell.window), cell.window[0],
                         width)
        for node in sorted({node for _at, counts in seconds for node in counts}):
            at = [begin + second for second, _counts in seconds]
            share = [node_share.shares(counts).get(node, 0) * 100 for _at, counts in seconds]
            axes.plot(at, share, linewidth=1.1, color=style.NODES[(node - 1) % len(style.NODES)],
                      marker='.' if len(at) == 1 else None,
                      label=f'SN{node}' if not ticks else None)
        ticks.append((begin + _length(point) / 2, str(workers)))
        begin += _length(point)
        axes.axvline(begin, color='#cccccc', linewidth=0.6)
    axes.set_xticks([at for at, _text in ticks], [text for _at, text in ticks], fontsize=6)
    axes.set_ylim(-3, 103)
    axes.tick_params(labelsize=6)
    axes.set_xlabel('time; workers', fontsize=7)
    axes.set_ylabel('% of the reads', fontsize=7)


def binned(reads, begin, width):
    """Return [(seconds after `begin`, {node: reads})] of `reads`, `width` seconds put together."""
    bins = {}
    for second, counts in reads:
        bins.setdefault(int((second - node_share.EVERY - begin) // width), []).append(
            (second, counts))
    totals = {number: node_share.total(found) for number, found in sorted(bins.items())}
    return [((number + 0.5) * width, counts) for number, counts in totals.items()
            if sum(counts.values())]
