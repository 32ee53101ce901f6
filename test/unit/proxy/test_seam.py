"""The seam, by a real swift.proxy.server.Application and nodes that answer as they are told.

Counts are (chunks, successes, errors, timeouts, in_flight), a tuple a node; the proxy tries the
nodes in their order.
"""
import gc
import hashlib
from threading import Event

import pytest
from support.proxy_app import policy_of, set_clock
from support.scripted_cluster import settles
from support.scripted_node import LONGEST, Answer, ScriptedNode
from support.stored_object import TIMESTAMP, fragments, missing, stored

from swift_lb.concurrency import spawn
from swift_lb.errors import SeamError
from swift_lb.model import UNKNOWN
from swift_lb.proxy import seam
from swift_lb.proxy.getters import MeasuredGetter

BODY = bytes(range(256)) * 800            # 204,800 bytes: chunks of 65,536 three times, and 8,192
ETAG = hashlib.md5(BODY, usedforsecurity=False).hexdigest()
UNTOUCHED = (0, 0, 0, 0, 0)
LATE, SOON = 0.3, 0.15                    # seconds: how late a node is, and what is not late


@pytest.fixture
def patience(monkeypatch):
    """Return {device: seconds that a getter waits for it}, LONGEST where it says nothing."""
    found, ask = {}, MeasuredGetter._make_node_request

    def asks(getter, node, *args):
        getter.asked_last = node['device']
        return ask(getter, node, *args)
    monkeypatch.setattr(MeasuredGetter, '_make_node_request', asks)
    monkeypatch.setattr(MeasuredGetter, 'asked_last', None, raising=False)
    monkeypatch.setattr(MeasuredGetter, 'node_timeout', property(
        lambda getter: found.get(getter.asked_last, LONGEST), lambda _getter, _seconds: None),
        raising=False)
    return found


def clock_of(made):
    """Return [now], which is the proxy's clock from now on."""
    now = [0.0]
    set_clock(made.app, lambda: now[0])
    return now


def lapse(made, gate, condition):
    """Let LATE pass by the proxy's clock when `condition()` holds, and set the gate.

    Returns a greenthread, which returns whether that was so.
    """
    now = clock_of(made)

    def follow():
        seen = settles(condition)
        now[0] += LATE
        gate.set()
        return seen
    return spawn(follow)


def test_a_get_is_four_chunks_and_one_success_of_the_node_that_answered(cluster):
    made = cluster(*[stored(BODY)] * 3)
    assert (200, BODY) == made.ask()
    assert [(4, 1, 0, 0, 0), UNTOUCHED, UNTOUCHED] == made.counts()
    assert [1, 0, 0] == made.asked()


def test_a_head_is_a_success_without_chunks(cluster):
    made = cluster(*[stored(BODY)] * 3)
    assert (200, b'') == made.ask(method='HEAD')
    assert [(0, 1, 0, 0, 0), UNTOUCHED, UNTOUCHED] == made.counts()
    assert 0 < made.load(1).first_byte_time < 60


@pytest.mark.parametrize(('asked', 'expected'), [
    ('bytes=70000-70009', BODY[70000:70010]),
    ('bytes=204700-', BODY[204700:]),
    ('bytes=-10', BODY[-10:]),
])
def test_a_range_is_a_read_of_its_bytes(cluster, asked, expected):
    made = cluster(*[stored(BODY)] * 3)
    assert (206, expected) == made.ask(range=asked)
    assert [(1, 1, 0, 0, 0), UNTOUCHED, UNTOUCHED] == made.counts()


def test_several_ranges_are_one_read_of_as_many_parts(cluster):
    made = cluster(*[stored(BODY)] * 3)
    status, body = made.ask(range='bytes=0-9,70000-70009,140000-140009')
    assert (206, [True, True, True]) == (
        status, [BODY[at:at + 10] in body for at in (0, 70000, 140000)])
    assert [(3, 1, 0, 0, 0), UNTOUCHED, UNTOUCHED] == made.counts()


@pytest.mark.parametrize(('headers', 'status'), [
    ({'if_none_match': ETAG}, 304),
    ({'range': 'bytes=900000-'}, 416),
])
def test_an_answer_without_the_object_is_a_success_without_chunks(cluster, headers, status):
    made = cluster(*[stored(BODY)] * 3)
    assert status == made.ask(**headers)[0]
    assert [(0, 1, 0, 0, 0), UNTOUCHED, UNTOUCHED] == made.counts()
    assert 0 < made.load(1).first_byte_time < 60


