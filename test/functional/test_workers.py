"""Workers come and go: each has its book, and a new one begins with an empty one."""
import os
import signal
import threading
from contextlib import suppress

import pytest
from support.cluster import Cluster, eventually

from swift_lb.clock import sleep
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec

BODY = b'z' * 500_000


@pytest.fixture(scope='module')
def pair():
    """A Cluster whose proxy has two workers."""
    with Lab.up(LabSpec(name=f'workers-{os.getpid()}', workers=2)) as lab:
        found = Cluster(lab)
        found.put('/c')
        found.put('/c/o', BODY)
        yield found


def workers(cluster):
    """Return {pid: worker number}, asked until both have answered or it is hopeless."""
    found = {}
    for _ in range(200):
        with suppress(OSError):  # the socket of a worker that has just been killed
            _status, page = cluster.status()
            found[page['pid']] = page['worker']
        if len(found) == 2:
            break
    return found


def read_until(stop, cluster, bad):
    """Read until the event `stop`; what is not a whole answer goes to `bad`."""
    while not stop.is_set():
        try:
            answer = cluster.ask('/c/o')
            if (200, BODY) != (answer.status, answer.body):
                bad.append(answer.status)
        except OSError as err:
            bad.append(err)


def test_two_workers_have_a_book_and_a_number_each(pair):
    assert {0, 1} == set(workers(pair).values())


def test_a_killed_worker_is_replaced_and_its_number_taken_over(pair):
    before = workers(pair)
    victim, number = before.popitem()
    os.kill(victim, signal.SIGKILL)
    assert eventually(lambda: len(workers(pair)) == 2 and victim not in workers(pair), 10)
    assert number == next(found for pid, found in workers(pair).items() if pid not in before)
    assert (200, BODY) == pair.ask('/c/o')[::2]


def test_a_seamless_reload_fails_no_read_and_begins_afresh(pair):
    """SIGUSR1: the parent executes itself again while the old workers finish."""
    before, stop, bad = workers(pair), threading.Event(), []
    reader = threading.Thread(target=read_until, args=(stop, pair, bad))
    reader.start()
    os.kill(pair.lab.processes['proxy-1'].pid, signal.SIGUSR1)
    fresh = eventually(lambda: len(workers(pair)) == 2 and not set(workers(pair)) & set(before), 15)
    stop.set()
    reader.join()
    assert fresh
    assert [] == bad


def test_a_graceful_stop_lets_a_read_finish(pair):
    """SIGHUP: Swift's `reload` by swift-init; the old proxy answers what it has begun."""
    for node in (1, 2, 3):
        pair.lab.handicap(node=node, slow_stream='400KiB', methods='GET')
    with pair.connection('/c/o') as response:
        begin = response.read(1000)
        os.kill(pair.lab.processes['proxy-1'].pid, signal.SIGHUP)
        sleep(0.3)
        assert begin + response.read() == BODY
    pair.lab.handicap(clear=True)
    pair.lab.restart_proxies({})
    assert (200, BODY) == pair.ask('/c/o')[::2]
