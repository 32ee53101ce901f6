"""Requests for parts of images: their owner answers, or this proxy if that is not possible."""
import socket
from collections import Counter
from contextlib import suppress
from threading import Thread

import pytest
from support.client_env import env_of
from support.dispatching_proxy import DispatchingProxy
from support.scripted_server import REPLY, ScriptedServer, always, once, read_head

from swift_lb.chains.cache.keys import request_key
from swift_lb.clock import monotonic
from swift_lb.dispatch.cooperation import LACKING, USUAL
from swift_lb.model import CRITICAL, GONE, UP
from swift_lb.proxy.dispatch.facts import facts_of_query
from swift_lb.proxy.dispatch.incoming import LACKS
from swift_lb.proxy.dispatch.status import describe_choice
from swift_lb.wire.image_job import HEAD, lengths, message_of, pack


@pytest.fixture
def proxy(tmp_path):
    """Return a DispatchingProxy that keeps all requests but those for parts of images."""
    return DispatchingProxy(tmp_path, 'adaptive')


def query_of(number, reduce=0):
    """Return the query of a request for the part of an image with this number."""
    return f'lb_region={number},0,512,512&lb_reduce={reduce}'


def owners(proxy, numbers, now=0.0):
    """Return {number: name of the owner of that part of an image}."""
    return {number: proxy.filter._cooperation.home(
        key_of_part(number), now)[0].name for number in numbers}


def key_of_part(number):
    """Return the key of the request for a part of the image /v1/a/c/o."""
    return request_key('/v1/a/c/o', query_of(number))


def part_of(proxy, name):
    """Return the number of the first part of an image that a proxy owns."""
    return next(number for number in range(1000)
                if owners(proxy, [number])[number] == name)


def test_each_part_is_asked_of_one_proxy_always(proxy):
    with ScriptedServer(always(REPLY)) as one, ScriptedServer(always(REPLY)) as two:
        proxy.tell(one, two)
        where = owners(proxy, range(30))
        for _time in range(2):
            for number, name in where.items():
                body = proxy.ask(env_of(query=query_of(number)))[2]
                assert body == (b'here' if name == 'me' else b'hello')
    count = Counter(where.values())
    assert {'delegated p0': 2 * count['p0'], 'delegated p1': 2 * count['p1']} == proxy.counts
    assert {'owner': 2 * count['me']} == proxy.local
    assert min(count.values()) > 3
    assert not proxy.times.keys() & {'saved_us', 'lost_us'}


@pytest.mark.parametrize('env', [
    env_of('HEAD', query=query_of(1)), env_of('PUT', query=query_of(1), body=b'x'), env_of(),
    env_of(path='/v1/a/c', query=query_of(1)), env_of(query='prefix=lb_region')])
def test_other_requests_have_no_owner(proxy, env):
    with ScriptedServer(always(REPLY)) as one:
        proxy.tell(one)
        proxy.ask(env)
        assert not one.connections
    assert set(proxy.local) <= {'alone', 'first'}


def test_a_proxy_without_a_decoder_has_no_parts_for_some_seconds(proxy):
    refusal = b'HTTP/1.1 421 Misdirected Request\r\nX-Lb-Refused: undecoded\r\n\r\n'
    with ScriptedServer(always(refusal)) as one, ScriptedServer(always(REPLY)) as two:
        proxy.tell(one, two)
        assert proxy.ask(env_of(query=query_of(part_of(proxy, 'p0'))))[2] == b'here'
        assert {'me', 'p1'} == {*owners(proxy, range(30)).values()}
        env = env_of(query=query_of(part_of(proxy, 'me')))
        assert proxy.ask(env)[2] == b'here'
        env[LACKS]()        # as lb_image does
        assert {'p1'} == {*owners(proxy, range(30)).values()}
        assert proxy.ask(env_of(query=env['QUERY_STRING']))[2] == b'hello'
        assert {'me', 'p0', 'p1'} == {*owners(proxy, range(30), monotonic() + LACKING).values()}


@pytest.mark.parametrize('fate', [b'', b'SSH-2.0-x\r\n\r\n'])
def test_an_owner_that_does_not_answer_is_replaced_by_this_proxy(proxy, fate):
    with ScriptedServer(once(fate)) as one:
        proxy.tell(one)
        query = query_of(part_of(proxy, 'p0'))
        for _time in range(3):
            assert ('200 OK', b'here') == proxy.ask(env_of(query=query))[::2]
        assert one.connections == 1     # then it is not asked for a second
    assert {'unanswered': 3} == proxy.local


@pytest.mark.parametrize('state', [GONE, CRITICAL])
def test_only_proxies_that_are_up_own_parts(proxy, state):
    with ScriptedServer(always(REPLY)) as one, ScriptedServer(always(REPLY)) as two:
        proxy.tell(one, two)
        before = owners(proxy, range(40))
        proxy.tell(one, two, states=[state])
        after = owners(proxy, range(40))
    assert {'me', 'p1'} == set(after.values())
    assert all(after[number] == name for number, name in before.items() if name != 'p0')


