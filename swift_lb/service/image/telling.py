"""Tells the other hosts of the results that this one keeps, and hears of theirs: Swala's directory.

Datagrams are signed with the agents' key, as their reports are, and are refused if they are forged
or old. There is one a second, and more, up to BURST at a time, as soon as there is news.
"""
import asyncio
from collections import Counter
from math import inf

from swift_lb import clock
from swift_lb.chains.cache.directory import Directory
from swift_lb.wire import kept_news, signature
from swift_lb.wire.freshness import Freshness

EVERY = 0.1         # seconds between two calls of tick()
AGAIN = 1.0         # seconds between two datagrams without news
BURST = 10          # datagrams of one tick() to each host
RESOLVE = 60.0      # seconds between two look-ups of the others' names
FORGED, GARBLED, OWN = 'forged', 'garbled', 'own'


class Telling:
    """The directory of one host: what the others keep, and what this one tells them."""

    def __init__(self, node, keys, requests, mesh, epoch):
        """Take this host's name, the keys that may sign, its KeptRequests, and a Mesh to send by.

        `epoch` is the time of its start, in whole seconds since 1970.
        """
        self.directory, self.refused, self.addresses = Directory(), Counter(), ()
        self._node, self._keys, self._requests, self._mesh = node, keys, requests, mesh
        self._epoch, self._sequence, self._next = epoch, 0, 0.0
        self._freshness, self._epochs = Freshness(), {}     # host -> its epoch

    def tick(self, now, wall):
        """Send what is due at `now`, an instant of the monotonic clock, `wall` since 1970."""
        for _datagram in range(BURST):
            if not self._requests.has_news and now < self._next:
                return
            self._next = now + AGAIN
            self._sequence += 1
            news = kept_news.KeptNews(self._node, self._epoch, self._sequence, wall,
                                      *self._requests.news(kept_news.MOST))
            self._mesh.send(signature.sign(self._keys[0], kept_news.encode(news), kept_news.MAGIC),
                            self.addresses)

    def hear(self, now, wall):
        """Take all datagrams that have come, at the instants as for tick()."""
        for datagram, _address in self._mesh.receive():
            reason = self._heard(datagram, now, wall)
            if reason is not None:
                self.refused[reason] += 1

    def _heard(self, datagram, now, wall):
        """Learn from a datagram and return None; if it is refused, return the reason."""
        payload = signature.verified(self._keys, datagram, kept_news.MAGIC)
        if payload is None:
            return FORGED
        news = kept_news.decode(payload)
        if news is None:
            return GARBLED
        if news.node == self._node:
            return OWN
        reason = self._freshness.refuses(news, wall, now)
        if reason is not None:
            return reason
        if self._epochs.get(news.node) != news.epoch:       # it has restarted, perhaps empty
            self._epochs[news.node] = news.epoch
            self.directory.forget(news.node)
        self.directory.told(news.node, news.kept, news.gone)
        return None

    def fileno(self):
        """Return the number of the socket's file, by which a loop knows that datagrams came."""
        return self._mesh.socket.fileno()

    def where(self, key):
        """Return the names of the hosts that keep results of the request with a key, this first."""
        request = key[:kept_news.KEY]
        own = (self._node,) if request in self._requests else ()
        return own + self.directory.where(request)

    def resolve(self, peers):
        """Look the peers' names up, which blocks; return a sentence for each that is not found."""
        self.addresses, faults = self._mesh.resolve(peers)
        return faults

    def document(self):
        """Return a dict for pages and metrics."""
        return {'hosts': self.directory.counts(), 'refused': dict(self.refused),
                **self._mesh.traffic}


async def tell_for_ever(telling, peers, warn):
    """Let a Telling tell `peers`, (host, port) pairs, and hear them, if it is not None.

    `warn(sentence)` logs a name that is not found.
    """
    if telling is None:
        return
    asyncio.get_running_loop().add_reader(
        telling.fileno(), lambda: telling.hear(clock.monotonic(), clock.wall()))
    resolve_at = -inf
    while True:
        now = clock.monotonic()
        if now >= resolve_at:
            resolve_at = now + RESOLVE
            for fault in await asyncio.to_thread(telling.resolve, peers):
                warn(fault)
        telling.tick(now, clock.wall())
        await asyncio.sleep(EVERY)
