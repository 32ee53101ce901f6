"""Hedging, by a real Application: who is asked too, who is not, and that nothing is lost by it.

The proxy tries the nodes in their order. Each node answers within EXPECTED, as far as the book
knows, unless a test says otherwise.
"""
import gc
import threading
from dataclasses import replace

import pytest
from support.fallbacks import broken, flushed, ledger_of, lines_about
from support.proxy_app import policy_of
from support.scripted_cluster import key_of
from support.scripted_node import Answer
from support.stored_object import everything, fragments, missing, stored
from swift.proxy.controllers.base import GetterBase
from unit.proxy.test_declining import busy, limits

from swift_lb.clock import monotonic
from swift_lb.clock import sleep as clock_sleep
from swift_lb.concurrency import sleep, spawn
from swift_lb.load.book import LoadBook
from swift_lb.load.hedge import CAP, RETRY, Delay, HedgeBudget, hedge
from swift_lb.load.tail_time import CHUNK, CLASSES, FIRST, NO_BODY, WHOLE
from swift_lb.metrics import Metrics
from swift_lb.policy.weighted import Weighted
from swift_lb.proxy import hedging as hedging_of_reads
from swift_lb.proxy.hedging import HedgedRace, size_class_of
from swift_lb.proxy.nodes import MeasuredNode, MeasuredNodes
from swift_lb.wire.report import LIMIT

BODY = bytes(range(251)) * 800            # four chunks, and no part of it is like another
EXPECTED = 0.05                           # seconds
LATE = 0.5                                # seconds
HANGS = Answer(hang=True)


def late(body=BODY, **how):
    """Return a script that serves `body`, late."""
    return stored(body, head_delay=LATE, **how)


def asked_often(script, times, event):
    """Return a script that answers as `script`, an Answer or a script, and sets an event.

    That is when it has been asked so many times.
    """
    requests = []

    def answer(request):
        requests.append(request)
        if len(requests) == times:
            event.set()
        return script(request) if callable(script) else script
    return answer


def prepare(made, tokens=CAP, expected=EXPECTED, classes=CLASSES):
    """Let the book of a cluster know how long each node takes, and have so many tokens."""
    book = made.app.replicas.book
    for node in made.nodes:
        for size_class in classes:
            read = book.begin(key_of(node), 0.0, size_class=size_class)
            read.answered(expected / FIRST)
            read.end()
    book.hedges = HedgeBudget([tokens])
    return made


@pytest.fixture
def hedging(cluster, monkeypatch):
    """Return a function that makes a cluster as above, with tokens; a limit is as at first."""
    monkeypatch.setattr(
        hedging_of_reads, 'hedge', lambda book, first, second, now, _asked_at, delay: hedge(
            book, first, second, now, now - delay.late, delay))
    return lambda *nodes, **conf: prepare(cluster(*nodes, **conf))


def settles(condition):
    """Wait until `condition()` holds; return whether it does within 20 s."""
    until = monotonic() + 20
    while not condition() and monotonic() < until:
        sleep(0.01)
    return condition()


def counted(made, ledger, name):
    """Return what a counter says of each node, after a flush."""
    flushed(made, ledger)
    return [ledger.sums.get(f'lb.{name}.127_0_0_1_{node.port}_{node.device}', 0)
            for node in made.nodes]


@pytest.mark.parametrize(('method', 'answer'), [('GET', (200, BODY)), ('HEAD', (200, b''))])
def test_a_late_node_is_hedged_with_the_next_and_who_answers_first_is_taken(
        hedging, method, answer):
    made = hedging(HANGS, stored(BODY), stored(BODY))
    assert answer == made.ask(method=method)
    assert [[None], ['0'], []] == limits(made)
    assert 1 == made.load(2).successes


def test_hedges_and_their_wins_are_counted(hedging):
    made = hedging(HANGS, stored(BODY), stored(BODY))
    ledger = ledger_of(made)
    for name in ('hedges', 'hedge_wins'):
        made.ask()
        assert [0, 1, 0] == counted(made, ledger, name)


