"""The results of a comparison: a cell for each scenario, policy and seed, one JSON line each.

A line is written when its run has ended, so that an interrupted comparison can be continued.
"""
from pathlib import Path
from typing import NamedTuple

from swift_lb.errors import SimulationError
from swift_lb.experiment import json_lines

FILE = 'cells.jsonl'


class ComparisonStep(NamedTuple):
    """One run of a comparison: its scenario, policy and seed."""

    scenario: str       # name, or path of a file
    policy: str         # label
    seed: int
    factor: float       # of the scenario's measured time


class Cells:
    """The cells in one folder, by ComparisonStep, without those of an outdated fingerprint."""

    def __init__(self, directory, made_from):
        """Read the stored figures in the folder `directory`.

        `made_from(step)` returns the fingerprint that the figures of a step must have to be used
        again.
        """
        self.directory, self._made_from = Path(directory), made_from
        self._file = self.directory / FILE
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            documents = json_lines.read(self._file, _by_step)
        except OSError as err:
            raise SimulationError(f'{self._file}: {err}') from None
        self._documents = dict(documents)

    def of(self, step):
        """Return the figures of `step` as measures.Figures.document() returns them, or None."""
        document = self._documents.get(step)
        if document is None or document.get('made_from') != self._made_from(step):
            return None
        return document['figures']

    def add(self, step, figures):
        """Keep the figures of `step`; write them to disk first."""
        document = {'step': list(step), 'made_from': self._made_from(step), 'figures': figures}
        try:
            json_lines.append(self._file, document)
        except OSError as err:
            raise SimulationError(f'{self._file}: {err.strerror}') from None
        self._documents[step] = document


def _by_step(document):
    step = ComparisonStep(*document['step'])
    hash(step)      # raises TypeError if it can be no key
    return step, document
