"""Hedging by a real Application: which nodes are asked too, which are not, and what clients get.

The proxy tries the nodes in their order. As far as the book knows, each node answers within
EXPECTED, unless a test says otherwise. HANGS never answers; where a late node is to answer in
the end, an event says when.
"""
import gc
from dataclasses import replace
from threading import Event
from types import SimpleNamespace

import pytest
from support.fallbacks import broken, flushed, ledger_of, lines_about
from support.proxy_app import set_clock
from support.scripted_cluster import key_of, settles
from support.scripted_node import NodeAnswer
from support.stored_object import everything, missing, stored
from swift.proxy.controllers.base import GetterBase
from unit.proxy.test_declining import busy, limits

from swift_lb.clock import monotonic
from swift_lb.clock import sleep as block
from swift_lb.concurrency import sleep, spawn
from swift_lb.load.book import LoadBook
from swift_lb.load.hedge import CAP, Delay, HedgeBudget, hedge
from swift_lb.load.tail_time import CHUNK, CLASSES, FIRST, NO_BODY, WHOLE
from swift_lb.metrics import Metrics
from swift_lb.proxy import hedging as hedging_module
from swift_lb.proxy.hedging import HedgedRace, size_class_of
from swift_lb.proxy.nodes import MeasuredNode, MeasuredNodes
from swift_lb.wire.report import LIMIT

BODY = bytes(range(251)) * 800            # four chunks, no two parts alike
EXPECTED = 0.05                           # seconds
LATE = 0.2                                # seconds: long enough for a hedge that must not come
HANGS = NodeAnswer(hang=True)
IN_TIERS = {'sorting_method': 'affinity', 'read_affinity': 'r1=100, r2=200, r3=200'}


def late(body=BODY, **how):
    """Return a script that serves `body` LATE seconds after the request; `how` goes to stored()."""
    return stored(body, head_delay=LATE, **how)


def setting(event, script, times=1):
    """Return a script that answers as `script` does, and sets `event` at request number `times`."""
    requests = []

    def answer(request):
        requests.append(request)
        if len(requests) == times:
            event.set()
        return script(request) if callable(script) else script
    return answer


def prepare(made, tokens=CAP, expected=EXPECTED, classes=CLASSES):
    """Give the book's nodes a first byte time by size class, and hedging tokens.

    `expected` is in seconds, of all nodes, or a tuple with that of each.
    """
    book = made.app.replicas.book
    each = expected if isinstance(expected, tuple) else len(made.nodes) * (expected,)
    for node, seconds in zip(made.nodes, each, strict=True):
        for size_class in classes:
            read = book.begin(key_of(node), 0.0, size_class=size_class)
            read.first_byte_came(seconds / FIRST)
            read.end()
    book.hedges = HedgeBudget([tokens])
    return made


@pytest.fixture
def hedging(cluster, monkeypatch):
    """Return a function like `cluster` that also calls prepare(); load limits do not grow."""
    monkeypatch.setattr(
        hedging_module, 'hedge', lambda book, first, second, now, _asked_at, delay: hedge(
            book, first, second, now, now - delay.late, delay))
    return lambda *nodes, expected=EXPECTED, **conf: prepare(cluster(*nodes, **conf),
                                                             expected=expected)


def in_flight(made):
    return [made.load(number).in_flight for number in range(1, len(made.nodes) + 1)]


def counted(made, ledger, name):
    """Return a list: for each node the sum so far of its StatsD counter `name` in `ledger`."""
    made.app.recorder.metrics.flush()
    return [ledger.sums.get(f'lb.{name}.127_0_0_1_{node.port}_{node.device}', 0)
            for node in made.nodes]


def tokens_of(made):
    return made.app.replicas.book.hedges._tokens[0]


@pytest.mark.parametrize(('wanted', 'body'), [
    ({}, BODY), ({'method': 'HEAD'}, b''), ({LIMIT.lower().replace('-', '_'): '7'}, BODY)])
