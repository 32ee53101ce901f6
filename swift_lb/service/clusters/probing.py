"""Which links one agent probes (service/probe.py), and how its probes ended.

One node probes a link: the first of two by rendezvous (plan/speakers.py).
"""
from collections import Counter

from swift_lb.plan.speakers import speakers


class LinkProbes:
    """The probes of one agent."""

    def __init__(self, node, bandwidths, observed):
        """Take the name of this node, LinkBandwidths, and the ClusterObservations to add to."""
        self.counted = Counter()            # (cluster, 'answered' or 'failed') -> probes
        self._node, self._bandwidths, self._observed = node, bandwidths, observed

    def due(self, nodes, summaries, turn, now):
        """Return {other cluster: a proxy of it, IP:PORT} to which to send a probe now.

        `nodes` are the names of those of this cluster that are up, `summaries` {cluster alive: its
        ClusterSummary}; `turn` is a number that counts up, for another proxy each time.
        """
        return {cluster: summary.relays[turn % len(summary.relays)]
                for cluster, summary in summaries.items()
                if summary.relays and self._node in speakers(cluster, nodes)[:1]
                and self._bandwidths.is_due(cluster, now)}

    def note(self, cluster, body):
        """Learn from the RelayedBody of a probe, None if it has failed."""
        self.counted[cluster, 'failed' if body is None else 'answered'] += 1
        if body is not None:
            self._observed.note_body(body)
