"""Clients that come at a rate or ask again after each answer, and the DNS caches that they use."""
from bisect import bisect
from itertools import accumulate


class Request:
    """One simulated request of a client behind a DNS cache."""

    __slots__ = ('again', 'before', 'cache', 'came_at', 'clients', 'delegated', 'ended',
                 'handed_at', 'on_end', 'read', 'received_by', 'sent_at', 'served_by')

    def __init__(self, clients, cache, again, sent_at):
        """Take the LoopClients, the number of the client's DNS cache, and the instant of sending.

        `again` is whether the client sends another request after the answer, as in a closed loop.
        """
        self.clients, self.cache, self.again, self.sent_at = clients, cache, again, sent_at
        self.delegated = self.ended = False
        self.on_end = self.read = None    # on_end(request, served) is called in the end

    def done(self):
        """Give the client its answer, unless it has given up waiting."""
        if not self.ended:
            self.ended = True
            self.clients.take_answer(self)


class LoopClients:
    """Simulated clients, each of which sends its request to a random address of a DNS answer."""

    def __init__(self, world, rng):
        self.impatient = False      # whether clients ask another proxy after client_timeout
        self._world, self._rng, self._setting = world, rng, world.setting
        self._agenda = world.agenda
        self.set_load(self._setting.load)

    def begin(self):
        """Send the first request of each client or, in an open loop, the first request of all."""
        if self._setting.clients:
            for number in range(self._setting.clients):
                self._agenda.at(self._rng.random(), self._ask, number % self._setting.caches)
        else:
            self._agenda.at(0.0, self._come, None)

    def set_load(self, load):
        """Set the rate of the open loop to `load`, a fraction of what all proxies can serve."""
        self._rate = load * self._setting.capacity

    def take_answer(self, request):
        """Record the answer to a Request; in a closed loop its client then sends another."""
        now, think = self._agenda.now, self._setting.think
        self._world.record.record_answer(now, request)
        if request.again:
            self._agenda.at(now + (self._rng.expovariate(1 / think) if think else 0.0), self._ask,
                            request.cache)

    def _come(self, _nothing):
        now = self._agenda.now
        self._agenda.at(now + self._rng.expovariate(self._rate), self._come, None)
        self._send(Request(self, self._world.caches.any(), False, now))

    def _ask(self, cache):
        self._send(Request(self, cache, True, self._agenda.now))

    def _send(self, request):
        world, first = self._world, self._setting.first
        if first:
            name = world.proxies[int(self._rng.random() * first)].name
        else:
            addresses = world.caches.look_up(request.cache, self._agenda.now)
            name = addresses[int(self._rng.random() * len(addresses))]
        request.received_by = name
        if self.impatient:
            self._agenda.at(self._agenda.now + self._setting.client_timeout, self._give_up, request)
        world.receive(name, request)

    def _give_up(self, request):
        if not request.ended:
            request.ended = True
            self._send(Request(self, request.cache, request.again, request.sent_at))


class Caches:
    """Simulated DNS caches, each of which keeps an answer for a TTL."""

    def __init__(self, setting, answer, rng):
        """Take the Setting and `answer()`, which returns (addresses, seconds to cache them)."""
        count = range(setting.caches)
        self._answer, self._rng = answer, rng
        self._answers = [answer()[0] for _cache in count]
        self._expires = [rng.random() * setting.ttl for _cache in count]
        self._sizes = [*accumulate(1 / (cache + 1) if setting.uneven else 1.0 for cache in count)]

    def any(self):
        """Return the number of a random cache; one with more clients is more probable."""
        return bisect(self._sizes, self._rng.random() * self._sizes[-1])

    def look_up(self, cache, now):
        """Return the addresses that a client of the cache number `cache` gets at `now`."""
        if now >= self._expires[cache]:
            self._answers[cache], seconds = self._answer()
            self._expires[cache] = now + seconds
        return self._answers[cache]
