"""What a claim is, and how two policies are told apart."""
from typing import NamedTuple

from swift_lb.drawing.text import listed

CHANCE = 0.25     # up to this part of the numbers of workers
YES, NO, PARTLY, OPEN, UNKNOWN = 'yes', 'no', 'partly', 'can not be told', 'not measured'


class Claim(NamedTuple):
    """A sentence, whether the data bear it out, and the numbers."""

    source: str      # who says so
    text: str
    verdict: str
    evidence: str


class Duel(NamedTuple):
    """The numbers of workers at which one policy answered sooner than another, or later.

    `alike` are those at which the repeats of the two overlap: the difference may be chance. The
    repeats of two equal policies keep apart by chance too, now and then.
    """

    sooner: list
    alike: list
    later: list

    @property
    def verdict(self):
        """Whether the first is the one that answers sooner."""
        every = len(self.sooner) + len(self.alike) + len(self.later)
        sooner, later = (len(some) > CHANCE * every for some in (self.sooner, self.later))
        if not every:
            return UNKNOWN
        return PARTLY if sooner and later else YES if sooner else NO if later else OPEN

    def __str__(self):
        sooner, alike, later = (listed(some) or 'none' for some in self)
        return (f'numbers of workers with sooner answers: {sooner}; within the spread of the '
                f'repeats: {alike}; later: {later}')


def duel(pairs):
    """Return the Duel of {workers: (Span, Span of the other)}; the smaller is the sooner."""
    found = Duel([], [], [])
    for workers, (one, other) in sorted(pairs.items()):
        if one.overlaps(other):
            found.alike.append(workers)
        else:
            (found.sooner if one.median < other.median else found.later).append(workers)
    return found


def best_of(points, value, most=False):
    """Return (label, Span) of the least, or the `most`, among {label: Point}; None without any."""
    known = {label: span for label, point in points.items() if point and (span := value(point))}
    if not known:
        return None
    sign = -1 if most else 1
    label = min(known, key=lambda name: sign * known[name].median)
    return label, known[label]
