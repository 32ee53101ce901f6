"""`swift-lb sim compare`: run policies x scenarios x seeds on all cores, and write a report."""
import os
import shlex
import sys
from functools import cache

from rich.console import Console
from rich.table import Table

from swift_lb.drawing.numbers import plural, three_digits
from swift_lb.errors import ConfigError
from swift_lb.policy import POLICIES
from swift_lb.sim import comparison_report, contenders, shipped
from swift_lb.sim.campaign import ComparisonProgress, in_processes, result
from swift_lb.sim.comparison_store import ComparisonStep, ComparisonStore
from swift_lb.sim.comparison_tables import GEOMETRIC_MEAN, P99, SHUFFLE
from swift_lb.sim.contenders import ORACLE
from swift_lb.sim.provenance import fingerprint
from swift_lb.sim.ratios import Grid

ALL = 'all'
FULL, QUICK = (5, 1.0), (2, 0.25)       # seeds, fraction of the scenarios' measured time
SHIPPED = f'adaptive{contenders.HEDGED}'     # the proxy's default
LONG = {'paper-128'}                    # part of --quick only if it is named
MAXIMA = {'seeds': 1000, 'processes': 1024}
COLUMN = 12                             # characters of the terminal for one policy


def add_arguments(parser):
    """Add the options of `swift-lb sim compare` to an argparse parser."""
    parser.add_argument('--scenarios', metavar='LIST', help='names or files (default: all; with '
                                                            f'--quick without {", ".join(LONG)})')
    parser.add_argument('--policies', metavar='LIST',
                        help=f'labels, or {ALL}; {ORACLE} and {SHUFFLE} are always there '
                             f'(default: every policy once, without NAME@host, and {SHIPPED})')
    parser.add_argument('--seeds', type=int, metavar='N',
                        help=f'1 to N (default: {FULL[0]}, with --quick {QUICK[0]})')
    parser.add_argument('--quick', action='store_true',
                        help=f'{QUICK[1]:.0%}'.replace('%', '%%') + ' of the time of each '
                             'scenario, but all that happens in it')
    parser.add_argument('--output', default='comparison', metavar='DIR',
                        help='results and report (default: %(default)s); what is there already, '
                             'and was made by the same code, is not made again')
    parser.add_argument('--processes', type=int, metavar='N',
                        default=min(os.cpu_count(), MAXIMA['processes']),
                        help='(default: one a core, %(default)s)')


def run(args):
    """Compare policies and write the report; return 0 if all runs are done, 130 after Ctrl-C."""
    console = Console(highlight=False, markup=False)
    grid_of, steps = _plan(args)
    texts = cache(shipped.text_of)
    made_from = cache(lambda label, name, factor: fingerprint(label, texts(name), factor))
    store = ComparisonStore(
        args.output, lambda step: made_from(step.policy, step.scenario, step.factor))
    todo = [step for step in steps if store.of(step) is None]
    status = _run_missing(console, store, steps, todo, args.processes)
    figures_of = {(step.scenario, step.policy, step.seed): figures for step in steps
                  if (figures := store.of(step)) is not None}
    if figures_of:
        grid = grid_of(figures_of)
        _show(console, grid, ORACLE)
        _show(console, grid, SHUFFLE)
        command = shlex.join(['swift-lb', *sys.argv[1:]])
        written = comparison_report.write(grid, store.directory, command)
        console.print(f'{len(figures_of)} of {plural(len(steps), "run")}: '
                      + ', '.join(map(str, written)), soft_wrap=True)
    return status


def _plan(args):
    """Return (a function that makes a Grid of figures, the ComparisonSteps to run) of `args`.

    Raises ConfigError with every fault.
    """
    seeds, factor = QUICK if args.quick else FULL
    seeds = seeds if args.seeds is None else args.seeds
    scenarios = _words(args.scenarios) or [name for name in shipped.names()
                                           if not (args.quick and name in LONG)]
    policies = _policies(args.policies)
    faults = [f'--{name} {value}: must be a whole number, 1 to {MAXIMA[name]}'
              for name, value in (('seeds', seeds), ('processes', args.processes))
              if not 1 <= value <= MAXIMA[name]]
    for check, names in ((shipped.load, scenarios), (contenders.contender_factory, policies)):
        for name in names:
            try:
                check(name)
            except ConfigError as err:
                faults += err.faults
    if faults:
        raise ConfigError(faults)
    every = range(1, seeds + 1)
    return (lambda figures: Grid(figures, scenarios, policies, every),
            [ComparisonStep(scenario, policy, seed, factor)
             for seed in every for scenario in scenarios
             for policy in policies])


def _policies(text):
    if text == ALL:
        return contenders.labels()
    chosen = _words(text) or [*POLICIES, SHIPPED]
    return [*dict.fromkeys([ORACLE, SHUFFLE, *chosen])]


def _words(text):
    return [*dict.fromkeys(filter(None, (word.strip() for word in (text or '').split(','))))]


def _run_missing(console, store, steps, todo, processes):
    if not todo:
        return 0
    there = f', {len(steps) - len(todo)} are there' if len(todo) < len(steps) else ''
    console.print(f'{plural(len(todo), "run")} to be made{there}. Ctrl-C ends it, with a report; '
                  'the same command goes on.', soft_wrap=True)
    try:
        with ComparisonProgress(console, len(todo)) as progress:
            def keep(number, figures):
                store.add(todo[number], figures)
                progress.ended(todo[number])
            in_processes(result, [(step,) for step in todo], min(processes, len(todo)), keep)
    except KeyboardInterrupt:
        console.print('stopped; the same command goes on from here')
        return 130
    return 0


def _show(console, grid, reference):
    """Print each policy's p99 divided by that of `reference`, in tables as wide as the terminal."""
    room = max(1, (console.width - 20) // COLUMN)
    policies = [policy for policy in grid.policies if policy != reference]
    for first in range(0, len(policies), room):
        table = Table(box=None, pad_edge=False, title_justify='left',
                      title=f'p99 as a ratio to that of {reference}')
        table.add_column('scenario', no_wrap=True)
        shown = policies[first:first + room]
        for policy in shown:
            table.add_column(policy, justify='right', overflow='fold')
        for scenario in grid.scenarios:
            table.add_row(scenario, *(_spread(grid.to(reference, scenario, policy, P99))
                                      for policy in shown))
        table.add_row(GEOMETRIC_MEAN, *(three_digits(grid.mean_to(reference, policy, P99))
                                        for policy in shown))
        console.print(table)
        console.print()


def _spread(span):
    if span is None:
        return '-'
    median, least, most = map(three_digits, span[:3])
    return median if least == most else f'{median}\n{least}..{most}'
