"""Promises compared with measured figures."""
import operator
import statistics
from typing import NamedTuple

from swift_lb.drawing.numbers import spread, three_digits

SIGNS = {'<': operator.lt, '<=': operator.le, '>=': operator.ge}
HEADINGS = ('claim', 'what', 'target', 'measured', 'holds')


class Bound(NamedTuple):
    """The bound, such as <= 1.5, that a figure must keep: in the median of repeats, or always."""

    sign: str
    number: float
    always: bool = False      # of each repeat, and not of the median of all

    def holds(self, values):
        """Return whether `values`, one for each repeat, keep the promise."""
        kept = SIGNS[self.sign]
        judged = values if self.always else [statistics.median(values)]
        return all(kept(value, self.number) for value in judged)

    def __str__(self):
        return f'{"each " if self.always else ""}{self.sign} {self.number:g}'


class ClaimFigure(NamedTuple):
    """One figure of a claim, with a value for each repeat; without a Bound it is shown for
    comparison.
    """

    what: str
    values: tuple
    target: Bound | None = None

    def row(self, claim):
        """Return the figure's row of the table: five texts, one for each of HEADINGS."""
        kept = {None: '', True: 'yes', False: 'NO'}[self.holds]
        return (claim, self.what, f'{self.target or ""}', spread(span(self.values), three_digits),
                kept)

    @property
    def holds(self):
        """Whether the values keep the target; None if there is no target."""
        return self.target.holds(self.values) if self.target else None


def span(values):
    """Return (median, least, most) of `values`."""
    return statistics.median(values), min(values), max(values)


def table(result):
    """Return the table, as lines, of {claim: [ClaimFigure], or the reason why there is none}.

    The reasons are lines below the table."""
    rows = [HEADINGS, *(outcome.row(claim) for claim, outcomes in result.items()
                        if not isinstance(outcomes, str) for outcome in outcomes)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ['  '.join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return lines + [f'{claim}: {reason}' for claim, reason in result.items()
                    if isinstance(reason, str)]


def kept(result):
    """Return whether each claim of table()'s `result` was measured, and no figure misses a Bound.
    """
    return not any(isinstance(outcomes, str) or any(one.holds is False for one in outcomes)
                   for outcomes in result.values())