def test_a_late_read_is_sent_to_the_next_node_too(hedging, wanted, body):
    made = hedging(HANGS, stored(BODY), stored(BODY))
    ledger = ledger_of(made)
    assert (200, body) == made.ask(**wanted)
    assert [[None], ['0'], []] == limits(made)      # no client sets it
    assert 1 == made.load(2).successes
    assert [[0, 1, 0]] * 2 == [counted(made, ledger, name) for name in ('hedges', 'hedge_wins')]


def test_a_hedge_that_answers_second_is_not_counted_as_a_win(hedging):
    hedged = Event()
    made = hedging(stored(BODY, head_delay=hedged), setting(hedged, HANGS), stored(BODY))
    ledger = ledger_of(made)
    assert (200, BODY) == made.ask()
    assert 1 == made.load(1).successes
    assert [0, 0, 0] == counted(made, ledger, 'hedge_wins')
    assert [1, 1, 0] == made.asked()        # two at a time


@pytest.mark.parametrize('known', [
    {'expected': 60.0}, {'classes': ()}, {'classes': (NO_BODY, CHUNK)}, {'tokens': 0.9}])
def test_a_read_not_late_or_without_a_token_is_not_hedged(cluster, known):
    made = prepare(cluster(late(), stored(BODY), stored(BODY)), **known)
    assert (200, BODY) == made.ask()
    assert [1, 0, 0] == made.asked()


def test_the_delay_of_a_hedge_depends_on_the_size_class(cluster):
    made = prepare(cluster([HANGS, late()], stored(BODY), stored(BODY)), classes=(CHUNK,))
    assert (206, BODY[9:1000]) == made.ask(range='bytes=9-999')
    assert [1, 1, 0] == made.asked()
    made.ask()
    assert [2, 1, 0] == made.asked()


def test_a_token_earned_while_a_read_is_late_pays_its_hedge(cluster):
    made = prepare(cluster(HANGS, stored(BODY), stored(BODY)), tokens=0.0)
    budget = made.app.replicas.book.hedges

    def earn():
        assert settles(lambda: made.load(1).in_flight)
        for _request in range(40):
            budget.earn()
    spawn(earn)
    assert (200, BODY) == made.ask()
    assert [1, 1, 0] == made.asked()


def test_the_load_limit_of_a_hedge_grows_with_the_time_waited(cluster):
    made = prepare(cluster(HANGS, stored(BODY), stored(BODY)))
    book, clock = made.app.replicas.book, made.app.replicas.clock
    _waiting = [book.begin(key_of(made.nodes[1]), clock()) for _read in range(3)]
    assert (200, BODY) == made.ask()
    [[first], [second], _none] = limits(made)
    assert (None, True) == (first, int(second) >= 3)


def silence(made):
    """Begin two reads of the first node at 1 s, so that it seems silent for long; return them."""
    return [made.app.replicas.book.begin(key_of(made.nodes[0]), 1.0) for _read in range(2)]


def test_a_silent_node_is_hedged_without_token_or_load_limit(cluster):
    made = prepare(cluster(HANGS, stored(BODY), stored(BODY)), tokens=0.0)
    book, clock = made.app.replicas.book, made.app.replicas.clock
    waiting = silence(made), [book.begin(key_of(made.nodes[1]), clock() + 60) for _read in range(9)]
    assert (200, BODY) == made.ask()
    assert [[None], [None], []] == limits(made)
    assert 1 == made.load(2).successes
    assert -1 < tokens_of(made) < 0
    del waiting


def test_a_hedge_of_a_silent_nodes_read_has_the_policys_limit(limited):
    made = prepare(limited(HANGS, busy(stored(BODY)), stored(BODY)))
    waiting = silence(made)
    assert (200, BODY) == made.ask()
    assert [['3'], ['3'], [None]] == limits(made)
    del waiting


