"""The dispatcher and DNS, together and each alone, as in Figures 5 and 6 of the paper on Onedata.

    python test/bench/two_levels [--quick] [--sizes 2,4,6] [--blocks 2] [--seconds 10] [--warm 4]
        [--mean 0.25] [--policy adaptive] [--out DIR]

Wrzeszcz et al., "Two-Layer Load Balancing for Onedata System", 5. Takes some 7 minutes a block,
with --quick 3 in all. Four combinations, as in the paper: `none`, round robin by DNS and no
dispatcher; `dns`, swift-lb-dns; `disp`, round robin and a dispatcher in each proxy; `dns_disp`,
both.

Figure 5: clients get the addresses of all proxies, which are equal. There is nothing to gain, so it
shows the cost of the levels. Figure 6: clients know half of the proxies and keep their connections.
DNS cannot help them, so `dns` equals `none` and shows the random variation.

The requests are COPYs of a small object, which need much computation, on proxies with slots, all of
them busy: a closed loop. Each takes the same time; MAX is what the slots of all can serve. A COPY
costs some 20 ms of CPU, and two cores serve everything: on a machine with other load six proxies
need --mean 0.5.

The TTL of DNS is 2 s instead of a minute, and the agents' times are shortened likewise. Each client
has a resolver that returns addresses in random order, as resolvers do, so that some proxies have
more clients than others. Round robin is exact here; real resolvers would disturb it. Connections
are kept and reused by any client of the proxy.

Combinations and figures take turns, in reverse order in every other block; figures are medians of
blocks. Proxies are restarted between those with dispatchers and those without. Times count from the
instant a request was due, the look-up included. CPU is what proxies use for a request. The drawings
are scaled so that `none` with the fewest proxies is 1. With --out an interrupted run continues.
"""
import argparse
import os
import sys
import warnings
from pathlib import Path

warnings.simplefilter('ignore')
os.environ.setdefault('EVENTLET_NO_GREENDNS', 'yes')    # as in test/conftest.py
sys.path[0] = str(Path(__file__).resolve().parents[2])

from bench.dispatchers.figures import RunFigures, figures, medians  # noqa: E402
from bench.dispatchers.frame import Bench, BenchStep, complete, parser_of  # noqa: E402
from bench.two_levels.combinations import (  # noqa: E402
    ALL,
    COMBINATIONS,
    MEAN,
    SIZES,
    runs,
    scenarios,
)
from bench.two_levels.picture import draw  # noqa: E402
from bench.two_levels.subject import subject  # noqa: E402
from bench.two_levels.table import table  # noqa: E402

from swift_lb.policy.backends import BACKEND_POLICIES  # noqa: E402


def arguments():
    defaults = {'sizes': (SIZES, (2, 6)), 'blocks': (2, 1), 'seconds': (10, 4), 'warm': (4, 2),
                'mean': (MEAN, MEAN)}
    parser = parser_of('two_levels', __doc__, defaults)
    parser.add_argument('--sizes', type=sizes,
                        help='numbers of proxies, by comma (2,4,6; quick: 2,6)')
    parser.add_argument('--policy', default='adaptive', choices=BACKEND_POLICIES, metavar='NAME',
                        help='of dispatchers (%(default)s)')
    return complete(parser.parse_args(), defaults)


def sizes(text):
    """Return the even numbers of proxies in the comma-separated `text`."""
    results = [int(word) for word in text.split(',')]
    if any(proxies < 2 or proxies % 2 for proxies in results):
        raise argparse.ArgumentTypeError(f'{text}: must be even numbers')
    return results


def main():
    args = arguments()
    wanted = {(one.name, one.proxies): one for one in scenarios(args.sizes, args.mean)}
    bench = Bench('two_levels', args, ('seconds', 'warm', 'mean', 'policy'),
                  lambda one: RunFigures(*one))

    def plan(block):
        return [BenchStep((figure, proxies, combination.name),
                          args.policy if combination.dispatcher else None, proxies,
                          (wanted[figure, proxies], combination))
                for proxies in args.sizes for figure, combination in runs(block)]

    def measure(lab, step, block):
        scenario, combination = step.what
        if scenario.name == ALL and combination.dns:
            lab.settle()
        lab.handicap(scenario, block + 1)
        done = lab.ask(scenario, combination, args.warm + args.seconds, block + 1)
        one = figures(done, args.warm, args.warm + args.seconds)
        return one, (f'{scenario.name}, {scenario.proxies} proxies, {combination.name}: '
                     f'{one.rate:.0f}/s of {scenario.most:.0f}{done.troubles}')

    def show():
        middle = medians({scenario: {one.name: bench.of(*key, one.name) for one in COMBINATIONS}
                          for key, scenario in wanted.items()})
        print('\n'.join(table(middle)), flush=True)
        for path in draw(middle, args.out) if args.out else ():
            print(path)
    return bench.run(plan, lambda proxies: subject(f'two-levels-{os.getpid()}', proxies), measure,
                     show)


if __name__ == '__main__':
    sys.exit(main())
