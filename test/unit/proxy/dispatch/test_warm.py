"""Idle connections to other clusters are kept while reads could leave for these."""
import pytest
from support.cluster_proxy import ClusterProxy
from support.scripted_server import ScriptedServer, read_head

from swift_lb import clock
from swift_lb.concurrency import sleep
from swift_lb.dispatch.containers import ContainerFacts
from swift_lb.dispatch.curve import Curve
from swift_lb.proxy.dispatch import cluster_reads, warm
from swift_lb.proxy.dispatch.warm import TOO_OLD

TOUCHED = b'HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n'


@pytest.fixture
def proxy(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster_reads, 'container_facts',
                        lambda _env, _app: ContainerFacts(('ucsb',)))
    return ClusterProxy(tmp_path)


def answering(heads, answer=TOUCHED):
    """A script that answers all requests of a connection, and appends their heads to `heads`."""
    def script(connection, _number):
        while head := read_head(connection):
            heads.append(head.decode())
            connection.sendall(answer)
    return script


def wait_for(condition):
    until = clock.monotonic() + 60.0
    while not condition():
        assert clock.monotonic() < until
        sleep(0.01)


def test_a_connection_is_made_once_a_read_could_leave_and_used_before_it_is_old(
        proxy, monkeypatch):
    heads, choice, pool = [], proxy.filter._choice, proxy.filter._far_pool
    with ScriptedServer(answering(heads)) as there:
        proxy.know(there)
        address = '127.0.0.1', there.port
        choice.attend(1)
        assert pool.idle_since(address) is None
        proxy.ask()
        choice.attend(1)
        wait_for(lambda: pool.idle_since(address) is not None)
        choice.attend(1)
        assert 1 == len(heads)
        now = clock.monotonic()
        monkeypatch.setattr(choice._warm, '_clock', lambda: now + TOO_OLD + 0.1)
        choice.attend(1)
        wait_for(lambda: 2 == len(heads))
        assert 1 == there.connections
    assert heads[0].startswith('HEAD /lb/probe HTTP/1.1\r\n')


def test_a_cluster_that_no_read_could_leave_for_is_not_asked_any_more(proxy, monkeypatch):
    heads, choice = [], proxy.filter._choice
    with ScriptedServer(answering(heads)) as there:
        proxy.know(there)
        proxy.ask()
        now = clock.monotonic()
        monkeypatch.setattr(choice._warm, '_clock', lambda: now + warm.WANTED + 1.0)
        choice.attend(1)
        assert not choice._warm._busy
        assert not there.connections


def test_a_failed_connection_is_tried_again_after_a_while(proxy):
    choice = proxy.filter._choice
    with ScriptedServer(lambda connection, _number: None) as there:
        proxy.know(there)
        proxy.ask()
        choice.attend(1)
        wait_for(lambda: proxy.counts.get('cluster_failures ucsb unanswered'))
        wait_for(lambda: not choice._warm._busy)
        before = there.connections
        choice.attend(1)
        wait_for(lambda: not choice._warm._busy)
        assert before == there.connections      # it is silent for a while


def test_an_answer_of_the_path_of_probes_that_is_no_success_is_counted(proxy):
    with ScriptedServer(answering([], b'HTTP/1.1 404 Not Found\r\n\r\n')) as there:
        proxy.know(there)
        proxy.filter._choice._requests.touch('ucsb', f'127.0.0.1:{there.port}')
    assert {'cluster_failures ucsb 404': 1} == proxy.counts


class FixedCurve(Curve):
    """A Curve that expects 2 ms: there it is 3 ms on a new connection, 1 ms less on an idle one."""

    def expected(self, _in_flight, _now):
        """Return 0.002."""
        return 0.002


def test_a_read_that_stays_while_no_connection_is_idle_opens_one(proxy, monkeypatch):
    monkeypatch.setattr(cluster_reads, 'container_facts',
                        lambda _env, _app: ContainerFacts(('ucsb',), immutable=True))
    heads, choice, pool = [], proxy.filter._choice, proxy.filter._far_pool
    monkeypatch.setattr(choice._warm, 'attend', lambda: None)
    with ScriptedServer(answering(heads)) as there:
        proxy.know(there)
        address = '127.0.0.1', there.port
        proxy.ask()         # by which the container is learnt
        proxy.filter.served.curve = FixedCurve()
        for _read in range(3):
            assert 70_000 == len(proxy.ask()[2])
        wait_for(lambda: pool.idle_since(address) is not None)
        assert 3 == proxy.counts['cluster_stays early here']
        assert 1 == len(heads) == there.connections
