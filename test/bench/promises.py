"""The promises of `adaptive`, measured with the simulator, each over several seeds.

    python test/bench/promises.py [--seeds 5] [--only NAME,...] [--policy adaptive]
    python test/bench/promises.py --compared comparison --quick [--seeds 5] [--policy adaptive]

A promise holds if it holds with every seed. Those that compare policies are read from the folder of
a fresh `swift-lb sim compare` of all scenarios and policies, in medians. test/bench/outcomes
measures those on a real Swift.
"""
import argparse
import multiprocessing
import statistics
from dataclasses import replace
from functools import cache, lru_cache
from math import inf
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from swift_lb.model import Node
from swift_lb.policy import POLICIES, SHARING
from swift_lb.sim import shipped
from swift_lb.sim.cluster import Cluster
from swift_lb.sim.compare_command import FULL, LONG, QUICK
from swift_lb.sim.comparison_store import FILE, ComparisonStep, ComparisonStore
from swift_lb.sim.comparison_tables import P99
from swift_lb.sim.contenders import ORACLE, contender_factory
from swift_lb.sim.measures import fair_parts, figures, rank
from swift_lb.sim.provenance import fingerprint
from swift_lb.sim.ratios import Grid
from swift_lb.sim.run import uncollected

SICK = Node('10.0.0.1', 6200, 'sd0')     # the target of the shipped scenarios' events
MOMENTS = 4         # runs of a scenario in which something happens once
SIBLINGS = [SICK._replace(device=device) for device in ('sd1', 'sd2')]


class Promise(NamedTuple):
    """A promise: the bound of a value that a simulation measures; one line of the table."""

    what: str           # the description that is printed
    sign: str           # `<=` or `>=`: how the value compares with the bound
    bound: float
    measure: object     # measure(policy, seed) -> value

    def holds(self, values):
        """Return whether every one of `values` is within the bound."""
        return all(value <= self.bound if self.sign == '<=' else value >= self.bound
                   for value in values)


@lru_cache(maxsize=2)
def ran(name, policy, seed):
    """Return (Scenario, Tally, {Node: fair part}) of a run of the shipped scenario `name`.

    The last two are kept: promises about the same run stand beside each other.
    """
    scenario = shipped.load(name)
    with uncollected():
        cluster = Cluster(scenario, contender_factory(policy), seed)
        tally = cluster.run()
    return scenario, tally, fair_parts(scenario, cluster.objects)


def whole(name, value):
    """Return measure(policy, seed): `value`(Figures of the whole scenario `name`)."""
    def measure(policy, seed):
        scenario, tally, fair = ran(name, policy, seed)
        return value(figures(tally, fair, scenario.warm_up, scenario.seconds))
    return measure


def p99(name, policy, seed):
    """Return the p99, in seconds, of the shipped scenario `name` simulated with this seed."""
    return whole(name, lambda found: found.percentiles[99.0])(policy, seed)


def ratio(name, to, other=None):
    """Return measure(policy, seed): p99 of `name` / p99 of policy `to`, or of scenario `other`.
    """
    def measure(policy, seed):
        return p99(name, policy, seed) / p99(other or name, to or policy, seed)
    return measure


def between(name, since, until, value):
    """Return measure(policy, seed): `value`(Figures from second `since` to `until`, fair parts)."""
    def measure(policy, seed):
        _scenario, tally, fair = ran(name, policy, seed)
        return value(figures(tally, fair, since, until), fair)
    return measure


def sick_share(result, _fair):
    """Return the reads of the disk SICK divided by its fair part, from the Figures `result`."""
    return result.shares[SICK]


def sick_part(result, fair):
    """Return the fraction of all reads that went to the disk SICK; `fair`: {disk: fair part}."""
    return result.shares[SICK] * fair[SICK]


def tail_beside_a_hang(policy, seed):
    """Return the p99.9 of the reads that end while a disk hangs, divided by that before.

    The reads stuck on the disk have not ended; another promise counts them.
    """
    hung = between('hung-disk', 21.0, 29.0, lambda result, _fair: result.percentiles[99.9])
    before = between('hung-disk', 12.0, 20.0, lambda result, _fair: result.percentiles[99.9])
    return hung(policy, seed) / before(policy, seed)