def test_an_empty_object_is_a_success_whose_first_byte_is_the_head(cluster):
    made = cluster(*[stored(b'', head_delay=LATE)] * 3)
    assert (200, b'') == made.ask()
    assert [(0, 1, 0, 0, 0), UNTOUCHED, UNTOUCHED] == made.counts()
    assert SOON < made.load(1).first_byte_time < 60


def test_a_body_of_unknown_length_ends_with_its_last_chunk(cluster):
    made = cluster(*[stored(BODY, chunked=True)] * 3)
    assert (200, BODY) == made.ask()
    assert [(4, 1, 0, 0, 0), UNTOUCHED, UNTOUCHED] == made.counts()


@pytest.mark.parametrize('how', [{}, {'chunked': True}])
@pytest.mark.parametrize(('chunk_clock', 'sees_the_delay'), [('request', True), ('read', False)])
def test_a_late_head_is_seen_by_the_chunk_clock_that_starts_with_the_request(
        cluster, chunk_clock, sees_the_delay, how):
    small, gate = b'x' * 4096, Event()
    made = cluster(*[stored(small, head_delay=gate, **how)] * 3, lb_chunk_clock=chunk_clock)
    passed = lapse(made, gate, lambda: made.load(1).connect_time is not None)
    assert (200, small) == made.ask()
    assert passed.wait()
    load = made.load(1)
    assert LATE == load.first_byte_time
    assert sees_the_delay == (load.last_throughput < len(small) / SOON)


def test_the_first_byte_is_seen_long_before_its_chunk_is_full(cluster):
    go_on = Event()
    made = cluster(*[stored(BODY, pause_after=1000, pause=go_on)] * 3)
    passed = lapse(made, go_on, lambda: made.load(1).first_byte_time is not None)
    assert (200, BODY) == made.ask()
    assert passed.wait()
    assert made.load(1).first_byte_time == 0.0


def test_the_time_the_client_takes_is_not_the_nodes(cluster):
    made = cluster(*[stored(BODY)] * 3)
    now = clock_of(made)
    response = made.open()
    now[0] += 60                          # a client, or a middleware, in no hurry to read
    chunks = iter(response.app_iter)
    next(chunks)
    now[0] += 60
    assert made.load(1).waiting_since is None
    assert BODY[65536:] == b''.join(chunks)
    load = made.load(1)
    assert load.first_byte_time < SOON
    assert load.last_throughput > 8192 / SOON


def test_a_node_that_is_cut_short_is_blamed_once_and_the_next_one_credited(cluster):
    made = cluster(stored(BODY, cut_after=70000), stored(BODY), stored(BODY))
    assert (200, BODY) == made.ask()
    # 65,536 and 4,464 bytes came; the other 134,800 are two whole chunks and a short one
    assert [(2, 0, 1, 0, 0), (3, 1, 0, 0, 0), UNTOUCHED] == made.counts()
    assert 'bytes=70000-204799' == made.nodes[1].requests[0].headers['range']


def test_a_node_that_is_cut_before_its_first_byte_has_no_chunk(cluster):
    made = cluster(stored(BODY, cut_after=0), stored(BODY), stored(BODY))
    assert (200, BODY) == made.ask()
    assert [(0, 0, 1, 0, 0), (4, 1, 0, 0, 0), UNTOUCHED] == made.counts()
    assert made.load(1).first_byte_time is None


def test_a_part_cut_short_is_blamed_and_read_from_the_next_node(cluster):
    made = cluster(stored(BODY, cut_after=66000), stored(BODY), stored(BODY))
    status, body = made.ask(range='bytes=0-49999,100000-149999')
    assert 206 == status
    assert [True, True] == [BODY[at:at + 50000] in body for at in (0, 100000)]
    first, second, third = made.counts()
    assert ((0, 1, 0, 0), (1, 0, 0, 0), UNTOUCHED) == (first[1:], second[1:], third)


