"""Which links one agent probes (service/probe.py), and how its probes ended.

One node probes a link: the first by rendezvous (plan/speakers.py).
"""
from collections import Counter
from typing import NamedTuple

from swift_lb.plan.speakers import in_order


class DueProbe(NamedTuple):
    """A link whose bandwidth is to be measured."""

    cluster: str
    relay: str              # IP:PORT of a proxy there, or https://NAME:PORT
    rtt: float              # seconds
    bandwidth: float        # bytes per second, as far as is known; 0 is unknown


class LinkProbes:
    """Decides which probes one agent sends, and counts them by cluster and outcome."""

    def __init__(self, node, bandwidths, observed):
        """Take the name of this node, LinkBandwidths, and the ClusterObservations to add to."""
        self.counted = Counter()            # (cluster, 'answered' or 'failed') -> probes
        self._node, self._bandwidths, self._observed = node, bandwidths, observed

    def due(self, nodes, summaries, links, turn, now):
        """Return a list with a DueProbe of each link that this node must probe now.

        `nodes` are the names of those of this cluster that are up, `summaries` {cluster alive: its
        ClusterSummary}, `links` {cluster: ClusterLink}: a link whose round trip is unknown is not
        probed. `turn` is one more at each call, so that another proxy is asked.
        """
        return [DueProbe(cluster, summary.relays[turn % len(summary.relays)], links[cluster].rtt,
                         self._bandwidths.forecast(cluster).value or 0.0)
                for cluster, summary in summaries.items()
                if summary.relays and cluster in links
                and self._node in in_order(cluster, nodes)[:1]
                and self._bandwidths.is_due(cluster, now)]

    def note(self, cluster, result):
        """Learn from `result`, which service/probe.py has returned for a DueProbe to `cluster`."""
        self.counted[cluster, 'failed' if result is None else 'answered'] += 1
        if result is not None:
            body, came = result
            self._observed.note_body(body)
            self._bandwidths.note_probe(cluster, came)
