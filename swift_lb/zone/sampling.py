"""Systematic pi-ps sampling: which k of n backends are in an answer, and in which order. Pure.

    P(i is in the answer)  =  k x share_i      for any n, where no share is above 1/k
    P(i is first in it)    =      share_i

    k       floor(1 / largest share), at most n and at most what fits into the answer; k + 1
            instead, if capping the shares then changes none by more than its fraction SLACK
    share   the fraction of clients that a backend deserves, capped to 1/k

A resolver that shuffles its answers gives each address to one client in k, and one that keeps the
order gives the first to all. Either way backend i gets share_i of the clients.

The backends lie side by side on a line of length k, each k x share_i long. A place x in [0, 1) puts
first the backend at k x, and behind it those at k x + 1, k x + 2 ..., round the end of the line.
Between two neighbouring ends of backends the answer is the same, so that there are at most n x k
different answers.

Places follow each other in steps of 0.618... / k, so that the fractional part of k x, which decides
what backends are in, is as far as can be from those of the answers before: a handful of resolvers
is shared out evenly, where random draws would need hundreds. The first backend is found 0.618
further on the line each time: one answer in three begins as the one before it.

Source: Madow, "On the theory of systematic sampling II", 1949.
"""
import itertools
import math
from bisect import bisect_right

GOLDEN = (math.sqrt(5) - 1) / 2     # the step whose multiples are spread most evenly over [0, 1)
SLACK = 0.025                       # of a share: backends at .51 and .49 are both in each answer
MIN_LENGTH = 1e-9                        # length of a part of [0, 1)
STRETCH = (13, 34)                   # answers between two jumps, see Places


def answer_size(shares, most):
    """Return k, the number of backends in each answer, which is at most `most`.

    `shares` are {backend: fraction}, which add up to 1.
    """
    if len(shares) < 2:
        return len(shares)
    largest, most = max(shares.values()), min(len(shares), most)
    size, larger = (max(1, min(int((1 + slack) / largest), most)) for slack in (0, SLACK))
    level = capped(shares, 1 / larger)
    alike = all(abs(level[name] - share) <= SLACK * share for name, share in shares.items())
    return larger if alike else size


def capped(shares, most):
    """Return `shares`, {name: fraction}, cut to `most` each; smaller ones grow to a sum of 1.

    They grow in proportion, again and again until none is above `most` (water-filling).
    """
    capped_names, level = set(), shares
    while above := {name for name, share in level.items() if share > most} - capped_names:
        capped_names |= above
        rest = {name: share for name, share in shares.items() if name not in capped_names}
        factor = (1 - most * len(capped_names)) / sum(rest.values()) if rest else 0.0
        level = dict.fromkeys(capped_names, most) | {
            name: share * factor for name, share in rest.items()}
    return {name: level[name] for name in shares}


class Line:
    """Backends on a line, each as long as its share; a number in [0, 1) selects `size` of them."""

    def __init__(self, shares, size):
        """Take `shares` {name: fraction}, in this order, with sum 1 and none above 1 / `size`."""
        self._names, self.size = tuple(shares), size
        ends = list(itertools.accumulate(shares.values()))
        last = ends[-1] or 1.0
        self._ends = [end / last * size for end in ends]    # sums of fractions are not exact
        cuts = cuts_of(self._ends)
        # Places in [0, 1) at which the answer changes.
        self.cuts = [(turn + cut) / size for turn in range(size) for cut in cuts[1:]]

    def answer(self, number):
        """Return a tuple of the names of the backends in answer number `number`, from 0, in order.

        All numbers in [0, 1) from `cuts[number - 1]`, or 0, to `cuts[number]` select this answer.
        """
        before = self.cuts[number - 1] if number else 0.0
        first = (before + self.cuts[number]) / 2 * self.size
        return tuple([self._names[bisect_right(self._ends, (first + step) % self.size)]
                      for step in range(self.size)])


def cuts_of(ends):
    """Return [0, the fractional parts of `ends` in ascending order, 1].

    `ends` are the positions on a Line at which backends end; between two neighbours in the result
    the answer is the same. Fractional parts that differ only by rounding are merged.
    """
    cuts = [0.0]
    for cut in sorted(end % 1.0 for end in ends):
        if cut > cuts[-1] + MIN_LENGTH:
            cuts.append(cut)
    if cuts[-1] > 1.0 - MIN_LENGTH:
        cuts.pop()
    return [*cuts, 1.0]


class Places:
    """A sequence of numbers in [0, 1), called places; each selects an answer of a Line.

    It jumps to a random number after each STRETCH of answers. Without jumps, R resolvers that query
    in a fixed order would each get the same one or two answers for many TTLs, if R steps are nearly
    a whole number (R = 13, 21, 34, 55 ...). A stretch is long enough to keep the sequence even, and
    short enough to give a resolver other answers in each TTL (`swift-lb sim caches`).
    """

    __slots__ = ('_left', '_rng', 'at')

    def __init__(self, start, rng):
        """Take `start` in [0, 1), to which next() adds the first step, and a random.Random."""
        self.at, self._rng = start, rng
        self._left = rng.randrange(*STRETCH)

    def next(self, step):
        """Return the next place: `step` after the last one, modulo 1, or at random in a jump."""
        if self._left:
            self._left -= 1
        else:
            self._left, self.at = self._rng.randrange(*STRETCH), self._rng.random()
        self.at = at = (self.at + step) % 1.0
        return at


def start_of(node, backends, number):
    """Return where in [0, 1) process `number`, from 0, of a DNS server starts its answers.

    `node` is the server's name, `backends` are the names of all proxies. The starts of proxies are
    spread evenly over [0, 1), so that resolvers are divided evenly if each of them queries another
    server. A server that is no proxy starts where the first proxy does.
    """
    place = backends.index(node) / len(backends) if node in backends else 0.0
    return (place + number * GOLDEN / len(backends)) % 1.0
