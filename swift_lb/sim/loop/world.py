"""One run of a control loop in virtual time: proxies, agents, dispatchers, DNS and clients."""
import random

from swift_lb.plan.forecast.loads import forecast_metrics
from swift_lb.plan.options import PlanOptions
from swift_lb.sim.agenda import Agenda
from swift_lb.sim.loop.agent import STATIC, LoopAgent, ProxySensor
from swift_lb.sim.loop.clients import Caches, LoopClients
from swift_lb.sim.loop.dispatchers import Dispatchers
from swift_lb.sim.loop.outcome import LoopRecord, outcome
from swift_lb.sim.loop.proxy import Proxy
from swift_lb.sim.loop.setting import HUNG, LOAD
from swift_lb.sim.run import uncollected
from swift_lb.zone.sampling import Places
from swift_lb.zone.sequence import membership

SUSPECT_TTL = 0.5   # of the TTL while a state may soon change: as by the defaults of swift-lb-dns


def run(setting, rules, seed):
    """Simulate a Setting with rule set `rules` (STATIC: round robin); return its LoopOutcome."""
    with uncollected():
        return outcome(World(setting, rules, seed).run())


class World:
    """All that takes part in one run of a control loop; every random stream has its own seed."""

    def __init__(self, setting, rules, seed):
        """Take a Setting, and in `rules` the name of a rule set of plan/, or `static`."""
        self.setting, self.agenda = setting, Agenda()
        kinds = [kind for kind in setting.kinds for _one in range(kind.count)]
        self.proxies = [Proxy(f'p{number}', kind, self.agenda, random.Random(f'{seed} {number}'))
                        for number, kind in enumerate(kinds, 1)]
        named = {proxy.name: proxy for proxy in self.proxies}
        self.dispatchers = Dispatchers(
            self.agenda, random.Random(f'{seed} dispatchers'), named, setting)
        options = None if rules == STATIC else PlanOptions(rules=rules, **setting.options)
        forecast = forecast_metrics(setting.forecast, options) if options else ()
        self._agents = [LoopAgent(setting, ProxySensor(
            proxy, setting, kind.service, self.dispatchers.delegated_by(proxy.name), forecast),
            self.agenda, options)
                        for proxy, kind in zip(self.proxies, kinds, strict=True)]
        for agent in self._agents:
            agent.peers = self._agents
        self._named = {agent.proxy.name: agent for agent in self._agents}
        self.record = LoopRecord(setting, [*named])
        self._rng = random.Random(f'{seed} DNS')
        self._places = Places(self._rng.random(), self._rng)
        self.caches = Caches(setting, self._answer, random.Random(f'{seed} caches'))
        self.clients = LoopClients(self, random.Random(f'{seed} clients'))

    def run(self):
        """Simulate the whole Setting and return its LoopRecord."""
        interval = self.setting.interval
        for number, agent in enumerate(self._agents):
            self.agenda.at(interval * number / len(self._agents), agent.tick, None)
        self.agenda.at(interval, self._note, None)
        for change in self.setting.changes:
            self.agenda.at(change.at, self._begin, change)
            self.agenda.at(change.until, self._end, change)
        self.clients.begin()
        self.agenda.run(self.setting.seconds)
        return self.record

    def receive(self, name, request):
        """Give a Request to the proxy `name` or, if its dispatcher so decides, to another proxy."""
        proxy = self._named[name].proxy
        if proxy.hung:
            proxy.serve(request)
        else:
            self.dispatchers.receive(name, self._named[name].instruction, request)

    def _answer(self):
        """Return (addresses, seconds to cache them), the DNS answer of a random node that answers.

        How often an address is in the answers follows from its share, as in mode `membership`
        of `swift-lb-dns`.
        """
        live = [agent for agent in self._agents if not agent.proxy.hung]
        targets = live[int(self._rng.random() * len(live))].targets()
        records = dict.fromkeys(targets.shares, b'')
        sequence = membership(targets.shares, records, self._places, None, len(records))
        ttl = self.setting.ttl * (SUSPECT_TTL if targets.suspect else 1)
        return sequence.next_answer().backends, ttl

    def _note(self, _nothing):
        self.agenda.at(self.agenda.now + self.setting.interval, self._note, None)
        if self._agents[0].instruction:
            self.record.answers(self.agenda.now, self._agents[0].targets().shares)

    def _begin(self, change):
        if change.what == LOAD:
            self.clients.set_load(change.value)
        elif change.what == HUNG:
            self.clients.impatient = True
            self.proxies[change.proxy].hang(True)
        else:
            self.proxies[change.proxy].slow *= change.value

    def _end(self, change):
        if change.what == LOAD:
            self.clients.set_load(self.setting.load)
        elif change.what == HUNG:
            self.proxies[change.proxy].hang(False)
        else:
            self.proxies[change.proxy].slow /= change.value
