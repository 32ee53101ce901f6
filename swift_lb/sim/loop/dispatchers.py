"""The dispatchers of all simulated proxies: each serves a request itself or delegates it once."""
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
from swift_lb.sim.loop.setting import NONE

PORT = 8080
FACTS = RequestFacts('GET', '/', '', SMALL, 0)     # of every request


class Dispatchers:
    """The dispatchers of all proxies, which run swift_lb/dispatch with the Setting's policy.

    Each proxy has one worker. All requests are of the content class `small`. A request
    delegated to a proxy that hangs waits there until its client gives up: nothing is retried.
    """

    def __init__(self, agenda, rng, proxies, setting):
        """Take the Agenda, a random.Random, {name: Proxy}, and the Setting."""
        self._agenda, self._proxies, self._hop = agenda, proxies, setting.hop
        self._delegated = {name: Counter() for name in proxies}  # name -> {server: count}
        self._backends = {name: Backend(name, PORT, name) for name in proxies}
        self._curves = {name: Curve() for name in proxies}
        self._instructions = dict.fromkeys(proxies)
        self._ledgers, self._choosers = {}, {}
        if setting.dispatchers != NONE:
            policy = make_backend_policy(setting.dispatchers)
            for name in proxies:
                book = LoadBook()
                self._ledgers[name] = Ledger(lambda book=book: book)
                self._choosers[name] = Chooser(
                    policy, partial(self._instructions.get, name),
                    partial(view, node=name, address_of=_address_of), self._ledgers[name],
                    self._curves[name], rng)

    def delegated_by(self, name):
        """Return {proxy: requests that it has served for the dispatcher of the proxy `name`}.

        None if the Setting has no dispatchers.
        """
        return self._delegated[name] if self._choosers else None

    def receive(self, name, instruction, request):
        """Give a Request to the proxy that proxy `name`'s dispatcher chooses by `instruction`."""
        self._instructions[name] = instruction
        taker, now = self._taker(name), self._agenda.now
        request.on_end = self._on_end
        if taker == name:
            self._arrive((name, request))
        else:
            request.delegated, request.handed_at = True, now
            request.read = self._ledgers[name].begin(self._backends[taker], now)
            self._agenda.at(now + self._hop, self._arrive, (taker, request))

    def _taker(self, name):
        """Return the name of the proxy to serve a request: the peer that is chosen, or `name`."""
        chooser, now = self._choosers.get(name), self._agenda.now
        in_flight = self._proxies[name].in_flight
        if chooser is None or chooser.stays(in_flight, now) is not None:
            return name
        peers, _why = chooser.order(FACTS, in_flight, now)
        return peers[0].name if peers else name

    def _arrive(self, arrival):
        name, request = arrival
        self._curves[name].came(self._agenda.now)
        self._proxies[name].serve(request)

    def _on_end(self, request, served):
        """Learn the time that a Request took; `served` is false if its client gave up before."""
        now, name = self._agenda.now, request.served_by
        took = now - request.came_at
        if served:
            self._curves[name].add(request.before, took, now)
        if not request.delegated:
            return
        self._delegated[request.received_by][name] += 1
        if served:
            load = own_load(self._curves[name], self._proxies[name].in_flight, took, now)
            self._ledgers[request.received_by].learn_from_answer(
                self._backends[name], request.read, request.handed_at, now, (load, took))
            request.read.complete()
        request.read = None


def _address_of(text):
    return text.partition(':')[0], PORT