def tail_over_a_moment(name):
    """Return measure(policy, seed): p99.9 of the scenario's reads, divided by that without events.

    A read that fails counts as infinite. Both are over MOMENTS runs, since only three reads of one
    run are slower than its p99.9.
    """
    def tail(scenario, policy, seed):
        times = []
        for number in range(MOMENTS):
            with uncollected():
                tally = Cluster(scenario, contender_factory(policy), MOMENTS * seed + number).run()
            times += [seconds for at, seconds in zip(
                tally.ended_at, tally.response_times, strict=True) if at >= scenario.warm_up]
            times += [inf for at in tally.failed_at if at >= scenario.warm_up]
        return rank(sorted(times), 0.999)

    def measure(policy, seed):
        scenario = shipped.load(name)
        return tail(scenario, policy, seed) / tail(replace(scenario, events=()), policy, seed)
    return measure


def share_after_reads(name, since, reads):
    """Return measure(policy, seed): SICK's share once `reads` were sent to it since `since` s."""
    def measure(policy, seed):
        scenario, tally, fair = ran(name, policy, seed)
        ours = [at for at, node in zip(tally.asked_at, tally.asked_nodes, strict=True)
                if node == SICK and at >= since]
        begin = ours[reads] if len(ours) > reads else since     # else it is avoided
        return figures(tally, fair, begin, scenario.seconds).shares[SICK]
    return measure


PROMISES = {
    'paper': Promise('unlike nodes, 8 workers: p99 to the oracle\'s', '<=', 1.25,
                     ratio('paper', 'oracle')),
    'paper-128': Promise('128 hosts of 8 workers, 1000 disks: p99 to the oracle\'s', '<=', 1.5,
                         ratio('paper-128', 'oracle')),
    'paper-64': Promise('unlike nodes, 64 clients that ask again: p99 to the oracle\'s', '<=', 1.1,
                        ratio('paper-64', 'oracle')),
    'slots-64': Promise('the same with nodes of 2, 4 and 4 slots', '<=', 1.1,
                        ratio('slots-64', 'oracle')),
    'slow-share': Promise('+50 ms on one disk: its share after 50 reads of it', '<=', 0.3,
                          share_after_reads('later-50ms', 20.0, 50)),
    'slow-siblings': Promise('the same: the least share of a disk of the same ip', '>=', 0.9,
                             between('later-50ms', 20.0, 200.0, lambda found, _fair: min(
                                 found.shares[node] for node in SIBLINGS))),
    'hung-stuck': Promise('hung disk: requests of a host stuck on it, at most', '<=', 3,
                          whole('hung-disk', lambda found: found.stuck)),
    'hung-tail': Promise('the same: p99.9 of the other reads, to before', '<=', 1.5,
                         tail_beside_a_hang),
    'hung-node': Promise('one node of three hangs: p99.9 of all reads, to healthy', '<=', 1.5,
                         tail_over_a_moment('hung-node')),
    'slowed-node': Promise('one node of three is 20 times slower: the same', '<=', 1.5,
                           tail_over_a_moment('slowed-node')),
    'repaired': Promise('repaired disk: its share 30 s later', '>=', 0.9,
                        between('repaired-disk', 110.0, 140.0, sick_share)),
    'probes': Promise('the same, while it was 20 times slower: its part of all reads', '<=', 0.01,
                      between('repaired-disk', 30.0, 80.0, sick_part)),
    'cold-start': Promise('nothing known, a disk 20 times slower: its worst second', '<=', 1.2,
                          whole('cold-start', lambda found: found.worst_seconds[SICK])),
    'expiry': Promise('all is forgotten at once, four times: the slow disk\'s worst second', '<=',
                      1.2, whole('expiry-storm', lambda found: found.worst_seconds[SICK])),
    'failing': Promise('disk that fails in 1 ms: its share after 5 s', '<=', 0.05,
                       between('fast-failing-disk', 20.0, 60.0, sick_share)),
    'failing-reads': Promise('the same: reads that failed for the client', '<=', 0,
                             whole('fast-failing-disk', lambda found: found.failed)),
    'homogeneous': Promise('disks all alike: the busiest\'s share', '<=', 1.05,
                           whole('homogeneous', lambda found: found.busiest)),
    'homogeneous-tail': Promise('the same: p99 to shuffle\'s', '<=', 1.0,
                                ratio('homogeneous', 'shuffle')),
    'ec-2+1': Promise('EC 2+1 at 30 % load, one disk 8 times slower: p99 to healthy', '<=', 1.2,
                      ratio('ec-2+1', None, 'ec-2+1-healthy')),
    'ec-4+2': Promise('EC 4+2 at 50 % load, the same', '<=', 1.2,
                      ratio('ec-one-slow', None, 'ec-healthy')),
}


