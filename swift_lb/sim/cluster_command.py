"""`swift-lb sim cluster`: simulate proxies, dispatchers and DNS under each of several rule sets."""
import os
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from swift_lb.drawing.looks import legend, look
from swift_lb.drawing.numbers import milliseconds, three_digits
from swift_lb.drawing.png import picture
from swift_lb.errors import ConfigError
from swift_lb.plan.forecast import loads
from swift_lb.plan.plan import RULES
from swift_lb.sim.campaign import every
from swift_lb.sim.loop.agent import STATIC
from swift_lb.sim.loop.setting import ADAPTIVE, NONE, SETTINGS, TLLB, with_ttl
from swift_lb.sim.loop.world import run as simulate

ALL = 'all'
KNOWN = (STATIC, *sorted(RULES, reverse=True))      # the best last
DISPATCH = (TLLB, ADAPTIVE, NONE)
HEADINGS = ('range of DNS shares', 'turns', 'range of served', 'mean ms', 'p99 ms', 'answers/s',
            'delegated', 'DNS shares', 'served')
LINES = (('dns_lines', 'share of the new clients (DNS)'),
         ('served_lines', 'share of what is served, in 10 s'))


def add_arguments(parser):
    """Add the options of `swift-lb sim cluster` to an argparse parser."""
    parser.add_argument('--scenario', default='slow', metavar='NAME',
                        help=f'one of {", ".join(SETTINGS)}, or {ALL} (default: %(default)s)')
    parser.add_argument('--rules', default=','.join(KNOWN), metavar='LIST',
                        help='rule sets, with commas; static is round robin (default: %(default)s)')
    parser.add_argument('--dispatch', default=TLLB, metavar='POLICY',
                        help=f'of the dispatchers, one of {", ".join(DISPATCH)}: they obey keep '
                             'and take, use expected times, or do not exist (default: %(default)s)')
    parser.add_argument('--forecast', default=loads.NONE, metavar='METHOD',
                        help='by which agents forecast the load that they report, one of '
                             f'{", ".join(loads.METHODS)} (default: %(default)s)')
    parser.add_argument('--seed', type=int, default=1, metavar='N',
                        help='the same seed gives the same output (default: %(default)s)')
    parser.add_argument('--caches', type=int, metavar='N',
                        help='DNS caches, all with as many clients (default: 10)')
    parser.add_argument('--ttl', type=float, metavar='SECONDS',
                        help='for which caches hold an answer; all other times of the scenario are '
                             'in proportion (default: 60)')
    parser.add_argument('--out', type=Path, metavar='DIR',
                        help='draw the shares over time, a PNG for each scenario')
    parser.add_argument('--processes', type=int, default=os.cpu_count(), metavar='N',
                        help='(default: one a core, %(default)s)')


def run(args):
    """Simulate the scenarios with each rule set, print tables, draw pictures; return 0."""
    settings, rules = _settings(args), args.rules.split(',')
    console = Console(highlight=False, markup=False)
    jobs = [(setting, one, args.seed) for setting in settings for one in rules]
    results = every(simulate, jobs, args.processes)
    for number, setting in enumerate(settings):
        outcomes = dict(zip(rules, results[number * len(rules):], strict=False))
        _show(console, setting, outcomes)
        if args.out:
            draw(setting, outcomes, args.out / f'{setting.name}.png')
            console.print(f'drawn: {args.out / setting.name}.png', soft_wrap=True)
    return 0


def _settings(args):
    names = [*SETTINGS] if args.scenario == ALL else args.scenario.split(',')
    faults = [f'{kind} {name!r}: must be one of {", ".join(known)}'
              for kind, given, known in (('--scenario', names, SETTINGS),
                                         ('--rules', args.rules.split(','), KNOWN),
                                         ('--dispatch', [args.dispatch], DISPATCH),
                                         ('--forecast', [args.forecast], loads.METHODS))
              for name in given if name not in known]
    faults += [f'--{name} {value:g}: must be 1 or more'
               for name in ('caches', 'ttl', 'processes')
               if (value := getattr(args, name)) is not None and not value >= 1]
    if faults:
        raise ConfigError(faults)
    settings = [replace(SETTINGS[name], dispatchers=args.dispatch, forecast=args.forecast)
                for name in names]
    if args.caches:
        settings = [replace(setting, caches=args.caches) for setting in settings]
    return [with_ttl(setting, args.ttl) for setting in settings] if args.ttl else settings


def _show(console, setting, outcomes):
    console.print(f'{setting.name}: {setting.summary}', soft_wrap=True)
    table = Table('rules', box=None, pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, justify='right')
    for rules, outcome in outcomes.items():
        table.add_row(rules, *_row(outcome))
    console.print(table)


def _row(outcome):
    return (_per_cent(outcome.dns_range), f'{outcome.turns:.0f}', _per_cent(outcome.served_range),
            milliseconds(outcome.mean), milliseconds(outcome.p99), three_digits(outcome.throughput),
            _per_cent(outcome.delegated), _in_turn(outcome.dns_shares), _in_turn(outcome.served))


def _in_turn(shares):
    return ' '.join(f'{share * 100:.0f}' for share in shares.values())


def _per_cent(fraction):
    return f'{fraction * 100:.1f} %'


def draw(setting, outcomes, path):
    """Draw the shares over time in {rule set: LoopOutcome} as a PNG at `path`, a pathlib.Path."""
    size = (1.2 + 4.6 * len(outcomes), 6.4)
    picture(lambda figure: _draw(figure, setting, outcomes), size, path)


def _draw(figure, setting, outcomes):
    panels = figure.subplots(len(LINES), len(outcomes), squeeze=False, sharex=True, sharey='row')
    handles = {}
    for axes_of, (lines, title) in zip(panels, LINES, strict=True):
        for axes, (rules, outcome) in zip(axes_of, outcomes.items(), strict=True):
            for number, (name, line) in enumerate(getattr(outcome, lines).items()):
                handles[name], = axes.plot([at for at, _share in line],
                                           [share for _at, share in line], lw=0.8, **look(number))
            for change in setting.changes:
                axes.axvspan(change.at, min(change.until, setting.seconds), color='#f3ead8',
                             zorder=0)
            axes.set(title=f'{rules}: {title}', ylim=(0, None), xlim=(0, setting.seconds))
    for axes in panels[-1]:
        axes.set_xlabel('seconds')
    legend(figure, [*handles.values()], [*handles], (0.1, 0.2))