def test_a_hedge_that_comes_second_has_not_won(hedging):
    asked = threading.Event()
    made = hedging(stored(BODY, head_delay=asked), asked_often(HANGS, 1, asked), stored(BODY))
    ledger = ledger_of(made)
    assert (200, BODY) == made.ask()
    assert 1 == made.load(1).successes
    assert [0, 0, 0] == counted(made, ledger, 'hedge_wins')
    assert [1, 1, 0] == made.asked()


def test_a_node_in_time_is_not_hedged(cluster):
    made = prepare(cluster(stored(BODY, head_delay=LATE / 4), *[stored(BODY)] * 2), expected=60.0)
    assert (200, BODY) == made.ask()
    assert [1, 0, 0] == made.asked()


@pytest.mark.parametrize('known', [
    {'classes': ()}, {'classes': (NO_BODY, CHUNK)}, {'tokens': 0.9}])
def test_without_a_delay_or_a_token_there_is_no_hedge(cluster, known):
    made = prepare(cluster(late(), stored(BODY), stored(BODY)), **known)
    assert (200, BODY) == made.ask()
    assert [1, 0, 0] == made.asked()


def test_the_delay_is_that_of_what_is_asked_for(cluster):
    made = prepare(cluster([HANGS, late()], stored(BODY), stored(BODY)), classes=(CHUNK,))
    assert (206, BODY[9:1000]) == made.ask(range='bytes=9-999')
    assert [1, 1, 0] == made.asked()
    made.ask()
    assert [2, 1, 0] == made.asked()


def test_a_token_that_comes_while_the_read_waits_is_spent(cluster):
    made = prepare(cluster(HANGS, stored(BODY), stored(BODY)), tokens=0.0)
    budget = made.app.replicas.book.hedges

    def earn():
        sleep(LATE / 4)
        for _request in range(40):
            budget.earn()
    spawn(earn)
    assert (200, BODY) == made.ask()
    assert [1, 1, 0] == made.asked()


def test_a_second_node_that_has_a_queue_is_not_asked_until_that_is_gone(hedging):
    made = hedging([late(), HANGS], stored(BODY), stored(BODY))
    book = made.app.replicas.book
    waiting = [book.begin(key_of(made.nodes[1]), made.app.replicas.clock()) for _read in range(50)]
    assert (200, BODY) == made.ask()
    assert [1, 0, 0] == made.asked()

    def answer():
        sleep(LATE / 4)
        waiting.clear()
    spawn(answer)
    assert (200, BODY) == made.ask()
    assert [2, 1, 0] == made.asked()


def test_the_longer_it_has_waited_the_longer_may_the_queue_be(cluster):
    made = prepare(cluster(HANGS, stored(BODY), stored(BODY)))
    book, clock = made.app.replicas.book, made.app.replicas.clock
    _waiting = [book.begin(key_of(made.nodes[1]), clock()) for _read in range(3)]
    assert (200, BODY) == made.ask()
    [[first], [second], _none] = limits(made)
    assert (None, True) == (first, int(second) >= 3)


def test_two_nodes_are_asked_at_a_time(hedging):
    asked = threading.Event()
    made = hedging(stored(BODY, head_delay=asked), asked_often(HANGS, 1, asked), stored(BODY))
    assert (200, BODY) == made.ask()
    assert [1, 1, 0] == made.asked()


def silence(made, number=1, reads=2):
    """Have `reads` of a node wait for it since long ago, and return them."""
    return [made.app.replicas.book.begin(key_of(made.nodes[number - 1]), 1.0)
            for _read in range(reads)]


def test_a_late_read_of_a_silent_node_goes_on_without_a_token_and_past_a_queue(cluster):
    made = prepare(cluster(HANGS, stored(BODY), stored(BODY)), tokens=0.0)
    book, clock = made.app.replicas.book, made.app.replicas.clock
    waiting = silence(made), [book.begin(key_of(made.nodes[1]), clock() + 60) for _read in range(9)]
    assert (200, BODY) == made.ask()
    assert [[None], [None], []] == limits(made)
    assert 1 == made.load(2).successes
    assert -1 < book.hedges._tokens[0] < 0
    del waiting


