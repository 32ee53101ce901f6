"""What a worker measures for other clusters reaches the agent of its host, once a second."""
import math
import socket

import pytest
from support.client_env import env_of
from support.dispatching_proxy import DispatchingProxy
from support.scripted_server import ScriptedServer, always
from swift.common.utils import InputProxy

from swift_lb import clock, clusters_file
from swift_lb.dispatch.containers import ContainerFacts
from swift_lb.model import ClusterLink, Clusters, ClusterSummary, HeardCluster
from swift_lb.proxy.dispatch import body_rate, clients, cluster_reads, cluster_requests, clusters
from swift_lb.proxy.dispatch.clients import SAMPLES, carried_by, path_of
from swift_lb.proxy.dispatch.local import FIRST
from swift_lb.proxy.seam import ABSENT
from swift_lb.wire import hop, observations, redirect, signature
from swift_lb.wire.observations import MAGIC, MOST_BYTES, PROBE, PROBE_BYTES, TakenRequests
from swift_lb.wire.redirect import Origin

KEY = b'a key of all the clusters'
SIZE = 1_500_000
LARGE = b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n' % SIZE + bytes(SIZE)


class Observed:
    """A DispatchingProxy of the cluster ksu, and the socket of its agent."""

    def __init__(self, where):
        self.agent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.agent.bind(('127.0.0.1', 0))
        self.agent.settimeout(10)
        self.proxy = DispatchingProxy(where, 'tllb')
        self.where = where
        with open(where / 'lb.conf', 'a') as conf:
            conf.write(f'[lb-cluster]\nname = ksu\nkey = {KEY.decode()}\n'
                       f'bind_port = {self.agent.getsockname()[1]}\n'
                       f'clusters_file = {where}/clusters\n')
        self.told()

    def told(self):
        """Return the Observations that the worker sends now."""
        self.proxy.filter._observe()
        return observations.decode(signature.verified((KEY,), self.agent.recv(9999), MAGIC))


@pytest.fixture
def observed(tmp_path):
    """An Observed proxy."""
    made = Observed(tmp_path)
    yield made
    made.agent.close()


def test_the_times_of_the_classes_that_were_served_are_told(observed):
    assert () == observed.told().times
    for _time in range(FIRST + 40):
        observed.proxy.ask()
        observed.proxy.ask(env_of(method='HEAD'))
    seen = observed.told()
    assert ('ksu', 'me', 2 + 1) == (seen.cluster, seen.node, seen.sequence)
    assert {'light', 'small'} == {one.content for one in seen.times}
    assert all(0 < one.seconds < 1 and one.requests > 1 for one in seen.times)


def test_nothing_is_told_or_measured_on_a_host_that_belongs_to_no_cluster(tmp_path):
    proxy = DispatchingProxy(tmp_path, 'tllb')
    proxy.filter._observe()
    proxy.ask()
    assert proxy.filter.served.times is None
    assert [] == proxy.filter._observer.clients.paths.busiest()
    assert {} == proxy.counts


def test_a_missing_agent_changes_nothing(observed):
    observed.agent.close()
    observed.proxy.filter._observe()
    assert '200 OK' == observed.proxy.ask()[0]
    assert {} == observed.proxy.counts


def test_a_body_of_another_cluster_shows_the_bandwidth_of_the_link(observed, monkeypatch):
    monkeypatch.setattr(cluster_reads, 'container_facts',
                        lambda _env, _app: ContainerFacts(('ucsb',), 0, False, False))
    monkeypatch.setattr(body_rate, 'WAITED', 1e9)   # however quickly the client reads

    def absent(env, start_response):
        env[ABSENT] = True
        start_response('404 Not Found', [])
        return []
    observed.proxy.filter.app = observed.proxy.filter._reads._app = absent
    with ScriptedServer(always(LARGE)) as peer:
        summary = ClusterSummary('ucsb', 'n', 1, 1, 1.7e9, 2.0, '', 1, 0.0, 0.0,
                                 (f'127.0.0.1:{peer.port}',))
        clusters_file.write(observed.where / 'clusters', Clusters(
            'ksu', {'ucsb': HeardCluster(summary, clock.monotonic())},
            {'ucsb': ClusterLink('ucsb', 0.0, None, 0.0)}))
        assert SIZE == len(observed.proxy.ask()[2])
    body, = observed.told().bodies
    assert ('ucsb', True) == (body.cluster, SIZE / 4 < body.bytes <= SIZE / 2)
    assert () == observed.told().bodies


@pytest.fixture
def connection():
    """The server's end of a connection that has carried 1.5 MB, with a client that reads."""
    with (socket.create_server(('127.0.0.1', 0)) as server,
          socket.create_connection(server.getsockname()) as client):
        made, _address = server.accept()
        left = SIZE
        made.setblocking(False)
        while left:
            left -= made.send(bytes(min(left, 1 << 16)))
            client.recv(1 << 20)
        yield made
        made.close()


def test_the_way_to_a_client_is_read_from_its_connection(observed, connection):
    class Input:
        """The server's wsgi.input."""

        def read(self, *_size):
            return b''

        def get_socket(self):
            return connection
    env = env_of() | {'wsgi.input': InputProxy(Input())}
    observed.proxy.ask(env)
    path, = observed.told().paths
    assert ('198.51.100.0/24', 1.0) == (path.network, path.answers)
    assert 0 < path.rtt < 10
    assert () == observed.told().paths
    for _time in range(SAMPLES + 9):
        observed.proxy.ask(dict(env))
    path, = observed.told().paths
    assert pytest.approx(SAMPLES, rel=0.1) == path.answers


