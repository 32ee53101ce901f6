"""`swift-lb sim thresholds`: Cygnus' Figure 10, throughput with thresholds that are wrong."""
import os
from statistics import median

from rich.console import Console
from rich.table import Table

from swift_lb.drawing.numbers import three_digits
from swift_lb.errors import ConfigError
from swift_lb.sim.loop.cygnus import CLIENTS, MODES, ROUND_ROBIN, SERVERS, job
from swift_lb.sim.loop.runs import every


def add_arguments(parser):
    """Add the options."""
    parser.add_argument('--seeds', type=int, default=3, metavar='N',
                        help='1 to N; the median counts (default: %(default)s)')
    parser.add_argument('--servers', type=int, choices=SERVERS, metavar='N',
                        help=f'only so many of {SERVERS}')
    parser.add_argument('--processes', type=int, default=os.cpu_count(), metavar='N',
                        help='(default: one a core, %(default)s)')


def run(args):
    """Simulate and print; return 0."""
    if min(args.seeds, args.processes) < 1:
        raise ConfigError(['--seeds and --processes: must be 1 or more'])
    found = throughputs([args.servers] if args.servers else SERVERS, CLIENTS, MODES, args.seeds,
                        args.processes)
    table = Table(box=None, pad_edge=False)
    for heading in ('servers', 'clients', 'round robin/s', *MODES[1:]):
        table.add_column(heading, justify='right')
    for (servers, clients), rates in found.items():
        base = rates[ROUND_ROBIN]
        table.add_row(str(servers), str(clients), three_digits(base),
                      *(f'{rates[mode] / base:.3f}' for mode in MODES[1:]))
    console = Console()
    console.print(table)
    console.print('throughput as a ratio to that of round robin, medians over the seeds',
                  soft_wrap=True, highlight=False)
    return 0


def throughputs(servers, clients, modes, seeds, processes):
    """Return {(servers, clients): {mode: median answers per second}}."""
    cells = [(some, many, mode) for some in servers for many in clients for mode in modes]
    outcomes = every([job(*cell, seed) for cell in cells for seed in range(1, seeds + 1)],
                     processes)
    found = {}
    for number, (some, many, mode) in enumerate(cells):
        rates = [one.throughput for one in outcomes[number * seeds:(number + 1) * seeds]]
        found.setdefault((some, many), {})[mode] = median(rates)
    return found
