"""Significance: whether the repeats of two policies differ by more than chance."""
import math
from fractions import Fraction
from typing import NamedTuple

from swift_lb.drawing.text import listed

YES, NO, PARTLY, OPEN, UNKNOWN = 'yes', 'no', 'partly', 'can not be told', 'not measured'
SELDOM = 0.05     # probability with which two equal policies may be judged different


class Claim(NamedTuple):
    """A sentence, the verdict whether the data support it, such as YES, and the evidence."""

    source: str      # where it is claimed
    text: str
    verdict: str
    evidence: str


def agreed(verdicts):
    """Return the verdict on which all repeats agree; OPEN if they differ or there is only one."""
    distinct = set(verdicts)
    if not distinct or distinct == {UNKNOWN}:
        return UNKNOWN
    return distinct.pop() if len(distinct) == 1 and len(verdicts) > 1 else OPEN


class Duel(NamedTuple):
    """The numbers of workers at which a first policy was ahead of a second one, or behind it.

    `alike` are those at which the repeats of the two overlap. The repeats of two equal policies are
    disjoint now and then, with the probabilities `..._by_luck`: a policy counts as ahead, or
    behind, only if that happens at so many numbers of workers that its probability by chance is at
    most SELDOM.
    """

    ahead: list
    alike: list
    behind: list
    ahead_by_luck: float = 0.5
    behind_by_luck: float = 0.5

    @property
    def verdict(self):
        """YES, NO, PARTLY, OPEN or UNKNOWN (no data): is the first policy ahead of the second?"""
        if not self._every:
            return UNKNOWN
        ahead = self._beyond_luck(self.ahead, self.ahead_by_luck)
        behind = self._beyond_luck(self.behind, self.behind_by_luck)
        return PARTLY if ahead and behind else YES if ahead else NO if behind else OPEN

    @property
    def not_ahead(self):
        """YES if the first policy is not ahead, NO if it is; OPEN if chance may hide that it is."""
        result = self.verdict
        if result == OPEN:
            return OPEN if enough(self._every, self.ahead_by_luck) is None else YES
        return {YES: NO, NO: YES}.get(result, result)

    @property
    def not_behind(self):
        """YES, NO, PARTLY or OPEN: is the first policy not behind the second?"""
        return Duel(self.behind, self.alike, self.ahead,
                    self.behind_by_luck, self.ahead_by_luck).not_ahead

    def _beyond_luck(self, some, chance):
        least = enough(self._every, chance)
        return least is not None and len(some) >= least

    @property
    def _every(self):
        return len(self.ahead) + len(self.alike) + len(self.behind)

    def __str__(self):
        ahead, alike, behind = (listed(some) or 'none' for some in self[:3])
        return (f'ahead at these numbers of workers: {ahead}; within the spread of the repeats: '
                f'{alike}; behind: {behind}')


def enough(every, chance):
    """Return at how many of `every` numbers of workers a policy must be ahead, so that chance
    explains it at most SELDOM.

    None if no number is enough.
    """
    for least in range(1, every + 1):
        luck = sum(math.comb(every, many) * chance ** many * (1 - chance) ** (every - many)
                   for many in range(least, every + 1))
        if luck <= SELDOM:
            return least
    return None


def duel(pairs, most=False):
    """Return the Duel of {workers: (RunSpan of the first policy, RunSpan of the second)}.

    The policy with the lower median is ahead, with `most` that with the higher.
    """
    chance = max((first_by_luck(one.runs, other.runs) for one, other in pairs.values()),
                 default=0.5)
    result = Duel([], [], [], chance, chance)
    for workers, (one, other) in sorted(pairs.items()):
        if one.overlaps(other):
            result.alike.append(workers)
        else:
            (result.ahead if (one.median < other.median) != most else result.behind).append(workers)
    return result


def first_by_luck(runs, others, many=1):
    """Return the probability that all `runs` of one of `many` equals are ahead of all `others`.

    P = sum of (-1)^(i+1) C(k, i) / C(m + i n, m) over i = 1 .. k

      k  policies, of which one is to be ahead of another policy: `many`
      n  runs of each of the k: `runs`
      m  runs of that other one: `others`

    Of one after the other (inclusion and exclusion): that i given ones of the k are ahead is that
    the m runs are the last of m + i n, in one of C(m + i n, m) ways for them to lie among those.
    """
    return float(sum(Fraction((-1) ** (some + 1) * math.comb(many, some),
                              math.comb(others + some * runs, others))
                     for some in range(1, many + 1)))


def pairwise(results, size, one, other):
    """Return the Duel of two policies' mean response times of reads, where both answered all."""
    first, second = results.line(one, size), results.line(other, size)
    return duel({workers: (point.response_time(), second[workers].response_time())
                 for workers, point in first.items()
                 if point.whole and workers in second and second[workers].whole
                 and point.response_time() and second[workers].response_time()})


def against_others(results, size, label, others, value):
    """Return {workers: (RunSpan of `label`, {label of another: its RunSpan})}, of known values.

    `value`(a policy's results at a number of workers) returns the RunSpan, None if unknown."""
    result = {}
    for workers, point in results.line(label, size).items():
        points = {other: results.point(other, size, workers) for other in others}
        rest = {other: span for other, rival in points.items() if rival and (span := value(rival))}
        if (own := value(point)) and rest:
            result[workers] = own, rest
    return result


def duel_with_best(rows, most=False):
    """Return (the Duel of a policy with the best of the others, text that says where which wins).

    `rows` are those of against_others(). The best has the lowest median, with `most` the highest.
    By chance the best of equal policies is ahead more often than one given policy, so the Duel's
    `behind_by_luck` is the probability that any of the others is ahead of an equal policy.
    """
    pairs, winners, unlucky = {}, {}, []
    for workers, (own, rest) in rows.items():
        best = (max if most else min)(rest, key=lambda label, spans=rest: spans[label].median)
        pairs[workers], winners[workers] = (own, rest[best]), best
        fewest = min(span.runs for span in rest.values())
        unlucky.append(first_by_luck(fewest, own.runs, len(rest)))
    result = duel(pairs, most)
    result = result._replace(behind_by_luck=max(unlucky, default=result.behind_by_luck))
    return result, ''.join(f'; {label} at {listed(at)}'
                           for label, at in _best_at(winners, result.behind).items())


def _best_at(winners, behind):
    """Return {label: those of the numbers of workers `behind` at which it was best}."""
    results = {}
    for workers in behind:
        results.setdefault(winners[workers], []).append(workers)
    return results
