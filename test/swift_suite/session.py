"""One run of Swift's tests, in a process of its own: pytest on Swift's tree, Swift in-process."""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from swift_suite import delegation, outcomes, place
from swift_suite.place import CannotRunError

HERE = Path(__file__).parent
SWIFTS_EGG = 'egg:swift#proxy'
RUN_SECONDS = 900  # a functional run takes one minute, the unit tests four
TEST_SECONDS = 120  # after which pytest prints where a test hangs


@dataclass(frozen=True)
class SuiteRun:
    """What to run: an application, a kind of storage, and tests."""

    app: str  # "swift"; "lb"; or "delegated", which is lb with each request through a peer
    kind: str  # "replicated", "ec" or "unit"
    egg: str
    tests: tuple

    def __str__(self):
        return f'{self.app}/{self.kind}'


@dataclass
class Result:
    """The result of a SuiteRun."""

    run: SuiteRun
    report: outcomes.JunitReport
    seconds: float
    output: str  # pytest's


def execute(run, tree, root):
    """Run the tests of the SuiteRun `run`; return the Result.

    `tree` is Swift's source, `root` a directory for scratch files. The JunitReport is empty if
    pytest could not start.
    """
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(
        dir=root, prefix='swift-suite-', ignore_cleanup_errors=True
    ) as scratch:
        scratch = Path(scratch)
        write_conf(run, tree, scratch)
        junit = scratch / 'junit.xml'
        output = _pytest(run, tree, scratch, junit)
        report = outcomes.read(junit) if junit.exists() else outcomes.JunitReport()
    return Result(run, report, time.monotonic() - begin, output)


def write_conf(run, tree, where):
    """Write Swift's sample proxy conf, with the application of `run`, to the folder `where`.

    Ours keeps its book in `where`, and not in /dev/shm, where it would outlive the run. For a
    delegated run the dispatcher is added.
    """
    sample = (tree / 'etc/proxy-server.conf-sample').read_text()
    ours, line = f'\nuse = {run.egg}\n', f'\nuse = {SWIFTS_EGG}\n'
    if sample.count(line) != 1:
        raise CannotRunError(f"Swift's sample conf does not say {line.strip()!r} exactly once")
    if run.egg != SWIFTS_EGG:
        ours += f'lb_book = {where}/proxy.book\n'
    conf = sample.replace(line, ours)
    if run.app == delegation.APP:
        conf = delegation.delegating(conf, where)
    (where / 'proxy-server.conf').write_text(conf)


def _pytest(run, tree, scratch, junit):
    """Run pytest in `tree` and return its output, text; after RUN_SECONDS it is killed."""
    command = [sys.executable, '-m', 'pytest', '-q', '-c', os.devnull, f'--rootdir={tree}']
    quiet = ['-p', 'no:cacheprovider', '--tb=short']
    errors = ['--show-capture=log', '--log-level=ERROR']    # those of Swift's servers
    ours = ['-p', 'swift_suite_plugin', f'--junitxml={junit}', '-o', 'junit_family=xunit1']
    hung = ['-o', f'faulthandler_timeout={TEST_SECONDS}']
    try:
        done = subprocess.run(
            [*command, *quiet, *errors, *ours, *hung, *run.tests],
            cwd=tree,
            env=_environment(run, tree, scratch),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors='replace',
            timeout=RUN_SECONDS,
        )
    except subprocess.TimeoutExpired as late:
        return f'{(late.stdout or b"").decode(errors="replace")}\nended after {RUN_SECONDS} s'
    return done.stdout


def _environment(run, tree, scratch):
    """Return the environment: Swift's `test` package before any other, our plug-in after it."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(('PYTEST_', 'SWIFT_'))}
    chosen = {
        'TMPDIR': str(scratch),
        'PYTHONPATH': os.pathsep.join(map(str, (tree, HERE, HERE.parent))),
        'PYTHONWARNINGS': 'ignore',
        'PYTEST_DISABLE_PLUGIN_AUTOLOAD': '1',
        'SWIFT_TEST_IN_PROCESS': '1',
        'SWIFT_TEST_IN_PROCESS_CONF_DIR': str(scratch),
    }
    if run.kind == 'ec':
        chosen['SWIFT_TEST_IN_PROCESS_CONF_LOADER'] = 'ec'
    if run.kind == 'unit' and run.egg != SWIFTS_EGG:
        chosen['SWIFT_SUITE_SUBSTITUTE'] = place.factory(run.egg).module
    if run.app == delegation.APP:
        chosen[delegation.VARIABLE] = str(delegation.instruction(scratch))
    return kept | chosen
