"""Which clusters a request may be sent to: those that were heard lately. Pure.

    dead        no summary for DEAD_AFTER intervals, until one comes
    cut off     more than half of the known clusters are dead: that this cluster is cut off is
                likelier than that so many fail, so nothing leaves it
"""
DEAD_AFTER = 4.5


def alive(clusters, now):
    """Return {name: ClusterSummary} of the other clusters that are not dead; {} if cut off.

    `clusters` are Clusters or None, `now` is monotonic seconds.
    """
    if clusters is None:
        return {}
    summaries = {name: summary for name, (summary, at) in clusters.others.items()
                 if now - at <= DEAD_AFTER * summary.interval}
    return summaries if 2 * len(summaries) >= len(clusters.others) else {}
