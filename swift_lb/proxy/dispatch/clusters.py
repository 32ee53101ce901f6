"""Requests between clusters: an object that is absent here is fetched from another cluster.

A read that all primaries here answer with 404, none with a tombstone, is sent to a cluster that the
container's X-Container-Meta-Lb-Clusters names: the client's request, with its credentials, and the
signed header X-Lb-Cluster-Hop, like that of a peer (wire/hop.py). The cluster serves it itself, so
that a request makes one hop between clusters at most. Whatever fails, the client gets the 404.
"""
from contextlib import suppress
from functools import partial

from swift_lb.clusters_file import ClustersFile
from swift_lb.dispatch.clusters import Refusals, alive
from swift_lb.errors import ClientError, PeerError, WireError
from swift_lb.proxy.dispatch.connection import SilentError
from swift_lb.proxy.dispatch.delegation import header_of, hop_of
from swift_lb.proxy.dispatch.facts import body_size
from swift_lb.proxy.dispatch.identity import address_of
from swift_lb.proxy.dispatch.request import ClientRequest
from swift_lb.proxy.seam import ABSENT, declared_clusters
from swift_lb.wire.hop import encode

HEADER, KEY = 'X-Lb-Cluster-Hop', 'HTTP_X_LB_CLUSTER_HOP'
FOR = 'X-Lb-Cluster-Hop 1'      # signed bytes begin with it: a peer's marker is none of a cluster
FROM = 'swift_lb.cluster'       # in the environment: the cluster from which the request came
READS = ('GET', 'HEAD')
SYNC = 'HTTP_X_CONTAINER_SYNC_AUTH'
SILENT = 10.0               # seconds for which a proxy that did not answer is not asked
SILENCE_TIMEOUT = 10.0      # seconds without a byte of the other cluster
SHORT = 4096                # bytes of a body that is read to its end and dropped
RELAYS = 2                  # proxies of a cluster that are asked for one request
UNKNOWN_THERE = frozenset((401, 403))
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
        self._refusals, self._silent_until = Refusals(), {}     # relay -> instant

    @property
    def fault(self):
        """A sentence on why the file of clusters cannot be used; None if it can, or is not read."""
        return self._file and self._file.fault

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
        """Return whether the request of `env` could be fetched if it turned out to be absent.

        Not if it is of container-sync: its HEAD asks whether this very cluster has an object, and
        if another one answered, the object would not be copied.
        """
        return (env['REQUEST_METHOD'] in READS and env.get('PATH_INFO', '').count('/') >= 4
                and SYNC not in env and body_size(env) == 0 and bool(self.summaries()))

    def fetch(self, original, env, app):
        """Return the Answer of another cluster to a request that got a 404 here, None without one.

        `original` is a copy of the request's environment as it came, `env` what the filters and
        the WSGI `app` have made of it.
        """
        if not env.get(ABSENT):
            return None
        summaries, container = self.summaries(), container_of(original['PATH_INFO'])
        for name in declared_clusters(env, app):
            if name in summaries and not self._refusals.has(name, container, self._clock()):
                answer = self._ask(name, summaries[name].relays, original)
                if answer is not None and self._accepts(name, container, answer):
                    return answer
        return None

    def _ask(self, cluster, relays, env):
        """Return the Answer of the first of RELAYS proxies of `cluster` that answers, or None."""
        now = self._clock()
        usable = [relay for relay in relays if self._silent_until.get(relay, now) <= now]
        for relay in usable[:RELAYS]:
            try:
                request = ClientRequest(env)
                return self._relay.send(
                    request, partial(self._head, relay, request, env), address_of(relay), '',
                    self._on_wait, lambda _bytes: None)
            except (PeerError, ClientError, WireError, ValueError):
                self._counts.count('cluster_failures', cluster, 'unanswered')
                self._silent_until[relay] = self._clock() + SILENT
            if self._clock() - now >= SILENCE_TIMEOUT:
                break
        return None

    def _accepts(self, cluster, container, answer):
        """Return whether the client gets `answer`; if not, count why, and close it."""
        status = answer.head.status
        if status < 400 or status in FETCHED:
            self._counts.count('fetched', cluster)
            return True
        self._counts.count('cluster_failures', cluster, str(status))
        discard(answer)
        if status in UNKNOWN_THERE:
            self._refusals.add(cluster, container, self._clock())
        return False

    def _head(self, relay, request, env):
        cluster = self._identity().cluster
        hop = hop_of(env, cluster.name, relay, self._wall(), False)
        signed = encode(cluster.keys[0], hop, request.method, request.target, FOR)
        return request.head(signed, HEADER)

    def _on_wait(self, waited):
        if waited >= SILENCE_TIMEOUT:
            raise SilentError(f'no byte has come for {waited:.0f} s')


def discard(answer):
    """Close the Answer of another cluster; read a short body first, to keep the connection."""
    length = header_of(answer, 'Content-Length') or ''
    if length.isdecimal() and int(length) <= SHORT:
        with suppress(PeerError):
            for _piece in answer:
                pass
    answer.close()


def container_of(path):
    """Return the part /v1/ACCOUNT/CONTAINER of an object's path."""
    return '/'.join(path.split('/')[:4])


class HeldAnswer:
    """The beginning of an answer of the next WSGI app, which is not sent to the client yet."""

    def __init__(self, serve):
        """`serve(start_response)` calls the app, and returns its body."""
        self.status, self._started, self._begin = '', None, None
        self._pieces, self._first = None, []
        self._body = serve(self._start)
        if self._started is None or self._first:    # it starts with the first piece, or writes
            self._pieces = iter(self._body)
        if self._started is None:
            self._first += [piece for piece in (next(self._pieces, None),) if piece is not None]

    def _start(self, status, headers, *rest):
        if self._begin is not None:     # again, since it has failed: the server decides
            return self._begin(status, headers, *rest)
        self.status, self._started = status, (status, headers, *rest)
        return self._first.append

    def send(self, start_response):
        """Start the answer, and return its body."""
        self._begin = start_response
        if self._started is not None:
            start_response(*self._started)
        return self._body if self._pieces is None else self

    def __iter__(self):
        yield from self._first
        yield from self._pieces

    def close(self):
        """Close the body of the app."""
        if hasattr(self._body, 'close'):
            self._body.close()
