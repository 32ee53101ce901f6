"""Measure the gain and cost of hedging, as ratios of lb_hedge = auto to off on the same lab.

    python test/bench/hedging.py [--blocks 2] [--seconds 15] [PART ...]

    pauses      one disk of three pauses for 500 ms in 1 % of its reads: the tail, and its price;
                with shuffle, as adaptive alone seldom asks that disk
    busy        nodes that are alike (profile even), at about 90 % of their capacity
    saturated   the same, with more clients than the nodes can serve
    processor   no handicap: the processor is the bottleneck, and shows the cost of hedging

Interleaved ABBA blocks, each run on restarted proxies, which learn in the ramp-up, and on nodes
that draw their times from the start of their seed. Percentiles are of all runs together, throughput
is the mean, and its ratio the median of the blocks'. Backend reads are those that the nodes count.
"""
import argparse
import os
import statistics
import sys
import warnings
from typing import NamedTuple

warnings.simplefilter('ignore')

from swift_lb.errors import EvaluationError  # noqa: E402
from swift_lb.evaluation import workloads  # noqa: E402
from swift_lb.evaluation.measure import do  # noqa: E402
from swift_lb.evaluation.run_result import by_the_clock, figures_of, percentile  # noqa: E402
from swift_lb.evaluation.subject import PATIENT, access_of  # noqa: E402
from swift_lb.lab.lab import Lab  # noqa: E402
from swift_lb.lab.spec import LabSpec  # noqa: E402
from swift_lb.wire.cosbench.read import read  # noqa: E402
from swift_lb.workload.controller import run  # noqa: E402

NODES, SIZE, OBJECTS, PROXY_WORKERS, RAMP_UP = 3, '4KB', 60, 2, 3
OFF, AUTO = 'off', 'auto'


class Part(NamedTuple):
    """One comparison of lb_hedge = auto with off: the load, and the ratios that it must keep."""

    policy: str
    clients: int
    rules: dict             # node, None for all -> its rule
    targets: dict           # figure -> ('<=' or '>=', the bound of its ratio)


class HedgingRun(NamedTuple):
    figures: object         # OpFigures
    backend: float          # reads that the nodes served for each one of a client


EVEN = {node: {'slots': 1, 'mean': '13.845ms'} for node in range(1, NODES + 1)}
DISK, PAUSES = {'slots': 4, 'mean': '15ms'}, {'pause': '1%', 'pause_time': '500ms'}
PARTS = {
    'pauses': Part('shuffle', 4, {1: DISK | PAUSES, 2: DISK, 3: DISK},
                   {'p99.9': ('<=', 0.7), 'backend': ('<=', 1.05)}),
    'busy': Part('adaptive', 6, EVEN, {'reads/s': ('>=', 0.99), 'backend': ('<=', 1.05)}),
    'saturated': Part('adaptive', 24, EVEN, {'reads/s': ('>=', 0.99), 'backend': ('<=', 1.05)}),
    'processor': Part('adaptive', 12, {}, {'backend': ('<=', 1.05)}),
}
HEADINGS = ('reads/s', 'mean', 'p50', 'p99', 'p99.9', 'backend')


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('parts', nargs='*', metavar='PART', help=f'of {", ".join(PARTS)}')
    parser.add_argument('--blocks', type=int, default=2, help='ABBA blocks of each part')
    parser.add_argument('--seconds', type=int, default=15, help='measured in each run')
    parser.add_argument('--policy', help='lb_policy of all parts (shuffle for pauses, adaptive)')
    args = parser.parse_args()
    if unknown := [name for name in args.parts if name not in PARTS]:
        parser.error(f'unknown: {", ".join(unknown)}; there are {", ".join(PARTS)}')
    return args


