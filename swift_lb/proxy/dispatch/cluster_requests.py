"""Requests that are sent to other clusters, and the answers that are accepted.

The client's request is sent with its credentials and the signed header X-Lb-Cluster-Hop, like that
of a peer (wire/hop.py). The other cluster serves it itself, so that a request makes one hop between
clusters at most.
"""
from functools import partial
from math import inf

from swift_lb.errors import ClientError, PeerError, WireError
from swift_lb.proxy.dispatch import body_rate
from swift_lb.proxy.dispatch.answers import discard
from swift_lb.proxy.dispatch.connection import SilentError, UnreadableAnswerError
from swift_lb.proxy.dispatch.delegation import hop_of
from swift_lb.proxy.dispatch.head_wait import SILENCE_TIMEOUT, HeadWait
from swift_lb.proxy.dispatch.relay import Relay
from swift_lb.proxy.dispatch.request import ClientRequest
from swift_lb.wire.hop import CLUSTER_FOR as FOR
from swift_lb.wire.hop import CLUSTER_HEADER as HEADER
from swift_lb.wire.hop import encode
from swift_lb.wire.observations import PROBE
from swift_lb.wire.relay import without_scheme

CONNECT = 2.5               # seconds: a lost SYN is sent again after 1, and links may be long
PULLING = 10.0              # seconds that a relay may take for what is pulled from it
RELAYS = 2                  # proxies of a cluster that are asked for one request


class ClusterRequests:
    """Sends requests to other clusters, for the dispatcher of one worker."""

    def __init__(self, others, pool, clock, wall, counts, note_body, warn):
        """Take OtherClusters, a Pool of connections to them, and DispatchCounts.

        `clock()` returns monotonic seconds, `wall()` seconds since 1970. `note_body(cluster, bytes,
        seconds)` is called for each part of a body that shows the bandwidth of the link;
        `warn(subject, message)` logs a message.
        """
        self._others, self._pool, self._relay, self._counts = others, pool, Relay(pool), counts
        self._clock, self._wall, self._note_body, self._warn = clock, wall, note_body, warn

    def idle_since(self, relay):
        """Return the instant since which a connection to `relay` is idle; None without one.

        Of several it is that which was used last. Raises PeerError or ValueError if `relay` is not
        the text of an address that can be used.
        """
        return self._pool.idle_since(self._others.address_of(relay))

    def idle_window(self, relay):
        """Return the bytes of the window of the next connection to `relay`, 0 if it is a new one.

        Raises PeerError or ValueError as idle_since() does.
        """
        return self._pool.idle_window(self._others.address_of(relay))

    def fetch(self, cluster, env, wanted):
        """Return the Answer of `cluster` to the request of `env`, None without one.

        An Answer that is of no use by `wanted`, a Wanted, is counted and closed; then the result is
        None as well.
        """
        relays = self._others.proxies(cluster, wanted.patience)
        answer = self._ask(cluster, relays, env, wanted.patience)
        if answer is None or not self._is_success(cluster, env, answer, wanted.errors):
            return None
        if not wanted.accepts(answer):
            self._counts.count('cluster_failures', cluster, 'version')
            answer.close()
            self._others.lacked(cluster, env)
            return None
        return answer

    def touch(self, cluster, relay):
        """Send a HEAD to `relay`, on an idle connection or a new one, which is idle afterwards."""
        answer = self._ask(cluster, self._others.awake((relay,), inf),
                           own_request('HEAD', PROBE, relay), inf)
        if answer is None:
            return
        for _piece in answer:       # there is none; the connection is kept then
            pass
        if answer.head.status != 200:
            self._counts.count('cluster_failures', cluster, str(answer.head.status))

    def pull(self, cluster, relay, path, most):
        """Return the body that `relay` has at `path`; None if it has none, or over `most` bytes.

        Raises PeerError if it does not answer, or breaks off.
        """
        answer = self._ask(cluster, (relay,), own_request('GET', path, relay), PULLING)
        if answer is None:
            raise PeerError(f'{relay} does not answer')
        if answer.head.status != 200 or not 0 < (answer.head.length or 0) <= most:
            discard(answer)
            return None
        return b''.join(answer)

    def _ask(self, cluster, relays, env, patience):
        """Return the Answer of the first of RELAYS proxies of `cluster` that answers, or None."""
        begun = self._clock()
        for relay in relays[:RELAYS]:
            try:
                return self._send(cluster, relay, env, patience)
            except (WireError, ClientError) as err:     # no proxy of any cluster could be asked
                self._failed(cluster, 'unsendable', f'a request cannot be sent to {cluster}: {err}')
                return None
            except UnreadableAnswerError as err:        # which another proxy would give, too
                self._failed(cluster, 'unreadable', f'an answer of {cluster}: {err}')
                return None
            except (PeerError, ValueError) as err:
                self._left_out(cluster, relay, 'unanswered', err, patience)
            if (self._clock() - begun >= min(patience, SILENCE_TIMEOUT)
                    or cluster not in self._others.summaries()):
                break
        return None

    def _send(self, cluster, relay, env, patience):
        """Return the Answer of `relay`; a connection, and then its head, may take `patience` s."""
        request = ClientRequest(env)
        wait = HeadWait(partial(self._is_hopeless, cluster, relay, patience), patience)
        answer = self._relay.send(request, partial(self._head, relay, request, env),
                                  self._others.address_of(relay), '', wait, lambda _bytes: None,
                                  patience)
        wait.began = True
        self._measure(cluster, answer)

        def on_end(error, end=answer.on_end):
            end(error)
            if error is not None:
                self._left_out(cluster, relay, 'broken', error, inf)
        answer.on_end = on_end
        return answer

    def _is_hopeless(self, cluster, relay, patience):
        """Return whether to wait no longer: `cluster` is dead, or `relay` silent to others."""
        return cluster not in self._others.summaries() or (
            not self._others.awake((relay,), patience))

    def _left_out(self, cluster, relay, why, err, patience):
        self._failed(cluster, why, f'{relay} of {cluster} does not answer: {err}')
        self._others.silent(relay, patience if isinstance(err, SilentError) else inf)

    def _failed(self, cluster, why, message):
        self._warn(f'relay {cluster}', message)
        self._counts.count('cluster_failures', cluster, why)

    def _measure(self, cluster, answer):
        """Let the pieces of an Answer's body be measured, if it can show the link's bandwidth."""
        link, size = self._others.known().links.get(cluster), answer.head.length or 0
        if link is not None and size >= body_rate.smallest(link):
            answer.pass_through(lambda pieces: body_rate.measured(
                pieces, size, link.rtt, self._clock, partial(self._note_body, cluster)))

    def _is_success(self, cluster, env, answer, errors):
        """Return whether the status of an Answer is no failure; if it is, count and close it."""
        status = answer.head.status
        if status < 400 or status in errors:
            return True
        self._counts.count('cluster_failures', cluster, str(status))
        discard(answer)
        self._others.refused(cluster, env, status)
        return False

    def _head(self, relay, request, env):
        cluster = self._others.identity().cluster
        hop = hop_of(env, cluster.name, without_scheme(relay), self._wall(), False)
        signed = encode(cluster.keys[0], hop, request.method, request.target, FOR)
        return request.head(signed, HEADER)


def own_request(method, path, relay):
    """Return the WSGI environment of a request of this proxy itself to `path` of a relay."""
    return {'REQUEST_METHOD': method, 'PATH_INFO': path, 'RAW_PATH_INFO': path,
            'REMOTE_ADDR': '0.0.0.0', 'HTTP_HOST': without_scheme(relay), 'headers_raw': ()}
