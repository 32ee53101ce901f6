"""A read whose head is late here is asked of another cluster too, and has exactly one answer."""
import json

import pytest
from support.client_env import env_of
from support.cluster_proxy import VERSION, ClusterProxy
from support.scripted_cluster import settles
from support.scripted_server import ScriptedServer, always
from swift.common.utils import get_logger

from swift_lb.concurrency import Semaphore, spawn
from swift_lb.dispatch.containers import ContainerFacts
from swift_lb.proxy.dispatch import cluster_reads
from swift_lb.proxy.dispatch.clusters import FAILED, FROM
from swift_lb.proxy.dispatch.redirects import REDIRECTED
from swift_lb.wire.redirect import Origin, version_of

HERE = b'x' * 70_000
NEVER, AT_ONCE = 1e3, 1e-9      # seconds of the p95 of heads here
THERE = (b'HTTP/1.1 200 OK\r\nEtag: "d41d8"\r\nX-Timestamp: 1700000000.12345\r\n'
         b'Content-Length: 5\r\n\r\nthere')
BUSY = b'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n'


class Held:
    """A place where greenthreads wait until the test lets them go."""

    def __init__(self):
        self.arrived, self.killed, self._gate = 0, 0, Semaphore(0)

    def wait(self, *_args):
        """Wait for go(); returns None, the Answer of a cluster that does not answer."""
        self.arrived += 1
        try:
            self._gate.acquire()
        except BaseException:
            self.killed += 1
            raise

    def go(self):
        """Let one greenthread go on."""
        self._gate.release()


class HedgingProxy(ClusterProxy):
    """A ClusterProxy in a region of the same Swift as ucsb; `late` is the p95 of its heads.

    If `gate` is a Held, its app waits there before it answers.
    """

    gate = fault = None

    def __init__(self, where, late=AT_ONCE, **options):
        super().__init__(where, **{'cluster_policy': 'on_absent', 'region': 1} | options)
        self.closed = 0
        self.hedges = self.filter._reads._hedges
        self.late(late)
        self.fund()

    def late(self, seconds):
        """Let the p95 of heads be `seconds`, whatever heads come."""
        self.hedges._heads.add = lambda *_args: None
        type(self.hedges._heads).add(self.hedges._heads, 'small', seconds / 3)

    def fund(self, tokens=1.0):
        """Let the budget have so many tokens, before the next read."""
        self.hedges._heads._budget._tokens[0] = tokens

    def app(self, env, start_response):
        if self.gate is not None:
            self.gate.wait()
        if self.fault is not None:
            raise self.fault
        return self._closing(super().app(env, start_response))

    def _closing(self, body):
        try:
            yield from body
        finally:
            self.closed += 1

    def in_background(self, env=None):
        """Ask in a greenthread; return (it, a list that gets the answer)."""
        answers = []
        return spawn(lambda: answers.append(self.ask(env))), answers

    def hedged(self):
        """{outcome: count} of the hedges, and whether anything has failed, if it has."""
        return {name.removeprefix('cluster_hedges ucsb '): count
                for name, count in self.counts.items()
                if name.startswith(('cluster_hedges', 'fallbacks'))}


@pytest.fixture
def facts(monkeypatch):
    """A list with the ContainerFacts of all containers, which name no cluster."""
    known = [ContainerFacts(())]
    monkeypatch.setattr(cluster_reads, 'container_facts', lambda _env, _app: known[0])
    return known


@pytest.fixture
def there():
    """Yield a ScriptedServer, a proxy of ucsb, which answers with the same version."""
    with ScriptedServer(always(THERE)) as server:
        yield server


@pytest.fixture
def make(tmp_path, facts, there):
    """Return a function that makes a HedgingProxy that knows `there` and the container."""
    def made(late=AT_ONCE, credit=1000, ring='ab', **options):
        proxy = HedgingProxy(tmp_path, late, **options)
        proxy.know(there, ring=ring, credit=credit)
        proxy.fund(0.0)
        assert HERE == proxy.ask()[2]       # by which the container is learnt
        proxy.fund()
        proxy.served.clear()
        proxy.closed = 0
        return proxy
    return made


@pytest.fixture
def silent(monkeypatch):
    """Return a function by which the other cluster of a HedgingProxy never answers: a Held."""
    def silence(proxy):
        held = Held()
        monkeypatch.setattr(proxy.filter._choice._requests, 'fetch', held.wait)
        return held
    return silence


