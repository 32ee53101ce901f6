"""Answers of four proxies under twice the load that they can serve.

    python test/bench/overload [--quick] [--blocks 1] [--seconds 40] [--mean 0.08]
        [--client-timeout 4] [--balancers plain,haproxy,adaptive] [--out DIR]

Takes some 7 minutes a block, with --quick 4. On a lab whose proxies have slots: clients that send
their requests to the proxies in turn (`plain`); HAProxy in front of them, with `leastconn`; and the
same clients with a dispatcher in each proxy, which refuses requests that would wait too long
(`swift_lb/dispatch/shedding.py`). The phases of the load are in phases.py. Every other block
measures the balancers in reverse order; figures are medians of blocks.

Goodput counts the answers that came well before the client gave up, in the second half of a phase.
`of peak` is its ratio to the same balancer's own `peak`: the target of the dispatcher is 0.9 or
more in `open` and `hammer`. Refused is 503 with Retry-After; `step` is the largest rise of the
refused share from one second to the next, and `last` the time of the last refusal. That no request
makes two hops is counted in the logs of all proxies. With --out an interrupted run continues.

A lab's proxy does nothing for a client that has left before its request was due. That is the only
reason why `plain` has any goodput left: a real proxy finishes every request that it has begun.
"""
import os
import sys
import warnings
from pathlib import Path

warnings.simplefilter('ignore')
sys.path[0] = str(Path(__file__).resolve().parents[2])

from bench.dispatchers.balancers import LEAST_CONN, PLAIN, Balancer  # noqa: E402
from bench.dispatchers.cluster import CONTAINER, cluster  # noqa: E402
from bench.dispatchers.frame import Bench, BenchStep, chosen, complete, parser_of  # noqa: E402
from bench.overload.drawing import draw  # noqa: E402
from bench.overload.figures import PhaseFigures, figures, table  # noqa: E402
from bench.overload.hops import Marks, hops  # noqa: E402
from bench.overload.phases import PROXIES, phases  # noqa: E402
from support.name_server import missing  # noqa: E402

from swift_lb.clock import sleep  # noqa: E402
from swift_lb.experiment.runs import alternating  # noqa: E402

BALANCERS = {'plain': Balancer(PLAIN), 'haproxy': Balancer(LEAST_CONN, balance='leastconn'),
             'adaptive': Balancer('swift-lb adaptive', policy='adaptive')}
LOGGED = 2.0        # seconds until the last lines are there


def arguments():
    defaults = {'blocks': (1, 1), 'seconds': (40.0, 16.0), 'mean': (0.08, 0.08)}
    parser = parser_of('overload', __doc__, defaults)
    parser.add_argument('--balancers', default=','.join(BALANCERS), help='by comma')
    parser.add_argument('--client-timeout', type=float, default=4.0,
                        help='seconds after which a client gives a request up (%(default)s)')
    options = complete(parser.parse_args(), defaults)
    options.balancers = [BALANCERS[name] for name in
                         chosen(parser, 'balancers', options.balancers, BALANCERS)]
    return options


def main():
    args = arguments()
    if any(one.balance for one in args.balancers) and (lacking := missing('haproxy')):
        sys.exit(lacking)
    wanted = phases(args.seconds, args.mean, args.client_timeout)
    bench = Bench('overload', args, ('seconds', 'mean', 'client_timeout'))

    def plan(block):
        return [BenchStep((balancer.name,), balancer.policy, PROXIES, balancer)
                for balancer in alternating(args.balancers, block)]

    def show():
        blocks = {one.name: bench.of(one.name) for one in args.balancers}
        results = {name: {phase.name: [figures_from(by_phase[phase.name])
                                       for by_phase, _hops in measured] for phase in wanted}
                   for name, measured in blocks.items()}
        print('\n'.join(table(results) + [f'{name}: {hops}' for name, measured in blocks.items()
                                          for _by_phase, hops in measured]))
        if args.out:
            draw(results, wanted, args.out / 'overload.png')
    return bench.run(plan, lambda proxies: cluster(f'overload-{os.getpid()}', proxies,
                                                   log_level='INFO'),
                     lambda subject, step, block: measure(subject, step.what, wanted, block), show)


def figures_from(values):
    """Return the PhaseFigures of `values`, their fields; those that are lists become tuples."""
    return PhaseFigures(*(tuple(one) if isinstance(one, list) else one for one in values))


def measure(subject, balancer, wanted, block):
    """Load the ProxyLab `subject` in the Phases `wanted`, one after another, by way of a Balancer.

    Return (({phase's name: PhaseFigures}, sentence on requests that peers passed on),
    progress text)."""
    subject.handicap(wanted[0].scenario, block + 1)
    marks, sent, by_phase, words = Marks(subject.logs()), 0, {}, []
    for phase in wanted:
        done = subject.load(phase.scenario, balancer, phase.seconds, block + 1)
        one = by_phase[phase.name] = figures(done.seen, phase)
        sent += done.requests
        words.append(f'{phase.name}: {one.goodput:.0f}/s, p99 {one.p99:.2f} s, '
                     f'{1e3 * done.cpu / max(1, done.requests):.1f} ms of CPU a request'
                     + done.troubles)
    sleep(LOGGED)
    counted = hops(marks.since(), f'{CONTAINER}/{wanted[0].scenario.size}-')
    return ((by_phase, f'clients sent {sent}; {counted}'),
            f'{balancer.name}, {"; ".join(words)}')


if __name__ == '__main__':
    sys.exit(main())
