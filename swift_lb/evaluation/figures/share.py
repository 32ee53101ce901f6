"""A chart of each node's share of the reads over time, as the number of workers increases."""
from swift_lb.drawing.looks import legend, look
from swift_lb.drawing.svg import drawing
from swift_lb.evaluation import node_share
from swift_lb.evaluation.figures import style
from swift_lb.evaluation.tables import heading

POINTS = 100     # of a line, about: seconds are grouped to limit them
COLUMNS = 3
CLOSE = 0.055    # fraction of a panel's width: labels closer than that are omitted


def draw(results, size, name):
    """Return the SVG: a panel for each policy, with a line for each node's share of the reads.

    In the Results, the runs of the first repeat with objects of `size` are placed side by side, in
    order of the number of workers. None if it is unknown which nodes served the reads. `name` is
    unique in the page.
    """
    lines = {policy: results.line(policy, size) for policy in results.plan.policies}
    if not any(point.shares() for line in lines.values() for point in line.values()):
        return None
    rows = -(-len(lines) // COLUMNS)
    return drawing(lambda figure: _draw(figure, lines, rows), (style.WIDTH, 0.5 + 2.3 * rows),
                   name, 'share of the reads that each node served, over time, for each policy')


def _draw(figure, lines, rows):
    panels = list(figure.subplots(rows, COLUMNS, squeeze=False).flat)
    longest = max(sum(map(_length, line.values())) for line in lines.values())
    width = max(1, round(longest / POINTS))
    for axes, (policy, line) in zip(panels, lines.items(), strict=False):
        _panel(axes, line, width)
        axes.set_title(heading(policy))
    for axes in panels[len(lines):]:
        axes.axis('off')
    nodes = sorted({node for line in lines.values() for point in line.values()
                    for node in point.shares()})
    legend(figure, [panels[0].plot([], [], **_look(node))[0] for node in nodes],
           [f'SN{node}' for node in nodes], (0.12, 0.5))


def _length(point):
    begin, end = point.runs[0].window
    return end - begin


def _look(node):
    return look(node - 1) | {'linewidth': 1.1}


def _panel(axes, line, width):
    begin, ticks = 0.0, []
    for workers, point in line.items():
        run = point.runs[0]
        seconds = binned(node_share.inside(run.reads, run.window), run.window[0], width)
        for node in sorted({node for _at, counts in seconds for node in counts}):
            axes.plot([begin + second for second, _counts in seconds],
                      [node_share.shares(counts).get(node, 0) * 100 for _at, counts in seconds],
                      marker='.' if len(seconds) == 1 else None, **_look(node))
        ticks.append((begin + _length(point) / 2, str(workers)))
        begin += _length(point)
        axes.axvline(begin, color='#9aa1ab', linewidth=0.5)
    seen = apart(ticks, begin * CLOSE)
    axes.set_xticks([at for at, _text in seen], [text for _at, text in seen], fontsize=7)
    axes.grid(axis='x', visible=False)
    axes.set(xlim=(0, begin or 1), ylim=(-3, 103), xlabel='workers, one run after the other')


def apart(ticks, gap):
    """Return those `ticks`, (position, text), that are at least `gap` after the last one kept."""
    kept = []
    for place, text in ticks:
        if not kept or place - kept[-1][0] >= gap:
            kept.append((place, text))
    return kept


def binned(reads, begin, width):
    """Sum `reads` in bins of `width` seconds; return [(middle of a bin, {node: reads}), ...].

    The middle is in seconds after `begin`; bins without reads are omitted.
    """
    bins = {}
    for second, counts in reads:
        bins.setdefault(int((second - node_share.EVERY - begin) // width), []).append(
            (second, counts))
    totals = {number: node_share.total(of_second) for number, of_second in sorted(bins.items())}
    return [((number + 0.5) * width, counts) for number, counts in totals.items()
            if sum(counts.values())]
