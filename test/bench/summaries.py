"""Summaries between 100 clusters in 10 groups of 10, in virtual time: how many, and their cost.

    python test/bench/summaries.py [--agents N] [--intervals N]

Prints the summaries that a cluster hears, and for one agent, the mean of all and the busiest:
kbit/s to other clusters, with the headers of UDP and IP; kbit/s to agents of its own cluster; and
the processor time of speaking, receiving and writing the file, as a fraction of a core, of agents
of one cluster. The first intervals, in which no cluster knows another, do not count.
Exits with 1 if a cluster hears more than 18, or if the busiest agent sends over 50 kbit/s to other
clusters, or takes over 0.5 % of a core.
"""
import argparse
import gc
import itertools
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.cluster_network import INTERVAL, KEY, WALL, ClusterNetwork

from swift_lb.wire import clusters as wire
from swift_lb.wire import observations
from swift_lb.wire.observations import Observations, SeenPath, ServedTime
from swift_lb.wire.signature import sign

NAMES = [f'g{group}.c{cluster}' for group, cluster in itertools.product(range(10), repeat=2)]
MOST_HEARD, MOST_KBIT, MOST_CORE = 18, 50.0, 0.005
BEGIN = 6       # intervals that do not count
CLASSES, PATHS = ('download', 'listing', 'small'), 10      # of the requests of each proxy


class TimedNetwork(ClusterNetwork):
    """A ClusterNetwork that measures the processor time of the agents of one cluster."""

    timed = NAMES[0]

    def begin(self):
        """Count from now on.

        Without the garbage collector: it would look at all agents in the time of one.
        """
        gc.disable()
        self.seconds = dict.fromkeys(self.agents, 0.0)
        for sent in self.bytes.values():
            sent.clear()

    def spoken(self, agent, exchange):
        """Measure what an agent does once an interval, the file of clusters included."""
        seen = self._observed(*agent)
        begin = time.process_time()
        self.received(agent, seen)
        spoken = super().spoken(agent, exchange)
        told, nodes = exchange.tell(self.now, WALL + self.now)
        spoken.append((told, [(agent[0], int(node.removeprefix('n'))) for node in nodes]))
        wire.encode(exchange.clusters(self.now), 'boot')
        self.seconds[agent] += time.process_time() - begin
        return spoken

    def _observed(self, cluster, number):
        """Return what a worker of the agent's host tells it: times of CLASSES, and client paths."""
        times = tuple([ServedTime(content, self.rng.uniform(0.01, 0.02), 0.001, 50.0)
                       for content in CLASSES])
        paths = tuple([SeenPath(f'10.{number}.{place}.0/24', 9.0, self.rng.uniform(0.01, 0.1), 1e6)
                       for place in range(PATHS)])
        return sign(KEY.encode(), observations.encode(Observations(
            cluster, f'n{number}', 1, 1, round(self.now), WALL + self.now, times, (), paths)),
            observations.MAGIC)

    def received(self, agent, datagram):
        """Measure the receipt of a datagram at the cluster that is timed."""
        if agent[0] != self.timed:
            return super().received(agent, datagram)
        begin = time.process_time()
        is_new = super().received(agent, datagram)
        self.seconds[agent] += time.process_time() - begin
        return is_new


def options():
    """Return the parsed options of the command."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--agents', type=int, default=6, help='agents of each cluster')
    parser.add_argument('--intervals', type=int, default=10, help='intervals that are measured')
    return parser.parse_args()


def main():
    """Simulate, and print the table; return the exit status."""
    given = options()
    network = TimedNetwork(NAMES, agents=given.agents)
    network.begin()
    for number in range(BEGIN + given.intervals):
        if number == BEGIN:
            network.begin()
        network.interval()
    passed = given.intervals * INTERVAL
    outside, inside = [[network.bytes[far][agent] * 8 / 1000 / passed for agent in network.agents]
                       for far in (True, False)]
    core = [seconds / passed for (cluster, _number), seconds in network.seconds.items()
            if cluster == network.timed]
    heard = max(len(exchange.clusters(network.now).others) for exchange in network.agents.values())
    print(f'{len(NAMES)} clusters of {given.agents} agents, {passed:.0f} s: each cluster hears at '
          f'most {heard} summaries')
    print(f'{"an agent":<28}{"mean":>8}{"most":>8}')
    for name, values in [('kbit/s to other clusters', outside),
                         ('kbit/s to its own cluster', inside),
                         ('% of a core', [100 * value for value in core])]:
        print(f'{name:<28}{statistics.fmean(values):>8.2f}{max(values):>8.2f}')
    return int(heard > MOST_HEARD or max(outside) > MOST_KBIT or max(core) > MOST_CORE)


if __name__ == '__main__':
    sys.exit(main())
