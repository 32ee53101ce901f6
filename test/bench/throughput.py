"""What swift-lb costs a whole proxy at saturation, against plain Swift in the same lab.

    python test/bench/throughput.py [--blocks 3] [--seconds 5]

Two comparisons, each of interleaved ABBA blocks on one lab, every run on freshly started proxies:
the nodes the bottleneck (profile even), where nothing may be lost, and no handicap, where the
processor is the bottleneck and the cost shows. Ours runs `shuffle`, Swift's own choice, so that the
ratio is the cost of measuring and ordering and not the merit of a policy.
"""
import argparse
import math
import os
import statistics
import sys
import warnings
from pathlib import Path

warnings.simplefilter('ignore')
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from support.cluster import Cluster  # noqa: E402

from swift_lb.clock import monotonic  # noqa: E402
from swift_lb.lab.lab import Lab  # noqa: E402
from swift_lb.lab.spec import LabSpec  # noqa: E402
from swift_lb.workload.closed_loop import Readers  # noqa: E402
from swift_lb.workload.summary import summarize  # noqa: E402

OURS, PLAIN = 'egg:swift-lb#proxy', 'egg:swift#proxy'
OBJECTS, READERS, WARM_UP = 60, 12, 1.5


def run(lab, app, options, objects, seconds):
    """Return the reads per second of one run of `app` on freshly started proxies."""
    lab.restart_proxies(options if app == OURS else {}, app=app)
    readers = Readers([lab.storage_url()], objects, READERS, 1, lab.token())
    begin = monotonic() + WARM_UP
    return summarize(readers.run(WARM_UP + seconds), begin, begin + seconds).throughput


def abba(lab, options, objects, blocks, seconds):
    """Return (median of ours, median of Swift's, the ratio of each block) of ABBA blocks."""
    rates, ratios = {OURS: [], PLAIN: []}, []
    for _ in range(blocks):
        block = {OURS: [], PLAIN: []}
        for app in (OURS, PLAIN, PLAIN, OURS):
            block[app].append(run(lab, app, options, objects, seconds))
        ratios.append(math.fsum(block[OURS]) / math.fsum(block[PLAIN]))
        for app, found in block.items():
            rates[app] += found
    return statistics.median(rates[OURS]), statistics.median(rates[PLAIN]), ratios


def main():
    """Print the two comparisons; exit 1 if a ratio on the `even` lab is below 0.98."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--blocks', type=int, default=3, help='ABBA blocks of each comparison')
    parser.add_argument('--seconds', type=float, default=5.0, help='measured in each run')
    parser.add_argument('--policy', default='shuffle', help="ours (shuffle, Swift's own choice)")
    args = parser.parse_args()
    options = {'lb_policy': args.policy}
    found = {}
    with Lab.up(LabSpec(name=f'bench-{os.getpid()}', workers=2, log_level='WARNING')) as lab:
        cluster = Cluster(lab)
        cluster.put('/c')
        objects = [f'c/{number}' for number in range(OBJECTS)]
        for path in objects:
            cluster.put(f'/{path}', b'x' * 4096)
        print(f'{"bottleneck":<12} {"swift-lb/s":>10} {"swift/s":>10} {"ratio":>7}   of each block')
        for name, profile in (('the nodes', 'even'), ('processor', None)):
            lab.handicap(**({'profile': profile} if profile else {'clear': True}))
            ours, plain, ratios = abba(lab, options, objects, args.blocks, args.seconds)
            found[name] = statistics.median(ratios)
            print(f'{name:<12} {ours:>10.1f} {plain:>10.1f} {found[name]:>7.3f}   '
                  + ' '.join(f'{ratio:.3f}' for ratio in ratios), flush=True)
    return int(found['the nodes'] < 0.98)


if __name__ == '__main__':
    sys.exit(main())
