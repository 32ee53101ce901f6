"""What a real swift.proxy.server.Application with swift-lb's subclasses records of its reads.

Counts are (chunks, successes, errors, timeouts, in_flight), a tuple a node; the proxy tries the
nodes in their order.
"""
import gc
import hashlib
from threading import Event

import pytest
from support.proxy_app import policy_of, set_clock
from support.scripted_cluster import settles
from support.scripted_node import LONGEST, NodeAnswer, ScriptedNode
from support.stored_object import TIMESTAMP, fragments, missing, stored

from swift_lb.concurrency import spawn
from swift_lb.errors import SeamError
from swift_lb.model import UNKNOWN_LOAD
from swift_lb.proxy import seam
from swift_lb.proxy.getters import MeasuredGetter

BODY = bytes(range(256)) * 800            # 204,800 bytes: chunks of 65,536 three times, and 8,192
ETAG = hashlib.md5(BODY, usedforsecurity=False).hexdigest()
UNTOUCHED, WHOLE, ERROR, TIMEOUT = (
    (0, 0, 0, 0, 0), (4, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0))
LATE = 0.25                               # seconds


@pytest.fixture
def patience(monkeypatch):
    """Return {device: seconds after which its reads time out}, which a test fills; else LONGEST."""
    seconds, ask = {}, MeasuredGetter._make_node_request

    def asks(getter, node, *args):
        getter.asked_last = node['device']
        return ask(getter, node, *args)
    monkeypatch.setattr(MeasuredGetter, '_make_node_request', asks)
    monkeypatch.setattr(MeasuredGetter, 'asked_last', None, raising=False)
    monkeypatch.setattr(MeasuredGetter, 'node_timeout', property(
        lambda getter: seconds.get(getter.asked_last, LONGEST), lambda _getter, _seconds: None),
        raising=False)
    return seconds


def clock_of(made):
    """Set the proxy's clock to 0 s; return [seconds], by which a test moves that clock."""
    now = [0.0]
    set_clock(made.app, lambda: now[0])
    return now


def lapse(made, gate, condition):
    """Once `condition()` holds, move the proxy's clock by LATE and set the event `gate`.

    Returns at once: a greenthread, whose wait() returns whether the condition was met.
    """
    now = clock_of(made)

    def follow():
        seen = settles(condition)
        now[0] += LATE
        gate.set()
        return seen
    return spawn(follow)


@pytest.mark.parametrize('chunked', [False, True])
@pytest.mark.parametrize(('wanted', 'status', 'body', 'counts'), [
    ({}, 200, BODY, WHOLE),
    ({'method': 'HEAD'}, 200, b'', (0, 1, 0, 0, 0)),
    ({'range': 'bytes=70000-70009'}, 206, BODY[70000:70010], (1, 1, 0, 0, 0)),
    ({'range': 'bytes=204700-'}, 206, BODY[204700:], (1, 1, 0, 0, 0)),
    ({'range': 'bytes=-10'}, 206, BODY[-10:], (1, 1, 0, 0, 0)),
    ({'if_none_match': ETAG}, 304, b'', (0, 1, 0, 0, 0)),
    ({'range': 'bytes=900000-'}, 416, None, (0, 1, 0, 0, 0))])
def test_an_answer_adds_one_success_and_its_chunks_to_its_node(
        cluster, wanted, status, body, counts, chunked):
    made = cluster(*[stored(BODY, chunked=chunked)] * 3)
    answer = made.ask(**wanted)
    assert (status, answer[1] if body is None else body) == answer
    assert [counts, UNTOUCHED, UNTOUCHED] == made.counts()
    assert made.load(1).first_byte_time > 0
    assert [1, 0, 0] == made.asked()


def test_a_read_of_several_ranges_counts_as_one_success(cluster):
    made = cluster(ScriptedNode(stored(BODY), '::1', 'sd1'), *[stored(BODY)] * 2)
    status, body = made.ask(range='bytes=0-9,70000-70009,140000-140009')
    assert (206, [True, True, True]) == (
        status, [BODY[at:at + 10] in body for at in (0, 70000, 140000)])
    assert [(3, 1, 0, 0, 0), UNTOUCHED, UNTOUCHED] == made.counts()


@pytest.mark.parametrize('chunked', [False, True])
@pytest.mark.parametrize(('size', 'chunk_clock', 'counts'), [
    (4096, 'request', True), (4096, 'read', False), (0, 'request', False)])
def test_lb_chunk_clock_request_counts_the_wait_for_headers(
        cluster, size, chunk_clock, counts, chunked):
    gate, body = Event(), b'x' * size
    made = cluster(*[stored(body, head_delay=gate, chunked=chunked)] * 3,
                   lb_chunk_clock=chunk_clock)
    passed = lapse(made, gate, lambda: made.load(1).connect_time is not None)
    assert (200, body) == made.ask()
    assert passed.wait()
    load = made.load(1)
    assert (bool(size), 1, LATE) == (load.chunks, load.successes, load.first_byte_time)
    assert counts == (load.last_throughput == pytest.approx(size / LATE))


