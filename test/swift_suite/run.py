#!/usr/bin/env python3
"""Run Swift's own tests on Swift's proxy and on swift-lb's, and compare them test by test.

In a `delegated` run swift-lb's dispatcher delegates every request to a peer.

Exit code: 0 no test's outcome differs; 1 one does, or too few tests passed to prove anything;
2 the comparison could not start, and the line printed says why.
"""

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # as pytest has it: test/

from swift_suite import compare, delegation, outcomes, place, session, source
from swift_suite.place import CannotRunError

TEST_FILE = 'test/functional/tests.py::TestFile'
TEST_OBJECT = 'test/functional/test_object.py'
UNIT = 'test/unit/proxy'
MAX_SHOWN = 20  # complaints


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group()
    more = f'{TEST_OBJECT} as well as {TEST_FILE}, and EC delegated'
    what.add_argument('--all', action='store_true', help=more)
    what.add_argument('--unit', action='store_true', help=f'{UNIT} instead, our class in it')
    parser.add_argument('--app', default='egg:swift-lb#proxy', help='default: %(default)s')
    parser.add_argument('--jobs', type=int, choices=range(1, 7), default=3, help='runs at a time')
    parser.add_argument('--source', type=Path, help='a checkout of Swift to take the tests from')
    return parser.parse_args(argv)


def plan(options):
    """Return the SuiteRuns; those of Swift's app come before those compared with them."""
    tests = (TEST_FILE, TEST_OBJECT) if options.all else (TEST_FILE,)
    kinds = {'unit': (UNIT,)} if options.unit else {'replicated': tests, 'ec': tests}
    delegated = () if options.unit else ('replicated', 'ec') if options.all else ('replicated',)
    return [run for kind in kinds for run in runs(options, kind, kinds[kind], kind in delegated)]


def runs(options, kind, tests, delegated):
    """Return the SuiteRuns of `tests` on one kind of storage: of Swift's app, then of ours."""
    apps = {'swift': session.SWIFTS_EGG, 'lb': options.app}
    if delegated:
        apps[delegation.APP] = options.app
    return [session.SuiteRun(app, kind, egg, tests) for app, egg in apps.items()]


def pairs(results):
    """Yield (Result of Swift's app, Result of ours), of one kind, for each Result of ours."""
    theirs = {result.run.kind: result for result in results if result.run.app == 'swift'}
    for result in results:
        if result.run.app != 'swift':
            yield theirs[result.run.kind], result


def show(results):
    """Print a table with a line for each run."""
    form = '{:<22}{:>7}{:>8}{:>9}{:>9}  {}'
    print(form.format('run', 'passed', 'failed', 'skipped', 'seconds', 'application'))
    for result in results:
        report = result.report
        seconds, served = round(result.seconds), ', '.join(sorted(report.applications)) or 'none'
        print(form.format(str(result.run), *outcomes.count(report.tests), seconds, served))


def keep(results):
    """Write pytest's output of each run beside Swift's tests, and print where."""
    for result in results:
        log = source.cache() / f'{result.run.app}-{result.run.kind}.log'
        log.write_text(result.output)
    print(f"pytest's output: {source.cache()}/*.log")


def tell(verdicts):
    """Print the texts of the Verdicts; return (number of complaints, number of notes)."""
    notes = [note for verdict in verdicts for note in verdict.notes]
    for note in notes:
        print(f'not counted: {note}')
    complaints = [complaint for verdict in verdicts for complaint in verdict.complaints]
    for complaint in complaints[:MAX_SHOWN]:
        print(f'DIFFERENT: {complaint}')
    if len(complaints) > MAX_SHOWN:
        print(f'and {len(complaints) - MAX_SHOWN} more')
    return len(complaints), len(notes)


def run(options):
    """Make and compare all runs; return (number of complaints, number of notes)."""
    place.check_installed(options.app)
    root = place.scratch_root()
    tree = source.checkout(options.source) if options.source else source.fetch()
    print(f'tests of {tree.name}, in {root}, {options.jobs} runs at a time', flush=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda each: session.execute(each, tree, root), plan(options)))
    show(results)
    keep(results)

    def again(result, tests):  # one at a time: the machine is quiet now
        return session.execute(replace(result.run, tests=tests), tree, root).report

    return tell([compare.judge(*pair, again) for pair in pairs(results)])


def main(argv=None):
    options, begin = arguments(argv), time.monotonic()
    try:
        counted, others = run(options)
    except CannotRunError as reason:
        print(f'cannot run: {reason}')
        return 2
    verdict = "not as Swift's own" if counted else "as Swift's own, test by test"
    aside = f' but for {others} not counted' if others else ''
    print(f'{options.app}: {verdict}{aside}; {time.monotonic() - begin:.0f} s')
    return 1 if counted else 0


if __name__ == '__main__':
    sys.exit(main())
