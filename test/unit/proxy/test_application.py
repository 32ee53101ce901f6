"""The application as a worker runs it: its book, its maintenance and its metrics."""
import socket

import pytest
from support.fallbacks import flushed, ledger_of
from support.proxy_app import policy_of
from support.scripted_cluster import settles
from support.stored_object import stored

from swift_lb.concurrency import sleep
from swift_lb.load.feedback import PulledFeedback
from swift_lb.proxy import application


@pytest.fixture
def sink():
    """Yield a non-blocking UDP socket on 127.0.0.1, to which StatsD metrics may be sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.bind(('127.0.0.1', 0))
        made.setblocking(False)
        yield made


def received(sink):
    """Return a list of the StatsD lines that have come to the socket so far."""
    lines = []
    while True:
        try:
            lines.extend(sink.recv(65536).decode().splitlines())
        except BlockingIOError:
            return lines


def test_metrics_are_sent_only_after_the_first_request(cluster, sink):
    made = cluster(*[stored(b'x' * 1000)] * 3, log_statsd_host='127.0.0.1',
                   log_statsd_port=str(sink.getsockname()[1]), maintained=True)
    made.app._interval = 0.01
    made.app.sort_nodes([], policy_of(0))
    sleep(0.05)
    assert [] == received(sink)           # the parent of the workers serves nothing
    made.ask()
    node = f'127_0_0_1_{made.nodes[0].port}_sd1.worker_{made.app.begin()}'
    expected = f'proxy-server.lb.chunks.{node}:1|g'
    lines = []
    assert settles(lambda: lines.extend(received(sink)) or expected in lines)


def test_only_one_worker_emits_the_gauges_of_a_shared_book(cluster, sink, tmp_path, monkeypatch):
    monkeypatch.setattr(application, 'spawn', lambda _function: None)
    nodes = [stored(b'x' * 1000)] * 3
    options = {'lb_book': str(tmp_path / 'a.book'), 'log_statsd_host': '127.0.0.1',
               'log_statsd_port': str(sink.getsockname()[1])}
    one = cluster(*nodes, **options)
    other = cluster(*one.nodes, **options)
    assert [0, 1] == [made.app.begin() for made in (one, other)]
    one.ask()
    assert one.counts() == other.counts() == [(1, 1, 0, 0, 0), *[(0, 0, 0, 0, 0)] * 2]
    gauges = []
    for made in (other, one):
        made.app._flush()
        gauges.append([line for line in received(sink) if line.endswith('|g')])
    node = f'127_0_0_1_{one.nodes[0].port}_sd1'
    assert [] == gauges[0]
    assert f'proxy-server.lb.chunks.{node}:1|g' in gauges[1]


def test_a_worker_uses_its_own_book_if_lb_book_is_no_book_file(cluster, tmp_path):
    path = tmp_path / 'a.book'
    path.write_bytes(b'[swift-hash]')
    path.chmod(0o600)
    made = cluster(*[stored(b'x')] * 3, lb_book=str(path))
    ledger = ledger_of(made)
    assert (200, b'x') == made.ask()
    assert [f'swift-lb: {path} is no book of swift-lb; remove it if it is not needed; this worker '
            'keeps a book of its own'] == ledger.lines
    assert {'book': 1} == flushed(made, ledger)
    assert b'[swift-hash]' == path.read_bytes()
    assert 1 == made.load(1).successes


def test_one_maintenance_thread_is_started_though_the_book_fails(cluster, monkeypatch):
    spawned = []
    monkeypatch.setattr(application, 'spawn', spawned.append)
    made = cluster(*[stored(b'x')] * 3)
    monkeypatch.setattr(made.app.host_book, 'attend', lambda: 1 / 0)
    numbers = {made.app.begin() for _ in range(3)}
    assert (200, b'x') == made.ask()
    assert (1, 1) == (len(numbers), len(spawned))
    assert 1 == made.app.recorder.metrics._counts['fallbacks', ('book',)]


def test_the_book_keeps_the_measurements_that_the_policy_needs(cluster):
    made = cluster(*[stored(b'x')] * 3, lb_policy='elastic_ars')
    for _ in range(3):                    # a node without statistics is first
        made.ask()
    assert all(made.load(number).evidence[PulledFeedback].response_time > 0
               for number in (1, 2, 3))
