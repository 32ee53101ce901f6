"""A million malformed queries to the servers of the zone.

    python test/bench/dns_fuzz.py [--queries 1000000] [--seed 1]

There must be no exception, no answer to an answer, no answer that is longer than the client allows,
none that dnspython cannot read and none that does not belong to its query. Exits with 1 if there
is one.
"""
import argparse
import sys
import warnings
from pathlib import Path

warnings.simplefilter('ignore')
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from support.dns_fuzz import Fuzz  # noqa: E402

from swift_lb.clock import monotonic  # noqa: E402


def main():
    """Send the queries; print the result and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--queries', type=int, default=1_000_000)
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    fuzz, begin = Fuzz(options.seed), monotonic()
    fuzz.run(options.queries)
    seconds = monotonic() - begin
    print(f'{fuzz.asked} queries, {fuzz.answered} answered: '
          f'{fuzz.asked / seconds:.0f} queries/s, made and checked')
    print(', '.join(f'{rcode} {count}' for rcode, count in fuzz.rcodes.most_common()))
    for fault, count in fuzz.faults.items():
        print(f'{count:8d} {fault}')
    for example in fuzz.examples:
        print(*example)
    return 1 if any(fuzz.faults.values()) else 0


if __name__ == '__main__':
    sys.exit(main())