def test_it_has_the_limit_that_the_order_gave_the_next_node(cluster, monkeypatch):
    monkeypatch.setattr(Weighted, 'limits', lambda _self, order, _snapshot, _now: dict.fromkeys(
        order[:-1], 3.7), raising=False)
    made = prepare(cluster(HANGS, busy(stored(BODY)), stored(BODY)))
    waiting = silence(made)
    assert (200, BODY) == made.ask()
    assert [['3'], ['3'], [None]] == limits(made)
    del waiting


def test_it_stays_where_the_next_node_is_silent_too(cluster):
    made = prepare(cluster(late(), stored(BODY), stored(BODY)), tokens=0.0)
    waiting = silence(made), silence(made, 2)
    assert (200, BODY) == made.ask()
    assert [1, 0, 0] == made.asked()
    del waiting


@pytest.mark.parametrize('conf', [
    {'lb_hedge': 'off'}, {'policy_config': {'0': {'lb_hedge': 'off'}}}, {'lb_enabled': 'false'}])
def test_it_can_be_switched_off(hedging, conf):
    made = hedging(late(), stored(BODY), stored(BODY), **conf)
    assert (200, BODY) == made.ask()
    assert 1 == sum(made.asked())
    assert CAP == made.app.replicas.book.hedges._tokens[0]


def test_swifts_own_concurrent_gets_stand(hedging):
    made = hedging(HANGS, HANGS, stored(BODY), concurrent_gets='true',
                   concurrency_timeout=str(LATE / 4))
    ledger = ledger_of(made)
    assert (200, BODY) == made.ask()
    assert [[None]] * 3 == limits(made)
    assert [0, 0, 0] == counted(made, ledger, 'hedges')


@pytest.mark.parametrize('asked', [{'path': '/v1/a'}, {'path': '/v1/a/c'}])
def test_accounts_and_containers_are_not_hedged(hedging, asked):
    whole = everything(BODY)

    def script(request):
        answer = whole(request)
        return Answer(answer.status, answer.headers, answer.body, head_delay=LATE / 2)
    made = hedging(*[script] * 3, lb_account_container='true')
    assert 200 == made.ask(**asked)[0]
    assert 1 == len([times for times in made.asked() if times])


@pytest.mark.parametrize('method', ['GET', 'HEAD'])
def test_fragments_are_not_hedged(cluster, method):
    made = cluster(*[None] * 3)
    for node, script in zip(made.nodes, fragments(BODY, policy_of(1), head_delay=LATE / 2),
                            strict=True):
        node.script = script
    prepare(made)
    assert 200 == made.ask(policy=1, method=method)[0]
    assert {'GET': [1, 1, 0], 'HEAD': [1, 0, 0]}[method] == made.asked()


def test_x_newest_asks_all_one_after_the_other(hedging):
    made = hedging(*[stored(BODY, head_delay=LATE / 4)] * 3)
    assert (200, BODY) == made.ask(x_newest='true')
    assert [[None]] * 3 == limits(made)


def test_a_hedge_that_is_declined_is_made_elsewhere(hedging):
    made = hedging(HANGS, busy(stored(BODY)), stored(BODY))
    ledger = ledger_of(made)
    assert (200, BODY) == made.ask()
    assert [[None], ['0'], ['0']] == limits(made)
    assert [0, 1, 0] == counted(made, ledger, 'declined')
    assert 1 == made.load(3).successes


def test_when_all_have_declined_the_hedge_is_tried_again_while_there_are_tokens(hedging):
    asked = threading.Event()
    made = hedging(stored(BODY, head_delay=asked), busy(stored(BODY)),
                   asked_often(busy(stored(BODY)), 2, asked))
    made.app.replicas.book.hedges = HedgeBudget([4.0])
    assert (200, BODY) == made.ask()
    assert [[None], ['0', '0'], ['0', '0']] == limits(made)
    assert 1 == made.load(1).successes
    assert settles(lambda: [0, 0, 0] == [made.load(number).in_flight for number in (1, 2, 3)])


