"""Policies side by side: a table for the terminal and a picture of the same figures."""
from typing import NamedTuple

from rich import box
from rich.table import Table

PAPER = {'shuffle': 'LB-R', 'weighted': 'LB-RW', 'connect_time': 'LB-RCT',
         'last_throughput': 'LB-RL', 'lb_rlt': 'LB-RLT'}


class Run(NamedTuple):
    """One policy's figures."""

    policy: str
    summary: object   # workload.summary.Summary: seconds, requests per second, fractions
    reads: dict       # node number -> reads it served

    def share(self, node):
        """Return the fraction of the reads that `node` served."""
        return self.reads.get(node, 0) / (sum(self.reads.values()) or 1)


def table(runs, alone):
    """Return a rich Table of {policy: Run}; `alone` is {node: requests/s it answers alone}."""
    most = sum(alone.values())
    shares = f'SN1-{len(alone)} %'
    nodes = ' '.join(f'SN{node} {rate:.0f}' for node, rate in alone.items())
    found = Table(box=box.SIMPLE_HEAD, collapse_padding=True, pad_edge=False,
                  caption=f'MAX = {most:.0f} requests/s, the nodes alone: {nodes}')
    for heading in ('policy', 'req/s', '%MAX', 'mean', 'p50', 'p99 ms', shares, 'ok %'):
        found.add_column(heading, no_wrap=True, justify='left' if heading == 'policy' else 'right')
    for policy, run in runs.items():
        found.add_row(f'{PAPER.get(policy, ""):<6} {policy}', *_figures(run.summary, most),
                      ' '.join(f'{run.share(node) * 100:2.0f}' for node in alone),
                      f'{run.summary.success_ratio * 100:.1f}')
    return found


def _figures(summary, most):
    return (f'{summary.throughput:.1f}', f'{summary.throughput / most * 100:.0f}',
            *(f'{seconds * 1000:.0f}' for seconds in (summary.mean, summary.p50, summary.p99)))


def draw(runs, alone, path):
    """Draw {policy: Run} as a PNG at `path`, a pathlib.Path; return it."""
    import matplotlib
    matplotlib.use('Agg')  # no display is needed, and none is looked for
    from matplotlib import pyplot
    path.parent.mkdir(parents=True, exist_ok=True)
    figure, panels = pyplot.subplots(1, 3, figsize=(13, 4.2), layout='constrained')
    names = [f'{PAPER.get(policy, "")}\n{policy}' for policy in runs]
    _throughputs(panels[0], names, runs, sum(alone.values()))
    _response_times(panels[1], names, runs)
    _shares(panels[2], names, runs, alone)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return path


def _throughputs(axes, names, runs, most):
    bars = axes.bar(names, [run.summary.throughput for run in runs.values()], color='#4878a8')
    axes.bar_label(bars, [f'{run.summary.throughput / most * 100:.0f} %' for run in runs.values()])
    axes.axhline(most, color='black', linestyle='--', linewidth=1)
    axes.annotate(f'MAX {most:.0f}/s', (0, most), va='bottom', ha='center')
    axes.set(title='Reads answered per second', ylim=(0, most * 1.15))
    axes.tick_params(axis='x', labelsize=6)


def _response_times(axes, names, runs):
    for offset, (label, color) in enumerate((('p50', '#9ecae1'), ('mean', '#4878a8'),
                                             ('p99', '#d9734e'))):
        axes.bar([place + (offset - 1) * 0.27 for place in range(len(names))],
                 [getattr(run.summary, label) * 1000 for run in runs.values()],
                 width=0.27, label=label, color=color)
    axes.set_xticks(range(len(names)), names)
    axes.set(title='Response time, ms')
    axes.tick_params(axis='x', labelsize=6)
    axes.legend()


def _shares(axes, names, runs, alone):
    bottom = [0.0] * len(names)
    for node, color in zip(alone, ('#d9734e', '#4878a8', '#6aa56e', '#b59bc4'), strict=False):
        shares = [run.share(node) * 100 for run in runs.values()]
        axes.bar(names, shares, bottom=bottom, label=f'SN{node} ({alone[node]:.0f}/s)', color=color)
        bottom = [low + share for low, share in zip(bottom, shares, strict=True)]
    axes.set(title='Share of the reads, %', ylim=(0, 118))
    axes.tick_params(axis='x', labelsize=6)
    axes.legend(ncols=3, fontsize=7, loc='upper center')
