"""A million altered, forged and replayed summaries, observations and lb_from.

    python test/bench/cluster_fuzz.py [--inputs 1000000] [--seed 1]

There must be no exception; none may be accepted that is not exactly what was signed, or for a
second time; and what the agent writes for the dispatchers must be readable. Exits with 1 otherwise.
"""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from support.cluster_fuzz import ClusterFuzz

from swift_lb.clock import monotonic


def main():
    """Make the inputs; print the result and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--inputs', type=int, default=1_000_000)
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    fuzz, begin = ClusterFuzz(options.seed), monotonic()
    fuzz.run(options.inputs)
    seconds = monotonic() - begin
    refused = ', '.join(f'{kind} {count}' for kind, count in fuzz.refused.most_common())
    print(f'{fuzz.asked} inputs in {seconds:.0f} s; refused: {refused}; '
          f'accepted of those signed with the right key: {fuzz.taken}')
    for fault, count in fuzz.faults.items():
        print(f'{count:8d} {fault}')
    for example in fuzz.examples:
        print(*example)
    return int(any(fuzz.faults.values()))


if __name__ == '__main__':
    sys.exit(main())
