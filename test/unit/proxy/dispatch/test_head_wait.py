"""How long a read waits for another cluster that sends nothing."""
import math

import pytest
from support.cluster_proxy import HERE, ClusterProxy, reply
from support.scripted_server import ScriptedServer, always, read_head

from swift_lb.dispatch.clusters import SHORTEST
from swift_lb.dispatch.containers import ContainerFacts
from swift_lb.proxy.dispatch import cluster_reads, cluster_requests, connection, head_wait, pool
from swift_lb.proxy.dispatch.connection import PeerConnection, SilentError
from swift_lb.proxy.dispatch.head_wait import SILENCE_TIMEOUT, HeadWait


def test_a_wait_ends_after_10_seconds_without_a_byte():
    wait = HeadWait(lambda: False, math.inf)
    wait(SILENCE_TIMEOUT - 0.1)
    with pytest.raises(SilentError, match=r'for 10 s$'):
        wait(SILENCE_TIMEOUT)


def test_a_hopeless_wait_for_a_head_ends_at_once_but_not_one_for_a_body():
    wait = HeadWait(lambda: True, math.inf)
    with pytest.raises(SilentError, match='for 1 s, and'):
        wait(1.0)
    wait.began = True
    wait(SILENCE_TIMEOUT - 0.1)
    with pytest.raises(SilentError):
        wait(SILENCE_TIMEOUT)


def test_a_read_that_can_be_served_here_waits_less_for_a_head_but_not_for_the_body():
    wait = HeadWait(lambda: False, 2.0)
    wait(1.9)
    with pytest.raises(SilentError, match=r'for 2 s$'):
        wait(2.0)
    wait.began = True
    wait(SILENCE_TIMEOUT - 0.1)


@pytest.mark.parametrize(('change', 'patience'), [
    ({}, SHORTEST), ({'absent': True, 'status': '404 Not Found'}, math.inf)])
def test_only_a_read_that_is_absent_here_waits_as_long_as_any(make, monkeypatch, change, patience):
    proxy, waits = make(), []
    vars(proxy).update(change)
    monkeypatch.setattr(cluster_requests, 'HeadWait', lambda _is_hopeless, patience:
                        waits.append(patience) or HeadWait(lambda: False, patience))
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert b'there' == proxy.ask()[2]
    assert [patience] == waits


def silent(sock, _number):
    """A script that reads requests and answers none."""
    while read_head(sock):
        pass


def test_a_read_that_waits_for_a_cluster_is_served_here_when_that_is_dead(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster_reads, 'container_facts',
                        lambda _env, _app: ContainerFacts(('ksu', 'ucsb')))
    for module in (cluster_requests, head_wait):
        monkeypatch.setattr(module, 'SILENCE_TIMEOUT', math.inf)
    proxy = ClusterProxy(tmp_path)
    proxy.absent, proxy.status, proxy.content = True, '404 Not Found', b'missing'
    with ScriptedServer(silent) as peer, ScriptedServer(silent) as next_one:
        proxy.know(peer, next_one, age=8.5)
        assert '404 Not Found' == proxy.ask()[0]
        assert (1, 0) == (peer.connections, next_one.connections)
    assert 1 == proxy.counts['cluster_failures ucsb unanswered']


@pytest.mark.parametrize(('change', 'seconds'), [
    ({}, SHORTEST), ({'absent': True, 'status': '404 Not Found'}, 60.0)])
def test_a_connection_takes_no_longer_than_the_patience_of_a_read_and_the_connect_timeout(
        make, monkeypatch, change, seconds):
    proxy, limits = make(), []
    vars(proxy).update(change)
    monkeypatch.setattr(pool, 'PeerConnection', lambda *args: (
        limits.append(args[-1]) or PeerConnection(*args)))
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert b'there' == proxy.ask()[2]
    assert [seconds] == limits


def test_a_connection_that_takes_too_long_is_a_silence_for_reads_that_wait_no_longer(
        make, monkeypatch):
    proxy = make()
    monkeypatch.setattr(connection, 'connected', broken_off)
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert HERE == proxy.ask()[2]
        relay, others = f'127.0.0.1:{there.port}', proxy.filter._clusters
    assert [[], [relay]] == [others.proxies('ucsb', patience) for patience in (SHORTEST, 2.0)]


def broken_off(*_args):
    """Stands for connected(): no connection comes in time."""
    raise TimeoutError('timed out')
