"""Answers of which no more is wanted: the connection is kept if they are here, without a wait."""
import threading

import pytest
from support.client_env import env_of
from support.cluster_proxy import HERE, reply
from support.scripted_server import ScriptedServer, always, once

from swift_lb.proxy.dispatch import cluster_requests
from swift_lb.proxy.dispatch.answers import SHORT, discard
from swift_lb.proxy.dispatch.head_wait import HeadWait

HEAD = b'HTTP/1.1 503 Busy\r\nContent-Length: %d\r\n\r\n'


@pytest.fixture
def held():
    """Return held(reply): a script that sends `reply`, and no more while the test runs."""
    over = threading.Event()
    yield lambda sent: once(sent, lambda _connection: over.wait())
    over.set()


class NoWait:
    """An on_wait() that fails once `began` is set."""

    began = False

    def __call__(self, _waited):
        """Fail if the answer has begun."""
        assert not self.began


def is_kept(asked, server, env):
    """Discard the Answer of a server to `env`; return whether its connection is kept."""
    on_wait = NoWait()
    answer = asked.ask(server, env, on_wait)
    on_wait.began = True
    discard(answer)
    return asked.pool.idle_since(('127.0.0.1', server.port)) is not None


@pytest.mark.parametrize(('size', 'method'), [
    (0, 'GET'), (5, 'GET'), (SHORT, 'GET'), (5, 'HEAD'), (SHORT + 1, 'HEAD')])
def test_a_connection_is_kept_if_the_whole_of_a_short_body_is_here(asked, size, method):
    body = bytes(size) if method == 'GET' else b''
    with ScriptedServer(always(HEAD % size + body)) as server:
        assert is_kept(asked, server, env_of(method))


@pytest.mark.parametrize('sent', [
    HEAD % 100, HEAD % 100 + b'busy', HEAD % (SHORT + 1) + bytes(SHORT + 1),
    b'HTTP/1.1 503 Busy\r\n\r\n', b'HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n'])
def test_a_body_that_is_long_or_not_here_is_not_waited_for(asked, held, sent):
    with ScriptedServer(held(sent)) as server:
        assert not is_kept(asked, server, env_of())


def test_a_connection_that_ends_in_a_body_is_closed(asked):
    with ScriptedServer(once(HEAD % 100 + b'busy')) as server:
        assert not is_kept(asked, server, env_of())


def test_a_read_is_served_here_at_once_if_the_body_of_an_error_from_elsewhere_stalls(
        make, monkeypatch, held):
    class HeadWaitOnly(HeadWait):
        def __call__(self, waited):
            assert not self.began
    monkeypatch.setattr(cluster_requests, 'HeadWait', HeadWaitOnly)
    proxy = make()
    with ScriptedServer(held(HEAD % 100)) as there:
        proxy.know(there)
        assert HERE == proxy.ask()[2]
    assert {'cluster_failures ucsb 503': 1} == {
        name: count for name, count in proxy.counts.items() if 'stays' not in name}


def test_the_connection_of_an_error_that_came_whole_is_used_again(make):
    proxy = make()
    with ScriptedServer(always(reply(b'busy', '503 Busy'))) as there:
        proxy.know(there)
        assert HERE == proxy.ask()[2]
        assert proxy.filter._far_pool.idle_since(('127.0.0.1', there.port)) is not None
