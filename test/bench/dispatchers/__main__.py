"""Throughput and response times of balancers in front of the proxies, and of dispatchers in them.

    python test/bench/dispatchers [--quick] [--policies adaptive] [--scenarios even,slow,half,bare]
        [--blocks 2] [--seconds 6] [--warm 3] [--mean 0.04]

Takes about 13 minutes, with --quick 2. On a lab whose proxies have slots, it compares HAProxy with
`roundrobin` and with `leastconn`; clients that send their requests to the proxies in turn (`plain`,
as with round robin by DNS); and the same clients with a dispatcher in each proxy, for each policy.
The loads are in scenarios.py. Every other block measures the balancers in reverse order; figures
are medians of blocks. Proxies are restarted when the policy of the dispatchers changes.

MAX is what the slots of all proxies can serve. Response times count from the time a request
was due. CPU is the proxies' CPU time for a request, without that of agents and clients.
"""
import argparse
import os
import sys
import warnings
from pathlib import Path

warnings.simplefilter('ignore')
sys.path[0] = str(Path(__file__).resolve().parents[2])

from bench.dispatchers.balancers import balancers  # noqa: E402
from bench.dispatchers.cluster import cluster  # noqa: E402
from bench.dispatchers.figures import figures, table  # noqa: E402
from bench.dispatchers.frame import carry_out, chosen, complete, progress, turns  # noqa: E402
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
    options = parser.parse_args()
    options.policies = chosen(parser, 'policies', options.policies, BACKEND_POLICIES)
    options.scenarios = chosen(parser, 'scenarios', options.scenarios, NAMES)
    return complete(options, {'blocks': (2, 1), 'seconds': (6, 4), 'warm': (3, 2)})


def main():
    """Print the table."""
    args = arguments()
    if haproxy.path_of() is None:
        sys.exit(haproxy.MISSING)
    wanted = [one for one in scenarios(args.mean)
              if one.name in args.scenarios and (is_quick(one) or not args.quick)]
    compared = balancers(args.policies)
    results = {scenario: {balancer.name: [] for balancer in compared} for scenario in wanted}

    def measure_all():
        for proxies in dict.fromkeys(scenario.proxies for scenario in wanted):
            with cluster(f'dispatchers-{os.getpid()}', proxies) as subject:
                measure(subject, [one for one in wanted if one.proxies == proxies], compared,
                        args, results)
    return carry_out(say, measure_all, lambda: print('\n'.join(table(results))))


def measure(subject, scenarios, compared, args, results):
    """Append the Figures of all `scenarios` to `results`."""
    usable = [one for one in compared if any(one.takes(scenario) for scenario in scenarios)]
    for block, balancer in turns(subject, usable, args.blocks):
        for scenario in filter(balancer.takes, scenarios):
            results[scenario][balancer.name].append(
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
