"""The figures of several policies side by side: as a table for the terminal, and as a chart."""
from typing import NamedTuple

from rich import box
from rich.table import Table

PAPER = {'shuffle': 'LB-R', 'weighted': 'LB-RW', 'connect_time': 'LB-RCT',
         'last_throughput': 'LB-RL', 'lb_rlt': 'LB-RLT'}
SWIFT = 'swift:'    # prefix of the labels of Swift's own sorting methods


class Run(NamedTuple):
    """The figures of one measured policy; times in seconds, rates in requests per second."""

    throughput: float     # successes per second
    mean: float           # response time of the successes
    p50: float
    p99: float
    success_ratio: float
    shares: dict          # node number -> fraction of the reads that it served


def table(runs, alone):
    """Return a rich Table of {policy: Run}; `alone` is {node: requests/s that it serves alone}."""
    most = sum(alone.values())
    shares = f'SN1-{len(alone)} %'
    nodes = ' '.join(f'SN{node} {rate:.0f}' for node, rate in alone.items())
    drawn = Table(box=box.SIMPLE_HEAD, collapse_padding=True, pad_edge=False,
                  caption=f'MAX = {most:.0f} requests/s, the nodes alone: {nodes}')
    for heading in ('policy', 'req/s', '%MAX', 'mean', 'p50', 'p99 ms', shares, 'ok %'):
        drawn.add_column(heading, no_wrap=True, justify='left' if heading == 'policy' else 'right')
    for policy, run in runs.items():
        drawn.add_row(f'{whose(policy):<6} {policy.removeprefix(SWIFT)}', *_figures(run, most),
                      ' '.join(f'{run.shares.get(node, 0) * 100:2.0f}' for node in alone),
                      f'{run.success_ratio * 100:.1f}',
                      style='bold' if whose(policy) == 'ours' else None)
    return drawn


def whose(policy):
    """Return the LB-RLT paper's name of a policy; `Swift` or `ours` (swift-lb) if it has none."""
    return 'Swift' if policy.startswith(SWIFT) else PAPER.get(policy, 'ours')


def _figures(run, most):
    return (f'{run.throughput:.1f}', f'{run.throughput / most * 100:.0f}',
            *(f'{seconds * 1000:.0f}' for seconds in (run.mean, run.p50, run.p99)))


def draw(runs, alone, path):
    """Draw {policy: Run} as a PNG at `path`, a pathlib.Path; return the path.

    `alone` is {node: requests/s that it serves alone}.
    """
    import matplotlib
    matplotlib.use('Agg')  # works without a display
    from matplotlib import pyplot
    path.parent.mkdir(parents=True, exist_ok=True)
    figure, panels = pyplot.subplots(1, 3, figsize=(16, 4.2), layout='constrained')
    names = [f'{whose(policy)}\n{policy.removeprefix(SWIFT)}' for policy in runs]
    _throughputs(panels[0], names, runs, sum(alone.values()))
    _response_times(panels[1], names, runs)
    _shares(panels[2], names, runs, alone)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return path


def _throughputs(axes, names, runs, most):
    bars = axes.bar(names, [run.throughput for run in runs.values()], color='#4878a8')
    axes.bar_label(bars, [f'{run.throughput / most * 100:.0f} %' for run in runs.values()])
    axes.axhline(most, color='black', linestyle='--', linewidth=1)
    axes.annotate(f'MAX {most:.0f}/s', (0, most), va='bottom', ha='center')
    axes.set(title='Reads answered per second', ylim=(0, most * 1.15))
    _slant(axes)


def _response_times(axes, names, runs):
    for offset, (label, color) in enumerate((('p50', '#9ecae1'), ('mean', '#4878a8'),
                                             ('p99', '#d9734e'))):
        axes.bar([place + (offset - 1) * 0.27 for place in range(len(names))],
                 [getattr(run, label) * 1000 for run in runs.values()],
                 width=0.27, label=label, color=color)
    axes.set_xticks(range(len(names)), names)
    axes.set(title='Response time, ms')
    axes.set_ylim(top=axes.get_ylim()[1] * 1.12)    # no bar is below the legend
    _slant(axes)
    axes.legend(ncols=3, fontsize=7, loc='upper center')


def _shares(axes, names, runs, alone):
    bottom = [0.0] * len(names)
    for node, color in zip(alone, ('#d9734e', '#4878a8', '#6aa56e', '#b59bc4'), strict=False):
        shares = [run.shares.get(node, 0) * 100 for run in runs.values()]
        axes.bar(names, shares, bottom=bottom, label=f'SN{node} ({alone[node]:.0f}/s)', color=color)
        bottom = [low + share for low, share in zip(bottom, shares, strict=True)]
    axes.set(title='Share of the reads, %', ylim=(0, 118))
    _slant(axes)
    axes.legend(ncols=3, fontsize=7, loc='upper center')


def _slant(axes):
    """Slant the names below the bars, each ending at its own bar, so that none covers another."""
    for name in axes.get_xticklabels():
        name.set(fontsize=7, rotation=30, ha='right', rotation_mode='anchor')
