"""A proxy refuses new requests with 503 if it and all of its peers have long queues."""
from math import inf

import pytest
from support.client_env import env_of
from support.dispatching_proxy import DispatchingProxy
from support.scripted_server import REPLY, ScriptedServer, always
from unit.proxy.dispatch.test_dispatcher import peers

from swift_lb import clock
from swift_lb.dispatch.chooser import MOMENT
from swift_lb.model import CRITICAL, REJECTED, UP

LATEST = 20.0       # seconds, of the last of a queue


@pytest.fixture
def proxy(tmp_path, still):
    """Return a DispatchingProxy with 200 requests in flight, of 0.1 s each, one after another."""
    result = DispatchingProxy(tmp_path, 'adaptive')
    result.ask()
    for in_flight in (0, 1, 10, 50, 100, 200):
        for _time in range(50):
            result.filter.served.curve.add(in_flight, (in_flight + 1) / 10, still())
    result.filter.served.elsewhere = None
    result.filter.served.own = 200
    return result


def wants(proxy):
    """Return the level of refusal, 0 to 1.8, that the queues of a proxy and its peers call for."""
    now = clock.monotonic()
    return proxy.filter._wanted(now, proxy.filter.chooser.elsewhere(now))


def test_no_request_is_refused_without_an_instruction(proxy):
    proxy.tell(expires_in=-1.0)
    assert 0.0 == wants(proxy)


@pytest.mark.parametrize(('state', 'seconds', 'refused'), [
    (UP, 0.01, False), (UP, 0.4, False), (UP, LATEST, True), (CRITICAL, 0.01, True),
    (REJECTED, 0.01, True)])
def test_requests_are_refused_unless_a_fast_peer_is_up(proxy, state, seconds, refused):
    with ScriptedServer(always(REPLY)) as peer:
        proxy.tell(peer, states=[state])
        proxy.report(seconds)
        assert refused == (wants(proxy) > 0.0)


def test_no_request_is_refused_if_this_proxys_queue_is_short(proxy, still):
    with ScriptedServer(always(REPLY)) as peer:
        proxy.tell(peer, states=[CRITICAL])
        assert inf == proxy.filter.chooser.elsewhere(still())
        proxy.filter.served.own = 2
        assert 0.0 == wants(proxy)


def test_new_requests_are_refused_and_delegated_ones_are_served(proxy):
    with ScriptedServer(always(REPLY)) as peer:
        proxy.tell(peer, states=[CRITICAL])
        proxy.filter._shedder.level = 0.9
        answers = [proxy.ask() for _time in range(40)]
        refusals = [headers for status, headers, _body in answers if status.startswith('503 ')]
        assert 20 < len(refusals)
        assert all(5 <= int(headers['Retry-After']) <= 15 for headers in refusals)
        assert proxy.ask(env_of('HEAD'))[0] == '200 OK'
        assert proxy.ask(peers(env_of()))[2] == b'here'
        assert proxy.ask(env_of(path='/recon/load'))[2] == b'here'
        assert proxy.counts['shed small'] == len(refusals)
        proxy.filter.served.own = 2         # the queue is gone
        assert all(proxy.ask()[0] == '200 OK' for _time in range(40))


def test_in_a_panic_critical_peers_count_as_up(proxy, still):
    with ScriptedServer(always(REPLY)) as peer:
        proxy.tell(peer, states=[CRITICAL], panic=True)
        proxy.report(0.01)
        assert 0.0 == wants(proxy)          # the peer could serve it
        still.now += MOMENT
        assert proxy.ask()[2] == b'hello'


def test_refusing_an_upload_closes_its_connection(proxy):
    proxy.tell()
    proxy.filter._shedder.level = 0.9
    for body, closes in ((None, False), (b'much', True)):
        headers = next(headers for status, headers, _body in (
            proxy.ask(env_of('PUT', body=body)) for _time in range(200)) if status[:3] == '503')
        assert closes == (headers.get('Connection') == 'close')


def test_if_the_shedder_fails_no_request_is_refused(proxy):
    proxy.tell()
    proxy.filter._shedder.level = 0.9
    proxy.filter.chooser.elsewhere = None
    assert proxy.filter._shedding() is None
    assert proxy.counts['fallbacks shedding'] == 1
