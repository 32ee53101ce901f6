"""The style of a policy's line: the same colour and dashes in every chart."""
import itertools

from swift_lb.drawing.looks import COLORS, doubling, readable
from swift_lb.evaluation.tables import REFERENCE, heading
from swift_lb.evaluation.targets import paper_name

WIDTH = 11          # inches
PAPERS = dict(zip(('LB-R', 'LB-RLT', 'LB-RW', 'LB-RL', 'LB-RCT'), COLORS, strict=False))


def of(policies):
    """Return {label: keywords of axes.plot}: a colour for each method, dashes for its variants."""
    styles, more = {}, itertools.cycle(COLORS[len(PAPERS):])   # of policies not in the paper
    for label in policies:
        color = PAPERS.get(paper_name(label.partition('@')[0])) or next(more)
        styles[label] = {
            'color': color, 'label': heading(label), 'marker': '.', 'markersize': 5,
            'linewidth': 2.4 if label == REFERENCE else 1.2,
            'linestyle': ('--' if label.startswith('swift:') else ':' if '@' in label else '-')}
    return styles


def against_workers(axes, title, workers):
    """Set the title of a panel, and the numbers of workers as ticks of its x axis."""
    axes.set_title(title)
    axes.set_xlabel('workers')
    doubling(axes, sorted(workers))
    axes.tick_params(axis='x', labelsize=8)


def times(axes):
    """Make the y axis logarithmic, for times."""
    if any(len(line.get_xdata()) for line in axes.lines):
        axes.set_yscale('log')
        readable(axes.yaxis)
