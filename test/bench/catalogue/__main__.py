"""Every policy of the dispatcher, and HAProxy, on the paper's servers: throughput as % of MAX.

    python test/bench/catalogue [--quick] [--policies adaptive,fair] [--blocks 1] [--seconds 6]
        [--warm 4] [--slots 4] [--clients 2] [--out DIR]

Some 34 minutes a block of all, --quick some 9. Table 2 of Piorkowski et al., "Load Balancing for
Heterogeneous Web Servers", redrawn: four proxies of a lab are the paper's servers (paper.py), one
fast and three slow or three fast and one slow, asked for its three kinds of requests (columns.py).

Compared are HAProxy in front of the proxies, by `source`, `uri`, `roundrobin` and `leastconn`, of
which the paper has all but the last; clients that go to the proxies in turn (`plain`); and the same
clients with a dispatcher in each proxy, by each policy. The load is the same for all: a closed
loop, in which each request goes to the next proxy. Nobody has weights, as the paper tells of none:
those that go by weights take all proxies for alike.

MAX is measured beside them, block by block: clients that keep to one proxy each, so many that all
slots of all proxies are busy. `source_hash` has one client address here, and in the paper, whose
figure is that of one server; the same goes for its `uri`, but here are 40 paths, and so what goes
by the path is better off.

Balancers take turns, in the other direction in every other block; figures are medians of blocks,
with half of what lies between the least and the most. At the end of a line: errors, the fraction of
requests that made a hop, and the most processors that the proxies used in a run.
"""
import argparse
import os
import signal
import sys
import warnings
from pathlib import Path

warnings.simplefilter('ignore')
sys.path[0] = str(Path(__file__).resolve().parents[2])

from bench.catalogue import columns  # noqa: E402
from bench.catalogue.drawing import draw  # noqa: E402
from bench.catalogue.figures import Run, rate, table  # noqa: E402
from bench.catalogue.paper import MIXES, SIZES  # noqa: E402
from bench.dispatchers.balancers import Balancer, balancers  # noqa: E402
from bench.dispatchers.cluster import cluster  # noqa: E402
from bench.dispatchers.progress import progress  # noqa: E402
from support import haproxy  # noqa: E402

from swift_lb.clock import monotonic  # noqa: E402
from swift_lb.policy.backends import BACKEND_POLICIES  # noqa: E402

POLICIES = [name for name in BACKEND_POLICIES if name != 'always_delegate']     # for tests only
QUICK = ['round_robin', 'shortest_queue_first', 'adaptive']
MAX = Balancer('MAX')
LATE = 'no answer'  # yet, when the load was over: no error, where one proxy has all clients
RAMP = 1.54         # seconds: twice a slow server's time for G4, three times a fast one's
AROUND, RESTART = 2.0, 8.0      # seconds beside a run, and between policies

say = progress('catalogue')


def arguments():
    """Return the command line."""
    parser = argparse.ArgumentParser(prog='catalogue', description=__doc__.split('\n\n')[0])
    parser.add_argument('--quick', action='store_true', help=f'only {", ".join(QUICK)}')
    parser.add_argument('--policies', help='of dispatchers, by comma (all)')
    parser.add_argument('--blocks', type=int, default=1, help='turns of each (%(default)s)')
    parser.add_argument('--seconds', type=float, help='measured (6; quick: 4)')
    parser.add_argument('--warm', type=float, help='before that (4; quick: 3), twice that for G4')
    parser.add_argument('--slots', type=int, default=columns.SLOTS,
                        help='of a proxy (%(default)s); fewer where the machine has other things '
                             'to do, for fewer requests a second')
    parser.add_argument('--clients', type=int, default=columns.CLIENTS,
                        help='for each slot (%(default)s)')
    parser.add_argument('--out', type=Path, metavar='DIR', help='draw catalogue.png there')
    found = parser.parse_args()
    found.policies = (found.policies.split(',') if found.policies else
                      QUICK if found.quick else POLICIES)
    if unknown := [name for name in found.policies if name not in POLICIES]:
        parser.error(f'--policies: unknown: {", ".join(unknown)}; there are {", ".join(POLICIES)}')
    for name, (usual, quick) in {'seconds': (6.0, 4.0), 'warm': (4.0, 3.0)}.items():
        if getattr(found, name) is None:
            setattr(found, name, quick if found.quick else usual)
    if found.seconds < 2 * RAMP:
        parser.error(f'--seconds {found.seconds:g}: must be at least {2 * RAMP:g}')
    return found


def compared(policies):
    """Return the Balancers, MAX first and those that need no dispatcher before the others."""
    return [MAX, *(Balancer(f'haproxy {name}', balance=name) for name in ('source', 'uri')),
            *balancers(policies)]


def main():
    """Print the table."""
    args = arguments()
    if haproxy.found() is None:
        sys.exit(haproxy.MISSING)
    signal.signal(signal.SIGTERM, signal.default_int_handler)   # the lab is taken down
    scenarios, rows = columns.columns(args.slots, args.clients), compared(args.policies)
    found = {column: {} for column in scenarios}
    a_row = sum(columns.warm(column, args.warm) + args.seconds + AROUND for column in scenarios)
    seconds = args.blocks * (len(rows) * a_row + len(args.policies) * RESTART)
    say(f'{len(rows)} balancers, {len(scenarios)} columns, {args.blocks} blocks: some '
        f'{seconds / 60:.0f} minutes')
    try:
        with cluster(f'catalogue-{os.getpid()}', len(next(iter(MIXES.values())))) as subject:
            subject.store(SIZES.values())
            for block in range(args.blocks):
                measure(subject, scenarios, rows[::-1 if block % 2 else 1], args, found)
    except KeyboardInterrupt:
        say('stopped; this is what there is')
        return 130
    finally:
        tell(found, scenarios, args.out)
    return 0


def measure(subject, scenarios, rows, args, found):
    """Add the Runs of a block to `found`."""
    used = ''       # neither a policy nor none
    for balancer in rows:
        if balancer.policy != used:
            used = balancer.policy
            subject.use(used)
        for column, scenario in scenarios.items():
            one = measured(subject, columns.maximum(scenario) if balancer == MAX else scenario,
                           balancer, columns.warm(column, args.warm), args.seconds)
            found[column].setdefault(balancer.name, []).append(one)


def measured(subject, scenario, balancer, warm, seconds):
    """Return one Run, of which the first `warm` seconds do not count, and the next `seconds` do."""
    begun, until = monotonic(), warm + seconds
    subject.handicap(scenario, 1)
    done = subject.load(scenario, balancer, until, 1)
    one = Run(rate(done.seen.answers, warm, until, RAMP),
              len(done.seen.failures) - done.seen.reasons.get(LATE, 0),
              done.delegated / max(1, done.requests), done.cpu / until)
    say(f'{scenario.name}, {balancer.name}: {one.rate:.1f}/s of {scenario.most:.1f}, handed on '
        f'{one.delegated:.0%}, served {" ".join(f"{share:.0%}" for share in done.shares)}, '
        f'{one.cpu:.2f} processors; {monotonic() - begun:.0f} s'
        + done.troubles)
    return one


def tell(found, scenarios, out):
    """Print the table, and draw it if there is where."""
    most = {column: by_balancer.pop(MAX.name, []) for column, by_balancer in found.items()}
    print('\n'.join(table(found, most, scenarios)))
    if out and any(most.values()):
        draw(found, most, out / 'catalogue.png')


if __name__ == '__main__':
    sys.exit(main())