def measured(job):
    """Return the value of one promise for `job`, (its name, the policy, the seed)."""
    name, policy, seed = job
    return PROMISES[name].measure(policy, seed)


NOWHERE_WORSE = Promise('no scenario: p99 to that of the best baseline there', '<=', 1.05, None)
IN_THE_MEAN = Promise('geometric mean of p99 over the scenarios, to the best baseline\'s', '<=',
                      0.75, None)


def compared(directory, policy, seeds, factor):
    """Yield (name, Promise, measured values) of the promises that compare `policy` with others.

    The values are from the `swift-lb sim compare` in `directory`, whose runs have `factor` times a
    scenario's measured seconds. Raises SystemExit if runs are missing, or were made by other code.
    """
    if not Path(directory, FILE).exists():
        raise SystemExit(f'{directory}: holds no {FILE} of swift-lb sim compare')
    baselines = [name for name in POLICIES if name not in {*SHARING, policy}]
    scenarios = [name for name in shipped.names() if factor == FULL[1] or name not in LONG]
    made_from = cache(lambda label, name: fingerprint(label, shipped.text_of(name), factor))
    store = ComparisonStore(directory, lambda step: made_from(step.policy, step.scenario))
    steps = [ComparisonStep(scenario, label, seed, factor)
             for seed in seeds for scenario in scenarios
             for label in (ORACLE, policy, *baselines)]
    results = {(step.scenario, step.policy, step.seed): store.of(step) for step in steps}
    if None in results.values():
        missing = sum(each is None for each in results.values())
        raise SystemExit(f'{directory}: {missing} of {len(steps)} runs are missing, or were made '
                         'by other code: swift-lb sim compare makes them')
    grid = Grid(results, scenarios, [policy, *baselines], seeds)
    best = {name: grid.best(name, P99, (policy,)) for name in scenarios}
    yield 'nowhere-worse', NOWHERE_WORSE, [
        grid.to(best[name], name, policy, P99).median for name in scenarios]
    yield 'in-the-mean', IN_THE_MEAN, [grid.mean_to(ORACLE, policy, P99) / min(
        grid.mean_to(ORACLE, name, P99) for name in baselines)]


def simulated(names, policy, seeds, processes):
    """Yield (name, Promise, its values over the seeds) of each promise in `names`."""
    jobs = [(name, policy, seed) for seed in seeds for name in names]
    with multiprocessing.Pool(processes) as pool:
        values = dict(zip(jobs, pool.map(measured, jobs, 1), strict=True))
    for name in names:
        yield name, PROMISES[name], [values[name, policy, seed] for seed in seeds]


def main():
    """Measure, and print the table; return 1 if a promise does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--seeds', type=int, default=5)
    parser.add_argument('--only', metavar='NAME,...', help='default: all, but for --compared')
    parser.add_argument('--policy', default='adaptive')
    parser.add_argument('--processes', type=int, default=multiprocessing.cpu_count())
    parser.add_argument('--compared', metavar='DIR', help='a comparison to read')
    parser.add_argument('--quick', action='store_true', help='the comparison was made with --quick')
    args = parser.parse_args()
    if args.only and args.compared:
        parser.error('--only: --compared has two promises, and prints both')
    names = args.only.split(',') if args.only else [*PROMISES]
    if unknown := [name for name in names if name not in PROMISES]:
        parser.error(f'--only: no promise {", ".join(unknown)}; there are {", ".join(PROMISES)}')
    seeds = range(1, args.seeds + 1)
    if args.compared:
        factor = (QUICK if args.quick else FULL)[1]
        results = compared(args.compared, args.policy, seeds, factor)
    else:
        results = simulated(names, args.policy, seeds, args.processes)
    table = Table('promise', 'what', 'bound', 'median', 'least', 'most', 'holds', box=None)
    all_hold = True
    for name, promise, values in results:
        all_hold &= promise.holds(values)
        table.add_row(name, promise.what, f'{promise.sign} {promise.bound:g}', *(
            f'{value:.3g}' for value in (statistics.median(values), min(values), max(values))),
            'yes' if promise.holds(values) else 'NO')
    Console(width=120).print(table)
    return 0 if all_hold else 1


if __name__ == '__main__':
    raise SystemExit(main())
