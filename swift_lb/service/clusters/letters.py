"""The summaries that a speaker sends to each other cluster: of its own cluster, or of a group.

A summary for one cluster, called a letter, has only what concerns that cluster: the echoes of its
speakers, its credit, and how the last reads that it has redirected here have ended. Siblings get
the credits of other groups, too, since those of the least loaded sibling are those of their group.
"""
import functools
import hashlib

from swift_lb.plan.groups import aggregate, is_in


def letters(own, targets, groups, receptions, ended, now):
    """Yield (name of another cluster, ClusterSummary for it) for each that this node speaks to.

    `own` is the summary of this cluster. `targets` is {this cluster or a group that it is in: the
    clusters that get its summary}, as plan/speakers.py returns it; `groups` are Groups,
    `receptions` are Receptions. `ended` is {other cluster: EndedRedirects}.
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
                echoes=tuple(receptions.echoes(reader, now)), links=(),
                ended=tuple(ended.get(cluster, ())))


def group_summary(group, own, groups, parts):
    """Return the ClusterSummary of a group that this cluster is in, with this node as speaker.

    `own` is the summary of this cluster, `parts` are the last ones of the others, {name:
    ClusterSummary}.
    """
    near = {groups.known[cluster] for cluster in groups.near[group]}
    return functools.reduce(
        aggregate, [part for name, part in parts.items() if name in near], own)._replace(
        cluster=group, node=group_speaker(groups.here, own.node), epoch=own.epoch,
        sequence=own.sequence, sent_at=own.sent_at, interval=own.interval)


def names_of(cluster, node, targets):
    """Return the set of (cluster or group, speaker) by which echoes name a node of `cluster`.

    `targets` has the names of the groups for which it speaks.
    """
    return {(cluster, node), *((group, group_speaker(cluster, node)) for group in targets)}


def group_speaker(cluster, node):
    """Return the name that a node of `cluster` has in the summaries of groups: 16 hex digits.

    Nodes of two clusters may have the same name, but not as speakers of a group.
    """
    return hashlib.sha256(f'{cluster} {node}'.encode()).hexdigest()[:16]