def test_a_chunk_that_does_not_come_is_a_timeout(cluster, patience):
    made = cluster(stored(BODY, pause_after=70000, pause=LONGEST), stored(BODY), stored(BODY))
    chunks = iter(made.open().app_iter)
    first = next(chunks)
    patience['sd1'] = 0.2
    assert BODY == first + b''.join(chunks)
    assert [(1, 0, 0, 1, 0), (3, 1, 0, 0, 0), UNTOUCHED] == made.counts()


def test_a_head_that_does_not_come_is_a_timeout(cluster, patience):
    made = cluster(Answer(hang=True), stored(BODY), stored(BODY))
    patience['sd1'] = 0.2
    assert (200, BODY) == made.ask()
    assert [(0, 0, 0, 1, 0), (4, 1, 0, 0, 0), UNTOUCHED] == made.counts()


def test_every_node_timing_out_in_the_middle_blames_each_of_them_once(cluster, patience):
    made = cluster(*[stored(BODY, pause_after=70000, pause=LONGEST)] * 3, request_node_count='3')
    chunks = iter(made.open().app_iter)
    for device in ('sd1', 'sd2', 'sd3'):
        next(chunks)
        patience[device] = 0.2
    with pytest.raises(BaseException, match=r'0\.2 seconds'):
        b''.join(chunks)
    assert [(0, 1, 0)] * 3 == [(successes, timeouts, in_flight) for
                               _chunks, successes, _errors, timeouts, in_flight in made.counts()]


@pytest.mark.parametrize('answer', [Answer(503), Answer(507), Answer(500, body=b'a traceback')])
def test_a_5xx_is_one_error_of_that_node(cluster, answer):
    made = cluster(answer, stored(BODY), stored(BODY))
    assert (200, BODY) == made.ask()
    assert [(0, 0, 1, 0, 0), (4, 1, 0, 0, 0), UNTOUCHED] == made.counts()


def test_a_refused_connection_is_one_error_of_that_node(cluster):
    made = cluster(ScriptedNode(device='sd1', refuses=True), stored(BODY), stored(BODY))
    assert (200, BODY) == made.ask()
    assert [(0, 0, 1, 0, 0), (4, 1, 0, 0, 0), UNTOUCHED] == made.counts()


def test_a_reset_in_the_middle_is_one_error_of_that_node(cluster):
    made = cluster(stored(BODY, cut_after=70000, reset=True), stored(BODY), stored(BODY))
    assert (200, BODY) == made.ask()
    first, second, third = made.counts()
    assert ((0, 1, 0, 0), (1, 0, 0, 0), UNTOUCHED) == (first[1:], second[1:], third)


def test_an_object_that_is_not_there_is_neither_credit_nor_blame(cluster):
    made = cluster(missing(), missing(TIMESTAMP), stored(BODY, timestamp='1800000000.00000'))
    assert (200, BODY) == made.ask()
    assert [UNTOUCHED, UNTOUCHED, (4, 1, 0, 0, 0)] == made.counts()
    assert 404 == cluster(*[missing()] * 3).ask()[0]


def test_a_client_that_leaves_in_the_middle_is_neither_credit_nor_blame(cluster):
    made = cluster(*[stored(BODY)] * 3)
    response = made.open()
    next(iter(response.app_iter))
    assert [(1, 0, 0, 0, 1), UNTOUCHED, UNTOUCHED] == made.counts()
    response.app_iter.close()
    assert [(1, 0, 0, 0, 0), UNTOUCHED, UNTOUCHED] == made.counts()


def test_a_client_that_leaves_before_the_first_byte_leaves_nothing_in_flight(cluster):
    made = cluster(*[stored(BODY)] * 3)
    response = made.open()
    assert 1 == made.load(1).in_flight
    del response
    gc.collect()
    assert [UNTOUCHED] * 3 == made.counts()


def test_the_loser_of_a_race_is_neither_credited_nor_left_in_flight(cluster):
    gate = Event()
    made = cluster(stored(BODY, head_delay=gate), stored(BODY), stored(BODY),
                   concurrent_gets='true', concurrency_timeout='0.1', request_node_count='2')
    response = made.open()
    assert BODY == response.body
    assert [(4, 1, 0, 0, 0), UNTOUCHED] == made.counts()[1:]
    assert [1, 1] == made.asked()[:2]
    gate.set()                            # the loser's head comes, too late
    assert settles(lambda: not made.load(1).in_flight)
    del response
    gc.collect()
    assert [UNTOUCHED, (4, 1, 0, 0, 0), UNTOUCHED] == made.counts()


