"""One policy, one line: the same colour and dashes in every drawing."""
from swift_lb.evaluation.tables import REFERENCE, heading
from swift_lb.evaluation.targets import paper_name

COLORS = {'LB-R': '#4878a8', 'LB-RW': '#6aa56e', 'LB-RCT': '#b08a3c', 'LB-RL': '#9467bd',
          'LB-RLT': '#c8452f'}
MORE = ('#17808a', '#7f5f4f', '#d48fb8', '#777777', '#a8b820')   # of policies not in the paper
NODES = ('#c8452f', '#4878a8', '#6aa56e', '#b59bc4', '#b08a3c', '#777777')


def of(policies):
    """Return {label: keywords of axes.plot}: a colour for a method, dashes for a variant of it."""
    found, more = {}, list(MORE)
    for label in policies:
        base = label.partition('@')[0]
        name = paper_name(base)
        color = COLORS.get(name) or (more.pop(0) if more else 'black')
        found[label] = {
            'color': color, 'label': heading(label), 'marker': '.', 'markersize': 5,
            'linewidth': 2.2 if label == REFERENCE else 1.2,
            'linestyle': ('--' if label.startswith('swift:') else ':' if '@' in label else '-')}
    return found


def workers_axis(axes, workers):
    """Have `axes` show numbers of workers, each doubling as wide as the last."""
    axes.set_xscale('log', base=2)
    axes.set_xticks(workers, [str(number) for number in workers], fontsize=6)
    axes.minorticks_off()
    axes.set_xlabel('workers', fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.25)


def times_axis(axes):
    """Have `axes` show times, each as far from the next as it is longer; without any, nothing."""
    if any(len(line.get_xdata()) for line in axes.lines):
        axes.set_yscale('log')
        for which in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
            which(lambda value, _place: f'{value:,.0f}' if str(value)[0] in '125' else '')
        axes.tick_params(which='both', labelsize=7)