def measured(lab, access, part, options, seconds, seed):
    """Return the HedgingRun of a Part's load on proxies that restart with `options`."""
    lab.restart_proxies(options | PATIENT | {'DEFAULT:workers': f'{PROXY_WORKERS}'})
    lab.handicap(clear=True)
    for node, rule in part.rules.items():
        lab.handicap(node=node, seed=seed, **rule)
    before = served(lab)
    text = workloads.mixed(access, SIZE, part.clients, (RAMP_UP, seconds), 100, OBJECTS)
    stage = run(read(text.encode()).workload, endpoints=access.endpoints, processes=1,
                seed=seed).stages[-1]
    figures = figures_of(stage)['read']
    if figures.failures or not figures.count:
        raise EvaluationError(f'{options}: {figures.reasons or "nothing was answered"}')
    return HedgingRun(figures, (served(lab) - before) / reads_of(stage))


def served(lab):
    """Return how many GETs all storage nodes of the lab have served so far."""
    return sum(counts['by_method'].get('GET', 0) for counts in lab.served().values())


def reads_of(stage):
    """Return the number of reads that ended in a StageResult's stage, ramp-up included."""
    sums, _seconds = by_the_clock(stage.timeline, -1.0, float('inf'))
    return sum(ended for ended, _waited in sums)


def abba(lab, access, part, args):
    """Return {lb_hedge, 'off' or 'auto': [HedgingRun]} of blocks of off, auto, auto, off."""
    runs = {OFF: [], AUTO: []}
    for block in range(args.blocks):
        for place, hedge in enumerate((OFF, AUTO, AUTO, OFF)):
            options = {'lb_policy': args.policy or part.policy, 'lb_hedge': hedge}
            seed = 2 * block + place // 2 + 1
            runs[hedge].append(measured(lab, access, part, options, args.seconds, seed))
    return runs


def row(runs):
    """Return {heading of HEADINGS: figure of all HedgingRuns together}; times are seconds."""
    figures = [one.figures for one in runs]
    return dict(zip(HEADINGS, (
        statistics.fmean(one.throughput for one in figures),
        sum(one.waited for one in figures) / sum(one.ended for one in figures),
        *(percentile(figures, per_cent) for per_cent in (50, 99, 99.9)),
        statistics.fmean(one.backend for one in runs)), strict=True))


def of_blocks(runs):
    """Return [throughput of auto divided by that of off, for each block] of abba()'s result."""
    rates = {hedge: [one.figures.throughput for one in those] for hedge, those in runs.items()}
    return [sum(rates[AUTO][at:at + 2]) / sum(rates[OFF][at:at + 2])
            for at in range(0, len(rates[OFF]), 2)]


def show(name, figures, targets=None):
    """Print {heading: figure} as a row; return whether all keep `targets`, those of a Part."""
    texts, kept = [], True
    for heading, value in figures.items():
        scale = 1000 if heading in HEADINGS[1:5] and targets is None else 1
        held = True
        if targets and heading in targets:
            sign, limit = targets[heading]
            held = value <= limit if sign == '<=' else value >= limit
        texts.append(f'{value * scale:>8.{1 if scale == 1000 or value > 10 else 3}f}'
                     + (' ' if held else '!'))
        kept = kept and held
    print(f'{name:<27}' + ''.join(texts), flush=True)
    return kept


def main():
    """Print a table for each part; return 1 if a ratio misses its target, which a ! marks."""
    args = arguments()
    kept = True
    with Lab.up(LabSpec(name=f'hedging-{os.getpid()}', nodes=NODES, workers=PROXY_WORKERS,
                        log_level='WARNING')) as lab:
        access = access_of(lab)
        do(workloads.prepare(access, SIZE, OBJECTS), access.endpoints, 1)
        print(f'{"times in ms":<27}' + ''.join(f'{heading:>8} ' for heading in HEADINGS))
        for name in args.parts or PARTS:
            part = PARTS[name]
            runs = abba(lab, access, part, args)
            rows = {hedge: row(those) for hedge, those in runs.items()}
            for hedge, figures in rows.items():
                show(f'{name}, {part.clients} clients, {hedge}', figures)
            blocks = of_blocks(runs)
            kept &= show('  ratio', {heading: rows[AUTO][heading] / rows[OFF][heading]
                                     for heading in HEADINGS}
                         | {'reads/s': statistics.median(blocks)}, part.targets)
            print(f'{"  reads/s, each block":<27}' + ''.join(f'{ratio:>8.3f} ' for ratio in blocks))
    return int(not kept)


if __name__ == '__main__':
    sys.exit(main())
