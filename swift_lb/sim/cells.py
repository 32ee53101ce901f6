"""The results of a comparison: a cell for each scenario, policy and seed, one JSON line each.

A line is written when its run has ended, so that an interrupted comparison can be continued. An
incomplete line is ignored.
"""
import json
from pathlib import Path
from typing import NamedTuple

from swift_lb.errors import SimulationError

FILE = 'cells.jsonl'


class ComparisonStep(NamedTuple):
    """One run of a comparison."""

    scenario: str       # name, or path of a file
    policy: str         # label
    seed: int
    factor: float       # of the scenario's measured time


class Cells:
    """The cells in one folder, by ComparisonStep, without those of an outdated fingerprint."""

    def __init__(self, directory, made_from):
        """Read the folder. `made_from(step)` returns the fingerprint that a cell must have.
        """
        self.directory, self._made_from = Path(directory), made_from
        self._file = self.directory / FILE
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            text = self._file.read_text('utf-8') if self._file.exists() else ''
        except (OSError, ValueError) as err:
            raise SimulationError(f'{self._file}: {err}') from None
        self._found = {}
        for line in text.splitlines():
            self._take(line)

    def _take(self, line):
        try:
            document = json.loads(line)
            step = ComparisonStep(*document['step'])
            self._found[step] = document
        except (ValueError, KeyError, TypeError):
            pass    # incomplete: its writer was killed

    def of(self, step):
        """Return the figures of `step` as measures.Figures.document() returns them, or None."""
        found = self._found.get(step)
        if found is None or found.get('made_from') != self._made_from(step):
            return None
        return found['figures']

    def add(self, step, figures):
        """Keep the figures of `step`; write them to disk first."""
        document = {'step': list(step), 'made_from': self._made_from(step), 'figures': figures}
        try:
            whole = not self._file.exists() or self._file.read_bytes()[-1:] in (b'', b'\n')
            with self._file.open('a', encoding='utf-8') as file:
                file.write(('' if whole else '\n') + json.dumps(document) + '\n')
        except OSError as err:
            raise SimulationError(f'{self._file}: {err.strerror}') from None
        self._found[step] = document
