"""Whatever fails in swift-lb, clients get every byte; the fault is reported, and recovers."""
import pytest
from support.fallbacks import FallbackLedger, broken, flushed, ledger_of, lines_about, parts_of
from support.proxy_app import set_clock
from support.scripted_node import NodeAnswer
from support.stored_object import stored
from swift.common.bufferedhttp import BufferedHTTPResponse

from swift_lb import metrics
from swift_lb.load.book import LoadBook
from swift_lb.load.read import Read
from swift_lb.metrics import Metrics
from swift_lb.policy.lb_rlt import Weighted
from swift_lb.proxy import host_book
from swift_lb.proxy.guard import LOG_EVERY, Guard

BODY = b'y' * 150000                      # three chunks
READS = 5


def test_nodes_that_fail_do_not_count_as_failures_of_swift_lb(cluster):
    made = cluster(stored(BODY, cut_after=70000), NodeAnswer(503), stored(BODY))
    ledger = ledger_of(made)
    assert [(200, BODY)] * READS == [made.ask() for _ in range(READS)]
    assert ({}, []) == (flushed(made, ledger), ledger.lines)


HEALTHY = stored(BODY)
SHORT = stored(BODY, cut_after=70000)
GONE = NodeAnswer(404)


@pytest.mark.parametrize(('owner', 'name', 'part', 'first_node'), [
    (Weighted, 'order', 'order', HEALTHY),
    (Weighted, 'knows', 'begin', HEALTHY),
    (LoadBook, 'snapshot', 'order', HEALTHY),
    (LoadBook, 'chosen', 'order', HEALTHY),
    (LoadBook, 'begin', 'begin', HEALTHY),
    (LoadBook, 'connected', 'connected', HEALTHY),
    (Read, 'sent', 'connected', HEALTHY),
    (Read, 'head', 'head', HEALTHY),
    (Read, 'wait', 'wait', HEALTHY),
    (Read, 'first_byte_came', 'first_byte', HEALTHY),
    (Read, 'chunk', 'received', HEALTHY),
    (Read, 'complete', 'part_ended', HEALTHY),
    (Read, 'end', 'part_ended', HEALTHY),
    (Read, 'close', 'ended', GONE),
    (Read, 'fail', 'blame', SHORT),
    (metrics, 'node_label', 'first_byte', HEALTHY),
    (FallbackLedger, 'timing', 'first_byte', HEALTHY),
])
def test_a_failing_component_makes_no_read_fail_and_recovers(
        cluster, monkeypatch, owner, name, part, first_node):
    made = cluster(first_node, HEALTHY, HEALTHY)
    ledger = ledger_of(made)
    with monkeypatch.context() as breakage:
        breakage.setattr(owner, name, broken)
        breakage.setattr(Read, '__del__', lambda self: None)  # would warn of a fault of end()
        assert [(200, BODY)] * READS == [made.ask() for _ in range(READS)]
    fell_back = flushed(made, ledger)
    assert fell_back[part] >= READS
    assert 1 == ledger.lines.count(*lines_about(part))
    assert len(ledger.lines) == len(fell_back)
    before = made.counts()
    assert [(200, BODY)] * READS == [made.ask() for _ in range(READS)]
    assert {} == flushed(made, ledger)
    assert READS <= sum(now[1] - then[1] for now, then in zip(made.counts(), before, strict=True))


def test_if_peek_of_a_body_raises_its_read_still_succeeds(cluster, monkeypatch):
    monkeypatch.setattr(BufferedHTTPResponse, 'peek', broken, raising=False)
    made = cluster(*[stored(BODY)] * 3)
    assert (200, BODY) == made.ask()
    assert (3, 1, 0, 0, 0) == made.counts()[0]


@pytest.mark.parametrize('wrong', [
    lambda keys: keys[1:],
    lambda keys: [],
    lambda keys: [*keys, keys[0]],
    lambda keys: [keys[0], keys[0], keys[1]],
    lambda keys: ['nonsense', *keys[1:]],
    lambda keys: None,
])
def test_an_order_that_loses_or_doubles_nodes_is_not_used(cluster, monkeypatch, wrong):
    made = cluster(NodeAnswer(503), NodeAnswer(503), stored(BODY))
    ledger = ledger_of(made)
    monkeypatch.setattr(Weighted, 'order', lambda self, keys, *rest: wrong(keys))
    assert [(200, BODY)] * READS == [made.ask() for _ in range(READS)]
    assert {'order': READS} == flushed(made, ledger)
    assert lines_about('order') == ledger.lines