@pytest.mark.parametrize('status', [503, 507, 404])
def test_a_hedge_that_was_declined_comes_again_when_the_others_have_failed(hedging, status):
    asked = threading.Event()
    made = hedging(Answer(status, head_delay=asked), busy(stored(BODY)),
                   asked_often(missing(), 1, asked))
    made.app.replicas.book.hedges = HedgeBudget([2.0])
    assert (200, BODY) == made.ask()
    assert [[None], ['0', None], ['0']] == limits(made)


@pytest.mark.parametrize('second', [missing(), Answer(503), Answer(507)])
def test_after_a_hedge_without_the_object_there_is_another(hedging, second):
    made = hedging(HANGS, second, stored(BODY))
    assert (200, BODY) == made.ask()
    assert [1, 1, 1] == made.asked()
    assert 1 == made.load(3).successes


def test_hedges_without_the_object_leave_the_first_its_time(hedging):
    asked = threading.Event()
    made = hedging(stored(BODY, head_delay=asked), missing(), asked_often(missing(), 1, asked))
    assert (200, BODY) == made.ask()
    assert [1, 1, 1] == made.asked()
    assert 1 == made.load(1).successes


def test_when_the_first_fails_its_hedge_is_hedged_itself(hedging):
    asked = threading.Event()
    made = hedging(Answer(503, head_delay=asked), asked_often(HANGS, 1, asked), stored(BODY))
    assert (200, BODY) == made.ask()
    assert [1, 1, 1] == made.asked()
    assert 1 == made.load(3).successes


class Bell:
    """A Semaphore that does not wait: it notes how often it had been released, and for how long
    it would have waited.
    """

    waits = []

    def __init__(self, value):
        self._value = value

    def acquire(self, timeout):
        self.waits.append((self._value, timeout))

    def release(self):
        self._value += 1


class ScriptedRecorder:
    """A ReadRecorder whose clock is set by hand."""

    book = None
    metrics = Metrics(None, None, None)

    def __init__(self):
        self.now = 0.0

    def clock(self):
        return self.now


def test_after_a_hedge_that_came_to_nothing_the_loop_waits_for_the_whole_pause(monkeypatch):
    decisions = [(None, 0.06), (0, None), (None, 0.07), (0, None)]
    monkeypatch.setattr(hedging_of_reads, 'Semaphore', Bell)
    monkeypatch.setattr(hedging_of_reads, 'delay_of', lambda *_arguments: Delay(0.1, 0.1))
    monkeypatch.setattr(hedging_of_reads, 'hedge', lambda *_arguments: decisions.pop(0))
    monkeypatch.setattr(Bell, 'waits', [])
    recorder, (first, *seconds) = ScriptedRecorder(), (
        MeasuredNode(ip='127.0.0.1', port=number, device='sd1') for number in range(3))
    race = HedgedRace(recorder, WHOLE, lambda _first: seconds[0])
    race.started(first)
    recorder.now = 0.1
    assert race.wait_for_next()
    race.started(seconds[0])
    recorder.now = 0.8
    race.finished(seconds[0], False)
    assert race.wait_for_next()
    race.started(seconds[1])
    assert [(0, 0.06), (0, 0.1), (0, 0.07)] == Bell.waits    # 0.1: an eighth of the time waited


def test_when_both_have_failed_the_third_is_asked(hedging):
    made = hedging(Answer(503, head_delay=LATE / 2), Answer(503, head_delay=LATE), late(),
                   replicas=3)
    assert (200, BODY) == made.ask()
    assert [1, 1, 1] == made.asked()


def test_a_failure_is_no_hedge_and_leaves_the_next_its_own(hedging):
    made = hedging(Answer(503), HANGS, stored(BODY))
    assert (200, BODY) == made.ask()
    assert [[None], [None], ['0']] == limits(made)
    assert CAP - 1 < made.app.replicas.book.hedges._tokens[0] < CAP