def test_the_status_page_says_when_a_read_would_be_hedged_and_takes_no_token(make):
    proxy = make(NEVER)
    budget = proxy.hedges._heads._budget
    tokens = list(budget._tokens)
    asked = env_of(path='/lb/dispatch', query='path=/v1/a/c/o')
    page = json.loads(proxy.ask(asked | {'REMOTE_ADDR': '127.0.0.1'})[2])['cluster_choice']
    assert 'ucsb' == page['hedge']
    assert page['late'] > NEVER / 2
    assert list(budget._tokens) == tokens


def test_the_head_of_the_other_cluster_is_used_if_it_comes_first(make):
    proxy = make()
    proxy.gate = Held()
    status, headers, body = proxy.ask()
    assert ('200 OK', VERSION['Etag'], b'there') == (status, headers['Etag'], body)
    assert {'won': 1} == proxy.hedged()
    assert not any(name.startswith('fetched') for name in proxy.counts)
    assert {'ucsb': 1} == {one.cluster: one.fetched
                           for one in proxy.filter._observer._sent.values()}


def test_a_read_that_has_lost_here_ends_when_its_head_comes(make):
    proxy = make()
    proxy.gate = Held()
    assert b'there' == proxy.ask()[2]
    assert (1, 0, 1) == (proxy.gate.arrived, proxy.gate.killed, proxy.filter.served.own)
    proxy.gate.go()
    assert settles(lambda: proxy.closed == 1)
    assert (1, 0) == (len(proxy.served), proxy.filter.served.own)
    assert {'won': 1} == proxy.hedged()


def test_an_error_here_after_the_other_cluster_has_won_is_no_answer(make):
    proxy = make()
    proxy.gate, proxy.fault = Held(), RuntimeError('late')
    assert b'there' == proxy.ask()[2]
    proxy.gate.go()
    assert settles(lambda: not proxy.filter.served.own)
    assert {'won': 1} == proxy.hedged()


def test_a_fetch_that_has_lost_is_ended_at_once(make, silent):
    proxy = make()
    proxy.gate, other = Held(), silent(proxy)
    _waiting, answers = proxy.in_background()
    assert settles(lambda: other.arrived)
    proxy.gate.go()
    assert settles(lambda: answers)
    assert (HERE, 1, 1) == (answers[0][2], other.killed, proxy.closed)
    assert {'lost': 1} == proxy.hedged()
    assert not proxy.filter._observer._sent
    assert 0 == proxy.filter._choice.router.away._there['ucsb']


def test_a_head_that_is_not_late_is_not_hedged(make, there):
    proxy = make(NEVER)
    assert HERE == proxy.ask()[2]
    assert (0, {}, 1) == (there.connections, proxy.hedged(), proxy.closed)


@pytest.mark.parametrize('fault', [RuntimeError('broken'), None])
def test_a_cluster_that_fails_leaves_the_answer_of_this_one(make, monkeypatch, fault):
    proxy = make()
    proxy.gate, other = Held(), Held()

    def fetch(*_args):
        other.arrived += 1
        if fault:
            raise fault
    monkeypatch.setattr(proxy.filter._choice._requests, 'fetch', fetch)
    _waiting, answers = proxy.in_background()
    assert settles(lambda: other.arrived)
    assert not answers
    proxy.gate.go()
    assert settles(lambda: answers)
    assert HERE == answers[0][2]
    assert proxy.hedged() == {'lost': 1} | ({'fallbacks clusters': 1} if fault else {})


def test_if_both_fail_the_client_gets_the_failure_of_this_cluster(make, silent):
    proxy = make()
    proxy.gate, other, proxy.status = Held(), silent(proxy), '503 Service Unavailable'
    _waiting, answers = proxy.in_background()
    assert settles(lambda: other.arrived)
    proxy.gate.go()
    assert settles(lambda: proxy.served)
    assert not answers      # the other cluster may still answer
    other.go()
    assert settles(lambda: answers)
    assert ('503 Service Unavailable', 1, 1) == (answers[0][0], len(proxy.served), proxy.closed)
    assert {'lost': 1} == proxy.hedged()