@pytest.mark.parametrize(('conf', 'wanted'), [
    ({'lb_hedge': 'off'}, {}), ({'policy_config': {'0': {'lb_hedge': 'off'}}}, {}),
    ({'lb_enabled': 'false'}, {}), ({'replicas': 1}, {}),      # the others are handoffs
    ({'lb_account_container': 'true'}, {'path': '/v1/a'}),
    ({'lb_account_container': 'true'}, {'path': '/v1/a/c'})])
def test_only_objects_with_two_or_more_replicas_are_hedged(hedging, conf, wanted):
    whole = everything(BODY)
    made = hedging(*[lambda request: replace(whole(request), head_delay=LATE)] * 3, **conf)
    assert 200 == made.ask(**wanted)[0]
    assert (1, CAP) == (sum(map(bool, made.asked())), tokens_of(made))


def test_with_swifts_concurrent_gets_no_read_is_hedged(hedging):
    made = hedging(HANGS, HANGS, stored(BODY), concurrent_gets='true',
                   concurrency_timeout=str(EXPECTED))
    ledger = ledger_of(made)
    assert (200, BODY) == made.ask()
    assert [[None]] * 3 == limits(made)
    assert [0, 0, 0] == counted(made, ledger, 'hedges')


@pytest.mark.parametrize(('method', 'asked'), [('GET', [1, 1, 0]), ('HEAD', [1, 0, 0])])
def test_reads_of_erasure_coded_objects_are_not_hedged(cluster, method, asked):
    made = prepare(cluster(*[None] * 3).hold_fragments(BODY, head_delay=LATE))
    assert 200 == made.ask(policy=1, method=method)[0]
    assert asked == made.asked()


def test_neither_x_newest_nor_a_resumed_read_is_hedged(hedging):
    made = hedging(*[late()] * 3)
    assert (200, BODY) == made.ask(x_newest='true')
    assert [[None]] * 3 == limits(made)
    made = hedging(stored(BODY, cut_after=70000), late(), stored(BODY))
    assert (200, BODY) == made.ask()
    assert [1, 1, 0] == made.asked()


def test_after_a_declined_hedge_the_next_node_is_asked(hedging):
    made = hedging(HANGS, busy(stored(BODY)), stored(BODY))
    ledger = ledger_of(made)
    assert (200, BODY) == made.ask()
    assert [[None], ['0'], ['0']] == limits(made)
    assert [0, 1, 0] == counted(made, ledger, 'declined')
    assert 1 == made.load(3).successes


def test_declined_hedges_are_repeated_while_there_are_tokens(hedging):
    enough = Event()
    made = hedging(stored(BODY, head_delay=enough), busy(stored(BODY)),
                   setting(enough, busy(stored(BODY)), times=2))
    made.app.replicas.book.hedges = HedgeBudget([4.0])
    assert (200, BODY) == made.ask()
    assert [[None], ['0', '0'], ['0', '0']] == limits(made)
    assert 1 == made.load(1).successes
    assert settles(lambda: [0, 0, 0] == in_flight(made))


@pytest.mark.parametrize('status', [503, 507, 404])
def test_a_node_that_declined_a_hedge_is_asked_if_others_fail(hedging, status):
    hedged = Event()
    made = hedging(NodeAnswer(status, head_delay=hedged), busy(stored(BODY)),
                   setting(hedged, missing()))
    made.app.replicas.book.hedges = HedgeBudget([2.0])
    assert (200, BODY) == made.ask()
    assert [[None], ['0', None], ['0']] == limits(made)


@pytest.mark.parametrize(('scripts', 'winner'), [
    *((lambda _hedged, second=second: (HANGS, second, stored(BODY)), 3)
      for second in (missing(), NodeAnswer(503), NodeAnswer(507))),
    (lambda hedged: (stored(BODY, head_delay=hedged), missing(), setting(hedged, missing())), 1),
    (lambda hedged: (NodeAnswer(503, head_delay=hedged), setting(hedged, HANGS), stored(BODY)), 3)])