@pytest.mark.parametrize('tokens', [0.0, CAP])
@pytest.mark.parametrize('request_node_count', ['1', '2', '3', '6'])
@pytest.mark.parametrize('first', [
    Answer(507, head_delay=LATE / 3), Answer(503, head_delay=LATE / 3),
    Answer(404, head_delay=LATE / 3), late(cut_after=0)])
def test_nobody_is_lost_whom_plain_swift_asks(cluster, tokens, request_node_count, first):
    others = Answer(507), stored(BODY)
    expected = cluster(first, *others, ours=False, request_node_count=request_node_count)
    expected.app.sort_nodes = lambda nodes, policy=None: sorted(
        nodes, key=lambda node: node['device'])
    made = prepare(cluster(first, *others, request_node_count=request_node_count), tokens)
    assert expected.ask() == made.ask()


@pytest.mark.parametrize('others', [(missing(), missing()), (Answer(503), missing()),
                                    (Answer(507), Answer(503))])
def test_what_nobody_has_is_said_as_plain_swift_says_it(hedging, cluster, others):
    first = Answer(404, head_delay=LATE / 3)
    expected = cluster(first, *others, ours=False).ask()[0]
    assert expected == hedging(first, *others).ask()[0]


def test_the_loser_is_let_go_of_and_known_to_be_slow(hedging):
    taken = threading.Event()
    made = hedging(stored(BODY, head_delay=taken), stored(BODY), stored(BODY))
    book, key = made.app.replicas.book, key_of(made.nodes[0])
    before = book.tail_time(key, WHOLE)
    response = made.open()
    chunks = iter(response.app_iter)
    first = next(chunks)
    assert [1, 1, 0] == [made.load(number).in_flight for number in (1, 2, 3)]
    taken.set()
    assert settles(lambda: not made.load(1).in_flight)
    assert 1 == made.load(2).in_flight
    assert EXPECTED <= made.load(1).first_byte_time
    assert before < book.tail_time(key, WHOLE)
    assert BODY == first + b''.join(chunks)
    assert [(0, 0, 0, 0, 0), (4, 1, 0, 0, 0), (0, 0, 0, 0, 0)] == made.counts()


def test_where_the_winner_breaks_off_the_loser_comes_again(hedging):
    taken, lost = threading.Event(), threading.Event()
    made = hedging([stored(BODY, head_delay=taken), stored(BODY)],
                   stored(BODY, pause_after=70000, pause=lost, cut_after=70001),
                   missing(), request_node_count='3')

    def follow():
        assert settles(lambda: made.load(2).chunks)
        taken.set()
        assert settles(lambda: not made.load(1).in_flight)
        lost.set()
    spawn(follow)
    assert (200, BODY) == made.ask()
    assert [[None, None], ['0'], [None]] == limits(made)
    assert 'bytes=70001-200799' == made.nodes[0].requests[1].headers['range']
    assert [0, 0, 0] == [made.load(number).in_flight for number in (1, 2, 3)]


@pytest.mark.parametrize('hedge', ['off', 'auto'])
def test_the_first_is_not_lost_where_the_hedge_breaks_off_before_it_has_answered(hedging, hedge):
    made = hedging(late(), stored(BODY, cut_after=70001), missing(), request_node_count='3',
                   lb_hedge=hedge)
    assert (200, BODY) == made.ask()
    assert settles(lambda: [0, 0, 0] == [
        made.load(number).in_flight for number in (1, 2, 3)])


def test_who_answers_at_the_same_time_as_the_winner_comes_again(hedging):
    first, second = (stored(BODY, cut_after=70001), stored(BODY, cut_after=70001))
    blocked = threading.Event()
    made = hedging(first, second, missing(), request_node_count='3')

    def block():        # the hub sees both answers at once
        until = monotonic() + 20
        while not made.nodes[1]._requests and monotonic() < until:
            sleep(0.001)
        blocked.set()
        clock_sleep(LATE)
    for node, script in zip(made.nodes, (first, second), strict=False):
        node.script = [lambda request, script=script: replace(script(request), head_delay=blocked),
                       stored(BODY)]
    spawn(block)
    assert (200, BODY) == made.ask()
    assert 3 == sum(made.asked()[:2])


