"""`swift-lb sim caches`: how evenly clients spread if few resolvers cache DNS answers, by mode."""
import math
import os

from rich.console import Console
from rich.table import Table

from swift_lb.errors import ConfigError
from swift_lb.sim.caches import RANDOM, Crowd, mean_error
from swift_lb.sim.campaign import every
from swift_lb.zone.sequence import AUTO

KNOWN = ('all', 'ordered', 'single', RANDOM, 'membership', AUTO)
MAX_BACKENDS = 254      # backends: the number of addresses


def add_arguments(parser):
    """Add the options of `swift-lb sim caches` to an argparse parser."""
    parser.add_argument('--shares', default='.26,.31,.43', metavar='LIST',
                        help='target shares of two backends or more, with commas; they are made 1 '
                             'together (default: %(default)s)')
    parser.add_argument('--resolvers', default='1,3,10,30,100,1000', metavar='LIST',
                        help='how many resolvers, with commas (default: %(default)s)')
    parser.add_argument('--authorities', type=int, default=1, metavar='N',
                        help='name servers that each of them asks in turn, at random '
                             '(default: %(default)s)')
    parser.add_argument('--mode', default=','.join(KNOWN), metavar='LIST',
                        help='modes, with commas; random is membership whose answers are drawn '
                             '(default: %(default)s)')
    parser.add_argument('--ttl', type=int, default=60, metavar='SECONDS',
                        help='that an answer is kept (default: %(default)s)')
    parser.add_argument('--windows', type=int, default=300, metavar='N',
                        help='TTLs of which the mean is taken (default: %(default)s)')
    parser.add_argument('--seed', type=int, default=1, metavar='N',
                        help='the same seed gives the same output (default: %(default)s)')
    parser.add_argument('--processes', type=int, default=os.cpu_count(), metavar='N',
                        help='(default: one a core, %(default)s)')


def run(args):
    """Simulate resolvers that cache DNS answers; print how far shares are off target; return 0."""
    shares, resolvers, modes = _checked(args)
    jobs = [(Crowd(shares, count, args.authorities, mode, args.ttl), args.windows, args.seed)
            for count in resolvers for mode in modes]
    errors = iter(every(mean_error, jobs, args.processes))
    table = Table(box=None, pad_edge=False)
    for heading in ('resolvers', *modes):
        table.add_column(heading, justify='right')
    for count in resolvers:
        table.add_row(str(count), *(f'{next(errors):.3f}' for _mode in modes))
    console = Console()
    console.print(table)
    console.print('largest error of a share of the clients, relative to the target: mean over TTLs',
                  soft_wrap=True, highlight=False)
    return 0


def _checked(args):
    """Return (target shares, numbers of resolvers, modes of answering) of the options.

    Raises ConfigError with every fault.
    """
    faults = [f'--{name} {value}: must be 1 or more'
              for name in ('authorities', 'ttl', 'windows', 'processes')
              if (value := getattr(args, name)) < 1]
    modes = args.mode.split(',')
    faults += [f'--mode {mode!r}: must be one of {", ".join(KNOWN)}' for mode in modes
               if mode not in KNOWN]
    shares = _numbers(args.shares, float)
    if shares is None or not 2 <= len(shares) <= MAX_BACKENDS or not all(
            0 < share < math.inf for share in shares):
        faults.append(f'--shares {args.shares!r}: must be 2 to {MAX_BACKENDS} numbers above 0, '
                      'with commas')
    resolvers = _numbers(args.resolvers, int)
    if resolvers is None or min(resolvers) < 1:
        faults.append(f'--resolvers {args.resolvers!r}: must be numbers from 1 on, with commas')
    if faults:
        raise ConfigError(faults)
    return tuple(share / sum(shares) for share in shares), resolvers, modes


def _numbers(text, kind):
    """Return the numbers in `text`, a list with commas, read by `kind`; None if one is invalid."""
    try:
        return [kind(word) for word in text.split(',')]
    except ValueError:
        return None