def test_if_one_of_two_asked_nodes_fails_a_third_is_asked(hedging, scripts, winner):
    made = hedging(*scripts(Event()))
    assert (200, BODY) == made.ask()
    assert [1, 1, 1] == made.asked()
    assert 1 == made.load(winner).successes


def test_if_both_asked_nodes_fail_a_third_is_asked(hedging):
    hedged, failed = Event(), Event()
    made = hedging(NodeAnswer(503, head_delay=hedged),
                   setting(hedged, NodeAnswer(503, head_delay=failed)), stored(BODY))

    def follow():
        assert settles(lambda: made.load(1).errors)
        failed.set()
    spawn(follow)
    assert (200, BODY) == made.ask()
    assert [1, 1, 1] == made.asked()


def test_a_retry_on_the_next_node_after_a_503_may_be_hedged(hedging):
    # However late its 503 comes, the first node is not: the second is no sooner.
    made = hedging(NodeAnswer(503), HANGS, stored(BODY), expected=(30.0, 30.0, EXPECTED))
    assert (200, BODY) == made.ask()
    assert [[None], [None], ['1']] == limits(made)
    assert CAP - 1 < tokens_of(made) < CAP


class Bell:
    """A Semaphore that does not wait: it notes (times released, timeout in seconds) in `waits`."""

    waits = []

    def __init__(self, value):
        self._value = value

    def acquire(self, timeout):
        self.waits.append((self._value, timeout))

    def release(self):
        self._value += 1


@pytest.fixture
def race(monkeypatch):
    """Return a function that returns (HedgedRace, its recorder, three nodes).

    Its arguments are the delay of a hedge in seconds, and the results of hedge() in turn. The
    recorder's clock stands at `now` until a test sets that.
    """
    def make(delay, *decisions):
        left = list(decisions)
        recorder = SimpleNamespace(now=0.0, book=None, metrics=Metrics(None, None, None))
        recorder.clock = lambda: recorder.now
        monkeypatch.setattr(hedging_module, 'Semaphore', Bell)
        monkeypatch.setattr(hedging_module, 'delay_of', lambda *_arguments: Delay(delay, delay))
        monkeypatch.setattr(hedging_module, 'hedge', lambda *_arguments: left.pop(0))
        monkeypatch.setattr(Bell, 'waits', [])
        nodes = [MeasuredNode(ip='127.0.0.1', port=number, device='sd1') for number in range(3)]
        return HedgedRace(recorder, WHOLE, lambda _first: nodes[1]), recorder, nodes
    return make


def test_after_a_failed_hedge_the_next_one_is_delayed(race):
    made, recorder, (first, second, third) = race(
        0.1, (None, 0.06), (0, None), (None, 0.07), (0, None))
    made.started(first)
    recorder.now = 0.1
    assert made.wait_for_next()
    made.started(second)
    recorder.now = 0.8
    made.finished(second, False)
    assert made.wait_for_next()
    made.started(third)
    assert [(0, 0.06), (0, 0.1), (0, 0.07)] == Bell.waits    # 0.1: an eighth of the time waited


def test_a_hedge_is_not_made_before_the_read_is_late(race, monkeypatch):
    made, recorder, (first, _second, _third) = race(60.0)       # a decision would raise
    made.started(first)
    recorder.now = 20.0
    monkeypatch.setattr(Bell, 'acquire', lambda bell, timeout: (
        bell.waits.append(timeout), made.finished(first, True)))
    assert not made.wait_for_next()
    assert [40.0] == Bell.waits


