"""Worker numbers: unique among the workers of a proxy, and free again however a worker ends."""
import os
import signal
import subprocess
import sys

import pytest

WORKER = """\
import sys
from swift_lb.proxy.host_book import worker_number
print(worker_number(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def start():
    """Return a function that starts a worker of this process and returns (it, its number)."""
    started = []

    def start():
        worker = subprocess.Popen([sys.executable, '-c', WORKER], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        started.append(worker)
        return worker, int(worker.stdout.readline())
    yield start
    for worker in started:
        worker.communicate()  # closes its stdin, at which it ends


def test_the_number_of_a_killed_worker_is_used_again(start):
    workers = [start() for _ in range(3)]
    assert [0, 1, 2] == [number for _worker, number in workers]
    os.kill(workers[1][0].pid, signal.SIGKILL)
    workers[1][0].wait()
    assert [1, 3] == [start()[1] for _ in range(2)]


def test_each_proxy_numbers_its_workers_from_0(start):
    proxy = ('import subprocess, sys\n'
             'print(subprocess.run([sys.executable, "-c", sys.argv[1]], input="", text=True,'
             ' stdout=subprocess.PIPE).stdout)')
    assert 0 == start()[1]
    other = subprocess.run([sys.executable, '-c', proxy, WORKER], stdout=subprocess.PIPE,
                           text=True, check=True)
    assert 0 == int(other.stdout)