@pytest.mark.parametrize('method', ['GET', 'HEAD'])
def test_a_getter_is_gone_with_its_read(hedging, method):
    made = hedging(late(), stored(BODY), stored(BODY))
    made.ask(method=method)
    made.ask(method=method)
    assert settles(lambda: not made.load(1).in_flight)
    gc.collect()
    gc.disable()
    try:
        before = getters()
        made.nodes[0].script = stored(BODY)
        for _read in range(5):
            made.ask(method=method)
        assert getters() <= before
    finally:
        gc.enable()


def getters():
    """Return how many getters there are."""
    return sum(isinstance(each, GetterBase) for each in gc.get_objects())


def test_a_read_that_is_resumed_is_not_hedged(hedging):
    made = hedging(stored(BODY, cut_after=70000), stored(BODY, head_delay=LATE / 2), stored(BODY))
    assert (200, BODY) == made.ask()
    assert [1, 1, 0] == made.asked()


def test_a_hedge_has_a_limit_of_its_own(hedging, monkeypatch):
    monkeypatch.setattr(Weighted, 'limits', lambda _self, order, _snapshot, _now: dict.fromkeys(
        order[:-1], 3.7), raising=False)
    made = hedging(HANGS, stored(BODY), stored(BODY))
    assert (200, BODY) == made.ask()
    assert [['3'], ['0'], []] == limits(made)


def test_what_streams_to_this_host_does_not_count_against_a_hedge(hedging):
    made = hedging(HANGS, stored(BODY), stored(BODY))
    streams = [made.app.replicas.book.begin(key_of(made.nodes[1]), 0.0) for _read in range(2)]
    for read in streams:
        read.answered(1.0)
    assert (200, BODY) == made.ask()
    assert [[None], ['2'], []] == limits(made)


def test_a_hedge_is_not_made_before_the_read_is_late(monkeypatch):
    monkeypatch.setattr(hedging_of_reads, 'Semaphore', Bell)
    monkeypatch.setattr(hedging_of_reads, 'delay_of', lambda *_arguments: Delay(60.0, 60.0))
    monkeypatch.setattr(hedging_of_reads, 'hedge', broken)
    monkeypatch.setattr(Bell, 'waits', [])
    node = MeasuredNode(ip='127.0.0.1', port=1, device='sd1')
    race = HedgedRace(recorder := ScriptedRecorder(), WHOLE, lambda _first: node)
    race.started(node)
    recorder.now = 20.0
    monkeypatch.setattr(Bell, 'acquire', lambda bell, timeout: (
        bell.waits.append(timeout), race.finished(node, True)))
    assert not race.wait_for_next()
    assert [40.0] == Bell.waits


@pytest.mark.parametrize(('conf', 'asked'), [
    ({}, 0), ({'concurrent_gets': 'true', 'concurrency_timeout': str(EXPECTED)}, 1)])
def test_what_comes_while_a_second_one_is_about_to_be_asked_leaves_nothing_in_flight(
        hedging, monkeypatch, conf, asked):
    made = hedging(stored(BODY, head_delay=LATE / 2), stored(BODY), stored(BODY), **conf)
    take = MeasuredNodes._take

    def slowly(nodes):
        if made.load(1).in_flight:
            sleep(LATE)
        return take(nodes)
    monkeypatch.setattr(MeasuredNodes, '_take', slowly)
    response = made.open()
    sleep(LATE / 2)
    assert [1, asked, 0] == made.asked()
    assert [1, 0, 0] == [made.load(number).in_flight for number in (1, 2, 3)]
    assert BODY == response.body


def test_a_handoff_is_no_hedge(hedging):
    made = hedging(*[None] * 3, replicas=1)
    only, = made.app.get_object_ring(0).get_nodes('a', 'c', 'o')[1]
    for node in made.nodes:
        node.script = late() if node.device == only['device'] else stored(b'old')
    assert (200, BODY) == made.ask()
    assert 1 == sum(made.asked())


