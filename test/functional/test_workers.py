"""Workers come and go; the book that they share stays, with the reads of those alive."""
import http.client
import os
import signal
import threading
from contextlib import contextmanager, suppress
from itertools import pairwise

import pytest
from support.cluster import SwiftCluster, eventually

from swift_lb import shared_memory
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec
from swift_lb.load import table
from swift_lb.load.request_table import totals
from swift_lb.version import version

BODY = b'z' * 500_000


@pytest.fixture(scope='module')
def pair():
    """A SwiftCluster with an object, whose proxy has two workers."""
    with Lab.up(LabSpec(name=f'workers-{os.getpid()}', workers=2)) as lab:
        cluster = SwiftCluster(lab)
        cluster.put('/c')
        cluster.put('/c/o', BODY)
        yield cluster


@contextmanager
def slow(cluster, rate):
    """Let all storage nodes send bodies at `rate` a second, such as '50KiB', in the context."""
    for node in (1, 2, 3):
        cluster.lab.handicap(node=node, slow_stream=rate, methods='GET')
    try:
        yield
    finally:
        cluster.lab.handicap(clear=True)


def pages(cluster, polls=60):
    """Return {pid: last status page} of the proxy's workers that answered one of `polls` polls."""
    return {page['pid']: page for _status, page in (cluster.status() for _ in range(polls))}


def choices(page):
    """Return {node: how often it was put first} of a status page."""
    return {facts['node']: facts['choices'] for facts in page['nodes']}


def in_flight(cluster):
    """Return (reads in flight of all nodes, {pid of worker: its own}), of a status page."""
    _status, page = cluster.status()
    return (sum(facts['in_flight'] for facts in page['nodes']),
            {worker['pid']: worker['in_flight'] for worker in page['book']['workers']})


def book_of(cluster):
    return cluster.status()[1]['book']['path']


def requests(book):
    """Return the Totals in a book's file, read as another process reads them."""
    buffer, _alive = shared_memory.read_only(book, table.fault, table.SLOTS)
    return totals(buffer)


def none_in_flight(book):
    """Wait until no request is in flight; return the Totals in the book's file `book`."""
    assert eventually(lambda: requests(book).in_flight == 0)
    return requests(book)


def workers(cluster):
    """Return {pid: worker number} of the workers that answer, up to two, in 200 requests."""
    numbers = {}
    for _ in range(200):
        with suppress(OSError):  # the socket of a worker that has just been killed
            _status, page = cluster.status()
            numbers[page['pid']] = page['worker']
        if len(numbers) == 2:
            break
    return numbers


def other_workers(cluster, before):
    """Wait for two workers, not both in `before`; return {pid: worker number}, {} after a minute.
    """
    def others():
        numbers = workers(cluster)
        return numbers if len(numbers) == 2 and set(numbers) - set(before) else None
    return eventually(others) or {}


def read_until(stop, cluster, bad, unanswered):
    """Read /c/o again and again until the Event `stop` is set.

    Append the status or exception of each wrong or incomplete answer to `bad`, and the exception of
    each request whose answer did not begin to `unanswered`.
    """
    while not stop.is_set():
        response = None
        try:
            with cluster.connection('/c/o') as response:
                if (200, BODY) != (response.status, response.read()):
                    bad.append(response.status)
        except (OSError, http.client.HTTPException) as err:
            (unanswered if response is None else bad).append(err)


def test_all_workers_of_a_proxy_show_the_same_measurements(pair):
    for _ in range(40):
        assert (200, BODY) == pair.ask('/c/o')[::2]
    shown = pages(pair)
    assert len(shown) > 1       # 60 polls: one worker alone takes them all 1 time in 10^17
    assert 1 == len({page['book']['id'] for page in shown.values()})
    first, *others = [choices(page) for page in shown.values()]
    assert [first] * len(others) == others
    assert 40 == sum(first.values())
    log = pair.lab.log('proxy-1').read_text()
    assert 1 == log.count(f'swift-lb {version()}: lb_policy = ')    # of the parent alone


def test_a_killed_workers_requests_leave_the_shared_in_flight_count(pair):
    book, before = book_of(pair), workers(pair)
    for _ in range(20):
        assert 200 == pair.ask('').status
    seen = [none_in_flight(book)]

    def look():
        seen.append(requests(book))
        return seen[-1]
    with slow(pair, '50KiB'), pair.connection('/c/o') as response:
        response.read(1000)
        assert 1 == look().in_flight
        victim, = (pid for pid, count in in_flight(pair)[1].items() if count)
        os.kill(victim, signal.SIGKILL)
        assert eventually(lambda: look().in_flight == 0)
    assert victim not in other_workers(pair, before)
    assert 200 == pair.ask('').status
    assert look().begun > seen[1].begun
    assert all(now >= then for earlier, later in pairwise(seen)
               for then, now in zip(earlier[1:], later[1:], strict=True))


def test_a_killed_workers_successor_has_the_same_worker_number(pair):
    before = workers(pair)
    assert {0, 1} == set(before.values())
    victim, number = next(iter(before.items()))
    os.kill(victim, signal.SIGKILL)
    after = other_workers(pair, before)
    assert victim not in after
    assert [number] == [each for pid, each in after.items() if pid not in before]
    assert (200, BODY) == pair.ask('/c/o')[::2]


def test_a_sigusr1_reload_fails_no_read_and_keeps_measurements(pair):
    """SIGUSR1: the parent executes itself again while the old workers finish."""
    assert (200, BODY) == pair.ask('/c/o')[::2]
    known = pair.status()[1]
    before, stop, bad, unanswered = workers(pair), threading.Event(), [], []
    reader = threading.Thread(target=read_until, args=(stop, pair, bad, unanswered))
    reader.start()
    os.kill(pair.lab.processes['proxy-1'].pid, signal.SIGUSR1)
    fresh = eventually(
        lambda: len(after := workers(pair)) == 2 and not set(after) & set(before))
    stop.set()
    reader.join()
    assert fresh
    assert [] == bad
    # The kernel resets the connections that wait at a closed socket; each old worker had one.
    assert len(unanswered) <= len(before)
    page = pair.status()[1]
    assert known['book']['id'] == page['book']['id']
    assert sum(choices(known).values()) < sum(choices(page).values())


def test_a_proxy_stopped_by_sighup_finishes_its_reads(pair):
    """SIGHUP, as swift-init sends for `reload`: the old proxy finishes its requests."""
    with slow(pair, '400KiB'), pair.connection('/c/o') as response:
        begin = response.read(1000)
        os.kill(pair.lab.processes['proxy-1'].pid, signal.SIGHUP)
        assert eventually(lambda: not pair.lab.processes['proxy-1'].alive)
        assert begin + response.read() == BODY
    pair.lab.restart_proxies({})
    assert (200, BODY) == pair.ask('/c/o')[::2]
