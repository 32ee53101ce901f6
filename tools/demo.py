"""Read the same objects from unlike nodes under each of the paper's five policies.

Run by tools/demo. Starts a lab, writes objects, measures what each node can do alone, then lets the
policies take turns, round by round in rotating order, each on freshly started proxies that know
nothing. Prints a table, draws it, and ends what it started.
"""
import argparse
import signal
import sys
import urllib.request
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from swift_lb.clock import monotonic
from swift_lb.console.comparison import Run, draw, table
from swift_lb.errors import SwiftLBError
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec
from swift_lb.workload.closed_loop import Readers
from swift_lb.workload.summary import median_of, summarize

POLICIES = ('shuffle', 'weighted', 'connect_time', 'last_throughput', 'lb_rlt')
OBJECTS, SIZE = 60, 4096    # as in the paper: tiny objects, where the disk's delay is all there is
WARM_UP = 2.0               # seconds of each run not counted
ALONE = 3.0                 # seconds each node is measured alone
SEED = 20160


def arguments():
    """Return the command line."""
    parser = argparse.ArgumentParser(prog='tools/demo', description=__doc__.split('\n\n')[0])
    parser.add_argument('--keep', action='store_true', help='leave the lab up; say how to use it')
    parser.add_argument('--seconds', type=float, default=5.0, help='measured in each run (5)')
    parser.add_argument('--rounds', type=int, default=3, help='runs of each policy (3)')
    parser.add_argument('--workers', type=int, default=16, help='closed-loop readers (16)')
    parser.add_argument('--profile', default='paper', help="the nodes' handicaps (paper)")
    parser.add_argument('--report', type=Path, default=Path('report'), help='folder (report)')
    args = parser.parse_args()
    for name in ('seconds', 'rounds', 'workers'):
        if getattr(args, name) <= 0:
            parser.error(f'--{name} must be more than 0')
    return args


def put(lab, token, path, data=b''):
    """PUT one container or object through the first proxy."""
    urllib.request.urlopen(urllib.request.Request(
        f'{lab.storage_url()}/{path}', data, {'X-Auth-Token': token} if token else {},
        method='PUT'), timeout=30).close()


def write_objects(lab, token):
    """Write the objects while the nodes are still unhindered; return their paths."""
    put(lab, token, 'demo')
    objects = [f'demo/{number}' for number in range(OBJECTS)]
    for path in objects:
        put(lab, token, path, path.encode().ljust(SIZE, b'.'))
    return objects


def capacity_alone(lab, objects, token, workers):
    """Return {node: reads per second it answers alone}, read through the proxies.

    The same objects by the same readers, every other node at weight 0 (Piorkowski et al., "Load
    Balancing for Heterogeneous Web Servers", Table 2: MAX is the sum of the servers' own).
    """
    found, ips = {}, {node: lab.node_address(node)[0] for node in range(1, lab.spec.nodes + 1)}
    for node in ips:
        others = ', '.join(f'{ip}=0' for other, ip in ips.items() if other != node)
        lab.restart_proxies({'lb_policy': 'weighted', 'lb_weights': others})
        begin = monotonic()
        samples = Readers([lab.storage_url()], objects, workers, SEED, token).run(1 + ALONE)
        found[node] = summarize(samples, begin + 1, begin + 1 + ALONE).throughput
    return found


def served_by_node(lab):
    """Return {node: requests its devices have served}, as the nodes themselves count."""
    totals = {}
    for (node, _device), counts in lab.served().items():
        totals[node] = totals.get(node, 0) + counts['served']
    return totals


