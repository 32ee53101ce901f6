"""`swift-lb sim run`: run one scenario with one policy and one seed."""
import json
import shlex

from rich.console import Console
from rich.table import Table

from swift_lb.drawing.numbers import UNKNOWN, milliseconds, plural, three_digits
from swift_lb.errors import ConfigError
from swift_lb.sim import quantity, shipped
from swift_lb.sim.contenders import HEDGED, labels
from swift_lb.sim.measures import PERCENTILES
from swift_lb.sim.run import lasting
from swift_lb.sim.run import run as simulate

MAX_DEVICES = 24   # devices in the table
SIZES = ((2**30, 'GiB'), (2**20, 'MiB'), (2**10, 'KiB'))


def add_arguments(parser):
    """Add the options of `swift-lb sim run` to an argparse parser."""
    parser.add_argument('scenario', metavar='SCENARIO', help='a name of `swift-lb sim list`, or a '
                                                             'file')
    parser.add_argument('--policy', required=True, metavar='LABEL',
                        help=f'one of {", ".join(labels())}; with {HEDGED} after it, '
                             'late reads go to a second device too')
    parser.add_argument('--seed', type=int, default=1, metavar='N',
                        help='the same seed gives the same output (default: %(default)s)')
    parser.add_argument('--seconds', metavar='TIME',
                        help="of virtual time in all, such as 20s, in place of the scenario's")
    parser.add_argument('--json', action='store_true', help='print all figures as JSON')


def run(args):
    """Simulate one scenario with one policy, print the figures; return 0."""
    scenario = shipped.load(args.scenario)
    if args.seconds is not None:
        scenario = lasting(scenario, _seconds(args.seconds))
    figures = simulate(scenario, args.policy, args.seed)
    if args.json:
        print(json.dumps({'scenario': scenario.name, 'policy': args.policy, 'seed': args.seed,
                          'seconds': scenario.seconds, **figures.document()}, indent=1))
    else:
        _show(Console(), scenario, figures, args)
    return 0


def _seconds(text):
    try:
        return quantity.seconds(text if text[-1:].isalpha() else f'{text}s')
    except ValueError as err:
        raise ConfigError([f'--seconds: {err}']) from None


def _show(console, scenario, figures, args):
    def say(text):
        console.print(text, soft_wrap=True, highlight=False, markup=False)
    say(f'{scenario.name}: {scenario.says}')
    load = (plural(scenario.clients, 'client') if scenario.clients else
            f'{scenario.rate:,.0f} reads/s, {scenario.load:.0%} of what the devices can serve')
    say(f'{plural(scenario.hosts, "proxy", "proxies")} of {plural(scenario.workers, "worker")}, '
        f'{plural(len(scenario.places), "device")}; {load}')
    say(f'policy {args.policy}, seed {args.seed}: {plural(figures.reads, "read")} in '
        f'{scenario.seconds - scenario.warm_up:g} s after {scenario.warm_up:g} s of warm-up')
    console.print(_times(figures))
    console.print(_devices(figures))
    say('asked: requests to devices for each read')
    say('shares: 1 is as much as each replica\'s fair part comes to; in brackets its worst second')
    if figures.stuck is not None:
        say(f'on a device that hangs: at most {plural(figures.stuck, "request")} of a host, after '
            'the first second')
    again = ['swift-lb', 'sim', 'run', args.scenario, '--policy', args.policy,
             '--seed', str(args.seed)]
    say('again: ' + shlex.join(again + (['--seconds', args.seconds] if args.seconds else [])))


def _times(figures):
    table = Table(box=None, pad_edge=False)
    for heading in ('', 'reads', 'reads/s', 'failed', 'asked', 'mean ms',
                    *(f'p{per_cent:g} ms' for per_cent in PERCENTILES)):
        table.add_column(heading, justify='right' if heading else 'left', no_wrap=True)
    table.add_row('all', f'{figures.reads:,}', three_digits(figures.throughput),
                  f'{figures.failed:,}', _asked(figures), milliseconds(figures.mean),
                  *_written(figures.percentiles))
    if len(figures.by_size) > 1:
        for size, times in figures.by_size.items():
            table.add_row(size_text(size), '', '', '', '', '', *_written(times))
    return table


def _asked(figures):
    return UNKNOWN if figures.requests is None else f'{figures.requests:.3f}'


def _written(times):
    return [milliseconds(times.get(per_cent)) for per_cent in PERCENTILES]


def size_text(size):
    """Return a size in bytes as text with a binary unit: 4 KiB."""
    for unit, name in SIZES:
        if size >= unit:
            return f'{size / unit:.3g} {name}'
    return f'{size} B'


def _devices(figures):
    """Return a rich Table of each device's request share; of over 24 the 12 busiest and idlest."""
    rows = sorted(figures.shares, key=lambda node: -figures.shares[node])
    shown = {*figures.shares}
    if len(rows) > MAX_DEVICES:
        shown = {*rows[:MAX_DEVICES // 2], *rows[-MAX_DEVICES // 2:]}
    table = Table(box=None, pad_edge=False)
    for heading in ('device', 'share', '(worst second)'):
        table.add_column(heading, justify='left' if heading == 'device' else 'right', no_wrap=True)
    for node in figures.shares if len(shown) == len(rows) else rows:
        if node in shown:
            table.add_row(str(node), *_share(figures, node))
        elif node == rows[MAX_DEVICES // 2]:
            table.add_row(f'({len(rows) - len(shown)} between)', '', '')
    return table


def _share(figures, node):
    worst = figures.worst_seconds.get(node)
    return (f'{figures.shares[node]:.2f}', UNKNOWN if worst is None else f'({worst:.2f})')
