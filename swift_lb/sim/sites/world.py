"""One run of simulated clusters: their clients, summaries, links, and faults.

Each cluster sends its summary every INTERVAL to the clusters that know it. Unless it is lost, the
summary comes after half a round trip and the setting's `late`. The clusters are in a ring, and
each knows the KNOWN nearest ones, as many as one hears if a hundred clusters are in ten groups.
"""
import math
import random
from functools import partial

from swift_lb.model import FETCH
from swift_lb.sim.agenda import Agenda
from swift_lb.sim.run import uncollected
from swift_lb.sim.sites.carrier import SMALLEST, Carrier
from swift_lb.sim.sites.deciding import dispatcher
from swift_lb.sim.sites.link import SharedLink
from swift_lb.sim.sites.outcome import SiteRecord, site_outcome
from swift_lb.sim.sites.site import INTERVAL, Site

KNOWN = 18
ATTEND = 1.0            # seconds between two looks at credits
PROBE_AFTER = 30.0      # seconds without a sample of a bandwidth
PROBE_TIMEOUT = 10.0    # seconds, after which a probe shows nothing
SWING = 60.0            # seconds in which a drifting rate falls and rises again


def run(setting, policy, seed):
    """Simulate a SiteSetting; return its SiteOutcome.

    `policy` is the name of a policy of clusters, or ORACLE; the same `seed` gives the same result.
    """
    with uncollected():
        return site_outcome(SiteWorld(setting, policy, seed).run())


class SiteRead:
    """One read of a client."""

    __slots__ = ('asked_at', 'before', 'came_at', 'chosen', 'far', 'follows', 'head_at', 'route',
                 'site', 'size', 'work')

    def __init__(self, site, asked_at, size, work, far, follows):
        """Take the Site of the client, the instant `asked_at`, and the `size` of the body in bytes.

        `work` is the seconds of its service; `far` the name of the other cluster that has all
        replicas, None if they are here; `follows` says whether the client may be redirected.
        """
        self.site, self.asked_at, self.size, self.work = site, asked_at, size, work
        self.far, self.follows = far, follows


class SiteWorld:
    """All that takes part in one run; each use of random numbers has a seed of its own."""

    def __init__(self, setting, policy, seed):
        self.setting, self.agenda = setting, Agenda()
        names = setting.names
        self.sites = {name: Site(name, setting, dict.fromkeys(neighbours(names, number),
                                                              setting.rtt))
                      for number, name in enumerate(names)}
        self.record, self.carrier = SiteRecord(setting), Carrier(self)
        self._links = {}
        self._dispatchers = {name: dispatcher(policy, site, self.carrier, setting,
                                              random.Random(f'{seed} {name} policy'))
                             for name, site in self.sites.items()}
        self._rng = random.Random(f'{seed} summaries')
        self._clients = {name: random.Random(f'{seed} {name}') for name in names}

    def run(self):
        """Simulate the whole SiteSetting and return its SiteRecord."""
        at, setting = self.agenda.at, self.setting
        for number, site in enumerate(self.sites.values()):
            at(INTERVAL * number / len(self.sites), self._speak, site)
            at(0.0, self._probe, site)
            at(0.0, self._attend, self._dispatchers[site.name])
            for _client in range(setting.clients_of(number)):
                self._think(site)
        for instant in (*setting.partition, *(range(int(setting.seconds))
                                              if setting.drift > 1 else ())):
            at(instant, self._change, None)
        self.agenda.run(setting.seconds)
        return self.record

    def link(self, source, to):
        """Return the SharedLink of bodies from the cluster `source` to another one."""
        if (source, to) not in self._links:
            self._links[source, to] = SharedLink(self.agenda, self._rate())
        return self._links[source, to]

    def answered(self, read):
        """Note that the last byte of a SiteRead has come to its client, which asks again later."""
        now = self.agenda.now
        self.record.record_answer(now, now - read.asked_at, read.route.kind)
        if read.chosen.route.kind == FETCH:
            seconds = now - read.asked_at if read.route == read.chosen.route else None
            self._dispatchers[read.site.name].ended(read.chosen, seconds, now)
        self._think(read.site)

    def _think(self, site):
        pause = self._clients[site.name].expovariate(1 / self.setting.think)
        self.agenda.at(self.agenda.now + pause, self._ask, site)

    def _ask(self, site):
        setting, rng, now = self.setting, self._clients[site.name], self.agenda.now
        sizes = rng.choices([size for _part, size in setting.sizes],
                            [part for part, _size in setting.sizes])
        far = next(iter(site.outside.rtts)) if rng.random() < setting.away else None
        read = SiteRead(site, now, sizes[0], rng.expovariate(1 / setting.service), far,
                        rng.random() < setting.follows)
        read.chosen = self._dispatchers[site.name].choose(read, now)
        self.record.record_begin(now, site.name, read.chosen.route)
        self.carrier.start(site, read)

    def _speak(self, site):
        now, setting = self.agenda.now, self.setting
        site.outside.measure(now)
        summary = site.summary(now)
        for name, rtt in site.outside.rtts.items():
            if self._rng.random() >= setting.loss and self.link(site.name, name).rate:
                self.agenda.at(now + rtt / 2 + setting.late,
                               partial(self._hear, self.sites[name]), summary)
        self.agenda.at(now + INTERVAL, self._speak, site)

    def _attend(self, one):
        one.attend(self.agenda.now)
        self.agenda.at(self.agenda.now + ATTEND, self._attend, one)

    def _hear(self, site, summary):
        site.outside.hear(summary, self.agenda.now)

    def _probe(self, site):
        """Have a body of SMALLEST bytes sent over each link of which no sample is known lately."""
        now = self.agenda.now
        for name in site.outside.unmeasured(now - PROBE_AFTER):
            self.link(name, site.name).send(SMALLEST, partial(self._probed, site, name, now))
        self.agenda.at(now + PROBE_AFTER, self._probe, site)

    def _probed(self, site, name, begun_at):
        if self.agenda.now - begun_at <= PROBE_TIMEOUT:
            site.outside.note_body(name, SMALLEST, self.agenda.now - begun_at)

    def _change(self, _nothing):
        for link in self._links.values():
            link.set_rate(self._rate())

    def _rate(self):
        """Return the bytes per second of a link now."""
        setting, now = self.setting, self.agenda.now
        if setting.partition[0] <= now < setting.partition[1]:
            return 0.0
        swing = (1 - math.cos(2 * math.pi * now / SWING)) / 2
        return setting.rate / setting.drift ** swing


def neighbours(names, number):
    """Return the KNOWN names nearest to that with this number, in a ring, without itself."""
    count = len(names)
    steps = [step for far in range(1, KNOWN // 2 + 1) for step in (far, -far)]
    return [*dict.fromkeys(names[(number + step) % count] for step in steps
                           if step % count)]
