"""What one worker measures for other clusters, sent to the agent of its host once a second.

The times of requests by class of content (dispatch/served_times.py), the bandwidth of links
(body_rate.py), the ways to clients (clients.py), the reads that were sent to each cluster, the
requests that came from there, and how redirected ones ended. A datagram is sent, without waiting,
to the socket of the agent for summaries; if there is no agent, it is lost, and nothing else
happens.
"""
import os
import socket
from collections import Counter
from contextlib import suppress

from swift_lb.concurrency import plain_socket
from swift_lb.dispatch.served_times import ServedTimes
from swift_lb.model import FETCH
from swift_lb.proxy.dispatch.clients import ClientPaths
from swift_lb.proxy.dispatch.clusters import FROM
from swift_lb.proxy.dispatch.redirects import REDIRECTED
from swift_lb.proxy.guard import fails_open
from swift_lb.wire import signature
from swift_lb.wire.cluster_summary import CLUSTER
from swift_lb.wire.observations import (
    MAGIC,
    Observations,
    RelayedBody,
    SentReads,
    TakenRequests,
    decode,
    encode,
)

BODIES, ENDED = 8, 2    # of one second


class Observer:
    """Collects and sends the observations of one worker."""

    def __init__(self, identity, served, clock, wall, fall_back):
        """`identity()` returns the current Identity, `served` is the worker's Served.

        `clock()` returns monotonic seconds, `wall()` seconds since 1970; `fall_back(component)`
        reports a component that has failed.
        """
        self.clients, self.fall_back = ClientPaths(clock, fall_back), fall_back
        self._identity, self._served, self._clock, self._wall = identity, served, clock, wall
        self._bodies, self._sockets, self._sent, self._taken = [], {}, {}, Counter()
        self._ended = []
        self._epoch, self._sequence = None, 0   # None in the parent of the workers

    @fails_open('observations')
    def note_body(self, cluster, count, seconds):
        """Keep that `count` bytes came from `cluster` in `seconds`; at most BODIES a second."""
        if len(self._bodies) < BODIES:
            self._bodies.append(RelayedBody(cluster, count, seconds))

    def note_sent(self, route):
        """Count a read that was sent to another cluster by `route`, a FETCH or REDIRECT."""
        self._count(route.cluster, **{'fetched' if route.kind == FETCH else 'redirected': 1})

    def note_measured(self, route, predicted, taken):
        """Count the seconds `predicted` of a fetched read by `route`, and those that it took."""
        self._count(route.cluster, measured=1, predicted=predicted, taken=taken)

    def _count(self, cluster, **counts):
        one = self._sent.get(cluster, SentReads(cluster))
        self._sent[cluster] = one._replace(
            **{name: getattr(one, name) + count for name, count in counts.items()})

    def note_taken(self, env):
        """Count the request of `env` if another cluster has sent it, or redirected its client."""
        origin = env.get(REDIRECTED)
        cluster = env.get(FROM, origin.cluster if origin else '')
        if CLUSTER.fullmatch(cluster):
            self._taken[cluster] += 1

    def note_ended(self, cluster, ended):
        """Keep an EndedRedirect of a read that `cluster` has redirected; at most ENDED a second."""
        if len(self._ended) < ENDED:
            self._ended.append((cluster, ended))

    def tell(self):
        """Send what was measured since the last call, if this host belongs to a cluster."""
        identity = self._identity()
        cluster = identity.cluster
        if cluster is None:
            self._served.times = None
            return
        if self._served.times is None:
            self._served.times = ServedTimes()
        if self._epoch is None:
            self._epoch = int(self._wall() * 1e6)
        self._sequence += 1
        payload = encode(self._observations(identity))
        self.clients.paths.drop([path.network for path in decode(payload).paths])
        self.clients.renew()
        self._bodies.clear()
        self._sent.clear()
        self._taken.clear()
        self._ended.clear()
        self._send(signature.sign(cluster.keys[0], payload, MAGIC), cluster.agent)

    def _observations(self, identity):
        now, served = self._clock(), self._served
        return Observations(
            identity.cluster.name, identity.node, os.getpid(), self._epoch, self._sequence,
            self._wall(), served.times.times(served.curve, served.in_flight(), now),
            tuple(self._bodies), tuple(self.clients.paths.busiest()), tuple(self._sent.values()),
            tuple([TakenRequests(*one) for one in self._taken.most_common()]), tuple(self._ended))

    def _send(self, datagram, address):
        family = socket.AF_INET6 if ':' in address[0] else socket.AF_INET
        if family not in self._sockets:
            self._sockets[family] = plain_socket(family, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
            self._sockets[family].setblocking(False)
        with suppress(OSError):     # then the agent counts as absent
            self._sockets[family].sendto(datagram, address)
