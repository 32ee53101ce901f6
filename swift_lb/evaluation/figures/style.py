"""The style of a policy's line, so that its colour and dashes are the same in every chart."""
import itertools

from swift_lb.drawing.looks import COLORS, doubling, readable
from swift_lb.evaluation.tables import REFERENCE, heading
from swift_lb.evaluation.targets import paper_name

WIDTH = 11          # inches
PAPERS = dict(zip(('LB-R', 'LB-RLT', 'LB-RW', 'LB-RL', 'LB-RCT'), COLORS, strict=False))


def of(policies):
    """Return {policy's label: keywords of axes.plot}: dashes tell variants of a policy apart.

    Labels of the same policy in the paper have the same colour: `lb_rlt` and `lb_rlt@host`.
    """
    styles, more = {}, itertools.cycle(COLORS[len(PAPERS):])   # of policies not in the paper
    for label in policies:
        color = PAPERS.get(paper_name(label.partition('@')[0])) or next(more)
        styles[label] = {
            'color': color, 'label': heading(label), 'marker': '.', 'markersize': 5,
            'linewidth': 2.4 if label == REFERENCE else 1.2,
            'linestyle': ('--' if label.startswith('swift:') else ':' if '@' in label else '-')}
    return styles


def against_workers(axes, title, workers):
    """Set the `title` of a panel; mark the numbers of `workers` on its logarithmic x axis."""
    axes.set_title(title)
    axes.set_xlabel('workers')
    doubling(axes, sorted(workers))
    axes.tick_params(axis='x', labelsize=8)


def times(axes):
    """Make the y axis, which shows times, logarithmic, if there is a point in the panel."""
    if any(len(line.get_xdata()) for line in axes.lines):
        axes.set_yscale('log')
        readable(axes.yaxis)
