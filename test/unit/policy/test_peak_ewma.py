"""The demo in pull request 76 of Rust's tower, in virtual time, compared with its output."""
import heapq
import random

import pytest

from swift_lb.load.book import LoadBook
from swift_lb.model import Node
from swift_lb.policy import kinds_of, make_policy
from swift_lb.replica_options import ReplicaOptions

REQUESTS, CONCURRENCY = 50_000, 50
# each takes from 0 to so many seconds, uniformly, for any number of requests at once
ENDPOINTS = {Node('10.0.0.1', number, 'sda'): most for number, most in enumerate(
    (0.001, 0.010, 0.010, 0.010, 0.010, 0.100, 0.100, 0.100, 0.100, 1.000))}


class Demo:
    """A client that keeps CONCURRENCY requests in flight to ENDPOINTS, by the policy `name`."""

    def __init__(self, name):
        self.policy, self.rng = make_policy(ReplicaOptions(policy=name)), random.Random(2)
        self.book, self.agenda, self.taken = LoadBook(kinds_of([name])), [], []

    def run(self):
        """Return (total seconds, [p50, p90, p95, p99, p99.9 of the response times in ms])."""
        for number in range(CONCURRENCY):
            self.ask(0.0, number)
        for number in range(CONCURRENCY, REQUESTS + CONCURRENCY):
            now, _number, read, seconds = heapq.heappop(self.agenda)
            read.chunk(1, now)
            read.complete()
            self.taken.append(seconds)
            self.ask(now, number)
        self.taken.sort()
        return now, [self.taken[int(REQUESTS * share)] * 1000
                     for share in (0.5, 0.9, 0.95, 0.99, 0.999)]

    def ask(self, now, number):
        node = self.policy.order(list(ENDPOINTS), self.book.snapshot(), now, self.rng)[0]
        seconds = self.rng.random() * ENDPOINTS[node]
        heapq.heappush(self.agenda, (now + seconds, number, self.book.begin(node, now), seconds))


@pytest.mark.parametrize(('name', 'wall', 'percentiles'), [
    ('peak_ewma', 15, [5, 56, 78, 96, 105]),     # P2C+PeakEWMA
    ('two_choices', 18, [5, 57, 80, 98, 857]),   # P2C+LeastLoaded
    ('shuffle', 72, [9, 98, 496, 906, 988]),     # RoundRobin
])
def test_peak_ewma_repeats_the_demo_of_tower_pull_request_76(name, wall, percentiles):
    # Of other seeds one in six has 200 ms for the p99.9 of peak_ewma: among the first reads, which
    # are sent before anything is known, the slow endpoint's happen to be short.
    run = Demo(name).run()
    assert run == (pytest.approx(wall, rel=0.1), pytest.approx(percentiles, rel=0.1))
