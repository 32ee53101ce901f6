"""Workers are killed, stopped and started in any state: the host's counts are those of the living.

Each worker attends once a second: what is right after one attend() is right within two seconds.
"""
import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from support.cluster import eventually

from swift_lb.clock import monotonic, sleep
from swift_lb.load.pace import Pace
from swift_lb.load.request_table import Totals, totals
from swift_lb.proxy.host_book import HostBook

SCRIPT = Path(__file__).resolve().parents[2] / 'support' / 'fuzzed_worker.py'
WORKERS, KILLS = 3, 6


class Fuzzed:
    """A worker process, support/fuzzed_worker.py, that reads at random until a test pauses it."""

    def __init__(self, path, seed):
        self._process = subprocess.Popen([sys.executable, str(SCRIPT), path, str(seed)], text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.slot = int(self._process.stdout.readline())

    def signal(self, number):
        os.kill(self._process.pid, number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self._process.communicate()

    def pause(self):
        """Stop it until go_on(); return (Counter of reads in flight by device, requests)."""
        self._tell()
        reads, requests = json.loads(self._process.stdout.readline())
        return Counter(reads), requests

    def go_on(self):
        self._tell()

    def _tell(self):
        self._process.stdin.write('\n')
        self._process.stdin.flush()

    def end(self):
        self._process.communicate()
        assert 0 == self._process.returncode    # nothing has raised


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / 'a.book')


@pytest.mark.parametrize('seed', range(2))
def test_killed_workers_reads_and_requests_do_not_stay_in_flight(path, seed):
    rng, host = random.Random(seed), HostBook(lambda: path, (Pace,), monotonic)
    host.attend()
    seen = Totals()
    workers = [Fuzzed(path, f'{seed} {number}') for number in range(WORKERS)]
    for number in range(KILLS):
        sleep(rng.random() * 0.01)      # the workers draw what they do meanwhile
        victim = workers.pop(rng.randrange(WORKERS))
        if rng.random() < 0.3:
            victim.signal(signal.SIGSTOP)
        victim.kill()
        if rng.random() < 0.7:          # else a new worker may take the slot first
            assert eventually(partial(gone, host, victim.slot))
        workers.append(Fuzzed(path, f'{seed} {number} new'))
        seen = check(host, workers, seen)
    for worker in workers:
        worker.end()
    host.attend()
    check(host, [], seen)


def gone(host, slot):
    """Let `host` attend; return whether a dead worker's `slot` is free: others may free it too."""
    host.attend()
    return slot not in [one.number for one in host._table.workers()]


def check(host, workers, seen):
    """Fail unless the host's book has just what its workers have; return Totals of requests.

    The Totals must not be less than `seen`, those of the call before.
    """
    host.attend()
    pauses = [worker.pause() for worker in workers]
    truths, counted = [reads for reads, _requests in pauses], totals(host._memory.buffer)
    assert sum(requests for _reads, requests in pauses) == counted.in_flight
    assert all(now >= then for now, then in zip(counted[1:], seen[1:], strict=True))
    loads = host.book.snapshot().loads
    assert sum(truths, Counter()) == Counter(
        {str(node): load.in_flight for node, load in loads.items() if load.in_flight})
    assert all(0 <= load.queued <= load.in_flight for load in loads.values())
    assert all((load.in_flight or load.waiting_since is None) for load in loads.values())
    slots = {one.number: one.in_flight for one in host._table.workers()}
    del slots[host.slot]
    assert {worker.slot: truth.total() for worker, truth in zip(workers, truths, strict=True)
            } == slots
    for worker in workers:
        worker.go_on()
    return counted
