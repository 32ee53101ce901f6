"""What fails at the end of a read is counted and logged, and the client has the whole answer."""
from contextlib import suppress

import pytest
from support.cluster_proxy import HERE, ORIGIN, redirected, reply
from support.fallbacks import FallbackError, broken
from support.scripted_server import ScriptedServer, always, once

from swift_lb.dispatch.router import ChosenRoute
from swift_lb.errors import PeerError
from swift_lb.load.read import Read
from swift_lb.model import LOCAL, Route
from swift_lb.proxy.dispatch import body_rate
from swift_lb.proxy.dispatch import redirected as redirected_reads

BIG = bytes(body_rate.SMALLEST)


def assert_failed(proxy, part='clusters'):
    """Assert that one part of the filter has failed, once."""
    assert {f'fallbacks {part}': 1} == {
        name: count for name, count in proxy.counts.items() if name.startswith('fallbacks')}
    assert [f'swift-lb: {part} failed; going on as plain Swift (logged at most every 60 s)'
            ] == [line for line in proxy.log.said if 'failed' in line]


def idle(proxy, server):
    """Return whether an idle connection to a ScriptedServer is kept."""
    return proxy.filter._far_pool.idle_since(('127.0.0.1', server.port)) is not None


@pytest.mark.parametrize('part', ['measured', 'ended'])
def test_a_fetched_read_that_cannot_be_measured_or_counted_is_whole_and_keeps_its_connection(
        make, monkeypatch, part):
    proxy = make()
    monkeypatch.setattr(proxy.filter._choice.router, part, broken)
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert b'there' == proxy.ask()[2]
        assert idle(proxy, there)
    assert_failed(proxy)


def test_a_read_that_is_served_here_and_cannot_be_measured_is_whole(make, monkeypatch):
    proxy = make()
    proxy.know()
    choice = proxy.filter._choice
    monkeypatch.setattr(choice, 'late', lambda *_read: [ChosenRoute(Route('ksu', LOCAL), None)])
    monkeypatch.setattr(choice.router, 'measured', broken)
    assert HERE == proxy.ask()[2]
    assert_failed(proxy)


def test_a_delegated_request_whose_end_cannot_be_counted_is_whole(proxy, peer, monkeypatch):
    monkeypatch.setattr(Read, 'complete', broken)
    assert b'hello' == proxy.ask()[2]
    assert 1 == peer.connections
    assert_failed(proxy, 'dispatch')


@pytest.mark.parametrize('name', ['socket_of', 'seconds_left'])
def test_a_redirected_read_that_cannot_be_measured_is_whole(make, monkeypatch, name):
    proxy = make()
    proxy.know()
    monkeypatch.setattr(redirected_reads, 'socket_of', lambda _source: 'a socket')
    monkeypatch.setattr(redirected_reads, name, broken)
    assert HERE == proxy.ask(redirected(origin=ORIGIN._replace(served=1.0, gain=2.0)))[2]
    assert_failed(proxy)


def test_a_body_that_shows_a_bandwidth_which_cannot_be_kept_is_whole(make, monkeypatch):
    proxy = make()
    monkeypatch.setattr(body_rate, 'WAITED', 1e9)       # however quickly the client reads
    monkeypatch.setattr(body_rate, 'OPENED', 0)
    proxy.filter._observer._bodies = None
    with ScriptedServer(always(reply(BIG * 20))) as there:
        proxy.know(there)
        assert BIG * 20 == proxy.ask()[2]
    assert_failed(proxy, 'observations')


def test_a_connection_is_closed_although_the_break_of_its_body_cannot_be_noted(make, monkeypatch):
    proxy, closed = make(), []
    monkeypatch.setattr(proxy.filter._clusters, 'silent', broken)
    monkeypatch.setattr(proxy.filter._far_pool, 'give', lambda *given: closed.append(given))
    with ScriptedServer(once(reply()[:-1])) as there:
        proxy.know(there)
        with suppress(PeerError, FallbackError):
            proxy.ask()
    (_address, connection), = closed
    assert not connection.reusable
