"""Measure the throughput of a saturated proxy with swift-lb against plain Swift in the same lab.

    python test/bench/throughput.py [--blocks 3] [--seconds 5]

Two comparisons, each of interleaved ABBA blocks on one lab, every run on freshly started proxies:
with the nodes as the bottleneck (profile even), where throughput must stay the same, and without a
handicap, where the processor is the bottleneck and the cost shows. Ours runs `shuffle`, Swift's own
choice, so that the ratio is the cost of measuring and ordering and not the merit of a policy.
"""
import argparse
import math
import os
import statistics
import sys
import warnings

warnings.simplefilter('ignore')

from swift_lb.errors import EvaluationError  # noqa: E402
from swift_lb.evaluation import options  # noqa: E402
from swift_lb.evaluation.campaign import attempt, started  # noqa: E402
from swift_lb.evaluation.plan import EvaluationStep  # noqa: E402
from swift_lb.evaluation.subject import LabSubject  # noqa: E402
from swift_lb.lab.lab import Lab  # noqa: E402

PLAIN = 'swift:shuffle'
LAB, PORT = f'bench-{os.getpid()}', 8080


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--blocks', type=int, default=3, help='ABBA blocks of each comparison')
    parser.add_argument('--seconds', type=int, default=5, help='measured in each run')
    parser.add_argument('--policy', default='shuffle', help="ours (shuffle, Swift's own choice)")
    return parser.parse_args()


def plan_of(args):
    """Return the Plan that `swift-lb bench evaluate` would make for both policies and `args`."""
    parser = argparse.ArgumentParser()
    options.add_arguments(parser)
    return options.plan_of(parser.parse_args([
        f'--policies={args.policy},{PLAIN}', '--workers=12', '--sizes=4KB', '--proxy-workers=2',
        f'--seconds={args.seconds}', '--read=100', '--objects=60', '--profile=even']))


def rate(subject, plan, label):
    """Return the reads per second of one run of `label` on freshly started proxies."""
    step = EvaluationStep(label, plan.proxy_workers[0], *plan.sizes, *plan.workers, 1)
    run = attempt(subject, plan, step)
    if run.fault or run.ops['read'].failures:
        raise EvaluationError(f'{label}: {run.fault or run.ops["read"].reasons}')
    return run.ops['read'].throughput


def abba(subject, plan, blocks):
    """Return (median rate of our policy, of Swift's, [ratio of each ABBA block]), in reads/s."""
    ours, _plain = plan.policies
    rates, ratios = {label: [] for label in plan.policies}, []
    for _ in range(blocks):
        block = {label: [] for label in plan.policies}
        for label in (ours, PLAIN, PLAIN, ours):
            block[label].append(rate(subject, plan, label))
        ratios.append(math.fsum(block[ours]) / math.fsum(block[PLAIN]))
        for label, values in block.items():
            rates[label] += values
    return statistics.median(rates[ours]), statistics.median(rates[PLAIN]), ratios


def main():
    """Print the two comparisons; exit 1 if a ratio on the `even` lab is below 0.98."""
    args, medians = arguments(), {}
    plan = plan_of(args)
    subject = LabSubject(plan, LAB, PORT)
    with started(subject):
        print(f'{"bottleneck":<12} {"swift-lb/s":>10} {"swift/s":>10} {"ratio":>7}   of each block')
        for name in ('the nodes', 'processor'):
            if name == 'processor':
                Lab.find(LAB).handicap(clear=True)
            ours, plain, ratios = abba(subject, plan, args.blocks)
            medians[name] = statistics.median(ratios)
            print(f'{name:<12} {ours:>10.1f} {plain:>10.1f} {medians[name]:>7.3f}   '
                  + ' '.join(f'{ratio:.3f}' for ratio in ratios), flush=True)
    return int(medians['the nodes'] < 0.98)


if __name__ == '__main__':
    sys.exit(main())