def run_policy(lab, policy, objects, token, args, seed):
    """Restart the proxies with `policy` and measure one run."""
    slowest = min(lab.nodes.capacity(), key=lab.nodes.capacity().get)
    lab.restart_proxies({'lb_policy': policy,  # LB-RW: the paper's weights leave the slow node out
                         'lb_weights': f'{lab.node_address(slowest)[0]}=0'})
    readers = Readers([lab.storage_url()], objects, args.workers, seed, token)
    before, begin = served_by_node(lab), monotonic()
    samples = readers.run(WARM_UP + args.seconds)
    after = served_by_node(lab)
    return Run(policy, summarize(samples, begin + WARM_UP, begin + WARM_UP + args.seconds),
               {node: after[node] - before.get(node, 0) for node in after})


def compare(lab, args, progress):
    """Return (the capacity of each node alone, {policy: its median Run})."""
    task = progress.add_task('writing objects', total=1 + args.rounds * len(POLICIES))
    token = lab.token()
    objects = write_objects(lab, token)
    lab.handicap(profile=args.profile)
    progress.update(task, description='each node alone')
    alone = capacity_alone(lab, objects, token, args.workers)
    progress.advance(task)
    runs = {policy: [] for policy in POLICIES}
    for turn in range(args.rounds):
        shift = turn % len(POLICIES)
        for policy in POLICIES[shift:] + POLICIES[:shift]:
            progress.update(task, description=f'round {turn + 1} of {args.rounds}: {policy}')
            runs[policy].append(run_policy(lab, policy, objects, token, args, SEED + turn))
            progress.advance(task)
    progress.update(task, description='done')
    return alone, {policy: middle(found) for policy, found in runs.items()}


def middle(runs):
    """Return the Run whose every figure is the median of `runs`; of the reads, the sum."""
    reads = {node: sum(run.reads[node] for run in runs) for node in runs[0].reads}
    return Run(runs[0].policy, median_of([run.summary for run in runs]), reads)


def how_to_use(lab):
    """Return the lines that say how to use a lab that is left up."""
    token = lab.token()
    header = f' -H "X-Auth-Token: {token}"' if token else ''
    client = (f'swift -A {lab.endpoint}/auth/v1.0 -U test:tester -K testing' if token else
              f'swift --os-storage-url {lab.storage_url()} --os-auth-token none')
    name = lab.spec.name
    return '\n'.join((
        f'The lab is up: {lab.storage_url()}',
        f'  curl{header} {lab.storage_url()}/demo/0',
        f'  .venv/bin/{client} stat demo',
        f'  .venv/bin/swift-lb top --url {lab.endpoint}',
        f'  .venv/bin/swift-lb why AUTH_test/demo/0 --url {lab.endpoint}',
        f'  .venv/bin/swift-lb lab set --name {name} node=1 device=sd0 slots=1 mean=200ms',
        f'  logs: {lab.log("proxy-1").parent}',
        f'  .venv/bin/swift-lb lab down --name {name}'))


def main():
    """Show it; return the exit status."""
    args, console = arguments(), Console()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ended like Ctrl-C: clean up
    lab = None
    try:
        with Progress(TextColumn('{task.description:<32}'), BarColumn(), TimeRemainingColumn(),
                      console=console) as progress:
            progress.add_task('starting a real Swift', total=None)
            lab = Lab.up(LabSpec(name='demo', workers=2))
            progress.remove_task(progress.task_ids[0])
            alone, runs = compare(lab, args, progress)
        console.print(table(runs, alone))
        picture = draw(runs, alone, args.report / 'policies.png')
        console.print(f'{args.rounds} rounds of {args.seconds:g} s each, {args.workers} readers of '
                      f'{SIZE} byte objects; medians. Drawn in {picture}', soft_wrap=True)
        if args.keep:
            console.print(how_to_use(lab), soft_wrap=True, highlight=False)
            lab = None
        return 0
    except SwiftLBError as err:  # a lab of an earlier --keep is still up, say
        console.print(f'tools/demo: {err}', soft_wrap=True, highlight=False)
        return 1
    except KeyboardInterrupt:
        console.print('\nstopped')
        return 130
    finally:
        if lab is not None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not stop this
            lab.down()


if __name__ == '__main__':
    sys.exit(main())
