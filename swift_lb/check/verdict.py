"""What the check of one conf file has found, as text and as JSON. Pure."""
from collections.abc import Mapping
from typing import NamedTuple

from swift_lb.config import NO_OPTIONS

FORMAT = 1      # of the JSON document


class Verdict(NamedTuple):
    """What `swift-lb check` has found out about one conf file."""

    path: str
    kind: str               # proxy-server, object-server or lb-server; '' if it is none of these
    faults: tuple           # sentences: for these a start refuses the file
    warnings: tuple = ()    # sentences: it starts all the same
    facts: Mapping = NO_OPTIONS     # what would be in force, {name: text}
    absent: str = ''        # the sentence which says that nothing of swift-lb would be in force

    def lines(self, good):
        """Return the text, as a list of lines; `good` is whether all confs together are good."""
        absent = 'warning' if good else 'error'
        return [*(f'error: {fault}' for fault in self.faults),
                *([f'{absent}: {self.absent}'] if self.absent else []),
                *(f'warning: {warning}' for warning in self.warnings),
                *(f'{name}: {text}' for name, text in self.facts.items())]

    @property
    def document(self):
        """The data for JSON."""
        return {'file': self.path, 'kind': self.kind, 'starts': not self.faults,
                'in_force': not (self.faults or self.absent), 'faults': [*self.faults],
                'warnings': [*self.warnings, *filter(None, [self.absent])],
                'facts': dict(self.facts)}


def made(path, kind, faults, warnings=(), facts=NO_OPTIONS, absent=''):
    """Return a Verdict with each sentence once; a file with faults has no facts."""
    faults = tuple(dict.fromkeys(faults))
    return Verdict(path, kind, faults, tuple(dict.fromkeys(warnings)),
                   NO_OPTIONS if faults or absent else facts, '' if faults else absent)


def is_good(verdicts):
    """Return whether all of the files start, and swift-lb is in force.

    A storage node may do without swift-lb, if another of the files has it; a proxy may not.
    """
    in_force = [not verdict.absent for verdict in verdicts if verdict.kind != 'object-server']
    return not any(verdict.faults for verdict in verdicts) and (
        all(in_force) if in_force else not all(verdict.absent for verdict in verdicts))


def document(verdicts):
    """Return the data for JSON of `swift-lb check --json`."""
    return {'format': FORMAT, 'good': is_good(verdicts),
            'files': [verdict.document for verdict in verdicts]}
