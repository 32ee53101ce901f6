"""Idle connections to other clusters, kept for the next reads that are fetched.

A new connection costs a round trip, or two with TLS, before the request: a short read over a long
link takes half as long on an idle one. So while reads could leave for a cluster, each worker has an
idle connection to each proxy that the cluster's summary names, and sends a HEAD on it before it is
too old. It looks once a second which are older than TOO_OLD: so there are two or three requests in
IDLE seconds and relay, some 100 bytes a second.

If all connections are in use, a read that could be sooner elsewhere may stay for lack of one. Then
one is opened at once: so there are soon as many as reads need at the same time.
"""
from math import inf

from swift_lb.concurrency import spawn
from swift_lb.errors import PeerError
from swift_lb.proxy.dispatch.pool import IDLE

WANTED = 60.0           # seconds for which a cluster counts to which a read could have left
TOO_OLD = IDLE / 3      # seconds after which an idle connection is used


class WarmConnections:
    """Keeps idle connections of one worker to the clusters to which reads could leave lately."""

    def __init__(self, others, requests, clock, fall_back):
        """Take OtherClusters and ClusterRequests; `clock()` returns monotonic seconds.

        `fall_back(component)` reports a component that has failed.
        """
        self._others, self._requests, self._clock = others, requests, clock
        self._fall_back = fall_back
        self._wanted, self._busy = {}, set()    # cluster -> instant; relays that are being asked

    def want(self, names):
        """Note that a read could leave now for the clusters with these `names`."""
        self._wanted.update(dict.fromkeys(names, self._clock()))

    def open(self, clusters):
        """Open a connection to each of `clusters`, KnownClusters, to which none is idle.

        A read could have left for them, but stays.
        """
        for there in clusters:
            if not there.window:
                for relay in there.place.summary.relays[:1]:
                    if relay not in self._busy and self._others.awake((relay,), inf):
                        self._use(there.place.fetch.cluster, relay)

    def attend(self):
        """Send a HEAD on each connection that is too old or missing, without waiting for it."""
        now, summaries = self._clock(), self._others.summaries()
        for name, at in self._wanted.items():
            if name in summaries and now - at <= WANTED:
                for relay in summaries[name].relays:
                    if relay not in self._busy and self._is_due(relay, now):
                        self._use(name, relay)

    def _use(self, name, relay):
        """Send a HEAD to `relay` in a greenthread; until it has ended, the relay is busy."""
        self._busy.add(relay)
        spawn(self._touch, name, relay)

    def _is_due(self, relay, now):
        try:
            since = self._requests.idle_since(relay)
        except (PeerError, ValueError):     # of a bad address or ca_file: _touch() counts it
            return True
        return since is None or now - since > TOO_OLD

    def _touch(self, name, relay):
        try:
            self._requests.touch(name, relay)
        except Exception:
            self._fall_back('warm')
        finally:
            self._busy.discard(relay)