def test_the_first_byte_is_timed_before_its_chunk_is_full(cluster):
    go_on = Event()
    made = cluster(*[stored(BODY, pause_after=1000, pause=go_on)] * 3)
    passed = lapse(made, go_on, lambda: made.load(1).first_byte_time is not None)
    assert (200, BODY) == made.ask()
    assert passed.wait()
    assert made.load(1).first_byte_time == 0.0


def test_the_time_a_client_takes_is_not_blamed_on_the_node(cluster):
    made = cluster(*[stored(BODY)] * 3)
    now = clock_of(made)
    response = made.open()
    now[0] += 60                          # a slow client, or a middleware
    chunks = iter(response.app_iter)
    next(chunks)
    now[0] += 60
    assert made.load(1).waiting_since is None
    assert BODY[65536:] == b''.join(chunks)
    load = made.load(1)
    assert 0.0 == load.first_byte_time
    assert load.last_throughput > 8192 / LATE


@pytest.mark.parametrize(('cut_after', 'first', 'second'), [
    (70000, (2, 0, 1, 0, 0), (3, 1, 0, 0, 0)),  # 65,536 + 4,464 bytes; 134,800 are three chunks
    (0, ERROR, WHOLE)])
def test_a_body_that_breaks_off_counts_as_one_error(cluster, cut_after, first, second):
    made = cluster(stored(BODY, cut_after=cut_after), stored(BODY), stored(BODY))
    assert (200, BODY) == made.ask()
    assert [first, second, UNTOUCHED] == made.counts()
    assert f'bytes={cut_after}-204799' == made.nodes[1].requests[0].headers['range']
    assert (made.load(1).first_byte_time is None) == (cut_after == 0)


@pytest.mark.parametrize(('how', 'wanted'), [
    ({'cut_after': 66000}, {'range': 'bytes=0-49999,100000-149999'}),
    ({'cut_after': 70000, 'reset': True}, {})])
def test_a_broken_multipart_answer_or_reset_counts_as_one_error(cluster, how, wanted):
    made = cluster(stored(BODY, **how), stored(BODY), stored(BODY))
    status, body = made.ask(**wanted)
    assert (status, True, True) == (
        206 if wanted else 200, BODY[:50000] in body, BODY[100000:150000] in body)
    first, second, third = made.counts()
    assert ((0, 1, 0, 0), (1, 0, 0, 0), UNTOUCHED) == (first[1:], second[1:], third)


def test_a_chunk_that_does_not_come_counts_as_a_timeout(cluster, patience):
    made = cluster(stored(BODY, pause_after=70000, pause=LONGEST), stored(BODY), stored(BODY))
    chunks = iter(made.open().app_iter)
    first = next(chunks)
    patience['sd1'] = 0.2
    assert BODY == first + b''.join(chunks)
    assert [(1, 0, 0, 1, 0), (3, 1, 0, 0, 0), UNTOUCHED] == made.counts()


def test_a_head_that_does_not_come_counts_as_a_timeout(cluster, patience):
    made = cluster(NodeAnswer(hang=True), stored(BODY), stored(BODY))
    patience['sd1'] = 0.2
    assert (200, BODY) == made.ask()
    assert [TIMEOUT, WHOLE, UNTOUCHED] == made.counts()


def test_if_all_nodes_time_out_each_is_blamed_once(cluster, patience):
    made = cluster(*[stored(BODY, pause_after=70000, pause=LONGEST)] * 3, request_node_count='3')
    chunks = iter(made.open().app_iter)
    for device in ('sd1', 'sd2', 'sd3'):
        next(chunks)
        patience[device] = 0.2
    with pytest.raises(BaseException, match=r'0\.2 seconds'):
        b''.join(chunks)
    assert [(0, 1, 0)] * 3 == [(successes, timeouts, in_flight) for
                               _chunks, successes, _errors, timeouts, in_flight in made.counts()]


@pytest.mark.parametrize('answer', [
    NodeAnswer(503), NodeAnswer(507), NodeAnswer(500, body=b'a traceback'), 'refuses'])
def test_a_5xx_or_a_refused_connection_counts_as_one_error(cluster, answer):
    first = ScriptedNode(device='sd1', refuses=True) if answer == 'refuses' else answer
    made = cluster(first, stored(BODY), stored(BODY))
    assert (200, BODY) == made.ask()
    assert [ERROR, WHOLE, UNTOUCHED] == made.counts()


def test_a_missing_object_is_neither_success_nor_error(cluster):
    made = cluster(missing(), missing(TIMESTAMP), stored(BODY, timestamp='1800000000.00000'))
    assert (200, BODY) == made.ask()
    assert [UNTOUCHED, UNTOUCHED, WHOLE] == made.counts()
    assert 404 == cluster(*[missing()] * 3).ask()[0]


@pytest.mark.parametrize(('chunks', 'leave'), [
    (1, lambda response: response.app_iter.close()), (0, lambda response: None)])
