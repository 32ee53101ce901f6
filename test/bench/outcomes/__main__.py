"""What `adaptive` promises, measured on a real Swift; see doc/outcomes.md.

    python test/bench/outcomes [CLAIM ...] [--repeats 3]
    python test/bench/outcomes --list
"""
import argparse
import os
import signal
import sys
import warnings
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import NamedTuple

warnings.simplefilter('ignore')
sys.path[0] = str(Path(__file__).resolve().parents[2])

from bench.outcomes import disk_claims, disks, order, paper  # noqa: E402
from bench.outcomes.outcome import kept, table  # noqa: E402

from swift_lb.clock import monotonic  # noqa: E402
from swift_lb.errors import SwiftLBError  # noqa: E402


class Claim(NamedTuple):
    """A promise: what measures it, on which lab, and in how many seconds a repeat."""

    promise: str
    measure: object     # (lab, repeats, say) -> [Outcome]
    lab: str
    seconds: int


def disk(name, promise, seconds):
    """Return the Claim of disk_claims called `name`."""
    return Claim(promise, lambda lab, repeats, say: disk_claims.measured(lab, name, repeats, say),
                 'disks', seconds)


def clients(number):
    """Return what measures `number` clients on the paper's nodes."""
    return lambda lab, repeats, say: paper.clients(lab, number, repeats, say)


LABS = {'nodes': paper.nodes, 'disks': disks.disks, 'none': lambda _name: nullcontext()}
CLAIMS = {
    'paper-16': Claim("16 clients, the paper's nodes: p99 of a profile made by hand",
                      clients(16), 'nodes', 90),
    'paper-64': Claim('64 clients: all the nodes can do, 0.7 of its p99',
                      clients(64), 'nodes', 120),
    'even': Claim("equal nodes: plain Swift's throughput", paper.even, 'nodes', 45),
    'slow-disk': disk('slow-disk', 'a disk 50 ms slower is left alone, its siblings are not', 25),
    'hung-disk': disk('hung-disk', 'a disk that hangs holds three reads up', 45),
    'failing-disk': disk('failing-disk', 'a disk that fails fast attracts nothing', 22),
    'repaired-disk': disk('repaired-disk', 'a disk that is mended is used again', 50),
    'cold-start': disk('cold-start', 'a slow node nobody knows yet gets no more than others', 14),
    'ec': disk('ec', 'one slow disk is not seen in reads of 2 of 3 fragments', 42),
    'order': Claim('an order costs next to nothing', order.orders, 'none', 2),
}


def arguments():
    """Return the command line."""
    parser = argparse.ArgumentParser(prog='outcomes', description=__doc__.split('\n\n')[0])
    parser.add_argument('claims', nargs='*', metavar='CLAIM', help='default: all of them')
    parser.add_argument('--repeats', type=int, default=3, help='of every run (%(default)s)')
    parser.add_argument('--list', action='store_true', help='say what the claims are')
    found = parser.parse_args()
    if unknown := [name for name in found.claims if name not in CLAIMS]:
        parser.error(f'unknown: {", ".join(unknown)}; there are {", ".join(CLAIMS)}')
    if found.repeats < 1:
        parser.error(f'--repeats {found.repeats}: must be at least 1')
    return found


def main():
    """Print the table; return 0 if all that was measured holds."""
    args = arguments()
    chosen = {name: CLAIMS[name] for name in args.claims or CLAIMS}
    if args.list:
        for name, claim in chosen.items():
            print(f'{name:<14} {claim.promise} ({claim.seconds} s a repeat)')
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)   # the labs are taken down
    found = {}
    try:
        for lab in LABS:
            measure(lab, {name: claim for name, claim in chosen.items() if claim.lab == lab},
                    args.repeats, found)
    finally:
        print('\n'.join(table({name: found[name] for name in chosen if name in found})))
    return int(not kept(found))


def measure(lab, claims, repeats, found):
    """Measure `claims` on a lab of their own, and add their Outcomes to `found`."""
    if not claims:
        return
    with LABS[lab](f'outcomes-{lab}-{os.getpid()}') as subject:
        for name, claim in claims.items():
            begun = monotonic()
            try:
                found[name] = claim.measure(subject, repeats, partial(say, name))
            except (SwiftLBError, OSError) as err:
                found[name] = f'not measured: {err}'
            say(name, f'took {monotonic() - begun:.0f} s')


def say(name, text):
    """Tell who waits how it goes, on stderr."""
    print(f'{name}: {text}', file=sys.stderr, flush=True)


if __name__ == '__main__':
    sys.exit(main())
