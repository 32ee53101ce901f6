"""How two policies are told apart: by their repeats, at many numbers of workers."""
import math
from typing import NamedTuple

from swift_lb.drawing.text import listed
from swift_lb.evaluation.verdict import NO, OPEN, PARTLY, UNKNOWN, YES

SELDOM = 0.05     # part of the evaluations of two equal policies that may tell them apart


class Duel(NamedTuple):
    """The numbers of workers at which one policy was ahead of another, or behind it.

    `alike` are those at which the repeats of the two overlap. The repeats of two equal policies
    keep apart now and then: `chance` is how often one is ahead of the other by luck, so it counts
    only if it is ahead at so many numbers of workers that luck would SELDOM do that.
    """

    ahead: list
    alike: list
    behind: list
    chance: float = 0.5

    @property
    def verdict(self):
        """Whether the first is ahead."""
        if not self._every:
            return UNKNOWN
        ahead, behind = (self.decidable and len(some) >= enough(self._every, self.chance)
                         for some in (self.ahead, self.behind))
        return PARTLY if ahead and behind else YES if ahead else NO if behind else OPEN

    @property
    def not_ahead(self):
        """Whether the first is not ahead; where luck could have hidden it, that is open."""
        found = self.verdict
        if found == OPEN:
            return YES if self.decidable else OPEN
        return {YES: NO, NO: YES}.get(found, found)

    @property
    def not_behind(self):
        """Whether the first is not behind."""
        return self._replace(ahead=self.behind, behind=self.ahead).not_ahead

    @property
    def decidable(self):
        """Whether there are repeats and numbers of workers enough to tell two policies apart."""
        return enough(self._every, self.chance) is not None

    @property
    def _every(self):
        return len(self.ahead) + len(self.alike) + len(self.behind)

    def __str__(self):
        ahead, alike, behind = (listed(some) or 'none' for some in self[:3])
        return (f'ahead at these numbers of workers: {ahead}; within the spread of the repeats: '
                f'{alike}; behind: {behind}')


def enough(every, chance):
    """Return of how many of `every` numbers of workers luck is SELDOM the reason; None: of all."""
    for least in range(1, every + 1):
        luck = sum(math.comb(every, many) * chance ** many * (1 - chance) ** (every - many)
                   for many in range(least, every + 1))
        if luck <= SELDOM:
            return least
    return None


def duel(pairs, most=False):
    """Return the Duel of {workers: (Span, Span of the other)}; the less is ahead, or the `most`."""
    found = Duel([], [], [], max((_chance(*pair) for pair in pairs.values()), default=0.5))
    for workers, (one, other) in sorted(pairs.items()):
        if one.overlaps(other):
            found.alike.append(workers)
        else:
            (found.ahead if (one.median < other.median) != most else found.behind).append(workers)
    return found


def _chance(one, other):
    """Return how often all repeats of one are below all of the other, if they are equal."""
    return 1 / math.comb(one.repeats + other.repeats, one.repeats)


def pairwise(results, size, one, other):
    """Return the Duel of two policies' mean response times of reads, where both answered all."""
    first, second = results.line(one, size), results.line(other, size)
    return duel({workers: (point.response_time(), second[workers].response_time())
                 for workers, point in first.items()
                 if point.whole and workers in second and second[workers].whole
                 and point.response_time() and second[workers].response_time()})


def against_best(results, size, label, others, value, most=False):
    """Return {workers: (Span of `label`, (label, Span) of the best of the others)}."""
    found = {}
    for workers, point in results.line(label, size).items():
        best = best_of({other: results.point(other, size, workers) for other in others}, value,
                       most)
        if (own := value(point)) and best:
            found[workers] = own, best
    return found


def best_of(points, value, most=False):
    """Return (label, Span) of the least, or the `most`, among {label: Point}; None without any."""
    known = {label: span for label, point in points.items() if point and (span := value(point))}
    if not known:
        return None
    label = (max if most else min)(known, key=lambda name: known[name].median)
    return label, known[label]


def duel_with_best(rows, most=False):
    """Return (the Duel, who was best where it is behind, in words) of against_best()'s rows."""
    found = duel({workers: (own, best) for workers, (own, (_label, best)) in rows.items()}, most)
    winners = {}
    for workers in found.behind:
        winners.setdefault(rows[workers][1][0], []).append(workers)
    return found, ''.join(f'; {label} at {listed(at)}' for label, at in winners.items())