def test_a_failing_clock_is_logged_once_for_each_component(cluster):
    made = cluster(stored(BODY, cut_after=70000), stored(BODY), stored(BODY))
    ledger = ledger_of(made)
    working = made.app.replicas.clock
    set_clock(made.app, broken)
    assert [(200, BODY)] * READS == [made.ask() for _ in range(READS)]
    fell_back = flushed(made, ledger)
    # without a clock no read begins, and where there is no read there is nothing to go wrong
    assert {'order', 'begin', 'connected'} == set(fell_back)
    assert sorted(line for part in fell_back for line in lines_about(part)) == sorted(ledger.lines)
    set_clock(made.app, working)
    assert (200, BODY) == made.ask()
    assert ({}, 1) == (flushed(made, ledger), made.load(2).successes)


def test_a_clock_that_fails_during_a_read_makes_no_read_fail(cluster):
    made = cluster(*[stored(BODY)] * 3)
    ledger = ledger_of(made)
    response = made.open()
    set_clock(made.app, broken)
    assert BODY == response.body
    assert {'wait', 'first_byte', 'received'} == set(flushed(made, ledger))
    assert 0 == made.load(1).in_flight


def test_faults_are_logged_if_metrics_fail_and_vice_versa(cluster):
    made = cluster(*[stored(BODY, cut_after=70000)] * 3)  # whose order is Swift's: any is blamed
    ledger = ledger_of(made)
    counters = made.app.recorder.metrics
    counters.count = broken
    assert [(200, BODY)] * READS == [made.ask() for _ in range(READS)]
    assert sorted([*lines_about('order'), *lines_about('blame')]) == sorted(ledger.lines)
    del counters.count
    assert (200, BODY) == made.ask()
    assert {} == flushed(made, ledger)
    ledger.exception = broken               # and faults are counted where the logger fails
    made.app.recorder.book.begin = broken
    assert (200, BODY) == made.ask()
    assert {'begin'} == {*flushed(made, ledger)}


@pytest.mark.parametrize(('owner', 'name'), [
    (Metrics, 'flush'), (Metrics, 'gauge'), (LoadBook, 'forget'), (LoadBook, 'snapshot')])
def test_failed_metric_flushes_are_counted_and_logged_once(cluster, monkeypatch, owner, name):
    made = cluster(*[stored(BODY)] * 3)
    ledger = ledger_of(made)
    with monkeypatch.context() as breakage:
        breakage.setattr(owner, name, broken)
        for _ in range(3):
            made.app.recorder.flush(0)
    made.app.recorder.flush(0)
    assert {'flush': 3} == parts_of(ledger.sums)
    assert lines_about('flush') == ledger.lines


def test_a_component_that_keeps_failing_is_logged_once_a_minute():
    ledger, now = FallbackLedger(), [1000.0]
    guard = Guard(Metrics(ledger, None, None), ledger, lambda: now[0])
    for step in (0, 1, LOG_EVERY - 2, 1.5, 1):
        now[0] += step
        guard.fall_back('order')
    assert lines_about('order') * 2 == ledger.lines


def test_swift_lb_does_not_catch_timeouts_of_eventlet(cluster, monkeypatch):
    class Timeout(BaseException):
        pass

    def times_out(*_arguments):
        raise Timeout
    made = cluster(*[stored(BODY)] * 3)
    monkeypatch.setattr(LoadBook, 'begin', times_out)
    with pytest.raises(Timeout):
        made.app.recorder.begin({'ip': '127.0.0.1', 'port': 1, 'device': 'sd1'}, 0)


def test_without_a_free_descriptor_the_worker_number_is_the_pid(cluster, monkeypatch):
    class NoSocket:
        AF_UNIX = SOCK_DGRAM = None

        @staticmethod
        def socket(*_arguments):
            raise OSError(24, 'Too many open files')
    monkeypatch.setattr('swift_lb.proxy.host_book.socket', NoSocket)
    monkeypatch.setattr('swift_lb.proxy.host_book.os.getpid', lambda: 4711)
    assert 4711 == host_book.worker_number()
    made = cluster(*[stored(BODY)] * 3)
    assert ((200, BODY), 4711) == (made.ask(), made.app.begin())