def test_x_newest_asks_all_and_credits_the_newest(cluster):
    old = stored(b'old', timestamp='1600000000.00000')
    made = cluster(old, stored(BODY), old)
    response = made.open(x_newest='true')
    assert [0, 1, 0] == [made.load(number).in_flight for number in (1, 2, 3)]
    assert (200, BODY) == (response.status_int, response.body)
    assert [1, 1, 1] == made.asked()
    assert [UNTOUCHED, (4, 1, 0, 0, 0), UNTOUCHED] == made.counts()


def test_a_node_with_an_ipv6_address_is_known_by_it(cluster):
    made = cluster(ScriptedNode(stored(BODY), '::1', 'sd1'), stored(BODY), stored(BODY))
    assert (200, BODY) == made.ask()
    assert [(4, 1, 0, 0, 0), UNTOUCHED, UNTOUCHED] == made.counts()


def erasure_coded(cluster, **how_the_first_answers):
    """Return a cluster whose nodes hold the fragments of BODY, and are tried in that order."""
    made = cluster(*[None] * 3)
    for node, script in zip(made.nodes, fragments(BODY, policy_of(1)), strict=True):
        node.script = script
    made.nodes[0].script = fragments(BODY, policy_of(1), **how_the_first_answers)[0]
    return made


def test_a_refusal_while_a_fragment_is_resumed_is_an_error_and_no_timeout(cluster, patience):
    """Swift looks for another node while the timeout of the first is being handled."""
    made = erasure_coded(cluster, pause_after=70000, pause=LONGEST)
    patience['sd1'] = 0.5
    made.nodes[2].script = Answer(503)
    made.ask(policy=1)  # no node is left; how Swift says so is its own affair
    assert [(0, 1), (0, 0), (1, 0)] == [counts[2:4] for counts in made.counts()]


def test_two_fragments_of_three_are_a_success_each(cluster):
    made = erasure_coded(cluster)
    assert (200, BODY) == made.ask(policy=1)
    # a fragment archive of 204,800 bytes in 2 is 102,400 and its headers: two chunks
    assert [(2, 1, 0, 0, 0), (2, 1, 0, 0, 0), UNTOUCHED] == made.counts()
    assert [1, 1, 0] == made.asked()


def test_a_range_of_an_erasure_coded_object(cluster):
    made = erasure_coded(cluster)
    assert (206, BODY[70000:70010]) == made.ask(policy=1, range='bytes=70000-70009')
    assert [(1, 1, 0, 0, 0), (1, 1, 0, 0, 0), UNTOUCHED] == made.counts()


def test_the_head_of_an_erasure_coded_object_is_one_request(cluster):
    made = erasure_coded(cluster)
    response = made.open(policy=1, method='HEAD')
    assert (200, str(len(BODY))) == (response.status_int, response.headers['Content-Length'])
    assert [(0, 1, 0, 0, 0), UNTOUCHED, UNTOUCHED] == made.counts()


def test_a_fragment_cut_short_is_blamed_and_the_third_credited(cluster):
    made = erasure_coded(cluster, cut_after=70000)
    assert (200, BODY) == made.ask(policy=1)
    (chunks, *first), second, third = made.counts()
    assert ([0, 1, 0, 0], (2, 1, 0, 0, 0)) == (first, second)
    assert (2, (1, 0, 0, 0)) == (chunks, third[1:])


def test_a_late_fragment_is_not_charged_to_the_node_that_was_in_time(cluster):
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


def test_a_write_that_fails_is_blamed_on_nodes_that_are_known(cluster):
    made = cluster(*[stored(BODY)] * 3)
    made.ask()
    for node in made.nodes:
        node.script = Answer(503)
    assert 503 == made.ask(method='DELETE')[0]
    assert [(4, 1, 1, 0, 0), UNTOUCHED, UNTOUCHED] == made.counts()
    assert UNKNOWN == made.load(2)


def test_this_swift_is_one_the_seam_knows():
    seam.verify()


def test_the_seam_refuses_in_one_sentence_a_swift_it_does_not_know(monkeypatch):
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