@pytest.mark.parametrize('tokens', [0.0, CAP])
@pytest.mark.parametrize('request_node_count', ['1', '2', '6'])
@pytest.mark.parametrize('scripts', [
    (NodeAnswer(507, head_delay=LATE), NodeAnswer(507), stored(BODY)),
    (NodeAnswer(404, head_delay=LATE), NodeAnswer(507), stored(BODY)),
    (late(cut_after=0), NodeAnswer(507), stored(BODY)),
    (NodeAnswer(404, head_delay=LATE), missing(), missing()),
    (NodeAnswer(404, head_delay=LATE), NodeAnswer(503), missing()),
    (NodeAnswer(404, head_delay=LATE), NodeAnswer(507), NodeAnswer(503))])
def test_a_hedged_read_has_the_answer_of_plain_swift(cluster, tokens, request_node_count, scripts):
    expected = cluster(*scripts, ours=False, request_node_count=request_node_count)
    expected.app.sort_nodes = lambda nodes, policy=None: sorted(
        nodes, key=lambda node: node['device'])
    made = prepare(cluster(*scripts, request_node_count=request_node_count), tokens)
    (status, body), answer = expected.ask(), made.ask()
    assert (status, body if status == 200 else answer[1]) == answer


def test_a_late_read_that_lost_to_its_hedge_counts_as_slow(hedging):
    begun = Event()
    made = hedging(stored(BODY, head_delay=begun), stored(BODY), stored(BODY))
    book, key = made.app.replicas.book, key_of(made.nodes[0])
    before = book.tail_time(key, WHOLE)
    response = made.open()
    chunks = iter(response.app_iter)
    first = next(chunks)
    assert [1, 1, 0] == in_flight(made)
    set_clock(made.app, lambda: monotonic() + EXPECTED)
    begun.set()
    assert settles(lambda: [0, 1, 0] == in_flight(made))
    assert EXPECTED <= made.load(1).first_byte_time
    assert before < book.tail_time(key, WHOLE)
    assert BODY == first + b''.join(chunks)
    assert [(0, 0, 0, 0, 0), (4, 1, 0, 0, 0), (0, 0, 0, 0, 0)] == made.counts()


def test_if_the_winner_breaks_off_the_loser_is_asked_again(hedging):
    begun, lost = Event(), Event()
    made = hedging([stored(BODY, head_delay=begun), stored(BODY)],
                   stored(BODY, pause_after=70000, pause=lost, cut_after=70001),
                   missing(), request_node_count='3')

    def follow():
        assert settles(lambda: made.load(2).chunks)
        begun.set()
        assert settles(lambda: not made.load(1).in_flight)
        lost.set()
    spawn(follow)
    assert (200, BODY) == made.ask()
    assert [[None, None], ['0'], [None]] == limits(made)
    assert 'bytes=70001-200799' == made.nodes[0].requests[1].headers['range']
    assert [0, 0, 0] == in_flight(made)


@pytest.mark.parametrize(('hedge', 'first'), [('off', late()), ('auto', [HANGS, stored(BODY)])])
def test_a_hung_node_is_asked_again_if_the_hedge_breaks_off(hedging, hedge, first):
    made = hedging(first, stored(BODY, cut_after=70001), missing(), request_node_count='3',
                   lb_hedge=hedge)
    assert (200, BODY) == made.ask()


def test_a_loser_that_answers_simultaneously_can_be_asked_again(hedging):
    gate = Event()
    scripts = [[stored(BODY, cut_after=70001, head_delay=gate), stored(BODY)] for _node in range(2)]
    made = hedging(*scripts, missing(), request_node_count='3')
    first, second = made.nodes[:2]

    def answer_both():      # the hub is blocked, so that it sees both answers at once
        assert settles(lambda: second._requests)
        gate.set()
        until = monotonic() + 30
        while first.heads + second.heads < 2 and monotonic() < until:
            block(0.001)
    spawn(answer_both)
    assert (200, BODY) == made.ask()
    assert 3 == sum(made.asked()[:2])


