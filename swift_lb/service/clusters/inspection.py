"""Which datagrams are valid new summaries of clusters, and how many were refused, by reason."""
import functools
from collections import Counter, deque

from swift_lb.wire import cluster_summary, signature
from swift_lb.wire.freshness import OLD, Freshness
from swift_lb.wire.node_report import MAX_DATAGRAM
from swift_lb.wire.relay import relay_address

REMEMBERED = 64         # last datagrams: each comes by way of two gateways
FORGED, GARBLED, STRANGER, OWN = 'forged', 'garbled', 'stranger', 'own'


class SummaryInspection:
    """Accepts each valid summary of another agent once; counts these, and the refused ones."""

    def __init__(self, node):
        """Take the name of this node."""
        self.accepted, self.refused = 0, Counter()
        self._node, self._freshness = node, Freshness()
        self._datagrams = deque(maxlen=REMEMBERED)

    def accept(self, options, datagram, now, wall):
        """Return the ClusterSummary in `datagram`, None if it is refused; either is counted.

        `options` are ClusterOptions, `now` monotonic seconds, `wall` the time of day.
        """
        summary, reason = self._inspected(options, datagram)
        if summary is not None:
            reason = self._freshness.refuses(
                summary._replace(node=f'{summary.cluster} {summary.node}'), wall, now)
        if reason is not None:
            self.refused[reason] += 1
            return None
        self.accepted += 1
        self._datagrams.append(datagram)
        return summary

    def _inspected(self, options, datagram):
        """Return (ClusterSummary, None), or (None, why it is refused)."""
        if len(datagram) > MAX_DATAGRAM:
            return None, FORGED
        if datagram in self._datagrams:
            return None, OLD        # by way of another gateway
        payload = signature.verified(options.keys, datagram, cluster_summary.MAGIC)
        if payload is None:
            return None, FORGED
        summary = cluster_summary.decode(payload)
        if summary is None or not all(map(is_elsewhere, summary.relays)):
            return None, GARBLED
        if summary.cluster not in (options.name, *options.others):
            return None, STRANGER
        if (summary.cluster, summary.node) == (options.name, self._node):
            return None, OWN
        return summary, None

    def forget(self, speaker):
        """Accept any epoch in the next summary of a speaker, (cluster, node)."""
        self._freshness.forget(' '.join(speaker))


@functools.lru_cache(maxsize=4096)
def is_elsewhere(relay):
    """Return whether the text of a relay is an address that can be another host's."""
    try:
        return relay_address(relay).is_elsewhere
    except ValueError:
        return False
