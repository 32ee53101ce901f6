"""What a speaker sends to each other cluster: the summary of its own, or that of a group.

A letter has what concerns the other cluster: the echoes of its speakers, and its credit. Siblings
get the credits of other groups, too: those of the least loaded sibling are those of their group.
"""
import functools
import hashlib

from swift_lb.plan.groups import aggregate, is_in


def letters(own, targets, groups, receptions, now):
    """Yield (other cluster, ClusterSummary for it) for each one that this node speaks to.

    `own` is the summary of this cluster, `targets` are the clusters by the name of this one or of
    its group whose summary they get (plan/speakers.py), with Groups and Receptions.
    """
    parts = receptions.lately(groups.here, now)
    for name, clusters in targets.items():
        summary = own if name == groups.here else group_summary(name, own, groups, parts)
        inside = name.rpartition('.')[0]
        for cluster in clusters:
            reader = groups.known[cluster]
            yield cluster, summary._replace(
                credits=tuple((asker, rate) for asker, rate in summary.credits
                              if asker == reader or not is_in(asker, inside)),
                echoes=tuple(receptions.echoes(reader, now)), links=())


def group_summary(group, own, groups, parts):
    """Return the ClusterSummary of a group that this cluster is in, as this node tells it.

    It is put together from `own` and the last summaries of the others, {name: ClusterSummary}.
    """
    near = {groups.known[cluster] for cluster in groups.near[group]}
    return functools.reduce(
        aggregate, [part for name, part in parts.items() if name in near], own)._replace(
        cluster=group, node=group_speaker(groups.here, own.node), epoch=own.epoch,
        sequence=own.sequence, sent_at=own.sent_at, interval=own.interval)


def names_of(cluster, node, targets):
    """Return {(cluster or group, node)} by which others name a node of `cluster` in their echoes.

    `targets` has the names of the cluster and groups for which it speaks.
    """
    return {(cluster, node), *((group, group_speaker(cluster, node)) for group in targets)}


def group_speaker(cluster, node):
    """Return the name of a node of `cluster` as a speaker for a group: no other one has it."""
    return hashlib.sha256(f'{cluster} {node}'.encode()).hexdigest()[:16]
