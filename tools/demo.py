"""Read the same objects from unlike nodes under Swift's own ways, the paper's five, and `adaptive`.

Run by tools/demo. A small evaluation with a table of its own: starts a lab, writes objects,
measures what each node can do alone, then lets the policies take turns, round by round in rotating
order, each on freshly started proxies that know nothing. Prints, draws, ends what it started.
"""
import argparse
import signal
import sys
from pathlib import Path

from rich.console import Console

from swift_lb.console.comparison import PAPER, Run, draw, table
from swift_lb.errors import EvaluationError, SwiftLBError
from swift_lb.evaluation import options
from swift_lb.evaluation.campaign import attempt
from swift_lb.evaluation.design import steps
from swift_lb.evaluation.plan import MINIMAL
from swift_lb.evaluation.progress import EvaluationProgress, label_of
from swift_lb.evaluation.results import RepeatedRuns
from swift_lb.evaluation.subject import LabSubject
from swift_lb.evaluation.workloads import container_name
from swift_lb.lab.lab import Lab

LAB, PORT = 'demo', 8080
SIZE = '4KB'         # as in the paper: tiny objects, where the disk's delay is all there is
LEAST_SECONDS = 2    # which node answered is asked once a second
POLICIES = ('swift:shuffle', 'swift:timing', 'swift:affinity', *PAPER, 'adaptive')


def arguments():
    """Return the command line."""
    parser = argparse.ArgumentParser(prog='tools/demo', description=__doc__.split('\n\n')[0])
    parser.add_argument('--keep', action='store_true', help='leave the lab up; say how to use it')
    parser.add_argument('--seconds', type=int, default=5, help='measured in each run (5)')
    parser.add_argument('--rounds', type=int, default=3, help='runs of each policy (3)')
    parser.add_argument('--workers', type=int, default=16, help='closed-loop readers (16)')
    parser.add_argument('--profile', default='paper', help="the nodes' handicaps (paper)")
    parser.add_argument('--report', type=Path, default=Path('report'), help='folder (report)')
    args = parser.parse_args()
    for name, least in (('seconds', LEAST_SECONDS), ('rounds', 1), ('workers', 1)):
        if getattr(args, name) < least:
            parser.error(f'--{name} must be at least {least}')
    return args


def plan_of(args):
    """Return the Plan, as `swift-lb bench evaluate` makes it of these words."""
    parser = argparse.ArgumentParser()
    options.add_arguments(parser)
    return options.plan_of(parser.parse_args([
        f'--policies={",".join(POLICIES)}', f'--workers={args.workers}', f'--sizes={SIZE}',
        '--proxy-workers=2', f'--repeats={args.rounds}', f'--seconds={args.seconds}',
        '--ramp-up=2', '--read=100', '--objects=60', f'--profile={args.profile}']))


def make(subject, plan, console):
    """Make all runs; return (requests/s of each node alone, {policy: its Run})."""
    alone, runs = {}, {policy: [] for policy in plan.policies}
    every = [step for step in steps(plan) if not (step.node and step.workers == MINIMAL)]
    with EvaluationProgress(console, plan, every, every) as shown:
        subject.start()
        for number, step in enumerate(every, 1):
            shown.begin(step, number)
            run = attempt(subject, plan, step)
            read = run.ops.get('read')
            if not (read and read.count and read.ended):
                raise EvaluationError(f'{label_of(step)}: {run.fault or "no read succeeded"}')
            if step.node:
                alone[step.node] = read.throughput
            else:
                runs[step.policy].append(run)
            shown.end(run)
    return alone, {policy: run_of(RepeatedRuns(found)) for policy, found in runs.items()}


def run_of(point):
    """Return the Run of the RepeatedRuns of all rounds."""
    return Run(point.throughput().median, point.response_time().median, point.percentile(50),
               point.percentile(99), point.success_ratio(), point.shares())


def how_to_use(lab):
    """Return the lines that say how to use a lab that is left up."""
    token = lab.token()
    header = f' -H "X-Auth-Token: {token}"' if token else ''
    client = (f'swift -A {lab.endpoint}/auth/v1.0 -U test:tester -K testing' if token else
              f'swift --os-storage-url {lab.storage_url()} --os-auth-token none')
    container = container_name(SIZE)
    return '\n'.join((
        f'The lab is up: {lab.storage_url()}',
        f'  curl{header} {lab.storage_url()}/{container}/myobjects1',
        f'  .venv/bin/{client} stat {container}',
        f'  .venv/bin/swift-lb top --url {lab.endpoint}',
        f'  .venv/bin/swift-lb why AUTH_test/{container}/myobjects1 --url {lab.endpoint}',
        f'  .venv/bin/swift-lb lab set --name {LAB} node=1 device=sd0 slots=1 mean=200ms',
        f'  logs: {lab.log("proxy-1").parent}',
        f'  .venv/bin/swift-lb lab down --name {LAB}'))


def main():
    """Show it; return the exit status."""
    args, console, subject = arguments(), Console(), None
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ended like Ctrl-C: clean up
    try:
        plan = plan_of(args)
        subject = LabSubject(plan, LAB, PORT)
        alone, runs = make(subject, plan, console)
        console.print(table(runs, alone))
        picture = draw(runs, alone, args.report / 'policies.png')
        console.print(f'{args.rounds} rounds of {args.seconds} s each, {args.workers} readers of '
                      f'{SIZE} objects; medians. Drawn in {picture}', soft_wrap=True)
        if args.keep:
            console.print(how_to_use(Lab.find(LAB)), soft_wrap=True, highlight=False)
            subject = None
        return 0
    except SwiftLBError as err:  # a lab of an earlier --keep is still up, say
        console.print(f'tools/demo: {err}', soft_wrap=True, highlight=False)
        return 1
    except KeyboardInterrupt:
        console.print('\nstopped')
        return 130
    finally:
        if subject is not None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not stop this
            subject.stop()


if __name__ == '__main__':
    sys.exit(main())
