"""A chart of the busiest node's share of a second's reads, by policy and proxy processes."""
from swift_lb.drawing.looks import legend
from swift_lb.drawing.svg import drawing
from swift_lb.evaluation.figures import style
from swift_lb.evaluation.tables import heading

SHADES = ('#c6d8e8', '#7fa6c9', '#35608c', '#1c3350')
BARS = 0.8       # fraction of the width of a policy's place


def draw(results, name):
    """Return the SVG of the share of a second's reads that its busiest node gets; None if unknown.

    Each policy in the Results has a bar for each number of proxy processes. `name` is unique in the
    page.
    """
    plan = results.plan
    order = sorted(plan.proxy_workers)
    spans = {policy: [point.crowding() if point else None for point in (
        results.point(policy, plan.sizes[0], plan.herding_workers, number) for number in order)]
        for policy in plan.policies}
    if not any(span for row in spans.values() for span in row):
        return None
    return drawing(lambda figure: _draw(figure, order, spans, 100 / plan.place.nodes),
                   (style.WIDTH, 3.4), name,
                   'share of a second\'s reads at its most-read node, for each policy')


def _draw(figure, order, spans, even):
    axes = figure.subplots()
    bars = [_bars(axes, number, len(order), [row[number] for row in spans.values()])
            for number in range(len(order))]
    axes.set_xticks(range(len(spans)), [heading(policy).replace(' ', '\n') for policy in spans],
                    fontsize=8)
    axes.grid(axis='x', visible=False)
    axes.axhline(even, color='black', linewidth=0.8, linestyle=':')
    axes.set(ylim=(0, 103), title='Reads of a second at its most-read node, %')
    legend(figure, bars, [f'{number} process{"es" if number > 1 else ""}' for number in order])
    figure.subplots_adjust(bottom=0.6 / figure.get_size_inches()[1])


def _bars(axes, number, many, spans):
    """Draw the bars of one number of proxy processes, one for each policy; return the bars.

    Each policy has `many` bars side by side, and these are the ones at position `number`, from 0.
    `spans` has a RunSpan for each policy, or None; a line on the bar shows the range of repeats.
    """
    width = BARS / many
    places = [place + (number - (many - 1) / 2) * width for place in range(len(spans))]
    known = [(at, span) for at, span in zip(places, spans, strict=True) if span]
    axes.vlines([at for at, _span in known], [span.least * 100 for _at, span in known],
                [span.most * 100 for _at, span in known], color='black', linewidth=0.8)
    # an unknown value has a bar of height 0, because the legend takes its colour from the bar
    return axes.bar(places, [span.median * 100 if span else 0 for span in spans], width * 0.9,
                    color=SHADES[number % len(SHADES)])
