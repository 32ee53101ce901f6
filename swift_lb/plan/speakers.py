"""Which nodes speak for their cluster or group to another cluster: the same on every node. Pure.

The nodes are sorted by a hash of the other cluster's name and their own (rendezvous hashing:
Thaler, Ravishankar, 1998); the first SPEAKERS send summaries. There is no election: agents that
have the same reports choose the same nodes, and if one is no longer up, the next takes its place.

Among many clusters, chance would give one node twice as many as another. A node that has its part
of them already is passed over (consistent hashing with bounded loads: Mirrokni, Thorup,
Zadimoghaddam, 2018; they prove that few clusters change hands when a node comes or goes):

    part = ceil(BALANCE x speakers of all other clusters / nodes)

For a group that the other cluster does not know more of (plan/groups.py), clusters are chosen in
the same way, and the first node of each speaks. Echoes come back only from those that are spoken
to, so two clusters speak to each other or neither does:

    two clusters of two groups speak if one of them is of the first SPEAKERS in its group for the
    other. Their names are hashed together, so that often each is one of the first for the other

So each cluster is spoken to by two or more of each group, on average by 2.7 of ten.
"""
import functools
import hashlib
import math

SPEAKERS = 2
BALANCE = 1.1       # the less, the more clusters change hands when a node comes or goes


def in_order(cluster, nodes):
    """Return `nodes`, names, the best speaker to `cluster` first: by a hash of both names."""
    return sorted(nodes, key=lambda node: hashlib.sha256(f'{cluster} {node}'.encode()).digest())


def spoken_to(node, nodes, groups, heard):
    """Return {name of a cluster or group: [other clusters to which `node` sends its summary]}.

    The names are those of its own cluster, and of groups that this is in. `nodes` are the names of
    the cluster's nodes that are up, `groups` are Groups, and `heard` are the names of the clusters
    and groups that were heard lately: one that is silent does not speak for a group.
    """
    near = {name: (groups.here, *[other for other in others if groups.known[other] in heard])
            for name, others in groups.near.items()}
    wanted = tuple((other, SPEAKERS if name == groups.here else 1)
                   for other, name in groups.told.items()
                   if _speak(groups.here, other, near[name], groups.far[groups.known[other]]))
    targets = {}
    for other in balanced(wanted, tuple(nodes)).get(node, ()):
        targets.setdefault(groups.told[other], []).append(other)
    return targets


@functools.lru_cache(maxsize=256)
def balanced(wanted, nodes):
    """Return {node: [other clusters to which it speaks]}, for each name in `nodes`.

    `wanted` are (other cluster, how many of the `nodes` speak to it); both arguments are tuples.
    Neither their order nor any earlier result matters.
    """
    speaking = {node: [] for node in nodes}
    if not nodes:
        return speaking
    part = math.ceil(BALANCE * sum(count for _other, count in wanted) / len(nodes))
    for other, count in sorted(wanted, key=_place):
        order = in_order(other, nodes)
        for node in sorted(order, key=lambda node: len(speaking[node]) >= part)[:count]:
            speaking[node].append(other)
    return speaking


def _place(row):
    return hashlib.sha256(row[0].encode()).digest()


@functools.lru_cache(maxsize=16384)
def _speak(here, other, near, far):
    return here in _first(other, near) or other in _first(here, far)


def _first(cluster, others):
    return sorted(others, key=lambda other: hashlib.sha256(
        ' '.join(sorted((cluster, other))).encode()).digest())[:SPEAKERS]
