"""Cygnus' comparison of round robin and least loaded, on a real Swift, and ours beside them.

    python test/bench/cygnus [--quick] [--kinds uniform,non-uniform,wrong] [--servers 2,4,8]
        [--clients 2,8,32] [--balancers adaptive,...] [--blocks 1] [--seconds 4] [--warm 2]
        [--wrong 20] [--mean 0.04] [--out DIR]

Takes some 15 minutes a block, with --quick 4. Othman, Balasubramanian, Schmidt, "Performance
Evaluation of an Adaptive Middleware Load Balancing and Monitoring Service": its Figures 9 and 12 to
17, with uniform and non-uniform clients, and its Figure 10, with wrong thresholds. Servers are
proxies with one slot. `round robin a client` is Cygnus' round robin, which binds each client to a
server once: plain Swift, with clients bound in turn. The others are dispatchers in the proxies, to
which clients are bound in the same way: `round_robin` for each request, `cygnus_least_loaded`, with
agents configured as the paper's monitor, and `adaptive`, with the agents' defaults. With wrong
thresholds the last two have the same agents. The clients and thresholds are in settings.py.

Every other block measures the balancers in reverse order; figures are medians of blocks. Only 2xx
count as served. MAX is what all slots can serve. Runs with wrong thresholds last `--wrong` seconds,
because refusals come and go over many seconds. With --out an interrupted run continues.
"""
import os
import sys
import warnings
from pathlib import Path

warnings.simplefilter('ignore')
sys.path[0] = str(Path(__file__).resolve().parents[2])

from bench.cygnus.figures import CygnusFigures, figures_of, tables  # noqa: E402
from bench.cygnus.picture import draw  # noqa: E402
from bench.cygnus.settings import (  # noqa: E402
    BALANCERS,
    CLIENTS,
    KINDS,
    MEAN,
    SERVERS,
    USUAL,
    WRONG_THRESHOLDS,
    groups,
)
from bench.dispatchers.cluster import cluster  # noqa: E402
from bench.dispatchers.figures import medians  # noqa: E402
from bench.dispatchers.frame import Bench, BenchStep, chosen, complete, parser_of  # noqa: E402

from swift_lb.experiment.runs import alternating  # noqa: E402

DEFAULTS = {    # usual, quick
    'blocks': (1, 1), 'seconds': (4, 2), 'warm': (2, 2), 'wrong': (20, 8), 'mean': (MEAN, MEAN),
    'servers': (SERVERS, SERVERS[:2]), 'clients': (CLIENTS, (8,))}


def numbers(text):
    """Return the whole numbers, 1 or more, in the comma-separated `text`."""
    result = tuple(sorted({int(word) for word in text.split(',')}))
    if result[0] < 1:
        raise ValueError(text)
    return result


def arguments():
    parser = parser_of('cygnus', __doc__, DEFAULTS)
    parser.add_argument('--kinds', default=','.join(KINDS), help='by comma (%(default)s)')
    parser.add_argument('--servers', type=numbers, help='by comma (2,4,8; quick: 2,4)')
    parser.add_argument('--clients', type=numbers, help='by comma (2,8,32; quick: 8)')
    parser.add_argument('--balancers', default=','.join(USUAL), help='by comma (%(default)s)')
    parser.add_argument('--wrong', type=float, metavar='SECONDS',
                        help='measured with wrong thresholds (20; quick: 8)')
    options = complete(parser.parse_args(), DEFAULTS)
    for what, known in (('kinds', KINDS), ('balancers', [one.name for one in BALANCERS])):
        setattr(options, what, chosen(parser, what, getattr(options, what), known))
    return options


def main():
    args = arguments()
    wanted = [group for servers in args.servers
              for group in groups(servers, args.clients, args.kinds, args.balancers,
                                  args.mean)]
    bench = Bench('cygnus', args, ('seconds', 'warm', 'wrong', 'mean'),
                  lambda one: CygnusFigures(*one))

    def plan(block):
        return [BenchStep((*case, balancer.name), balancer.policy, (case.servers, group.agents),
                          (case, balancer))
                for group in alternating(wanted, block)
                for balancer in alternating(group.balancers, block) for case in group.cases]

    def open_lab(lab):
        servers, agents = lab
        return cluster(f'cygnus-{os.getpid()}', servers, agent_options=agents)

    def measure(subject, step, block):
        case, balancer = step.what
        scenario = case.scenario(args.mean)
        seconds = args.warm + (args.wrong if case.kind == WRONG_THRESHOLDS else args.seconds)
        subject.handicap(scenario, block + 1)
        done = subject.load(scenario, balancer, seconds, block + 1)
        one = figures_of(done, args.warm, seconds)
        return one, (f'{case.kind}, {case.servers} servers, {case.clients} clients, '
                     f'{balancer.name}: {one.rate:.0f}/s, p99 {1e3 * one.p99:.0f} ms, '
                     f'{done.delegated / max(1, done.requests):.0%} delegated{done.troubles}')

    def show():
        figures = medians({case: {balancer.name: bench.of(*case, balancer.name)
                                  for balancer in BALANCERS}
                           for group in wanted for case in group.cases})
        print('\n'.join(tables(figures, args.mean)))
        if args.out:
            print(*draw(figures, args.mean, args.out), sep='\n')
    return bench.run(plan, open_lab, measure, show)


if __name__ == '__main__':
    sys.exit(main())
