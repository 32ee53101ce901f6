"""Balancers in front of the proxies, or in them: how much is served, and how soon.

    python test/bench/dispatchers [--quick] [--policies adaptive] [--scenarios even,slow,half,bare]
        [--blocks 2] [--seconds 6] [--warm 3] [--mean 0.04]

Some 13 minutes, --quick some 2. On a lab whose proxies have slots: HAProxy in front of them,
by `roundrobin` and by `leastconn`; clients that go to the proxies in turn (`plain`, round robin by
DNS); and the same clients with a dispatcher in each proxy, by each of the policies. What is asked,
and of whom, is in scenarios.py. Balancers take turns, in the other direction in every other block;
figures are medians of blocks. Proxies are started anew between those with dispatchers and those
without.

MAX is what the slots of all proxies can serve. Times count from when a request was due. CPU is what
proxies use for a request, agents and clients left out.
"""
import argparse
import os
import signal
import sys
import warnings
from pathlib import Path

warnings.simplefilter('ignore')
sys.path[0] = str(Path(__file__).resolve().parents[2])

from bench.dispatchers.balancers import balancers  # noqa: E402
from bench.dispatchers.cluster import cluster  # noqa: E402
from bench.dispatchers.figures import figures, table  # noqa: E402
from bench.dispatchers.progress import progress  # noqa: E402
from bench.dispatchers.scenarios import MEAN, NAMES, is_quick, scenarios  # noqa: E402
from support import haproxy  # noqa: E402

from swift_lb.clock import monotonic  # noqa: E402
from swift_lb.policy.backends import BACKEND_POLICIES  # noqa: E402

say = progress('dispatchers')


def arguments():
    """Return the command line."""
    parser = argparse.ArgumentParser(prog='dispatchers', description=__doc__.split('\n\n')[0])
    parser.add_argument('--quick', action='store_true', help='one block of two scenarios')
    parser.add_argument('--policies', default='adaptive', help='of dispatchers, by comma')
    parser.add_argument('--scenarios', default=','.join(NAMES), help='by comma')
    parser.add_argument('--blocks', type=int, help='turns of each (2; quick: 1)')
    parser.add_argument('--seconds', type=float, help='measured (6; quick: 4)')
    parser.add_argument('--warm', type=float, help='before that (3; quick: 2)')
    parser.add_argument('--mean', type=float, default=MEAN,
                        help='seconds a request takes a proxy (%(default)s); more where the '
                             'machine has other things to do, for fewer requests a second')
    found = parser.parse_args()
    found.policies, found.scenarios = found.policies.split(','), found.scenarios.split(',')
    for what, names, known in (('policies', found.policies, BACKEND_POLICIES),
                               ('scenarios', found.scenarios, NAMES)):
        if unknown := [name for name in names if name not in known]:
            parser.error(f'--{what}: unknown: {", ".join(unknown)}; there are {", ".join(known)}')
    for name, (usual, quick) in {'blocks': (2, 1), 'seconds': (6, 4), 'warm': (3, 2)}.items():
        if getattr(found, name) is None:
            setattr(found, name, quick if found.quick else usual)
    return found


def main():
    """Print the table."""
    args = arguments()
    if haproxy.found() is None:
        sys.exit(haproxy.MISSING)
    signal.signal(signal.SIGTERM, signal.default_int_handler)   # the lab is taken down
    wanted = [one for one in scenarios(args.mean)
              if one.name in args.scenarios and (is_quick(one) or not args.quick)]
    compared = balancers(args.policies)
    found = {scenario: {balancer.name: [] for balancer in compared} for scenario in wanted}
    try:
        for proxies in dict.fromkeys(scenario.proxies for scenario in wanted):
            with cluster(f'dispatchers-{os.getpid()}', proxies) as subject:
                measure(subject, [one for one in wanted if one.proxies == proxies], compared,
                        args, found)
    except KeyboardInterrupt:
        say('stopped; this is what there is')
        return 130
    finally:
        print('\n'.join(table(found)))
    return 0


def measure(subject, scenarios, compared, args, found):
    """Add the Figures of all `scenarios` to `found`."""
    used = ''       # neither a policy nor none
    for block in range(args.blocks):
        for balancer in compared[::-1 if block % 2 else 1]:
            wanted = [scenario for scenario in scenarios if balancer.takes(scenario)]
            if wanted and balancer.policy != used:
                used = balancer.policy
                subject.use(used)
            for scenario in wanted:
                found[scenario][balancer.name].append(
                    measured(subject, scenario, balancer, args, block))


def measured(subject, scenario, balancer, args, block):
    """Return the Figures of one run."""
    begun, seconds = monotonic(), args.warm + args.seconds
    subject.handicap(scenario, block + 1)
    done = subject.load(scenario, balancer, seconds, block + 1)
    one = figures(done, args.warm, seconds)
    say(f'block {block + 1}, {scenario.name} {scenario.load}, {balancer.name}: {one.rate:.0f}/s, '
        f'p99 {1e3 * one.p99:.0f} ms; {monotonic() - begun:.0f} s'
        + done.troubles)
    return one


if __name__ == '__main__':
    sys.exit(main())
