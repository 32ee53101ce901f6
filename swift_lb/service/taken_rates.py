"""How many requests a second the proxies of this cluster take from each other cluster. Pure.

    rate    requests told in the last OVER seconds / OVER

Agents tell what is new once an interval (observations.py). None or two datagrams of an agent may
come in one interval, so the rate is taken over several.
"""
import math
from collections import deque

OVER = 4.0      # seconds, two intervals


class TakenRates:
    """The TakenRequests of the last OVER seconds."""

    def __init__(self):
        self._recent = deque()      # (instant, TakenRequests), the oldest first

    def add(self, taken, now):
        """Add TakenRequests that were told at `now`, monotonic seconds."""
        self._recent.extend((now, one) for one in taken)

    def from_clusters(self, now):
        """Return {cluster: requests per second} at `now`; the keys are clusters, never groups."""
        while self._recent and now - self._recent[0][0] >= OVER:
            self._recent.popleft()
        counts = {}
        for _at, one in self._recent:
            counts.setdefault(one.cluster, []).append(one.requests)
        return {cluster: math.fsum(requests) / OVER for cluster, requests in counts.items()}