def test_an_error_limited_node_is_no_hedge(hedging):
    made = hedging(HANGS, stored(b'limited'), stored(BODY))
    second = made.app.get_object_ring(0).get_nodes('a', 'c', 'o')[1]
    made.app.error_limit(next(node for node in second if node['device'] == 'sd2'), 'for the test')
    assert (200, BODY) == made.ask()
    assert [1, 0, 1] == made.asked()


@pytest.mark.parametrize(('owner', 'name'), [
    (LoadBook, 'tail_time'), (LoadBook, 'queued'), (HedgeBudget, 'spend'),
    (hedging_of_reads, 'delay_of'), (hedging_of_reads, 'hedge')])
def test_hedging_that_breaks_is_none_and_costs_the_client_nothing(
        hedging, monkeypatch, owner, name):
    made = hedging([stored(BODY, head_delay=LATE / 2), HANGS], stored(BODY), stored(BODY))
    ledger = ledger_of(made)
    with monkeypatch.context() as breakage:
        breakage.setattr(owner, name, broken)
        assert (200, BODY) == made.ask()
    assert ['hedge'] == list(flushed(made, ledger))
    assert lines_about('hedge') == ledger.lines
    assert [1, 0, 0] == made.asked()
    assert (200, BODY) == made.ask()
    assert [2, 1, 0] == made.asked()


def test_a_wait_for_a_token_is_no_busy_one(cluster, monkeypatch):
    asked, often = [], threading.Event()

    def spend(*debt):
        asked.append(debt)
        if len(asked) > 5:
            often.set()
    monkeypatch.setattr(HedgeBudget, 'spend', spend)
    made = prepare(cluster(stored(BODY, head_delay=often), stored(BODY), stored(BODY)),
                   expected=1e-6)
    began = monotonic()
    assert (200, BODY) == made.ask()
    assert 5 < len(asked) <= (monotonic() - began) / RETRY + 2


@pytest.mark.parametrize(('method', 'ranges', 'expected'), [
    ('HEAD', [], NO_BODY), ('HEAD', [(0, 9)], NO_BODY), ('GET', [], WHOLE),
    ('GET', [(0, 65535)], CHUNK), ('GET', [(1, 65537)], WHOLE), ('GET', [(900, 999)], CHUNK),
    ('GET', [(None, 65536)], CHUNK), ('GET', [(None, 65537)], WHOLE), ('GET', [(7, None)], WHOLE),
    ('GET', [(0, 9), (20, 29)], WHOLE)])
def test_the_size_class_is_what_the_request_says(method, ranges, expected):
    assert expected == size_class_of(method, ranges)


def test_no_client_sets_the_limit_of_a_hedge(hedging):
    made = hedging(HANGS, stored(BODY), stored(BODY))
    assert (200, BODY) == made.ask(**{LIMIT.lower().replace('-', '_'): '7'})
    assert [[None], ['0'], []] == limits(made)


def test_a_hedge_stays_in_its_tier_of_read_affinity(hedging):
    made = hedging(late(), stored(BODY), stored(BODY), sorting_method='affinity',
                   read_affinity='r1=100, r2=200, r3=200')
    assert (200, BODY) == made.ask()
    assert [1, 0, 0] == made.asked()
    made = hedging(missing(), HANGS, stored(BODY), sorting_method='affinity',
                   read_affinity='r1=100, r2=200, r3=200')
    assert (200, BODY) == made.ask()
    assert [1, 1, 1] == made.asked()


def test_who_has_nobody_to_hedge_with_does_not_try_again_and_again(hedging, monkeypatch):
    made = hedging(late(), stored(BODY), stored(BODY), sorting_method='affinity',
                   read_affinity='r1=100, r2=200, r3=200')
    asked, spend = [], HedgedRace._spend_token
    monkeypatch.setattr(HedgedRace, '_spend_token',
                        lambda race: asked.append(spend(race)) or asked[-1])
    assert (200, BODY) == made.ask()
    assert [(None, None)] == asked
