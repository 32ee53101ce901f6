"""How the last reads that other clusters have redirected to this one have ended. Pure.

Each summary tells a cluster the last MAX_ENDED of the reads that it has redirected here, for KEPT
seconds, so that the loss of a datagram does not matter. That cluster counts each read once, by its
name (dispatch/gains.py).
"""
from collections import deque

from swift_lb.wire.cluster_summary import MAX_ENDED

KEPT = 60.0     # seconds


class EndedReads:
    """The last EndedRedirects of each cluster."""

    def __init__(self):
        self._last = {}         # cluster -> (instant, EndedRedirect), the oldest first

    def add(self, ended, now):
        """Add (cluster, EndedRedirect) pairs that were told at `now`, monotonic seconds."""
        for cluster, one in ended:
            self._last.setdefault(cluster, deque(maxlen=MAX_ENDED)).append((now, one))

    def of_clusters(self, now):
        """Return {cluster: [EndedRedirect, ...]} of the last KEPT seconds, the oldest first."""
        for cluster, last in [*self._last.items()]:
            while last and now - last[0][0] > KEPT:
                last.popleft()
            if not last:
                del self._last[cluster]
        return {cluster: [one for _at, one in last] for cluster, last in self._last.items()}