def test_a_client_that_leaves_is_neither_success_nor_error(cluster, chunks, leave):
    made = cluster(*[stored(BODY)] * 3)
    response = made.open()
    for _chunk in range(chunks):
        next(iter(response.app_iter))
    assert [(chunks, 0, 0, 0, 1), UNTOUCHED, UNTOUCHED] == made.counts()
    leave(response)
    del response
    gc.collect()
    assert [(chunks, 0, 0, 0, 0), UNTOUCHED, UNTOUCHED] == made.counts()


def test_x_newest_asks_all_nodes_and_only_the_newest_succeeds(cluster):
    old = stored(b'old', timestamp='1600000000.00000')
    made = cluster(old, stored(BODY), old)
    response = made.open(x_newest='true')
    assert [0, 1, 0] == [made.load(number).in_flight for number in (1, 2, 3)]
    assert (200, BODY) == (response.status_int, response.body)
    assert [1, 1, 1] == made.asked()
    assert [UNTOUCHED, WHOLE, UNTOUCHED] == made.counts()


def erasure_coded(cluster, **how_the_first_answers):
    """Return a cluster of three nodes that hold the fragments of BODY, tried in their order."""
    made = cluster(*[None] * 3).hold_fragments(BODY)
    made.nodes[0].script = fragments(BODY, policy_of(1), **how_the_first_answers)[0]
    return made


def test_a_503_that_follows_another_nodes_timeout_is_an_error(cluster, patience):
    """Swift asks node 3 while it handles the timeout of node 1."""
    made = erasure_coded(cluster, pause_after=70000, pause=LONGEST)
    patience['sd1'] = 0.5
    made.nodes[2].script = NodeAnswer(503)
    made.ask(policy=1)  # no node is left: the status is Swift's affair
    assert [(0, 1), (0, 0), (1, 0)] == [counts[2:4] for counts in made.counts()]


@pytest.mark.parametrize(('wanted', 'expected', 'counts', 'asked'), [
    # a fragment archive of 204,800 bytes in 2 is 102,400 and its headers: two chunks
    ({}, (200, BODY), [(2, 1, 0, 0, 0)] * 2, [1, 1, 0]),
    ({'range': 'bytes=70000-70009'}, (206, BODY[70000:70010]), [(1, 1, 0, 0, 0)] * 2, [1, 1, 0]),
    ({'method': 'HEAD'}, (200, b''), [(0, 1, 0, 0, 0), UNTOUCHED], [1, 0, 0])])
def test_each_fragment_that_is_read_counts_as_a_success(cluster, wanted, expected, counts, asked):
    made = erasure_coded(cluster)
    assert expected == made.ask(policy=1, **wanted)
    assert [*counts, UNTOUCHED] == made.counts()
    assert asked == made.asked()


def test_a_cut_fragment_is_an_error_and_its_substitute_a_success(cluster):
    made = erasure_coded(cluster, cut_after=70000)
    assert (200, BODY) == made.ask(policy=1)
    (chunks, *first), second, third = made.counts()
    assert ([0, 1, 0, 0], (2, 1, 0, 0, 0)) == (first, second)
    assert (2, (1, 0, 0, 0)) == (chunks, third[1:])


def test_a_nodes_late_fragment_adds_no_time_to_another_node(cluster):
    gate = Event()
    made = erasure_coded(cluster, head_delay=gate)
    sent, connected = [], made.app.recorder.connected

    def connects(node, *args):
        sent.append(node['device'])
        return connected(node, *args)
    made.app.recorder.connected = connects
    passed = lapse(made, gate, lambda: {'sd1', 'sd2'} == set(sent) and made.load(2).in_flight
                   and not made.load(2).queued)
    assert (200, BODY) == made.ask(policy=1)
    assert passed.wait()
    assert (LATE, 0.0) == (made.load(1).first_byte_time, made.load(2).first_byte_time)


def test_a_failed_write_is_an_error_only_of_nodes_read_before(cluster):
    made = cluster(*[stored(BODY)] * 3)
    made.ask()
    for node in made.nodes:
        node.script = NodeAnswer(503)
    assert 503 == made.ask(method='DELETE')[0]
    assert [(4, 1, 1, 0, 0), UNTOUCHED, UNTOUCHED] == made.counts()
    assert UNKNOWN_LOAD == made.load(2)


def test_the_installed_swift_has_the_expected_internals():
    seam.verify()


def test_each_unexpected_swift_internal_is_named_in_the_error(monkeypatch):
    gone = (seam.Application, 'sort_nodes_by_moon', ('nodes',))
    changed = (seam.GetterSource, '__init__', ('app', 'node'))
    monkeypatch.setattr(seam, 'EXPECTED', (*seam.EXPECTED, gone, changed))
    monkeypatch.setattr(seam, 'CARRIED', (*seam.CARRIED, (seam.NodeIter, 'moons')))
    with pytest.raises(SeamError) as refused:
        seam.verify()
    assert ('this Swift is not one swift-lb knows (2.33 to 2.38): '
            'Application.sort_nodes_by_moon is gone; '
            'GetterSource.__init__ takes (app, resp, node), not (app, node); '
            'NodeIter has no moons; '
            'use egg:swift#proxy until swift-lb has been adapted') == str(refused.value)
