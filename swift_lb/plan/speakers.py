"""Which nodes speak for their cluster or group to another cluster: the same on every node. Pure.

The nodes are sorted by a hash of the other cluster's name and their own (rendezvous hashing:
Thaler, Ravishankar, 1998); the first SPEAKERS send summaries. There is no election: agents that
have the same reports choose the same nodes, and if one is no longer up, the next takes its place.

For a group that the other cluster does not know more of (plan/groups.py), clusters are chosen in
the same way, and the first node of each speaks. Echoes come back only from those that are spoken
to, so two clusters speak to each other or neither does:

    two clusters of two groups speak if one of them is of the first SPEAKERS in its group for the
    other. Their names are hashed together, so that often each is one of the first for the other

So each cluster is spoken to by two or more of each group, on average by 2.7 of ten.
"""
import functools
import hashlib

SPEAKERS = 2


def speakers(cluster, nodes):
    """Return the names of the `nodes`, names too, which send summaries to `cluster`, in order."""
    return sorted(nodes, key=lambda node: hashlib.sha256(
        f'{cluster} {node}'.encode()).digest())[:SPEAKERS]


def spoken_to(node, nodes, groups, heard):
    """Return {name of its cluster or of a group that it is in: the clusters to which it sends}.

    They are those to which `node` sends the summary of that name. `nodes` are the names of those of
    its cluster that are up, `groups` are Groups, and `heard` are the names of the clusters and
    groups that were heard lately: one that is silent does not speak for a group.
    """
    targets = {}
    for other, name in groups.told.items():
        near = (groups.here, *[one for one in groups.near[name] if groups.known[one] in heard])
        if _speak(groups.here, other, near, tuple(groups.far[groups.known[other]])) and (
                node in speakers(other, nodes)[:SPEAKERS if name == groups.here else 1]):
            targets.setdefault(name, []).append(other)
    return targets


@functools.lru_cache(maxsize=4096)
def _speak(here, other, near, far):
    return here in _first(other, near) or other in _first(here, far)


def _first(cluster, others):
    return sorted(others, key=lambda other: hashlib.sha256(
        ' '.join(sorted((cluster, other))).encode()).digest())[:SPEAKERS]
