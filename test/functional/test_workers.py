"""Workers come and go: each has its book, and a new one begins with an empty one."""
import http.client
import os
import signal
import threading
from contextlib import suppress

import pytest
from support.cluster import Cluster, eventually

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


def other_workers(cluster, before):
    """Return {pid: worker number} of two workers, one of which at least is not of `before`."""
    def others():
        found = workers(cluster)
        return found if len(found) == 2 and set(found) - set(before) else None
    return eventually(others, 30) or {}


def read_until(stop, cluster, bad, unheard):
    """Read until the event `stop`.

    What is not a whole answer goes to `bad`, and to `unheard` the error where none was begun.
    """
    while not stop.is_set():
        response = None
        try:
            with cluster.connection('/c/o') as response:
                if (200, BODY) != (response.status, response.read()):
                    bad.append(response.status)
        except (OSError, http.client.HTTPException) as err:
            (unheard if response is None else bad).append(err)


def test_two_workers_have_a_book_and_a_number_each(pair):
    assert {0, 1} == set(workers(pair).values())


def test_a_killed_worker_is_replaced_and_its_number_taken_over(pair):
    before = workers(pair)
    victim, number = next(iter(before.items()))
    os.kill(victim, signal.SIGKILL)
    after = other_workers(pair, before)
    assert victim not in after
    assert [number] == [found for pid, found in after.items() if pid not in before]
    assert (200, BODY) == pair.ask('/c/o')[::2]


def test_a_seamless_reload_fails_no_read_and_begins_afresh(pair):
    """SIGUSR1: the parent executes itself again while the old workers finish."""
    before, stop, bad, unheard = workers(pair), threading.Event(), [], []
    reader = threading.Thread(target=read_until, args=(stop, pair, bad, unheard))
    reader.start()
    os.kill(pair.lab.processes['proxy-1'].pid, signal.SIGUSR1)
    fresh = eventually(
        lambda: len(after := workers(pair)) == 2 and not set(after) & set(before), 30)
    stop.set()
    reader.join()
    assert fresh
    assert [] == bad
    # The kernel resets what waits at a listening socket that is shut; each old worker had one.
    assert len(unheard) <= len(before)


def test_a_graceful_stop_lets_a_read_finish(pair):
    """SIGHUP: Swift's `reload` by swift-init; the old proxy answers what it has begun."""
    for node in (1, 2, 3):
        pair.lab.handicap(node=node, slow_stream='400KiB', methods='GET')
    with pair.connection('/c/o') as response:
        begin = response.read(1000)
        os.kill(pair.lab.processes['proxy-1'].pid, signal.SIGHUP)
        assert eventually(lambda: not pair.lab.processes['proxy-1'].alive)
        assert begin + response.read() == BODY
    pair.lab.handicap(clear=True)
    pair.lab.restart_proxies({})
    assert (200, BODY) == pair.ask('/c/o')[::2]