@pytest.mark.parametrize('method', ['GET', 'HEAD'])
def test_a_hedged_read_that_ended_leaves_no_getter_in_memory(hedging, method):
    made = hedging([late(), late(), stored(BODY)], stored(BODY), stored(BODY))
    made.ask(method=method)
    made.ask(method=method)
    assert settles(lambda: not made.load(1).in_flight)
    gc.collect()
    gc.disable()
    try:
        before = getters()
        for _read in range(5):
            made.ask(method=method)
        assert getters() <= before
    finally:
        gc.enable()


def getters():
    """Return how many of Swift's getters, the objects that make a GET, are alive."""
    return sum(isinstance(each, GetterBase) for each in gc.get_objects())


@pytest.mark.parametrize(('conf', 'asked'), [
    ({}, [1, 0, 0]),
    ({'concurrent_gets': 'true', 'concurrency_timeout': str(EXPECTED)}, [1, 1, 0])])
def test_an_answer_that_comes_as_its_hedge_starts_is_used(hedging, monkeypatch, conf, asked):
    taking = Event()
    made = hedging(stored(BODY, head_delay=taking), stored(BODY), stored(BODY), **conf)
    take = MeasuredNodes._take

    def slowly(nodes):
        if made.load(1).in_flight:
            taking.set()
            assert settles(lambda: not made.load(1).queued)
        return take(nodes)
    monkeypatch.setattr(MeasuredNodes, '_take', slowly)
    response = made.open()
    sleep(0)                                # a hedge that has been started runs now
    assert settles(lambda: asked == made.asked() and [1, 0, 0] == in_flight(made))
    assert BODY == response.body


def test_a_hedge_skips_an_error_limited_node(hedging):
    made = hedging(HANGS, stored(b'limited'), stored(BODY))
    made.error_limit(2)
    assert (200, BODY) == made.ask()
    assert [1, 0, 1] == made.asked()


def test_a_hedge_stays_in_its_tier_of_read_affinity(hedging):
    made = hedging(late(), stored(BODY), stored(BODY), **IN_TIERS)
    assert (200, BODY) == made.ask()
    assert [1, 0, 0] == made.asked()
    made = hedging(missing(), HANGS, stored(BODY), **IN_TIERS)
    assert (200, BODY) == made.ask()
    assert [1, 1, 1] == made.asked()


@pytest.mark.parametrize(('owner', 'name'), [
    (LoadBook, 'tail_time'), (LoadBook, 'queued'), (HedgeBudget, 'spend'),
    (hedging_module, 'delay_of'), (hedging_module, 'hedge')])
def test_if_hedging_raises_the_read_goes_on_without_a_hedge(hedging, monkeypatch, owner, name):
    made = hedging([late(), HANGS], stored(BODY), stored(BODY))
    ledger = ledger_of(made)
    with monkeypatch.context() as breakage:
        breakage.setattr(owner, name, broken)
        assert (200, BODY) == made.ask()
    assert ['hedge'] == list(flushed(made, ledger))
    assert lines_about('hedge') == ledger.lines
    assert [1, 0, 0] == made.asked()
    assert (200, BODY) == made.ask()
    assert [2, 1, 0] == made.asked()


@pytest.mark.parametrize(('method', 'ranges', 'expected'), [
    ('HEAD', [], NO_BODY), ('HEAD', [(0, 9)], NO_BODY), ('GET', [], WHOLE),
    ('GET', [(0, 65535)], CHUNK), ('GET', [(1, 65537)], WHOLE), ('GET', [(900, 999)], CHUNK),
    ('GET', [(None, 65536)], CHUNK), ('GET', [(None, 65537)], WHOLE), ('GET', [(7, None)], WHOLE),
    ('GET', [(0, 9), (20, 29)], WHOLE)])
def test_the_size_class_of_a_read_follows_from_method_and_range(method, ranges, expected):
    assert expected == size_class_of(method, ranges)
