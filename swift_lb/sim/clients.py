"""The clients: an open loop with a rate, or a closed loop in which each client reads in turn."""
from swift_lb.sim.read import FragmentRead, ReplicaRead

AFTER_FAILURE = 0.01    # seconds until the next read: even if failures take no time, time passes


class Clients:
    """Starts reads until the run is over."""

    def __init__(self, cluster, rng):
        self._cluster, self._rng = cluster, rng
        self._agenda, self._workers = cluster.agenda, cluster.workers
        self._scenario = cluster.scenario
        self._read = FragmentRead if self._scenario.fragments else ReplicaRead
        self._objects = cluster.objects

    def begin(self):
        """Start the first reads."""
        if self._scenario.clients:
            for number in range(self._scenario.clients):
                self._agenda.at(self._rng.random() * 0.01, self._ask_again, number)
        else:
            self._rate = self._scenario.rate
            self._agenda.at(self._rng.expovariate(self._rate), self._come, None)

    def _come(self, _nobody):
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
