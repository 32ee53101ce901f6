"""The folder of an evaluation: plan.json describes it, cells.jsonl has a line for each run.

A line is written when its run has ended, so that an interrupted evaluation can be continued. It
carries the fingerprint of its plan.
"""
import json
from dataclasses import asdict
from pathlib import Path

from swift_lb.errors import EvaluationError
from swift_lb.evaluation.plan import EvaluationStep, plan_of
from swift_lb.evaluation.run_result import EvaluationRun, OpFigures
from swift_lb.experiment import json_lines

PLAN, RESULTS = 'plan.json', 'cells.jsonl'


class Store:
    """The plan and the stored EvaluationRuns of an evaluation, in one folder."""

    def __init__(self, directory, plan, runs, facts):
        """Take the folder, its Plan, `runs`, a dict per invocation, and `facts` about the lab."""
        self.directory = Path(directory)
        self.plan, self.runs, self.facts = plan, runs, facts
        self.results = self._stored()  # {step: EvaluationRun}; the last line of a step is valid

    @classmethod
    def open(cls, directory):
        """Return the Store of the evaluation in `directory`.

        Raises EvaluationError if no evaluation has been stored in it.
        """
        path = Path(directory) / PLAN
        try:
            document = json.loads(path.read_text())
            return cls(directory, plan_of(document['plan']), document['runs'], document['facts'])
        except FileNotFoundError:
            raise EvaluationError(f'{directory}: no evaluation was begun there, it has no {PLAN}'
                                  ) from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as err:
            raise EvaluationError(f'{path}: is not what an evaluation writes ({err})') from None

    @classmethod
    def begin(cls, directory, plan, fresh=False):
        """Return the Store of `plan` in `directory`, with the results of earlier invocations.

        With `fresh` all earlier results are removed; without it, raises EvaluationError if the
        folder holds results of another plan.
        """
        directory = Path(directory)
        earlier = cls.open(directory) if (directory / PLAN).exists() and not fresh else None
        if earlier and (changes := differences(earlier.plan, plan)):
            raise EvaluationError(
                f'{directory} holds another evaluation ({"; ".join(changes)}): give the command it '
                'was begun with, another --output, or --fresh to begin anew')
        try:
            directory.mkdir(parents=True, exist_ok=True)
            if fresh:
                (directory / RESULTS).unlink(missing_ok=True)
            store = cls(directory, plan, list(earlier.runs) if earlier else [],
                        earlier.facts if earlier else {})
            store._write()
        except OSError as err:
            raise EvaluationError(f'{directory}: cannot be written ({err.strerror})') from None
        return store

    def invoked(self, run):
        """Store the dict `run` on one invocation of the command: time, command line, versions."""
        self.runs.append(run)
        self._write()

    def learn(self, facts):
        """Store `facts` about the measured lab, plain data that the report shows."""
        self.facts = facts
        self._write()

    def add(self, run):
        """Write an EvaluationRun to disk and keep it; raises EvaluationError if that fails."""
        line = {'fingerprint': self.plan.fingerprint(), **_document(run)}
        try:
            json_lines.append(self.directory / RESULTS, line)
        except OSError as err:
            raise EvaluationError(f'{self.directory / RESULTS}: {err.strerror}') from None
        self.results[run.step] = run

    def finished(self, step):
        """Return whether the run of `step` has been made, and has figures."""
        return step in self.results and self.results[step].fault is None

    def _stored(self):
        """Return {step: EvaluationRun} of the lines on disk with the fingerprint of this plan."""
        fingerprint = self.plan.fingerprint()
        runs = json_lines.read(self.directory / RESULTS, lambda document: (
            _run_result(document) if document.pop('fingerprint') == fingerprint else None))
        return {run.step: run for run in runs if run}

    def _write(self):
        document = {'plan': self.plan.document(), 'runs': self.runs, 'facts': self.facts}
        fresh = self.directory / f'{PLAN}.new'
        fresh.write_text(json.dumps(document, indent=1) + '\n')
        fresh.replace(self.directory / PLAN)


def differences(before, after):
    """Return a phrase for each parameter in which two Plans differ: `repeats 3, now 5`."""
    old, new = ({**plan.document(), **plan.document()['place']} for plan in (before, after))
    return [f'{name} {_text(old.get(name))}, now {_text(new.get(name))}'
            for name in dict.fromkeys([*old, *new])
            if name != 'place' and old.get(name) != new.get(name)]


def _text(value):
    return ','.join(map(str, value)) if isinstance(value, list) else str(value)


def _document(run):
    document = asdict(run)
    return document | {'step': run.step._asdict(),
                       'reads': [[second, counts] for second, counts in run.reads]}


def _run_result(document):
    return EvaluationRun(**document | {
        'step': EvaluationStep(**document['step']),
        'ops': {name: OpFigures(**figures) for name, figures in document['ops'].items()},
        'reads': tuple((second, {int(node): count for node, count in counts.items()})
                       for second, counts in document['reads']),
        'window': tuple(document['window'])})
