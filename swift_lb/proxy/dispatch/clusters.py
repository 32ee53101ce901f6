"""Requests between clusters: an object that is absent here is fetched from another cluster.

A read that all nodes here answer with 404, none with a tombstone, is sent to a cluster that the
container's X-Container-Meta-Lb-Clusters names: the client's request, with its credentials, and the
signed header X-Lb-Cluster-Hop, like that of a peer (wire/hop.py). The cluster serves it itself, so
that a request makes one hop between clusters at most. Whatever fails, the client gets the 404.
"""
import secrets

from swift_lb.clusters_file import ClustersFile
from swift_lb.dispatch.clusters import alive
from swift_lb.errors import ClientError, PeerError, WireError
from swift_lb.proxy.dispatch.connection import SilentError
from swift_lb.proxy.dispatch.identity import address_of
from swift_lb.proxy.dispatch.request import ClientRequest
from swift_lb.proxy.seam import ABSENT, declared_clusters
from swift_lb.wire.hop import Hop, encode

HEADER, KEY = 'X-Lb-Cluster-Hop', 'HTTP_X_LB_CLUSTER_HOP'
FROM = 'swift_lb.cluster'       # in the environment: the cluster from which the request came
READS = ('GET', 'HEAD')
SILENCE_TIMEOUT = 10.0      # seconds without a byte of the other cluster
FETCHED = frozenset((412, 416))     # statuses above 399 that an object's owner may answer


class OtherClusters:
    """The other clusters, as the dispatcher of one worker sees them, and requests sent to them."""

    def __init__(self, identity, relay, clock, wall, counts):
        """`identity()` returns the current Identity; `relay` is a Relay; `counts` DispatchCounts.

        `clock()` returns monotonic seconds, `wall()` seconds since 1970.
        """
        self._identity, self._relay, self._counts = identity, relay, counts
        self._clock, self._wall = clock, wall
        self._file = self._path = None

    def summaries(self):
        """Return {name: ClusterSummary} of the clusters that may be asked now."""
        cluster = self._identity().cluster
        if cluster is None:
            return {}
        if cluster.clusters_file != self._path:
            self._path = cluster.clusters_file
            self._file = ClustersFile(self._path, self._clock)
        return alive(self._file.current(), self._clock())

    def may_fetch(self, env):
        """Return whether the request of `env` could be fetched if it turned out to be absent."""
        return (env['REQUEST_METHOD'] in READS and env.get('PATH_INFO', '').count('/') >= 4
                and bool(self.summaries()))

    def fetch(self, original, env, app):
        """Return the Answer of another cluster to a request that got a 404 here, None without one.

        `original` is a copy of the request's environment as it came, `env` what the filters and
        the WSGI `app` have made of it.
        """
        if not env.get(ABSENT):
            return None
        summaries = self.summaries()
        for name in declared_clusters(env, app):
            if name in summaries and name != self._identity().cluster.name:
                for relay in summaries[name].relays[:1]:
                    answer = self._ask(name, relay, original)
                    if answer is not None:
                        return answer
        return None

    def _ask(self, cluster, relay, env):
        try:
            request = ClientRequest(env)
            answer = self._relay.send(request, lambda: self._head(relay, request, env),
                                      address_of(relay), '', self._on_wait, lambda _bytes: None)
        except (PeerError, ClientError, WireError, ValueError):
            self._counts.count('cluster_failures', cluster, 'unanswered')
            return None
        if answer.head.status >= 400 and answer.head.status not in FETCHED:
            answer.close()
            self._counts.count('cluster_failures', cluster, str(answer.head.status))
            return None
        self._counts.count('fetched', cluster)
        return answer

    def _head(self, relay, request, env):
        cluster = self._identity().cluster
        hop = Hop(cluster.name, relay, self._wall(), secrets.token_hex(8),
                  env.get('REMOTE_ADDR', ''), env.get('REMOTE_PORT', ''),
                  env.get('wsgi.url_scheme', 'http'), env.get('swift.trans_id', ''), False)
        return request.head(encode(cluster.keys[0], hop, request.method, request.target), HEADER)

    def _on_wait(self, waited):
        if waited >= SILENCE_TIMEOUT:
            raise SilentError(f'no byte has come for {waited:.0f} s')


class HeldAnswer:
    """The beginning of an answer of the next WSGI app, which is not sent to the client yet."""

    def __init__(self, serve):
        """`serve(start_response)` calls the app, and returns its body."""
        self.status, self._started = '', None
        self._body = serve(self._start)
        self._pieces, self._first = None, []
        if self._started is None:       # the app starts the answer with the first piece
            self._pieces = iter(self._body)
            self._first = [piece for piece in (next(self._pieces, None),) if piece is not None]

    def _start(self, status, headers, *rest):
        self.status, self._started = status, (status, headers, *rest)

    def send(self, start_response):
        """Start the answer, and return its body."""
        start_response(*self._started)
        return self._body if self._pieces is None else self

    def __iter__(self):
        yield from self._first
        yield from self._pieces

    def close(self):
        """Close the body of the app."""
        if hasattr(self._body, 'close'):
            self._body.close()
