"""Which parts of images other clusters keep: digests of their keys, which are pulled from them.

A digest is that of one host, the first relay of a cluster, of which a part is fetched. Which relay
is the first changes with their load, so there is a digest of each. It is pulled while parts of
images could leave for the cluster, at the adaptive rate of H-SWEB: so that all workers of this host
take SHARE of the bandwidth to there at most. It may be wrong, and then a part is computed there.

    interval = max(EVERY, workers x bytes / (SHARE x bandwidth), ROUNDS x rtt)
"""
from typing import NamedTuple

from swift_lb.chains.cache.digest import MOST, Digest
from swift_lb.concurrency import spawn
from swift_lb.errors import PeerError
from swift_lb.proxy.dispatch.cluster_requests import PULLING

PATH = '/lb/kept'       # at a proxy of another cluster
EVERY = 2.0             # seconds, as summaries: a pull takes 0.1 ms of this worker's processor time
SHARE, ROUNDS = 0.01, 10
UNKNOWN = 60.0          # seconds, while the bandwidth is not known
WANTED = 60.0           # seconds for which a cluster counts to which a part could have left
USELESS = 120.0         # seconds after which a digest is not used; two intervals if that is more
PULLED, NONE, FAILED = 'pulled', 'none', 'failed'   # outcomes


class Pulled(NamedTuple):
    """The digest of one relay."""

    digest: Digest
    at: float       # instant at which it came
    size: int       # bytes


class KeptElsewhere:
    """The digests that one worker has of other clusters."""

    def __init__(self, others, requests, counts, clock, fall_back):
        """Take OtherClusters, ClusterRequests and DispatchCounts.

        `clock()` returns monotonic seconds; `fall_back(component)` reports a component that has
        failed.
        """
        self._others, self._requests, self._counts = others, requests, counts
        self._clock, self._fall_back, self._workers = clock, fall_back, 1
        self._wanted = {}                       # cluster -> instant
        self._pulled, self._next = {}, {}       # by relays

    def of(self, cluster, keys):
        """Return what `cluster` keeps, or seems to, of {what: key}; note that it is wanted."""
        now = self._clock()
        self._wanted[cluster] = now
        relay = self._relay(cluster)
        pulled = self._pulled.get(relay)
        if pulled is None or now - pulled.at > max(USELESS, 2 * self._interval(cluster, relay)):
            return set()
        return {what for what, key in keys.items() if key in pulled.digest}

    def attend(self, workers):
        """Pull the digests that are wanted and due, without waiting for them.

        `workers` is the number of workers of this host's proxy.
        """
        self._workers, now = workers, self._clock()
        for cluster, at in self._wanted.items():
            relay = self._relay(cluster)
            if relay is not None and now - at <= WANTED and now >= self._next.get(relay, now):
                self._next[relay] = now + self._interval(cluster, relay)
                spawn(self._pull, cluster, relay)

    def _relay(self, cluster):
        """Return the first relay of a cluster that may be asked, None without one."""
        return next(iter(self._others.proxies(cluster, PULLING)), None)

    def _interval(self, cluster, relay):
        """Return the seconds from one pull to the next."""
        link, pulled = self._others.known().links.get(cluster), self._pulled.get(relay)
        if link is None or not link.bandwidth:
            return UNKNOWN if pulled else EVERY
        size = self._workers * pulled.size if pulled else 0
        return max(EVERY, size / (SHARE * link.bandwidth), ROUNDS * link.rtt)

    def _pull(self, cluster, relay):
        outcome = FAILED
        try:
            data = self._requests.pull(cluster, relay, PATH, MOST)
            if data is not None:
                self._pulled[relay] = Pulled(Digest.loads(data), self._clock(), len(data))
            outcome = NONE if data is None else PULLED
        except (PeerError, ValueError):     # it broke off, or is none
            pass
        except Exception:
            self._fall_back('kept')
        self._counts.count('cluster_digests', cluster, outcome)
