"""Groups of clusters at any depth, by their names, which are dotted paths. Pure.

    us.west.a knows     us.west.b       by its own summary, as all that have its parent: siblings
                        us.central      by one summary of this group, whatever is in it
                        eu              likewise; asia.x, if that is all of asia, by its own

Of two clusters, each knows the other as the largest group that the other is in and it is not; a
group of one is that cluster. So all need the same list of names. With names that have no group in
common, or one group that all are in, each cluster knows each other one by its own summary.

A cluster hears (fan-out - 1) x depth summaries: 18 of 100 in 10 groups of 10.

aggregate() makes the summary of a group from those of its parts. It is associative and commutative,
and NOTHING is its identity, so groups of groups are as groups of all their clusters:

    nodes           sum
    load            mean, weighted by nodes; unknown if it is unknown of a part that has nodes
    least_load      least, and url, relays and credits of the part that has it: it serves all that
                    is sent to the group, so a sum of credits would be more than it takes
    times           of each class of content the least, as that of loads
    ring            empty unless all have the same
    image           of the decoders of all parts: image_states.py

Echoes, links, client paths and the number of a region are of single clusters, and left out.
"""
import itertools
import math
from collections import Counter
from typing import NamedTuple

from swift_lb.model import ClusterSummary, ContentTime
from swift_lb.plan.image_states import joined

NOTHING = ClusterSummary('', '', 0, 0, 0.0, 0.0, '', 0, None, None, ring=None)


class Groups(NamedTuple):
    """By which names the cluster `here` and the others know each other: its own or a group's."""

    here: str
    known: dict         # other cluster -> the name by which this one knows it
    told: dict          # other cluster -> the name by which that one knows this one
    near: dict          # each name in `told` -> the other clusters in that group, a tuple
    far: dict           # each name in `known` -> the clusters in that group, a tuple


def groups(here, others):
    """Return the Groups of the cluster `here`, by the names of all `others`."""
    sizes = Counter(branch for name in {here, *others} for branch in branches(name))
    known = {other: _known(here, other, sizes) for other in others if other != here}
    told = {other: _known(other, here, sizes) for other in known}
    return Groups(here, known, told,
                  {group: tuple(other for other in known if is_in(other, group))
                   for group in {*told.values()}},
                  {group: tuple(other for other in known if known[other] == group)
                   for group in {*known.values()}})


def _known(viewer, name, sizes):
    own = {*branches(viewer)}
    branch = next((one for one in branches(name) if one not in own), name)
    return name if sizes[branch] == 1 else branch


def branches(name):
    """Return [the largest group that the cluster `name` is in, ..., the smallest, `name`]."""
    parts = name.split('.')
    return ['.'.join(parts[:count]) for count in range(1, len(parts) + 1)]


def is_in(name, group):
    """Return whether the cluster or group `name` is `group` or in it; all are in the group ''."""
    return not group or name == group or name.startswith(f'{group}.')


def part_of(group, here, names):
    """Return the fraction of what a `group` is granted that the cluster `here` in it may use.

    At each level, the parts of a group have the same. `names` are those by which `here` knows the
    others.
    """
    path = [branch for branch in branches(here) if is_in(branch, group)]
    sizes = [1 + sum(is_in(name, outer) and not is_in(name, inner) for name in names)
             for outer, inner in itertools.pairwise(path)]
    return 1 / math.prod(sizes)


def aggregate(one, other):
    """Return the ClusterSummary of a group of two parts; its name and speaker are empty."""
    first = min(one, other, key=_order)
    return NOTHING._replace(
        url=first.url, nodes=one.nodes + other.nodes, load=_mean_load(one, other),
        least_load=first.least_load, relays=first.relays, times=_least_times(one, other),
        credits=first.credits, ring=_same(one.ring, other.ring),
        image=joined((one.image, other.image)))


def _order(summary):
    """Return the key by which the part with the least load is first, and NOTHING last."""
    return (summary.least_load is None, summary.least_load, not summary.relays, summary.relays,
            not summary.url, summary.url, not summary.credits, summary.credits)


def _mean_load(one, other):
    counted = [part for part in (one, other) if part.nodes]
    if not counted or any(part.load is None for part in counted):
        return None
    return sum(part.load * part.nodes for part in counted) / sum(part.nodes for part in counted)


def _least_times(one, other):
    times = {}
    for time in sorted([*one.times, *other.times], key=lambda time: time[1:], reverse=True):
        times[time.content] = time
    return tuple([ContentTime(*times[content]) for content in sorted(times)])


def _same(ring, other):
    if None in (ring, other):
        return other if ring is None else ring
    return ring if ring == other else ''
