"""Requests that are sent to other clusters, and the answers that are accepted.

The client's request is sent with its credentials and the signed header X-Lb-Cluster-Hop, like that
of a peer (wire/hop.py). The other cluster serves it itself, so that a request makes one hop between
clusters at most.
"""
from contextlib import suppress
from functools import partial

from swift_lb.authorities import Authorities
from swift_lb.clusters_file import ClustersFile
from swift_lb.dispatch.clusters import Refusals, alive
from swift_lb.errors import ClientError, PeerError, WireError
from swift_lb.proxy.dispatch import body_rate
from swift_lb.proxy.dispatch.delegation import header_of, hop_of
from swift_lb.proxy.dispatch.head_wait import SILENCE_TIMEOUT, HeadWait
from swift_lb.proxy.dispatch.request import ClientRequest
from swift_lb.proxy.dispatch.tls import TlsAddress
from swift_lb.wire.hop import CLUSTER_FOR as FOR
from swift_lb.wire.hop import CLUSTER_HEADER as HEADER
from swift_lb.wire.hop import encode
from swift_lb.wire.observations import PROBE
from swift_lb.wire.relay import relay_address, without_scheme

KEY = 'HTTP_X_LB_CLUSTER_HOP'
FROM = 'swift_lb.cluster'       # in the environment: the cluster from which the request came
CONNECT = 2.5               # seconds: a lost SYN is sent again after 1, and links may be long
SILENT = 5.0                # seconds for which a proxy that did not answer is not asked
MOMENT = 0.1                # seconds for which the clusters that are alive are kept
SHORT = 4096                # bytes of a body that is read to its end and dropped
RELAYS = 2                  # proxies of a cluster that are asked for one request
UNKNOWN_THERE = frozenset((401, 403))
FETCHED = frozenset((412, 416))     # statuses above 399 that an object's owner may answer


