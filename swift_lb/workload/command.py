"""The command `swift-lb bench run FILE.xml`: it runs a COSBench workload and writes the results."""
import importlib.util
import os
import platform
import shlex
import signal
import sys
import threading
from dataclasses import replace
from importlib.metadata import version

from rich.console import Console

from swift_lb.errors import ArchiveError, ConfigError
from swift_lb.wire.cosbench.model import Access
from swift_lb.workload import controller
from swift_lb.workload.archive import Archive
from swift_lb.workload.check_command import examined, located
from swift_lb.workload.client import ServerUrl
from swift_lb.workload.drivers import MAX_DRIVERS
from swift_lb.workload.failure import OperationError
from swift_lb.workload.progress import Live, summary_table
from swift_lb.workload.report import write_report

SUMMARY_WIDTH = 80   # columns; a narrower terminal wraps the lines


def run(args):
    """Run the workload of the file and write its results.

    Return 0 if it finished, 1 if it failed or was terminated.
    """
    check(args)
    workload = load(args)
    archive = Archive(args.archive)
    archive.check()
    name, stop, console = archive.next_id(), threading.Event(), QuietConsole()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP
            signal.signal(number, lambda *_signal: stop.set())
    with Live(workload, name, console) as live:
        result = controller.run(workload, endpoints=args.endpoint, watch=live, stop=stop,
                               processes=args.processes, seed=args.seed)
    result.id, result.command = name, command_line(args.token)
    result.versions = {'swift-lb': version('swift-lb'), 'python': platform.python_version(),
                       'uvloop': version('uvloop'), 'kernel': platform.release()}
    console.width = max(console.width, SUMMARY_WIDTH)   # no figure is cut
    console.print(summary_table(result))   # first: the archive's disk may be full
    path = archive.write(result) / 'report.html'
    try:
        write_report(result, path)
    except OSError as err:
        raise ArchiveError(f'the report cannot be written: {path}: {err.strerror}') from err
    console.print(f'{name} {result.state}: {path}', soft_wrap=True, highlight=False)
    return 0 if result.state == 'finished' else 1


class QuietConsole(Console):
    """A console that stops printing when its reader has closed the pipe (`| head`).

    The run continues.
    """

    def print(self, *what, **how):
        """Print as rich does, but ignore a full disk or a closed terminal: the run continues."""
        try:
            super().print(*what, **how)
        except OSError:
            self.on_broken_pipe()

    def on_broken_pipe(self):
        """Stop printing; rich's default is to end the process, which would lose the results."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def check(args):
    """Raise ConfigError if matplotlib is missing or options in `args` are invalid; it names all."""
    faults = []
    if importlib.util.find_spec('matplotlib') is None:  # imported only after the run: it is large
        faults.append("the Python package matplotlib is missing: pip install 'swift-lb[bench]'")
    for url in args.endpoint:
        try:
            ServerUrl(url)
        except OperationError:
            faults.append(f'--endpoint {url}: must be http(s)://HOST:PORT or a storage URL')
    if args.processes is not None and not 1 <= args.processes <= MAX_DRIVERS:
        faults.append(f'--processes {args.processes}: must be a whole number, 1 to {MAX_DRIVERS}')
    if args.token is not None and not (
            args.token and args.token.isascii() and args.token.isprintable()):
        faults.append('--token: must be printable ASCII, and not empty')
    if faults:
        raise ConfigError(faults)


def load(args):
    """Return the Workload of the file; with --token its works use this token and do not log in.

    Prints the file's warnings to the standard error. Raises ConfigError with all its faults.
    """
    workload, faults, warnings = examined(args.file)
    for sentence in located(args.file, 'warning', warnings):
        print(sentence, file=sys.stderr)
    if faults:
        raise ConfigError(located(args.file, 'error', faults))
    if args.token is None:
        return workload
    auth = Access('mock', 'delay=0', {'token': args.token, 'delay': 0.0, 'retry': 0})   # no login
    return replace(workload, stages=tuple(
        replace(stage, works=tuple(replace(work, auth=auth) for work in stage.works))
        for stage in workload.stages))


def command_line(token):
    """Return the command line as typed, with the `token` masked, for the result files."""
    return shlex.join(['swift-lb', *(without(token, word) for word in sys.argv[1:])])


def without(token, word):
    """Return a word of the command line with the `token` in it masked; the token may be None."""
    option, equals, value = word.partition('=')   # argparse accepts --tok=... as --token=...
    if token is None or token not in (word, value):
        return word
    return f'{option}=...' if equals and value == token else '...'
