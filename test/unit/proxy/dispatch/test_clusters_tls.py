"""Reads that are fetched from another cluster by TLS: verified, counted, and never sent plain."""
import pytest
from support.certificates import Authority
from support.client_env import env_of
from support.cluster_proxy import KEY, ClusterProxy
from support.scripted_server import REPLY, ScriptedServer, always, keeping

from swift_lb.clock import wall
from swift_lb.dispatch.containers import ContainerFacts
from swift_lb.dispatch.routes import PendingRead
from swift_lb.model import ClusterSummary
from swift_lb.proxy.dispatch import cluster_reads, cluster_requests, clusters
from swift_lb.wire import hop
from swift_lb.wire.relay import HTTPS

SUMMARY = ClusterSummary('ucsb', 'n', 1, 1, 1.7e9, 2.0, '', 1, 0.0, 0.0, ())


@pytest.fixture
def authority(tmp_path):
    """Return the Authority that the proxy trusts."""
    return Authority(tmp_path, 'trusted')


@pytest.fixture
def cluster_proxy(tmp_path, monkeypatch, authority):
    """Return a ClusterProxy to whose app every object is absent; it trusts `authority`."""
    monkeypatch.setattr(cluster_reads, 'container_facts',
                        lambda _env, _app: ContainerFacts(('ksu', 'ucsb')))
    made = ClusterProxy(tmp_path, more=f'ca_file = {authority.path}\n')
    made.absent, made.status = True, '404 Not Found'
    return made


def test_an_absent_object_is_fetched_by_tls_for_the_host_and_port_of_the_relay(
        cluster_proxy, authority):
    heads = []
    with ScriptedServer(keeping(heads), authority.certify('127.0.0.1')) as server:
        cluster_proxy.know(server, scheme=HTTPS)
        assert ('200 OK', b'hello') == cluster_proxy.ask()[::2]
    text = next(line for line in heads[0].split('\r\n') if line.startswith(cluster_requests.HEADER))
    marker = hop.decode((KEY,), text.partition(' ')[2], 'GET', '/v1/a/c/o', cluster_requests.FOR)
    assert f'127.0.0.1:{server.port}' == marker.to
    assert 1 == cluster_proxy.counts['fetched ucsb absent']


def test_the_connection_to_a_tls_relay_is_kept_by_requests_with_a_valid_host(
        cluster_proxy, authority):
    heads = []
    with ScriptedServer(keeping(heads), authority.certify('127.0.0.1')) as server:
        cluster_proxy.know(server, scheme=HTTPS)
        cluster_proxy.filter._choice._requests.touch('ucsb', f'{HTTPS}127.0.0.1:{server.port}')
    assert f'Host: 127.0.0.1:{server.port}' in heads[0].split('\r\n')


def test_the_connection_by_tls_is_kept_and_known_to_be_idle(cluster_proxy, authority):
    with ScriptedServer(always(REPLY), authority.certify('127.0.0.1')) as server:
        cluster_proxy.know(server, scheme=HTTPS)
        choice = cluster_proxy.filter._choice
        read = PendingRead(1.0, 'small', None)
        assert not choice.inputs(env_of(), read, ['ucsb'])[2][0].window
        for _time in range(2):
            assert '200 OK' == cluster_proxy.ask()[0]
        assert choice.inputs(env_of(), read, ['ucsb'])[2][0].window
        cluster_proxy.know(server)
        assert not choice.inputs(env_of(), read, ['ucsb'])[2][0].window
        assert 1 == server.connections


def test_a_certificate_that_is_not_valid_is_an_unanswered_request_with_a_line_in_the_log(
        cluster_proxy, authority):
    heads = []
    with ScriptedServer(keeping(heads), authority.certify('ucsb.example')) as server:
        cluster_proxy.know(server, scheme=HTTPS)
        assert ['404 Not Found'] * 2 == [cluster_proxy.ask()[0] for _time in range(2)]
    assert not heads
    assert 1 == cluster_proxy.counts['cluster_failures ucsb unanswered']
    assert [line for line in cluster_proxy.log.said if 'does not answer' in line] == [
        f'swift-lb: https://127.0.0.1:{server.port} of ucsb does not answer: 127.0.0.1:'
        f"{server.port}: TLS: IP address mismatch, certificate is not valid for '127.0.0.1'."]


@pytest.mark.parametrize('content', [None, '', 'no certificate',
                                     '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n'])
def test_without_a_usable_ca_file_nothing_is_sent_and_the_log_says_why(
        cluster_proxy, authority, content):
    if content is None:
        authority.path.unlink()
    else:
        authority.path.write_text(content)
    with ScriptedServer(always(REPLY), authority.certify('127.0.0.1')) as server:
        cluster_proxy.know(server, scheme=HTTPS)
        assert '404 Not Found' == cluster_proxy.ask()[0]
        assert not server.connections
    cluster_proxy.filter._tidy()
    assert 1 == cluster_proxy.counts['cluster_failures ucsb unanswered']
    why = 'No such file or directory' if content is None else 'no certificate in it can be read'
    assert (f'swift-lb: ca_file = {authority.path}: must be a file of certificates in PEM: {why}; '
            'no other cluster is asked by TLS') in cluster_proxy.log.said


def test_a_changed_ca_file_is_read_again_and_replaces_the_connections(
        cluster_proxy, authority, tmp_path):
    others = cluster_proxy.filter._clusters
    now = [1000.0]
    others._authorities._clock = lambda: now[0]
    relay = 'https://ucsb.example:443'
    first = others.address_of(relay)
    assert first == others.address_of(relay)
    authority.path.write_bytes(Authority(tmp_path, 'another').path.read_bytes() + b'# \xc3\xa9\n')
    now[0] += 5.0
    second = others.address_of(relay)
    assert ('ucsb.example', 443) == first[:2] == second[:2]
    assert first != second
    assert others.fault is None


@pytest.mark.parametrize(('relays', 'to', 'accepted'), [
    ('', '10.9.9.9:443', False), ('https://Ucsb.example:443', 'ucsb.example:443', True),
    ('https://ucsb.example:443', 'ucsb.example:8443', False),
    ('https://ucsb.example:443, 10.9.9.9:80', '10.9.9.9:80', True),
    ('https://ucsb.example:443', '192.0.2.1:8080', True)])
def test_a_request_of_a_cluster_may_be_for_a_relay_in_front_of_this_proxy(
        tmp_path, relays, to, accepted):
    proxy = ClusterProxy(tmp_path, more=f'relays = {relays}\n')
    marker = hop.Hop('ucsb', to, wall(), '0' * 16, '203.0.113.9', '1', 'https', 'tx9', False)
    env = env_of() | {
        'SERVER_NAME': '192.0.2.1', 'SERVER_PORT': '8080',
        clusters.KEY: hop.encode(KEY, marker, 'GET', '/v1/a/c/o', cluster_requests.FOR)}
    assert ('200 OK' if accepted else '421 Misdirected Request') == proxy.ask(env)[0]
    assert accepted == bool(proxy.served)