class Connection:
    """A socket whose TCP_INFO has ten segments of 1448 bytes, a pace of 5e5 and a rate of 1e6."""

    def __init__(self, flags, carried, rtt):
        self.info = clients.TCP_INFO.pack(flags, 1448, 10, 500_000, carried, rtt, 1_000_000)

    def getsockopt(self, *_what):
        return self.info


def test_the_rate_counts_if_much_was_carried_in_this_answer_or_without_a_limit():
    def rate(flags, carried, before=None):
        return path_of(Connection(flags, carried, 20_000), before)[1]
    assert [1e6, None, None] == [rate(0, 1 << 16), rate(1, 1 << 16), rate(0, 1000)]
    assert 1 << 17 == carried_by(Connection(1, 1 << 17, 20_000))
    assert [1e6, None] == [rate(1, 1 << 17, before) for before in (1 << 16, (1 << 16) + 1)]
    assert path_of(Connection(0, 1 << 16, 0xFFFFFFFF)) is None
    closed = socket.socket()
    closed.close()
    assert path_of(closed) is None
    left, right = socket.socketpair()
    assert path_of(left) is None
    left.close()
    right.close()


def hop_of(path, query='', nonce='0' * 16):
    """Return the environment of a GET of `path` that the cluster ucsb has sent here."""
    text = hop.encode(KEY, hop.Hop('ucsb', '127.0.0.1:80', clock.wall(), nonce, '0.0.0.0', '',
                                   'http', '', False), 'GET', path + (query and f'?{query}'),
                      cluster_requests.FOR)
    return env_of(path=path, query=query) | {
        'SERVER_NAME': '127.0.0.1', 'SERVER_PORT': '80', clusters.KEY: text}


def test_requests_of_other_clusters_and_of_clients_redirected_by_them_are_counted(observed):
    target = '/v1/a/c/o'
    sent = redirect.encode(KEY, Origin('ksu.west', redirect.ABSENT),
                           clock.wall() + redirect.LASTS, target)
    forged = redirect.encode(b'no key', Origin('eu', redirect.ABSENT),
                             clock.wall() + redirect.LASTS, target)
    assert b'here' == observed.proxy.ask(hop_of(target))[2]
    for value in (sent, sent, forged):
        assert b'here' == observed.proxy.ask(env_of(query=f'lb_from={value}'))[2]
    observed.proxy.ask()
    observed.proxy.ask(hop_of(PROBE, nonce='1' * 16))
    assert {TakenRequests('ucsb', 1.0), TakenRequests('ksu.west', 2.0)} == {*observed.told().taken}
    assert () == observed.told().taken


@pytest.mark.parametrize(('query', 'size'), [
    ('', PROBE_BYTES), ('bytes=0', 0), ('bytes=150000', 150_000), ('bytes=999999999', MOST_BYTES),
    ('bytes=-1', PROBE_BYTES), ('bytes=99999999999', PROBE_BYTES), ('other=1', PROBE_BYTES)])
def test_a_probe_of_another_cluster_gets_the_bytes_it_asks_for_a_clients_is_served(
        observed, query, size):
    env = hop_of(PROBE, query)
    status, headers, body = observed.proxy.ask(dict(env))
    assert ('200 OK', str(size), size) == (status, headers['Content-Length'], len(body))
    unsigned = {key: value for key, value in env.items() if key != clusters.KEY}
    assert b'here' == observed.proxy.ask(unsigned)[2]
    assert '421 Misdirected Request' == observed.proxy.ask(dict(env))[0]


@pytest.mark.parametrize(('is_paced', 'pace'), [(True, 5e5), (False, math.inf)])
def test_a_connection_shows_its_window_and_with_bbr_its_pace(monkeypatch, is_paced, pace):
    monkeypatch.setattr(clients, 'are_paced', lambda: is_paced)
    assert (0.02, 1e6, 14_480.0, pace) == path_of(Connection(0, 1 << 16, 20_000))


@pytest.mark.parametrize(('name', 'is_paced'), [
    (b'bbr\0', True), (b'bbr2', True), (b'cubic', False), (OSError(), False)])
def test_connections_are_paced_if_the_kernel_says_bbr(monkeypatch, name, is_paced):
    class Socket(socket.socket):
        def getsockopt(self, *_what):
            if isinstance(name, OSError):
                raise name
            return name
    monkeypatch.setattr(clients.socket, 'socket', Socket)
    assert is_paced == clients.are_paced.__wrapped__()


def test_a_real_connection_shows_what_the_kernel_knows():
    with socket.create_server(('127.0.0.1', 0)) as server, (
            socket.create_connection(server.getsockname())) as client:
        here, _address = server.accept()
        with here:
            here.sendall(b'x' * 1000)
            assert client.recv(1000, socket.MSG_WAITALL)
            here.sendall(b'x')      # after an acknowledgement
            rtt, _rate, window, _pace = path_of(here)
            segment = here.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)
            assert 0.0 < rtt < 10.0
            assert window > 0
            assert window % segment == 0
            assert carried_by(here) <= 1001
