"""Which parts of images other clusters keep: digests of their keys, which are pulled from them.

A digest is that of one host, the first relay of a cluster, of which a part is fetched. It is pulled
while parts of images could leave for the cluster, at the adaptive rate of H-SWEB: so that it takes
SHARE of the bandwidth to there at most. It may be wrong, and then a part is computed there.

    interval = max(EVERY, bytes / (SHARE x bandwidth), ROUNDS x rtt)
"""
from typing import NamedTuple

from swift_lb.chains.cache.digest import MOST, Digest
from swift_lb.concurrency import spawn
from swift_lb.errors import PeerError

PATH = '/lb/kept'       # at a proxy of another cluster
EVERY = 10.0            # seconds: of a result that takes 0.1 s, few are asked for twice within it
SHARE, ROUNDS = 0.01, 10
WANTED = 60.0           # seconds for which a cluster counts to which a part could have left
USELESS = 120.0         # seconds after which a digest is not used


class Pulled(NamedTuple):
    """A digest of one cluster."""

    digest: Digest
    at: float       # instant at which it came
    size: int       # bytes


class KeptElsewhere:
    """The digests that one worker has of other clusters."""

    def __init__(self, others, requests, clock, fall_back):
        """Take OtherClusters and ClusterRequests; `clock()` returns monotonic seconds.

        `fall_back(component)` reports a component that has failed.
        """
        self._others, self._requests, self._clock = others, requests, clock
        self._fall_back = fall_back
        self._pulled, self._wanted, self._next = {}, {}, {}    # by the names of clusters

    def of(self, cluster, keys):
        """Return what `cluster` keeps, or seems to, of {what: key}; note that it is wanted."""
        now = self._clock()
        self._wanted[cluster] = now
        pulled = self._pulled.get(cluster)
        if pulled is None or now - pulled.at > USELESS:
            return set()
        return {what for what, key in keys.items() if key in pulled.digest}

    def attend(self):
        """Pull the digests that are wanted and due, without waiting for them."""
        now, summaries = self._clock(), self._others.summaries()
        for cluster, at in self._wanted.items():
            if cluster in summaries and now - at <= WANTED and now >= self._next.get(cluster, now):
                self._next[cluster] = now + self._interval(cluster)
                spawn(self._pull, cluster)

    def _interval(self, cluster):
        """Return the seconds until the next pull from a cluster."""
        link, pulled = self._others.known().links.get(cluster), self._pulled.get(cluster)
        if link is None:
            return EVERY
        size = pulled.size if pulled else 0
        return max(EVERY, size / (SHARE * (link.bandwidth or 1.0)), ROUNDS * link.rtt)

    def _pull(self, cluster):
        try:
            data = self._requests.pull(cluster, PATH, MOST)
            if data is not None:
                self._pulled[cluster] = Pulled(Digest.loads(data), self._clock(), len(data))
        except (PeerError, ValueError):     # it broke off, or is none
            pass
        except Exception:
            self._fall_back('kept')
