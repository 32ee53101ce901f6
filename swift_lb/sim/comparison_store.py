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


class ComparisonStore:
    """The stored figures in one folder, by ComparisonStep; those of changed code do not count."""

    def __init__(self, directory, made_from):
        """Read the stored figures in the folder `directory`.

        `made_from(step)` returns the fingerprint of the code and scenario of a step. Stored
        figures are used again only if they have this fingerprint.
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
        """Return the stored figures of `step` as Figures.document() returned them, or None."""
        document = self._documents.get(step)
        if document is None or document.get('made_from') != self._made_from(step):
            return None
        return document['figures']

    def add(self, step, figures):
        """Store the figures of `step`, on the disk first; raises SimulationError if that fails."""
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
