"""Systematic pi-ps sampling: k of n backends, each with the probability it deserves. Pure.

    P(i is in the answer) = k x share_i         exactly, for k x share_i <= 1

    k       min(n, floor(1 / largest share)), at most what fits; at least 2 of two or more
    share   capped at 1/k by water-filling: what is cut off goes to the others in proportion

Resolvers shuffle what they are given and each client takes one, so that who is in a fraction
k x share_i of the answers gets share_i of the clients. The order in an answer decides nothing.

The backends lie side by side on a line, each k x share_i long, and one u in [0, 1) takes those on
which u, u + 1, u + 2 ... fall. There are only n different answers, one for each part of [0, 1)
between two ends. With u = phase + t x 0.618... mod 1 the t-th answer is as far as can be from the
ones before: a handful of resolvers is shared out evenly, where random draws would need hundreds.

Source: Madow, "On the theory of systematic sampling II", 1949.
"""
import itertools
import math
from bisect import bisect_right

GOLDEN = (math.sqrt(5) - 1) / 2     # the step whose multiples are spread most evenly over [0, 1)
NEARLY = 1e-3                       # fraction by which shares that differ count as equal
LEAST = 1e-9                        # length of a part of [0, 1)


def answer_size(shares, most):
    """Return k for `shares` that are 1 together, `most` being what fits into an answer."""
    if len(shares) < 2:
        return len(shares)
    return max(2, min(len(shares), int((1 + NEARLY) / max(shares.values())), most))


def capped(shares, most):
    """Return `shares` of which none is larger than `most`, 1 together as before (water-filling)."""
    capped_names, level = set(), shares
    while over := {name for name, share in level.items() if share > most} - capped_names:
        capped_names |= over
        rest = {name: share for name, share in shares.items() if name not in capped_names}
        factor = (1 - most * len(capped_names)) / sum(rest.values()) if rest else 0.0
        level = dict.fromkeys(capped_names, most) | {
            name: share * factor for name, share in rest.items()}
    return {name: level[name] for name in shares}


def systematic(shares, size):
    """Return [(end, names)]: who is taken by a u below `end` and not below the end before it.

    `shares` are 1 together, none larger than 1 / `size`; their order is that on the line.
    """
    ends, names = list(itertools.accumulate(shares.values())), tuple(shares)
    last = ends[-1] or 1.0
    ends = [end / last * size for end in ends]      # sums of fractions are not exact
    cuts = cuts_of(ends)
    return [(cut, taken((before + cut) / 2, ends, names, size))
            for before, cut in itertools.pairwise(cuts)]


def cuts_of(ends):
    """Return where parts of [0, 1] begin and end; cuts that only rounding keeps apart are one."""
    cuts = [0.0]
    for cut in sorted(end % 1.0 for end in ends):
        if cut > cuts[-1] + LEAST:
            cuts.append(cut)
    if cuts[-1] > 1.0 - LEAST:
        cuts.pop()
    return [*cuts, 1.0]


def taken(first, ends, names, size):
    """Return the names on which first, first + 1, ... fall."""
    return tuple([names[bisect_right(ends, first + step)] for step in range(size)])


def start_of(node, backends, number):
    """Return where in [0, 1) the sequence of a node's process starts, the `number`-th of it.

    Evenly spread over the nodes, so that resolvers are shared out as evenly when each of them asks
    another node.
    """
    place = backends.index(node) / len(backends) if node in backends else 0.0
    return (place + number * GOLDEN / len(backends)) % 1.0
