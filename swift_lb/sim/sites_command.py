"""`swift-lb sim sites`: several clusters under each of several policies, and an oracle."""
import os
from dataclasses import replace

from rich.console import Console
from rich.table import Table

from swift_lb.drawing.numbers import milliseconds, share, three_digits
from swift_lb.errors import ConfigError
from swift_lb.experiment.runs import span
from swift_lb.policy.clusters import CLUSTER_POLICIES
from swift_lb.sim.campaign import every
from swift_lb.sim.sites.deciding import ORACLE
from swift_lb.sim.sites.setting import SITE_SETTINGS
from swift_lb.sim.sites.world import run as simulate

ALL = 'all'
HEADINGS = ('mean ms', 'p99 ms', 'reads/s', 'local', 'fetch', 'redir.', 'turns', '/oracle',
            '/local')


def add_arguments(parser):
    """Add the options of `swift-lb sim sites` to an argparse parser."""
    parser.add_argument('--scenario', default='spill', metavar='NAME',
                        help=f'one of {", ".join(SITE_SETTINGS)}, or {ALL} (default: %(default)s)')
    parser.add_argument('--policy', default='local,adaptive', metavar='LIST',
                        help=f'of {", ".join(CLUSTER_POLICIES)}, with commas; {ORACLE} is always '
                             'there, and knows all queues and links (default: %(default)s)')
    parser.add_argument('--seeds', type=int, default=1, metavar='N',
                        help='1 to N, of which the medians are printed (default: %(default)s)')
    parser.add_argument('--seconds', type=float, metavar='SECONDS',
                        help='of virtual time, of which the warm-up is a part (default: 120, or as '
                             'the scenario says)')
    parser.add_argument('--processes', type=int, default=os.cpu_count(), metavar='N',
                        help='(default: one a core, %(default)s)')


def run(args):
    """Simulate the scenarios with each policy, print a table of each; return 0."""
    settings, policies = _settings(args), _policies(args)
    console = Console(highlight=False, markup=False)
    runs = [(setting, policy, seed) for setting in settings for policy in policies
            for seed in range(1, args.seeds + 1)]
    outcomes = dict(zip(((setting.name, *rest) for setting, *rest in runs),
                        every(simulate, runs, args.processes), strict=True))
    for setting in settings:
        _show(console, setting, {
            policy: [outcomes[setting.name, policy, seed] for seed in range(1, args.seeds + 1)]
            for policy in policies})
    return 0


def _policies(args):
    return [*dict.fromkeys((*args.policy.split(','), ORACLE))]


def _settings(args):
    """Return the SiteSettings of the options; raises ConfigError with every fault."""
    names = [*SITE_SETTINGS] if args.scenario == ALL else args.scenario.split(',')
    faults = [f'{kind} {name!r}: must be one of {", ".join(known)}'
              for kind, given, known in (
                  ('--scenario', names, SITE_SETTINGS),
                  ('--policy', _policies(args), (*CLUSTER_POLICIES, ORACLE)))
              for name in given if name not in known]
    faults += [f'--{name} {value}: must be 1 or more' for name in ('seeds', 'processes')
               if (value := getattr(args, name)) < 1]
    settings = [SITE_SETTINGS[name] for name in names if name in SITE_SETTINGS]
    if args.seconds is not None:
        faults += [f'--seconds {args.seconds:g}: must be more than the {setting.warm_up:g} s of '
                   f'warm-up of {setting.name}' for setting in settings
                   if not args.seconds > setting.warm_up]
        settings = [replace(setting, seconds=args.seconds) for setting in settings]
    if faults:
        raise ConfigError(faults)
    return settings


def _show(console, setting, outcomes):
    console.print(f'{setting.name}: {setting.summary}', soft_wrap=True)
    table = Table('policy', box=None, pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, justify='right')
    for policy, own in outcomes.items():
        table.add_row(policy, *_row(own, outcomes[ORACLE], outcomes.get('local')))
    console.print(table)


def _row(own, oracles, locals_):
    """Return the cells of a policy: medians over the SiteOutcomes of all seeds, `own`."""
    return (*(write(span(getattr(one, name) for one in own).median) for name, write in (
        ('mean', milliseconds), ('p99', milliseconds), ('goodput', three_digits), ('local', share),
        ('fetched', share), ('redirected', share), ('turns', three_digits))),
        three_digits(_ratio(own, oracles, 'mean')),
        three_digits(_ratio(own, locals_, 'goodput')) if locals_ else '')


def _ratio(own, others, name):
    """Return the median, over the seeds, of the ratio of a figure to that of another policy."""
    return span(getattr(one, name) / getattr(other, name)
                for one, other in zip(own, others, strict=True)).median
