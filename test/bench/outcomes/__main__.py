"""What `adaptive` promises, measured on a real Swift; see doc/outcomes.md.

    python test/bench/outcomes [CLAIM ...] [--repeats 3]
    python test/bench/outcomes --list
"""
import argparse
import os
import signal
import sys
import warnings
from functools import partial
from pathlib import Path

warnings.simplefilter('ignore')
sys.path[0] = str(Path(__file__).resolve().parents[2])

from bench.outcomes.claims import CLAIMS, LABS  # noqa: E402
from bench.outcomes.outcome import kept, table  # noqa: E402

from swift_lb.clock import monotonic  # noqa: E402
from swift_lb.errors import SwiftLBError  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(prog='outcomes', description=__doc__.split('\n\n')[0])
    parser.add_argument('claims', nargs='*', metavar='CLAIM', help='default: all of them')
    parser.add_argument('--repeats', type=int, default=3, help='of every run (%(default)s)')
    parser.add_argument('--list', action='store_true', help='say what the claims are')
    result = parser.parse_args()
    if unknown := [name for name in result.claims if name not in CLAIMS]:
        parser.error(f'unknown: {", ".join(unknown)}; there are {", ".join(CLAIMS)}')
    if result.repeats < 1:
        parser.error(f'--repeats {result.repeats}: must be at least 1')
    return result


def main():
    """Print the table; return 0 if everything was measured and holds."""
    args = arguments()
    chosen = {name: CLAIMS[name] for name in args.claims or CLAIMS}
    if args.list:
        for name, claim in chosen.items():
            print(f'{name:<14} {claim.promise}; {claim.seconds} s a repeat')
        return 0
    signal.signal(signal.SIGTERM, end)      # the labs are taken down
    results = {}
    try:
        for lab in LABS:
            measure(lab, {name: claim for name, claim in chosen.items() if claim.lab == lab},
                    args.repeats, results)
    except (KeyboardInterrupt, SystemExit):
        say('outcomes', 'stopped; this is what there is')
        return 130
    finally:
        print('\n'.join(table({name: results[name] for name in chosen if name in results})))
    return int(not kept(results))


def end(_number, _frame):
    """Raise SystemExit; Python ends by SIGINT if a KeyboardInterrupt has come while it execs text.

    Named tuples are made so, while modules are imported.
    """
    raise SystemExit(130)


def measure(lab, claims, repeats, result):
    """Measure `claims`, {name: Claim}, on the lab called `lab` in LABS.

    Add {name: [ClaimFigure], or the reason why there are none} to `result`."""
    if not claims:
        return
    with LABS[lab](f'outcomes-{lab}-{os.getpid()}') as subject:
        for name, claim in claims.items():
            begun = monotonic()
            try:
                result[name] = claim.measure(subject, repeats=repeats, say=partial(say, name))
            except (SwiftLBError, OSError) as err:
                result[name] = f'not measured: {err}'
            say(name, f'took {monotonic() - begun:.0f} s; '
                      f'load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores')


def say(name, text):
    print(f'{name}: {text}', file=sys.stderr, flush=True)


if __name__ == '__main__':
    sys.exit(main())
