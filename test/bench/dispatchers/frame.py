"""The frame of the benches of dispatchers: options, steps in turn, results that survive, progress.

`dispatchers`, `catalogue`, `cygnus`, `two_levels` and `overload` are tables of scenarios on it. It
is built on swift_lb/experiment, as `bench evaluate` and `sim compare` are.
"""
import argparse
import itertools
import os
import signal
import sys
from pathlib import Path
from typing import Any, NamedTuple

from swift_lb.clock import monotonic
from swift_lb.experiment import json_lines

RESULTS = 'results.jsonl'       # in the folder of --out
OPTIONS = {     # that several benches have: type, help
    'blocks': (int, 'turns of each'),
    'seconds': (float, 'measured'),
    'warm': (float, 'before that'),
    'mean': (float, 'seconds a request takes a proxy; more where the machine has other things to '
                    'do, for fewer requests a second')}


class BenchStep(NamedTuple):
    """What is measured once in each block, for example a balancer in a scenario."""

    key: tuple          # strings and numbers that name it: its place in the tables
    policy: str | None  # of the dispatchers meanwhile; None: there are none
    lab: Any            # what open_lab() of Bench.run() takes
    what: Any           # what measure() needs to know


class Bench:
    """The steps of one run of a bench and their figures, those of an earlier run included."""

    def __init__(self, name, args, fixed, figures_from=list):
        """Read the earlier figures in the folder args.out, if any; may end the command.

        `fixed` names the options that all figures of one file must have in common;
        `figures_from` makes the figures of a step from their JSON.
        """
        self._name, self._blocks = name, args.blocks
        self._figures = {}      # (block, key) -> figures
        self._path = args.out and args.out / RESULTS
        if self._path:
            args.out.mkdir(parents=True, exist_ok=True)
            self._read({each: getattr(args, each) for each in fixed}, figures_from)

    def _read(self, options, figures_from):
        first = {'bench': self._name, 'options': options}
        earlier, *lines = json_lines.read(self._path, dict) or [None]
        if earlier is None:
            json_lines.append(self._path, first)
        elif earlier != first:
            sys.exit(f'{self._name}: {self._path} has results of {earlier}, not of {first}: use '
                     'the same options, or another folder')
        self._figures = {(line['block'], tuple(line['step'])): figures_from(line['figures'])
                         for line in lines}

    def of(self, *key):
        """Return [figures of the BenchStep with this `key`], one for each block that was measured.
        """
        return [self._figures[block, key] for block in range(self._blocks)
                if (block, key) in self._figures]

    def say(self, text):
        """Print `text` on stderr, with the name of the bench and the host's load average."""
        print(f'{self._name}: {text}; load {os.getloadavg()[0]:.1f}', file=sys.stderr, flush=True)

    def run(self, plan, open_lab, measure, show):
        """Measure the BenchSteps of all blocks that are not measured yet; return the exit status.

        plan(block) lists the BenchSteps in their order. open_lab(step.lab) is a context that
        provides a ProxyLab, for all successive steps of the same lab. measure(ProxyLab, step,
        block) returns (JSON-ready figures or a NamedTuple, progress text). show() is called at
        the end, even if Ctrl-C or SIGTERM came; the lab has been stopped before.
        """
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            for block in range(self._blocks):
                missing = [step for step in plan(block) if (block, step.key) not in self._figures]
                for lab, steps in itertools.groupby(missing, lambda step: step.lab):
                    with open_lab(lab) as cluster:
                        self._measure(cluster, steps, block, measure)
        except KeyboardInterrupt:
            self.say('stopped; these are the results so far')
            return 130
        finally:
            show()
        return 0

    def _measure(self, cluster, steps, block, measure):
        used = ''       # neither a policy nor None
        for step in steps:
            if step.policy != used:
                used = step.policy
                cluster.use(used)   # restarts the proxies
            begun = monotonic()
            figures, words = measure(cluster, step, block)
            self._figures[block, step.key] = figures
            if self._path:
                json_lines.append(self._path, {'block': block, 'step': step.key,
                                               'figures': figures})
            self.say(f'block {block + 1}, {words}; {monotonic() - begun:.0f} s')


def parser_of(name, text, defaults):
    """Return the parser of a bench: --quick, --out and those of OPTIONS that are in `defaults`.

    `text` is the docstring of the bench; `defaults` are those of complete().
    """
    parser = argparse.ArgumentParser(prog=name, description=text.split('\n\n')[0])
    parser.add_argument('--quick', action='store_true', help='fewer and shorter runs')
    parser.add_argument('--out', type=Path, metavar='DIR', help='keep results and drawings there')
    for option, (kind, what) in OPTIONS.items():
        if option in defaults:
            usual, quick = defaults[option]
            parser.add_argument(f'--{option}', type=kind, help=f'{what} ({usual}; quick: {quick})')
    return parser


def chosen(parser, option, text, known):
    """Return the names in the comma-separated `text` of `option`.

    Ends the command with a message if a name is not in `known`.
    """
    names = text.split(',')
    if unknown := [name for name in names if name not in known]:
        parser.error(f'--{option}: unknown: {", ".join(unknown)}; there are {", ".join(known)}')
    return names


def complete(options, defaults):
    """Return `options`; those that are None get {name: (default, default with --quick)}."""
    for name, values in defaults.items():
        if getattr(options, name) is None:
            setattr(options, name, values[options.quick])
    return options
