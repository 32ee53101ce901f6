"""Every policy of the dispatcher, and HAProxy, on the paper's servers: throughput as % of MAX.

    python test/bench/catalogue [--quick] [--policies adaptive,fair] [--blocks 1] [--seconds 6]
        [--warm 4] [--slots 4] [--clients 2] [--out DIR]

A block of all policies takes about 34 minutes, --quick 9. Table 2 of Piorkowski et al., "Load
Balancing for Heterogeneous Web Servers", redrawn: four proxies of a lab are the paper's
servers (paper.py), one fast and three slow or three fast and one slow, with
its three kinds of requests (columns.py).

Compared are HAProxy in front of the proxies, by `source`, `uri`, `roundrobin` and `leastconn`, of
which the paper has all but the last; clients that go to the proxies in turn (`plain`); and the same
clients with a dispatcher in each proxy, by each policy. The load is the same for all: a closed
loop, in which each request goes to the next proxy. There are no weights, because the paper mentions
none: weighted policies treat all proxies as equal.

MAX is measured too, in each block: each client uses one proxy, and there are enough clients to keep
all slots of all proxies busy. `source_hash` sees one client address, here and in the paper, whose
figure is that of one server. The paper's `uri` saw one path; here are 40 paths, which favours
policies that hash the path.

Every other block measures the balancers in reverse order; figures are medians of blocks, with half
of the range beside them. At the end of a line: errors, the fraction of requests that made a hop,
and the most processors that the proxies used in a run. With --out an interrupted run continues.
"""
import contextlib
import os
import sys
import warnings
from pathlib import Path

warnings.simplefilter('ignore')
sys.path[0] = str(Path(__file__).resolve().parents[2])

from bench.catalogue import columns  # noqa: E402
from bench.catalogue.drawing import draw  # noqa: E402
from bench.catalogue.figures import CatalogueRun, rate, table  # noqa: E402
from bench.catalogue.paper import MIXES, SIZES  # noqa: E402
from bench.dispatchers.balancers import Balancer, balancers  # noqa: E402
from bench.dispatchers.cluster import cluster  # noqa: E402
from bench.dispatchers.frame import Bench, BenchStep, chosen, complete, parser_of  # noqa: E402
from support.name_server import missing  # noqa: E402

from swift_lb.experiment.runs import alternating  # noqa: E402
from swift_lb.policy.backends import BACKEND_POLICIES  # noqa: E402

POLICIES = [*BACKEND_POLICIES]
QUICK = ['round_robin', 'shortest_queue_first', 'adaptive']
MAX = Balancer('MAX')
LATE = 'no answer'  # at the end of the load; no error if one proxy has all clients
RAMP = 1.54         # seconds: twice a slow server's time for G4, three times a fast one's
AROUND, RESTART = 2.0, 8.0      # seconds beside a run, and between policies


def arguments():
    defaults = {'blocks': (1, 1), 'seconds': (6.0, 4.0), 'warm': (4.0, 3.0),
                'policies': (','.join(POLICIES), ','.join(QUICK))}
    parser = parser_of('catalogue', __doc__, defaults)
    parser.add_argument('--policies', help=f'of dispatchers, by comma (all; quick: {QUICK})')
    parser.add_argument('--slots', type=int, default=columns.SLOTS,
                        help='of a proxy (%(default)s); fewer where the machine has other things '
                             'to do, for fewer requests a second')
    parser.add_argument('--clients', type=int, default=columns.CLIENTS,
                        help='for each slot (%(default)s)')
    options = complete(parser.parse_args(), defaults)
    options.policies = chosen(parser, 'policies', options.policies, POLICIES)
    if options.seconds < 2 * RAMP:
        parser.error(f'--seconds {options.seconds:g}: must be at least {2 * RAMP:g}')
    return options


def compared(policies):
    """Return the Balancers: MAX, those without dispatchers, one with each of `policies`."""
    return [MAX, *(Balancer(f'haproxy {name}', balance=name) for name in ('source', 'uri')),
            *balancers(policies)]


def main():
    args = arguments()
    if lacking := missing('haproxy'):
        sys.exit(lacking)
    scenarios, rows = columns.columns(args.slots, args.clients), compared(args.policies)
    bench = Bench('catalogue', args, ('seconds', 'warm', 'slots', 'clients'),
                  lambda one: CatalogueRun(*one))
    a_row = sum(columns.warm(column, args.warm) + args.seconds + AROUND for column in scenarios)
    seconds = args.blocks * (len(rows) * a_row + len(args.policies) * RESTART)
    bench.say(f'{len(rows)} balancers, {len(scenarios)} columns, {args.blocks} blocks: some '
              f'{seconds / 60:.0f} minutes')

    def plan(block):
        return [BenchStep((*column, balancer.name), balancer.policy, None, (column, balancer))
                for balancer in alternating(rows, block) for column in scenarios]

    def measure(subject, step, _block):
        column, balancer = step.what
        scenario, warm = scenarios[column], columns.warm(column, args.warm)
        if balancer == MAX:
            scenario = columns.maximum(scenario)
        return measured(subject, scenario, balancer, warm, args.seconds)

    def show():
        runs = {column: {balancer.name: bench.of(*column, balancer.name) for balancer in rows
                         if balancer != MAX} for column in scenarios}
        most = {column: bench.of(*column, MAX.name) for column in scenarios}
        print('\n'.join(table(runs, most, scenarios)))
        if args.out and any(most.values()):
            draw(runs, most, args.out / 'catalogue.png')
    return bench.run(plan, open_lab, measure, show)


@contextlib.contextmanager
def open_lab(_nothing):
    """Context that provides the ProxyLab with the paper's four servers, and stores its objects."""
    with cluster(f'catalogue-{os.getpid()}', len(next(iter(MIXES.values())))) as subject:
        subject.store(SIZES.values())
        yield subject


def measured(subject, scenario, balancer, warm, seconds):
    """Load the ProxyLab for `warm` + `seconds`; return (CatalogueRun of `seconds`, its text)."""
    until = warm + seconds
    subject.handicap(scenario, 1)
    done = subject.load(scenario, balancer, until, 1)
    one = CatalogueRun(rate(done.seen.answers, warm, until, RAMP),
                       len(done.seen.failures) - done.seen.reasons.get(LATE, 0),
                       done.delegated / max(1, done.requests), done.cpu / until)
    return one, (f'{scenario.name}, {balancer.name}: {one.rate:.1f}/s of {scenario.most:.1f}, '
                 f'delegated {one.delegated:.0%}, served '
                 f'{" ".join(f"{share:.0%}" for share in done.shares)}, '
                 f'{one.cpu:.2f} processors{done.troubles}')


if __name__ == '__main__':
    sys.exit(main())