class OtherClusters:
    """The other clusters, as the dispatcher of one worker sees them, and requests sent to them."""

    def __init__(self, identity, relay, clock, wall, counts, note_body, warn):
        """`identity()` returns the current Identity; `relay` is a Relay; `counts` DispatchCounts.

        `clock()` returns monotonic seconds, `wall()` seconds since 1970. `note_body(cluster, bytes,
        seconds)` is called for each part of a body from which a bandwidth follows;
        `warn(subject, message)` logs a message.
        """
        self._note_body = note_body
        self.identity, self._relay, self._counts = identity, relay, counts
        self._clock, self._wall, self._warn = clock, wall, warn
        self._file, self._path, self._authorities = None, None, Authorities(clock)
        self._judged, self._judge_at, self._alive = None, 0.0, {}
        self._refusals, self._silent_until = Refusals(), {}     # relay -> instant

    @property
    def fault(self):
        """A sentence on why the file of clusters or `ca_file` cannot be used; None if they can."""
        if self._file and self._file.fault:
            return f'{self._file.fault}; nothing is fetched from other clusters'
        cluster = self.identity().cluster
        return self._authorities.fault(cluster.ca_file) if cluster else None

    def known(self):
        """Return the Clusters in the file, None without a file or without [lb-cluster]."""
        cluster = self.identity().cluster
        if cluster is None:
            return None
        if cluster.clusters_file != self._path:
            self._path = cluster.clusters_file
            self._file = ClustersFile(self._path, self._clock)
        return self._file.current()

    def summaries(self):
        """Return {name: ClusterSummary} of the clusters that may be asked now."""
        known, now = self.known(), self._clock()
        if known is not self._judged or now >= self._judge_at:
            self._judged, self._judge_at = known, now + MOMENT
            self._alive = alive(known, now)
        return self._alive

    def may_ask(self, cluster, env):
        """Return whether `cluster` has not refused the credentials of `env` for its container."""
        return not self._refusals.has(cluster, question_of(env), self._clock())

    def address_of(self, relay):
        """Return the address of a relay, a text, for a Pool; raises ValueError if it is none."""
        host, port, tls = relay_address(relay)
        return (host, port) if not tls else TlsAddress(
            host, port, self._authorities.context(self.identity().cluster.ca_file))

    def fetch(self, cluster, relays, env, accepts, errors=FETCHED):
        """Return the Answer of `cluster`, by one of its `relays`, to the request of `env`, or None.

        An answer for which `accepts(answer)` is false, or with a status above 399 that is not among
        `errors`, is dropped.
        """
        answer = self._ask(cluster, relays, env)
        if answer is None or not self._is_success(cluster, env, answer, errors):
            return None
        if not accepts(answer):
            self._counts.count('cluster_failures', cluster, 'version')
            answer.close()
            return None
        return answer

    def touch(self, cluster, relay):
        """Send a request without a body, on an idle connection to `relay` or on a new one."""
        answer = self._ask(cluster, (relay,), {
            'REQUEST_METHOD': 'HEAD', 'PATH_INFO': PROBE, 'RAW_PATH_INFO': PROBE,
            'REMOTE_ADDR': '0.0.0.0', 'HTTP_HOST': relay, 'headers_raw': ()})
        if answer is not None:
            for _piece in answer:       # there is none; the connection is kept then
                pass

    def _ask(self, cluster, relays, env):
        """Return the Answer of the first of RELAYS proxies of `cluster` that answers, or None."""
        now = self._clock()
        usable = [relay for relay in relays if self._silent_until.get(relay, now) <= now]
        for relay in usable[:RELAYS]:
            wait = HeadWait(partial(self._is_hopeless, cluster, relay))
            try:
                request = ClientRequest(env)
                answer = self._relay.send(
                    request, partial(self._head, relay, request, env), self.address_of(relay), '',
                    wait, lambda _bytes: None)
                wait.began = True
                self._measure(cluster, answer)
                return answer
            except (PeerError, ClientError, WireError, ValueError) as err:
                self._warn(f'relay {cluster}', f'{relay} of {cluster} does not answer: {err}')
                self._counts.count('cluster_failures', cluster, 'unanswered')
                self._silent_until[relay] = self._clock() + SILENT
            if self._clock() - now >= SILENCE_TIMEOUT or cluster not in self.summaries():
                break
        return None

    def _is_hopeless(self, cluster, relay):
        """Return whether `cluster` is dead now, or its `relay` has not answered another request."""
        return (cluster not in self.summaries()
                or self._silent_until.get(relay, 0.0) > self._clock())

    def _measure(self, cluster, answer):
        """Let the pieces of an Answer's body be measured, if the round trip is known."""
        link, size = self.known().links.get(cluster), answer.head.length or 0
        if link is not None and size >= body_rate.SMALLEST:
            answer.pass_through(lambda pieces: body_rate.measured(
                pieces, size, link.rtt, self._clock, partial(self._note_body, cluster)))

    def _is_success(self, cluster, env, answer, errors):
        """Return whether `answer` is no failure; if it is, count it, and close the answer."""
        status = answer.head.status
        if status < 400 or status in errors:
            return True
        self._counts.count('cluster_failures', cluster, str(status))
        discard(answer)
        if status in UNKNOWN_THERE:
            self._refusals.add(cluster, question_of(env), self._clock())
        return False

    def _head(self, relay, request, env):
        cluster = self.identity().cluster
        hop = hop_of(env, cluster.name, without_scheme(relay), self._wall(), False)
        signed = encode(cluster.keys[0], hop, request.method, request.target, FOR)
        return request.head(signed, HEADER)


def discard(answer):
    """Close the Answer of another cluster; read a short body first, to keep the connection."""
    length = header_of(answer, 'Content-Length') or ''
    if length.isdecimal() and int(length) <= SHORT:
        with suppress(PeerError):
            for _piece in answer:
                pass
    answer.close()


def question_of(env):
    """Return a request's container and credentials, a hashable value that reveals no token."""
    query = env.get('QUERY_STRING', '')
    return container_of(env['PATH_INFO']), hash((
        env.get('HTTP_X_AUTH_TOKEN'), env.get('HTTP_AUTHORIZATION'),
        query if 'temp_url_sig' in query else ''))


def container_of(path):
    """Return the part /v1/ACCOUNT/CONTAINER of an object's path."""
    return '/'.join(path.split('/')[:4])
