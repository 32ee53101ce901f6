"""Throughput and response times of balancers in front of the proxies, and of dispatchers in them.

    python test/bench/dispatchers [--quick] [--policies adaptive] [--scenarios even,slow,half,bare]
        [--blocks 2] [--seconds 6] [--warm 3] [--mean 0.04] [--out DIR]

Takes about 13 minutes, with --quick 2. On a lab whose proxies have slots, it compares HAProxy with
`roundrobin` and with `leastconn`; clients that send their requests to the proxies in turn (`plain`,
as with round robin by DNS); and the same clients with a dispatcher in each proxy, for each policy.
The loads are in scenarios.py. Every other block measures the balancers in reverse order; figures
are medians of blocks. Proxies are restarted when the policy of the dispatchers changes. With --out
results are kept there, and an interrupted run continues.

MAX is what the slots of all proxies can serve. Response times count from the time a request
was due. CPU is the proxies' CPU time for a request, without that of agents and clients.
"""
import os
import sys
import warnings
from pathlib import Path

warnings.simplefilter('ignore')
sys.path[0] = str(Path(__file__).resolve().parents[2])

from bench.dispatchers.balancers import balancers  # noqa: E402
from bench.dispatchers.cluster import cluster  # noqa: E402
from bench.dispatchers.figures import RunFigures, figures, table  # noqa: E402
from bench.dispatchers.frame import Bench, BenchStep, chosen, complete, parser_of  # noqa: E402
from bench.dispatchers.scenarios import MEAN, NAMES, is_quick, scenarios  # noqa: E402
from support.name_server import missing  # noqa: E402

from swift_lb.experiment.runs import alternating  # noqa: E402
from swift_lb.policy.backends import BACKEND_POLICIES  # noqa: E402


def arguments():
    defaults = {'blocks': (2, 1), 'seconds': (6, 4), 'warm': (3, 2), 'mean': (MEAN, MEAN)}
    parser = parser_of('dispatchers', __doc__, defaults)
    parser.add_argument('--policies', default='adaptive', help='of dispatchers, by comma')
    parser.add_argument('--scenarios', default=','.join(NAMES), help='by comma')
    options = complete(parser.parse_args(), defaults)
    options.policies = chosen(parser, 'policies', options.policies, BACKEND_POLICIES)
    options.scenarios = chosen(parser, 'scenarios', options.scenarios, NAMES)
    return options


def main():
    args = arguments()
    if lacking := missing('haproxy'):
        sys.exit(lacking)
    wanted = [one for one in scenarios(args.mean)
              if one.name in args.scenarios and (is_quick(one) or not args.quick)]
    compared = balancers(args.policies)
    bench = Bench('dispatchers', args, ('seconds', 'warm', 'mean'), lambda one: RunFigures(*one))

    def plan(block):
        return [BenchStep((scenario.title, balancer.name), balancer.policy, proxies,
                          (scenario, balancer))
                for proxies in dict.fromkeys(scenario.proxies for scenario in wanted)
                for balancer in alternating(compared, block)
                for scenario in wanted
                if scenario.proxies == proxies and balancer.takes(scenario)]

    def measure(subject, step, block):
        scenario, balancer = step.what
        seconds = args.warm + args.seconds
        subject.handicap(scenario, block + 1)
        done = subject.load(scenario, balancer, seconds, block + 1)
        one = figures(done, args.warm, seconds)
        return one, (f'{scenario.name} {scenario.load}, {balancer.name}: {one.rate:.0f}/s, '
                     f'p99 {1e3 * one.p99:.0f} ms{done.troubles}')

    def show():
        print('\n'.join(table({scenario: {balancer.name: bench.of(scenario.title, balancer.name)
                                          for balancer in compared} for scenario in wanted})))
    return bench.run(plan, lambda proxies: cluster(f'dispatchers-{os.getpid()}', proxies), measure,
                     show)


if __name__ == '__main__':
    sys.exit(main())
