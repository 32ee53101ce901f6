"""Who asks: an open loop, at a rate, or a closed one, where who is answered asks again."""


class Request:
    """One request of a client of a cache."""

    __slots__ = ('again', 'before', 'cache', 'came_at', 'delegated', 'ended', 'handed_at', 'over',
                 'received_by', 'sent_at', 'served_by', 'whose')

    def __init__(self, whose, cache, again, sent_at):
        """`whose` are the Clients; `again` says that who is answered asks again."""
        self.whose, self.cache, self.again, self.sent_at = whose, cache, again, sent_at
        self.delegated = self.ended = False
        self.over = None        # told of this Request, and whether it was served, in the end

    def done(self):
        """Take the answer, unless nobody waits for it any more."""
        if not self.ended:
            self.ended = True
            self.whose.answered(self)


class Clients:
    """Ask what the caches say, any address of an answer as often as any other."""

    def __init__(self, world, rng):
        self.impatient = False      # whether who waits for `patience` asks another: if some hang
        self._world, self._rng, self._setting = world, rng, world.setting
        self._agenda = world.agenda
        self.come(self._setting.load)

    def begin(self):
        """Set off the first requests."""
        if self._setting.clients:
            for number in range(self._setting.clients):
                self._agenda.at(self._rng.random(), self._ask, number % self._setting.caches)
        else:
            self._agenda.at(0.0, self._come, None)

    def come(self, load):
        """Let requests of the open loop come at this part of what all proxies can serve."""
        self._rate = load * self._setting.capacity

    def answered(self, request):
        """Note an answer; who is of a closed loop asks again."""
        now, think = self._agenda.now, self._setting.think
        self._world.record.answered(now, request)
        if request.again:
            self._agenda.at(now + (self._rng.expovariate(1 / think) if think else 0.0), self._ask,
                            request.cache)

    def _come(self, _nobody):
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
            self._agenda.at(self._agenda.now + self._setting.patience, self._give_up, request)
        world.receive(name, request)

    def _give_up(self, request):
        if not request.ended:
            request.ended = True
            self._send(Request(self, request.cache, request.again, request.sent_at))
