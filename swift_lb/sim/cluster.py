"""A simulated cluster: devices, proxies, clients, and the events of a scenario."""
import random
from collections import Counter, deque
from typing import NamedTuple

from swift_lb.load.book import LoadBook
from swift_lb.sim.agenda import Agenda
from swift_lb.sim.device import Device
from swift_lb.sim.measures import Tally
from swift_lb.sim.read import FragmentRead, ReplicaRead
from swift_lb.sim.worker import ProxyWorker

SWEEP = 0.05    # seconds between checks for timeouts


class Contender(NamedTuple):
    """A policy, and how the simulated workers use it."""

    policy: object
    kinds: tuple = ()       # the classes of Evidence that the books keep
    shared: bool = False    # whether the workers of a host have one book
    hedged: bool = False    # whether a late read is sent to a second device


class Cluster:
    """The whole state of one simulated run.

    Every random stream has its own seed, so that two policies with the same seed meet the same
    clients, and the devices' service times do not depend on how often a policy draws a random
    number.
    """

    def __init__(self, scenario, make_policy, seed):
        """Take a Scenario, the seed, and make_policy(cluster), which returns a Contender."""
        self.scenario, self.agenda, self.tally = scenario, Agenda(), Tally()
        self.seed, self.round_trip = seed, scenario.round_trip
        self.devices = {place.node: Device(place.node, place.kind, self.agenda,
                                           random.Random(f'{seed} {place.node}'))
                        for place in scenario.places}
        self.hung = []              # the Devices that hang
        self.objects = scenario.ring(random.Random(f'{seed} ring'))
        self.policy, self._kinds, self._shared, self.hedged = Contender(*make_policy(self))
        self.workers = []
        for host in range(scenario.hosts):
            book = LoadBook(self._kinds)
            for number in range(scenario.workers):
                self.workers.append(ProxyWorker(
                    self, host, book if self._shared else LoadBook(self._kinds),
                    random.Random(f'{seed} {host} {number}')))
        self._clients = Clients(self, random.Random(f'{seed} clients'))
        self._waiting = deque()     # (deadline, Attempt), by deadline

    def run(self):
        """Run the scenario and return the Tally."""
        self.agenda.at(SWEEP, self._sweep, None)
        for event in self.scenario.events:
            event.plan(self)
        self._clients.begin()
        self.agenda.run(self.scenario.seconds)
        return self.tally

    def asked(self, attempt, now):
        """Record that an Attempt was sent at `now`, and watch for its timeout."""
        self._waiting.append((now + self.scenario.node_timeout, attempt))
        self.tally.asked(now, attempt.device.node)

    def read_ended(self, read, success):
        """Record that a ReplicaRead or FragmentRead ends now, with or without `success`."""
        self.tally.ended(self.agenda.now, self.agenda.now - read.began_at, read.size, success)

    def forget(self, number):
        """Restart the worker `number`; it loses its book of counts unless the host shares one."""
        worker = self.workers[number]
        worker.restart(worker.book if self._shared else LoadBook(self._kinds))

    def expire(self, _nothing):
        """Empty the books of all workers, as if all proxies had been idle for long."""
        books = {id(worker.book): LoadBook(self._kinds) for worker in self.workers}
        for worker in self.workers:
            worker.book = books[id(worker.book)]

    def _sweep(self, _nothing):
        now, waiting = self.agenda.now, self._waiting
        while waiting and (waiting[0][0] <= now or waiting[0][1].gone):
            waiting.popleft()[1].check_timeout(None)
        for device in self.hung:
            self.tally.stuck(now, device.node, self._stuck_requests(device))
        self.agenda.at(now + SWEEP, self._sweep, None)

    def _stuck_requests(self, device):
        """Return the most requests that one proxy host has waiting for `device`, which hangs."""
        hosts = Counter(attempt.read.worker.host for attempt in (*device.serving, *device.waiting)
                        if attempt.ahead is not None and not attempt.gone)
        return max(hosts.values(), default=0)


AFTER_FAILURE = 0.01    # seconds until the next read: even if failures take no time, time passes


class Clients:
    """The clients of a simulated cluster: they start reads until the run is over."""

    def __init__(self, cluster, rng):
        self._cluster, self._rng = cluster, rng
        self._agenda, self._workers = cluster.agenda, cluster.workers
        self._scenario = cluster.scenario
        self._read = FragmentRead if self._scenario.fragments else ReplicaRead
        self._objects = cluster.objects

    def begin(self):
        """Put the first read of each client on the agenda, or the first arrival of an open loop."""
        if self._scenario.clients:
            for number in range(self._scenario.clients):
                self._agenda.at(self._rng.random() * 0.01, self._ask_again, number)
        else:
            self._rate = self._scenario.rate
            self._agenda.at(self._rng.expovariate(self._rate), self._come, None)

    def _come(self, _nothing):
        self._agenda.at(self._agenda.now + self._rng.expovariate(self._rate), self._come, None)
        workers = self._workers
        self._begin(workers[int(self._rng.random() * len(workers))], self._cluster.read_ended)

    def _ask_again(self, number):
        # a client keeps its connection, and so its worker
        def ended(read, success):
            self._cluster.read_ended(read, success)
            again = self._agenda.now + (0.0 if success else AFTER_FAILURE)
            self._agenda.at(again, self._ask_again, number)
        self._begin(self._workers[number % len(self._workers)], ended)

    def _begin(self, worker, ended):
        scenario, rng = self._scenario, self._rng
        name = scenario.pick(rng)
        replicas = self._objects[name % len(self._objects)]
        self._read(worker, name, replicas, scenario.size_of(rng), ended)
