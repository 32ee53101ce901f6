"""The command `swift-lb bench evaluate`: it plans runs, makes them and writes a report."""
import importlib.metadata
import os
import platform
import shlex
import signal
import sys

from rich.console import Console

from swift_lb.clock import local_time
from swift_lb.drawing.numbers import duration
from swift_lb.errors import ConfigError, EvaluationError, SwiftLBError
from swift_lb.evaluation import options, report
from swift_lb.evaluation.campaign import run_steps
from swift_lb.evaluation.design import estimate, steps
from swift_lb.evaluation.progress import EvaluationProgress
from swift_lb.evaluation.store import Store
from swift_lb.evaluation.subject import ClusterSubject, LabSubject
from swift_lb.experiment.report import SUMMARY

HIDDEN = '***'


def run(args):
    """Make the missing runs and write the report; with --report-only, only write the report.

    Return 0 if every run has figures, 130 after Ctrl-C, else 1.
    """
    console = Console()
    if args.report_only is not None:
        options.check_alone(args)
        store = Store.open(args.report_only)
        return _report(console, store, steps(store.plan))
    plan = options.plan_of(args)
    every = steps(plan)
    store = Store.begin(options.OUTPUT if args.output is None else args.output, plan, args.fresh)
    todo = [step for step in every if not store.finished(step)]
    status = 0
    if todo:
        store.invoked(this_run(sys.argv))
        _say(console, f'{len(todo)} runs to be made'
             + (f', {len(every) - len(todo)} are there' if len(todo) < len(every) else '')
             + f'; about {duration(estimate(plan, todo))}. Ctrl-C ends it, with a report; '
             'the same command goes on.')
        status = _run_missing(console, store, every, todo, args)
    return max(_report(console, store, every), status)


def _run_missing(console, store, every, todo, args):
    """Make the runs of the steps `todo`, and return the exit status.

    `every` are all steps of the plan, `todo` those without figures in the `store`. The status is 0,
    but 1 after an error and 130 after Ctrl-C.
    """
    before = {number: signal.signal(number, signal.default_int_handler)  # as for Ctrl-C
              for number in (signal.SIGTERM, signal.SIGHUP)
              if signal.getsignal(number) is not signal.SIG_IGN}  # nohup ignores SIGHUP
    try:
        with EvaluationProgress(console, store.plan, every, todo) as display:
            run_steps(_subject(store.plan, args), store, every, display)
    except KeyboardInterrupt:
        _say(console, 'stopped; the same command goes on from here')
        return 130
    except SwiftLBError as err:   # even from ending the lab: report the runs so far
        _say(console, f'swift-lb bench evaluate: {err}')
        return 1
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 0


def _subject(plan, args):
    if plan.on_lab:
        return LabSubject(plan, args.name or options.LAB['name'],
                          int(args.port or options.LAB['port']))
    try:
        return ClusterSubject(plan, options.key_of(args), args.project)
    except ConfigError as err:
        raise EvaluationError(str(err)) from None


def _report(console, store, every):
    finished = sum(store.finished(step) for step in every)
    if not finished:
        _say(console, 'no run has figures: there is nothing to report')
        return 1
    page = report.write(store, every)
    _say(console, f'{finished} of {len(every)} runs have figures: {page}, '
                  f'{page.with_name(SUMMARY)}')
    return 0 if finished == len(every) else 1


def this_run(argv):
    """Return a dict of facts about this invocation for the report: time, command, versions."""
    versions = {name: importlib.metadata.version(name) for name in ('swift-lb', 'swift')}
    return {'began': local_time().isoformat(timespec='seconds'),
            'command': shlex.join(['swift-lb', *without_key(argv[1:])]),
            'versions': versions | {'Python': platform.python_version(),
                                    platform.system(): platform.release(),
                                    'CPUs': str(os.cpu_count())}}


def without_key(words):
    """Return a command line's words with the user's key, the value of --key, masked.

    The abbreviations --k and --ke, which argparse accepts, are handled, too.
    """
    masked, hide = [], False
    for word in words:
        option, equals, _value = word.partition('=')
        is_key = len(option) > 2 and '--key'.startswith(option)
        masked.append(HIDDEN if hide else f'{option}={HIDDEN}' if is_key and equals else word)
        hide = is_key and not equals and not hide
    return masked


def _say(console, text):
    console.print(text, soft_wrap=True, highlight=False, markup=False)