def test_an_owner_with_too_many_requests_is_not_asked(proxy):
    with ScriptedServer(always(REPLY)) as one:
        proxy.tell(one)
        query, chooser = query_of(part_of(proxy, 'p0')), proxy.filter.chooser
        reads = [chooser.ledger.begin(chooser.view.peers[0], 0.0) for _one in range(USUAL + 1)]
        assert proxy.ask(env_of(query=query))[2] == b'here'
        assert {'overloaded': 1} == proxy.local
        here = [proxy.filter._cooperation.begin_part(0.0) for _one in range(USUAL // 2)]
        assert proxy.ask(env_of(query=query))[2] == b'hello'        # this one has enough, too
        here.clear()
        assert proxy.ask(env_of(query=query))[2] == b'here'
        reads.pop().complete()
        assert proxy.ask(env_of(query=query))[2] == b'hello'


def test_parts_that_this_proxy_answers_count_apart_from_other_requests(proxy, monkeypatch):
    dispatcher, seen = proxy.filter, []

    def app(env, start_response):
        seen.append((dispatcher.chooser.ledger.in_flight(dispatcher.chooser.view.here),
                     dispatcher.served.own))
        return proxy.app(env, start_response)
    monkeypatch.setattr(dispatcher, 'app', app)
    for env in (env_of(), env_of(query=query_of(1))):
        proxy.ask(env)
    assert [(0, 1), (1, 0)] == seen
    assert dispatcher.chooser.ledger.in_flight(dispatcher.chooser.view.here) == 0


def test_a_part_for_which_a_peer_waits_does_not_make_it_slow_for_other_requests(proxy):
    ledger, seen = proxy.filter.chooser.ledger, []

    def script(connection, _number):
        while read_head(connection):
            peer, = proxy.filter.chooser.view.peers
            seen.append((ledger.in_flight(peer), ledger.load(peer).waiting_since))
            connection.sendall(REPLY)
    with ScriptedServer(script) as one:
        proxy.tell(one)
        assert proxy.ask(env_of(query=query_of(part_of(proxy, 'p0'))))[2] == b'hello'
    assert [(1, None)] == seen
    peer, = proxy.filter.chooser.view.peers
    assert ledger.in_flight(peer) == 0


def test_without_an_instruction_each_proxy_answers(proxy):
    proxy.tell(expires_in=-1.0)
    assert proxy.ask(env_of(query=query_of(1)))[2] == b'here'
    assert {'alone': 1} == proxy.local


def test_cooperation_none_treats_them_as_any_other_request(tmp_path):
    proxy = DispatchingProxy(tmp_path, 'adaptive', cooperation='none')
    with ScriptedServer(always(REPLY)) as one:
        proxy.tell(one)
        for number in range(20):
            proxy.ask(env_of(query=query_of(number)))
        assert not one.connections


def test_the_status_page_names_the_owner(proxy):
    with ScriptedServer(always(REPLY)) as one:
        proxy.tell(one)
        number, dispatcher = part_of(proxy, 'p0'), proxy.filter
        facts = facts_of_query({'path': f'/v1/a/c/o?{query_of(number)}'}, '')
        choice = describe_choice(dispatcher.chooser, dispatcher.served, dispatcher._policy,
                                 dispatcher._cooperation, None, facts, 0.0)
    assert choice['served_by'] == 'p0'
    assert choice['order'][0]['why'] == 'this part of an image is for p0'


@pytest.fixture
def daemon(tmp_path):
    """Yield {request key: names of nodes}: the directory of a swift-lb-image on a real socket."""
    known, listener = {}, socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / 'lb-image.sock'))
    listener.listen()

    def serve():
        with suppress(OSError):
            while True:
                connection, _address = listener.accept()
                with connection, connection.makefile('rb') as file:
                    while head := file.read(HEAD.size):
                        question = message_of(file.read(lengths(head)[0]))
                        connection.sendall(pack({'nodes': known.get(question['request'], [])}))
    thread = Thread(target=serve, daemon=True)
    thread.start()
    yield known
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


@pytest.fixture
def swala(tmp_path, daemon):
    """Return a DispatchingProxy with `cooperation = swala`, whose host has swift-lb-image."""
    proxy = DispatchingProxy(tmp_path, 'adaptive', cooperation='swala')
    with (tmp_path / 'lb.conf').open('a') as conf:
        conf.write(f'[lb-image]\nsocket = {tmp_path}/lb-image.sock\n')
    return proxy


def test_swala_asks_the_proxy_that_is_known_to_keep_a_part(swala, daemon):
    daemon |= {key_of_part(1): ['gone', 'p1', 'p0'], key_of_part(2): ['p1', 'me']}
    with ScriptedServer(always(REPLY)) as one, ScriptedServer(always(REPLY)) as two:
        swala.tell(one, two)
        assert [b'hello', b'here', b'here'] == [
            swala.ask(env_of(query=query_of(number)))[2] for number in (1, 2, 3)]
        assert {'delegated p1': 1} == swala.counts
        assert {'owner': 2} == swala.local
        swala.tell(one, two, states=[UP, GONE])
        swala.ask(env_of(query=query_of(1)))
    assert swala.counts['delegated p0'] == 1


def test_swala_without_the_daemon_answers_here(swala, tmp_path):
    (tmp_path / 'lb-image.sock').unlink()
    with ScriptedServer(always(REPLY)) as one:
        swala.tell(one)
        assert swala.ask(env_of(query=query_of(1)))[2] == b'here'
    assert {'owner': 1} == swala.local
