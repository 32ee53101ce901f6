"""Clusters of agents that exchange summaries, in one process and in virtual time.

The agents are real ClusterExchanges; what their sockets would carry is delivered after a delay,
unless it is lost. As service/summaries.py does, an agent passes a new summary of another cluster on
to the other agents of its own.
"""
import heapq
import itertools
import random
from collections import Counter

from swift_lb.model import UP, NodeInstruction
from swift_lb.plan.credits import Room
from swift_lb.plan.decision import make_instruction
from swift_lb.service.cluster_options import ClusterOptions
from swift_lb.service.clusters.exchange import ClusterExchange

KEY = 'one key of all clusters'
WALL = 1.7e9
INTERVAL = 2.0
HEADERS = 28        # bytes of UDP and IPv4


def instruction(loads):
    """Return an Instruction with `loads`, {node: load}, all up; each has a proxy."""
    parts = tuple(NodeInstruction(name, f'10.0.0.{place}:8080', UP, load, 1.0, 1 / len(loads), 1.0,
                                  0.0) for place, (name, load) in enumerate(loads.items(), 1))
    return make_instruction(1, 1e9, 'balanced', False, parts, '')


class ClusterNetwork:
    """Clusters with some agents each, and links between them that delay and lose datagrams."""

    def __init__(self, names, agents=3, loss=0.0, delay=0.04, key=KEY):
        self.loss, self.delay, self.rng, self.now = loss, delay, random.Random(1), 100.0
        self.names, self.numbers, self.down = names, range(agents), set()
        self.room = Room(90.0, 90.0)
        peers = tuple((cluster, cluster, number) for cluster in names for number in self.numbers)
        self.agents = {(cluster, number): ClusterExchange(
            ClusterOptions(name=cluster, peers=peers, key=key), f'n{number}', 1)
            for cluster in names for number in self.numbers}
        for exchange in self.agents.values():
            exchange.addresses = {cluster: [(cluster, number) for number in self.numbers]
                                  for cluster in exchange.options.clusters}
        self.instruction = instruction({f'n{number}': number + 1.0 for number in self.numbers})
        self.bytes = {False: Counter(), True: Counter()}    # to other clusters: agent -> bytes
        self._under_way, self._order = [], itertools.count()

    def interval(self):
        """Let all agents speak once, and deliver what arrives before they speak again."""
        for agent, exchange in self.agents.items():
            if agent[0] not in self.down:
                for datagram, targets in self.spoken(agent, exchange):
                    self._send(datagram, agent, targets)
        end = self.now + INTERVAL
        while self._under_way and self._under_way[0][0] < end:
            self.now, _order, datagram, source, target = heapq.heappop(self._under_way)
            if self.received(target, datagram) and source[0] != target[0]:
                self._send(datagram, target, self._own(target))
        self.now = end

    def spoken(self, agent, exchange):
        """Return [(datagram, addresses)] of what an agent sends in an interval."""
        exchange.grant(self.room, self.now)
        datagram, letters = exchange.speak(self.instruction, self.now, WALL + self.now)
        exchange.forget(self.now)
        return [(datagram, self._own(agent)), *letters] if datagram else letters

    def received(self, agent, datagram):
        """Let an agent receive a datagram; return whether it is new."""
        return self.agents[agent].receive(datagram, self.now, WALL + self.now)

    def _own(self, agent):
        return [(agent[0], number) for number in self.numbers if number != agent[1]]

    def _send(self, datagram, source, targets):
        for target in targets:
            far = target[0] != source[0]
            self.bytes[far][source] += len(datagram) + HEADERS
            if target[0] in self.down or (far and self.rng.random() < self.loss):
                continue
            heapq.heappush(self._under_way, (
                self.now + far * self.delay, next(self._order), datagram, source, target))