def test_if_both_fail_an_exception_here_reaches_the_server(make, silent):
    proxy, raised = make(), []
    proxy.gate, other, proxy.fault = Held(), silent(proxy), RuntimeError('broken')

    def ask():
        with pytest.raises(RuntimeError, match='broken') as info:
            proxy.ask()
        raised.append(info.value)
    spawn(ask)
    assert settles(lambda: other.arrived)
    proxy.gate.go()
    other.go()
    assert settles(lambda: raised)
    assert ({'lost': 1}, 0) == (proxy.hedged(), proxy.filter.served.own)


def test_an_answer_there_replaces_a_failure_here(make, monkeypatch):
    proxy, other = make(), Held()
    proxy.gate, proxy.status = Held(), '503 Service Unavailable'
    fetch = proxy.filter._choice._requests.fetch
    monkeypatch.setattr(proxy.filter._choice._requests, 'fetch',
                        lambda *args: (other.wait(), fetch(*args))[1])
    _waiting, answers = proxy.in_background()
    assert settles(lambda: other.arrived)
    proxy.gate.go()
    assert settles(lambda: proxy.served)
    other.go()
    assert settles(lambda: answers)
    assert (b'there', 1) == (answers[0][2], proxy.closed)
    assert {'won': 1} == proxy.hedged()


def test_of_two_heads_at_once_that_of_this_cluster_is_used(make, monkeypatch):
    proxy = make()
    proxy.gate, fetch, closed = Held(), proxy.filter._choice._requests.fetch, []

    def fetched(*args):
        proxy.gate.go()     # wakes the greenthread of this cluster when this one has ended
        answer = fetch(*args)
        end = answer.on_end
        answer.on_end = lambda error: (closed.append(error), end(error))
        return answer
    monkeypatch.setattr(proxy.filter._choice._requests, 'fetch', fetched)
    assert HERE == proxy.ask()[2]
    assert ([None], {'lost': 1}, 1) == (closed, proxy.hedged(), proxy.closed)
    assert 0 == proxy.filter._choice.router.away._there['ucsb']


def test_a_client_that_leaves_while_both_run_leaves_nothing_behind(make, silent):
    proxy = make()
    proxy.gate, other = Held(), silent(proxy)
    waiting, answers = proxy.in_background()
    assert settles(lambda: other.arrived)
    waiting.kill()
    assert 1 == other.killed
    proxy.gate.go()
    assert settles(lambda: proxy.closed)
    assert (0, [], {'lost': 1}) == (proxy.filter.served.own, answers, proxy.hedged())
    assert 0 == proxy.filter._choice.router.away._there['ucsb']


def test_without_a_token_no_read_is_hedged_nor_has_a_greenthread(make, there, monkeypatch):
    proxy = make()
    monkeypatch.setattr(proxy.hedges, '_may_ask', None)
    proxy.fund(0.5)
    proxy.gate = Held()
    proxy.gate.go()
    assert HERE == proxy.ask()[2]
    assert (0, {}) == (there.connections, proxy.hedged())


def test_reads_earn_the_tokens_that_hedges_spend(make):
    proxy = make(NEVER)
    proxy.fund(0.0)
    for _read in range(60):
        proxy.ask()
    assert 1.0 < proxy.hedges._heads._budget._tokens[0] < 1.3


@pytest.mark.parametrize('env', [
    env_of('HEAD'), env_of() | {FROM: 'ucsb'},
    env_of() | {REDIRECTED: Origin('ucsb', version_of(VERSION['Etag'], VERSION['X-Timestamp']))},
    env_of(path='/v1/a/unknown/o'), env_of(path='/v1/a/c')])
def test_only_clients_reads_of_objects_of_known_containers_are_hedged(make, there, env):
    proxy = make()
    assert HERE == proxy.ask(env)[2]
    assert 0 == there.connections
    assert 1.0 == proxy.hedges._heads._budget._tokens[0]


def test_a_hedge_for_which_there_is_no_credit_any_more_spends_no_token(make, there, monkeypatch):
    proxy = make()
    proxy.gate, may_ask = Held(), proxy.hedges._may_ask
    bucket = proxy.filter._choice.credits._buckets['ucsb']

    def late(*args):        # other reads have taken it while this one was waiting
        bucket._rate = bucket._tokens = 0.0
        proxy.gate.go()
        return may_ask(*args)
    monkeypatch.setattr(proxy.hedges, '_may_ask', late)
    assert HERE == proxy.ask()[2]
    assert (0, {}) == (there.connections, proxy.hedged())
    assert 1.0 < proxy.hedges._heads._budget._tokens[0]


