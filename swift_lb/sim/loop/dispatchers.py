"""The dispatchers of all proxies: each serves a request there or delegates it, one hop at most."""
from collections import Counter
from functools import partial

from swift_lb.dispatch.chooser import Chooser
from swift_lb.dispatch.content import SMALL
from swift_lb.dispatch.curve import Curve
from swift_lb.dispatch.ledger import Ledger
from swift_lb.dispatch.outlook import own_load
from swift_lb.dispatch.view import view
from swift_lb.load.book import LoadBook
from swift_lb.model import Backend, RequestFacts
from swift_lb.policy.backends import make_backend_policy

PORT = 8080
FACTS = RequestFacts('GET', '/', '', SMALL, 0)     # of every request


class Dispatchers:
    """Simulated dispatchers of all proxies that delegate nothing; subclasses override `taker`."""

    def __init__(self, agenda, rng, proxies, setting):
        """`proxies` is {name: Proxy}."""
        self.agenda, self.rng, self.proxies, self._hop = agenda, rng, proxies, setting.hop
        self._delegated = {name: Counter() for name in proxies}  # name -> {server: count}

    def delegated_by(self, name):
        """Return {proxy: requests that it served for the dispatcher of `name`}.

        None without dispatchers."""
        return None if type(self) is Dispatchers else self._delegated[name]

    def receive(self, name, instruction, request):
        """Let the dispatcher of `name` decide which proxy serves a Request, by its Instruction."""
        taker = self.taker(name, instruction)
        request.on_end = self.on_end
        if taker == name:
            self.arrive((name, request))
        else:
            request.delegated, request.handed_at = True, self.agenda.now
            self.begun(name, taker, request)
            self.agenda.at(self.agenda.now + self._hop, self.arrive, (taker, request))

    def arrive(self, arrival):
        """Let a proxy serve a Request; `arrival` is (name of the proxy, Request)."""
        name, request = arrival
        self.proxies[name].serve(request)

    def taker(self, name, _instruction):
        """Return the name of the proxy that serves the next request to the proxy `name`."""
        return name

    def begun(self, name, taker, request):
        """Note that the proxy `name` delegates a Request to the proxy `taker`."""

    def on_end(self, request, _served):
        """Note that a Request has ended; `_served`: its client had not given up."""
        if request.delegated:
            self._delegated[request.received_by][request.served_by] += 1


class PolicyDispatchers(Dispatchers):
    """Dispatchers that run swift_lb/dispatch with the Setting's policy of backends.

    Each proxy has one worker. All requests are of the class `small`. A delegated request to a
    hanging proxy waits there until its client gives up: nothing is retried.
    """

    def __init__(self, agenda, rng, proxies, setting):
        super().__init__(agenda, rng, proxies, setting)
        policy = make_backend_policy(setting.dispatchers)
        self._backends = {name: Backend(name, PORT, name) for name in proxies}
        self._curves = {name: Curve() for name in proxies}
        self._instructions = dict.fromkeys(proxies)
        self._ledgers, self._choosers = {}, {}
        for name in proxies:
            book = LoadBook()
            self._ledgers[name] = Ledger(lambda book=book: book)
            self._choosers[name] = Chooser(
                policy, partial(self._instructions.get, name),
                partial(view, node=name, address_of=_address_of), self._ledgers[name],
                self._curves[name], rng)

    def taker(self, name, instruction):
        """Return the proxy to serve a request: a peer that the Chooser prefers, or `name`."""
        self._instructions[name] = instruction
        chooser, now = self._choosers[name], self.agenda.now
        in_flight = self.proxies[name].in_flight
        if chooser.stays(in_flight, now) is not None:
            return name
        peers, _why = chooser.order(FACTS, in_flight, now)
        return peers[0].name if peers else name

    def begun(self, name, taker, request):
        """Count a Request that `name` delegates to `taker` as in flight there."""
        request.read = self._ledgers[name].begin(self._backends[taker], self.agenda.now)

    def arrive(self, arrival):
        """Let a proxy serve a Request; `arrival` is (name of the proxy, Request)."""
        self._curves[arrival[0]].came(self.agenda.now)
        super().arrive(arrival)

    def on_end(self, request, served):
        """Learn from a Request that has ended; `served`: its client had not given up."""
        super().on_end(request, served)
        now, name = self.agenda.now, request.served_by
        took = now - request.came_at
        if served:
            self._curves[name].add(request.before, took, now)
        if not request.delegated:
            return
        if served:
            load = own_load(self._curves[name], self.proxies[name].in_flight, took, now)
            self._ledgers[request.received_by].learn_from_answer(
                self._backends[name], request.read, request.handed_at, now, (load, took))
            request.read.complete()
        request.read = None


def _address_of(text):
    return text.partition(':')[0], PORT
