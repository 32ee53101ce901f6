"""Which nodes speak for their cluster to another one: the same two on every node. Pure.

The nodes are sorted by a hash of the other cluster's name and their own (rendezvous hashing:
Thaler, Ravishankar, 1998); the first SPEAKERS send summaries. There is no election: agents that
have the same reports choose the same nodes, and if one is no longer up, the next takes its place.
"""
import hashlib

SPEAKERS = 2


def speakers(cluster, nodes):
    """Return the names of the `nodes`, names too, which send summaries to `cluster`, in order."""
    return sorted(nodes, key=lambda node: hashlib.sha256(
        f'{cluster} {node}'.encode()).digest())[:SPEAKERS]
