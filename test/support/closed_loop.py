"""A closed loop of clients, three nodes, and a policy, in virtual time.

Each node serves one read at a time, first come first served. Smaller than swift_lb.sim, but with
connect times, and with or without reports of nodes.
"""
import heapq
import random

from swift_lb.load.book import LoadBook
from swift_lb.load.service_time import ServiceTime
from swift_lb.model import DeviceReport, Node

NODES = SLOW, *FAST = [Node(f'10.0.0.{number}', 6200, 'sda') for number in (1, 2, 3)]
SERVICE, CONNECT = 0.01, 0.001      # seconds, of a fast node


class Loop:
    def __init__(self, policy, factor, reports, seed):
        """Node SLOW takes `factor` times as long as others; `reports`: they send reports."""
        self.policy, self.rng = policy, random.Random(seed)
        self.factors = {node: factor if node == SLOW else 1.0 for node in NODES}
        self.reports, self.now, self.number = reports, 0.0, 0
        self.book = LoadBook(getattr(policy, 'kinds', ()))
        self.free_at = dict.fromkeys(NODES, 0.0)
        self.in_flight = dict.fromkeys(NODES, 0)
        self.choices = dict.fromkeys(NODES, 0)
        self.service_times = {node: ServiceTime() for node in NODES}
        self.heap = []

    def run(self, clients, reads):
        """Return {node: fraction of `reads` reads sent to it}; the first tenth does not count."""
        for _client in range(clients):
            self.ask()
        for number in range(reads):
            self.now, _number, node, read, came_at, ahead = heapq.heappop(self.heap)
            self.answer(node, read, came_at, ahead)
            if number == reads // 10:
                self.choices = dict.fromkeys(NODES, 0)
            self.ask()
        return {node: count / sum(self.choices.values()) for node, count in self.choices.items()}

    def ask(self):
        """Send a read to the node that the policy puts first."""
        now, book = self.now, self.book
        first, *others = self.policy.order(NODES, book.snapshot(NODES), now, self.rng)
        book.chosen(first, now, others)
        read = book.begin(first, now)
        read.sent(now)
        book.connected(first, CONNECT * self.factors[first], now)
        service = self.rng.expovariate(1 / (SERVICE * self.factors[first]))
        self.free_at[first] = max(self.free_at[first], now) + service
        self.number += 1
        heapq.heappush(self.heap, (self.free_at[first], self.number, first, read, now,
                                   self.in_flight[first]))
        self.in_flight[first] += 1
        self.choices[first] += 1

    def answer(self, node, read, came_at, ahead):
        """End a read at `node`: one chunk and, if nodes report, a load report.

        The read came at the instant `came_at`, when `ahead` others were in flight there."""
        self.in_flight[node] -= 1
        read.chunk(4096, self.now)
        self.service_times[node].add(self.now - came_at, ahead)
        if self.reports:
            read.reported(DeviceReport(self.in_flight[node], self.service_times[node].mean),
                          self.now)
        read.complete()