@pytest.mark.parametrize('env', [
    env_of(origin='https://app.example'), env_of() | {FAILED: {'ucsb'}}])
def test_a_read_is_not_hedged_to_another_swift_by_a_script_nor_to_a_cluster_that_failed(
        make, facts, there, env):
    facts[0] = ContainerFacts(('ucsb',), immutable=True)
    proxy = make(ring='')
    assert HERE == proxy.ask(env)[2]
    assert (0, {}) == (there.connections, proxy.hedged())


@pytest.mark.parametrize('options', [
    {'cluster_policy': 'local'}, {'credit': 0}, {'ring': ''}])
def test_only_clusters_that_may_and_can_serve_a_read_are_asked(make, there, options):
    proxy = make(**options)
    bucket = proxy.filter._choice.credits._buckets['ucsb']
    bucket._rate, bucket._tokens = 0.0, options.get('credit', 1000.0)
    assert HERE == proxy.ask()[2]
    assert (0, {}) == (there.connections, proxy.hedged())
    assert 1.0 == proxy.hedges._heads._budget._tokens[0]


def test_a_read_of_an_immutable_container_is_hedged_to_another_swift(make, facts):
    facts[0] = ContainerFacts(('ucsb',), immutable=True)
    proxy = make(ring='')
    proxy.gate = Held()
    assert b'there' == proxy.ask()[2]
    assert {'won': 1} == proxy.hedged()


@pytest.mark.parametrize(('ring', 'body'), [('', HERE), ('ab', b'there')])
def test_only_a_regions_manifest_replaces_a_late_answer(make, facts, there, ring, body):
    facts[0] = ContainerFacts(('ucsb',), immutable=True)
    proxy = make(ring=ring)
    there._script = always(THERE.replace(b'\r\n', b'\r\nX-Static-Large-Object: True\r\n', 1))
    proxy.gate, fetch = Held(), proxy.filter._choice._requests.fetch

    def fetched(*args):
        answer = fetch(*args)
        if answer is None:
            proxy.gate.go()
        return answer
    proxy.filter._choice._requests.fetch = fetched
    assert body == proxy.ask()[2]


def test_a_read_served_for_a_peer_is_hedged_too(make):
    proxy, answers = make(), []
    proxy.gate = Held()
    body = proxy.filter._serve(env_of(), lambda *started: answers.append(started), for_peer=True)
    assert (b'there', 1) == (b''.join(body), len(answers))
    assert {'won': 1} == proxy.hedged()


def test_logs_of_a_read_in_a_greenthread_of_its_own_have_its_transaction(make):
    proxy, seen = make(NEVER), []
    logger = proxy.hedges._logger = get_logger({})
    logger.thread_locals = 'tx1', None

    def app(env, start_response):
        seen.append(logger.txn_id)
        logger.client_ip = '198.51.100.7'
        return proxy.app(env, start_response)
    proxy.filter.app = app
    assert HERE == proxy.ask()[2]
    assert ['tx1'] == seen
    assert ('tx1', '198.51.100.7') == logger.thread_locals


@pytest.mark.parametrize('part', ['_heads', '_logger'])
def test_a_hedge_that_breaks_leaves_the_answer_of_this_cluster(make, monkeypatch, part):
    proxy = make()
    monkeypatch.setattr(proxy.hedges, part, None)
    assert HERE == proxy.ask()[2]
    assert (1, 1) == (len(proxy.served), proxy.closed)
    assert proxy.counts['fallbacks clusters']


def test_a_race_that_cannot_take_a_token_waits_for_this_cluster(make, monkeypatch):
    proxy = make()
    proxy.gate, asked = Held(), Held()
    monkeypatch.setattr(proxy.hedges._heads, 'spend', lambda: asked.go() or 1 / 0)
    _waiting, answers = proxy.in_background()
    assert settles(lambda: asked._gate.counter)
    proxy.gate.go()
    assert settles(lambda: answers)
    assert (HERE, {'fallbacks clusters': 1}) == (answers[0][2], proxy.hedged())
