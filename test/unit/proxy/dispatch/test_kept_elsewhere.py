"""Digests of what other clusters keep are pulled while parts of images could leave for them."""
import socket
from threading import Thread

import pytest
from support.client_env import env_of
from support.cluster_proxy import ClusterProxy
from support.scripted_server import ScriptedServer, read_head
from unit.proxy.dispatch.test_observer import hop_of

from swift_lb import clock
from swift_lb.chains.cache.digest import Digest
from swift_lb.chains.cache.keys import key_of
from swift_lb.concurrency import sleep
from swift_lb.proxy.dispatch.kept_elsewhere import (
    EVERY,
    PATH,
    UNKNOWN,
    USELESS,
    WANTED,
    KeptElsewhere,
    Pulled,
)
from swift_lb.wire.image_job import pack

KEYS = {('D4', 'png'): key_of(1), ('D2', ''): key_of(2)}
DIGEST = Digest.of([key_of(1)]).dumps()


def answering(heads, body=DIGEST, status='200 OK'):
    """A script that answers all requests of a connection, and appends their heads to `heads`."""
    def script(connection, _number):
        while head := read_head(connection):
            heads.append(head.decode())
            connection.sendall(f'HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n'.encode()
                               + body)
    return script


class Puller:
    """A KeptElsewhere of a ClusterProxy, with a clock that stands at `now`."""

    def __init__(self, proxy):
        choice = proxy.filter._choice
        self.now, self.failed = clock.monotonic(), []
        self.proxy = proxy
        self.kept = KeptElsewhere(choice._others, choice._requests, choice._counts,
                                  lambda: self.now, self.failed.append)

    @property
    def outcomes(self):
        """Return {outcome: number of pulls} of ucsb."""
        return {name.split()[-1]: count for name, count in self.proxy.counts.items()
                if name.startswith('cluster_digests ucsb ')}

    def attend(self, workers=1):
        """Call attend(), and wait until as many more requests have been answered as it sends."""
        pulls = []
        pull, self.kept._pull = self.kept._pull, lambda *what: (pull(*what), pulls.append(what))
        before = dict(self.kept._next)
        self.kept.attend(workers)
        until = clock.monotonic() + 60.0
        while self.kept._next != before and not pulls:
            assert clock.monotonic() < until
            sleep(0.01)
        self.kept._pull = pull


@pytest.fixture
def proxy(tmp_path):
    """Return a ClusterProxy in the cluster ksu."""
    return ClusterProxy(tmp_path)


def test_a_digest_is_pulled_when_it_is_wanted_and_due(proxy):
    heads = []
    with ScriptedServer(answering(heads)) as there:
        proxy.know(there)
        puller = Puller(proxy)
        puller.attend()
        assert not heads        # no part could leave
        assert puller.kept.of('ucsb', KEYS) == set()
        puller.attend()
        assert {('D4', 'png')} == puller.kept.of('ucsb', KEYS)
        puller.attend()
        assert len(heads) == 1
        puller.now += EVERY
        puller.attend()
        assert len(heads) == 2
        puller.now += WANTED + 1
        puller.attend()
        assert len(heads) == 2
    assert heads[0].startswith(f'GET {PATH} HTTP/1.1\r\n')
    assert 'X-Lb-Cluster-Hop: ' in heads[0]
    puller.now += USELESS
    assert puller.kept.of('ucsb', KEYS) == set()
    assert {'pulled': 2} == puller.outcomes


def test_each_relay_has_a_digest_of_its_own(proxy):
    other = answering([], Digest.of([key_of(2)]).dumps())
    with ScriptedServer(answering([])) as one, ScriptedServer(other) as two:
        puller = Puller(proxy)
        for relays, kept in (((one, two), ('D4', 'png')), ((two, one), ('D2', ''))):
            proxy.know(*relays)
            assert puller.kept.of('ucsb', KEYS) == set()
            puller.attend()
            assert {kept} == puller.kept.of('ucsb', KEYS)
        proxy.know(one, two)
        assert {('D4', 'png')} == puller.kept.of('ucsb', KEYS)


@pytest.mark.parametrize(('script', 'outcome'), [
    (answering([], b'nonsense'), 'failed'), (answering([], b''), 'none'),
    (answering([], b'no', '404 Not Found'), 'none'), (answering([], bytes(2 << 20)), 'none'),
    (lambda _connection, _number: None, 'failed')])
def test_what_is_no_digest_is_as_none(proxy, script, outcome):
    with ScriptedServer(script) as there:
        proxy.know(there)
        puller = Puller(proxy)
        puller.kept.of('ucsb', KEYS)
        puller.attend()
        assert puller.kept.of('ucsb', KEYS) == set()
    assert ([], {outcome: 1}) == (puller.failed, puller.outcomes)


def test_pulls_of_a_slow_link_take_a_hundredth_of_it(proxy):
    with ScriptedServer(answering([])) as there:
        proxy.know(there)
    puller = Puller(proxy)
    link = puller.kept._others.known().links['ucsb']
    puller.kept._pulled['relay'] = Pulled(None, 0.0, 12_000)
    for bandwidth, rtt, workers, seconds in (
            (1e9, 0.001, 1, EVERY), (20_000.0, 0.1, 1, 60.0), (20_000.0, 0.1, 4, 240.0),
            (1e9, 2.0, 1, 20.0), (None, 0.1, 1, UNKNOWN)):
        puller.kept._others._known.links['ucsb'] = link._replace(bandwidth=bandwidth, rtt=rtt)
        puller.kept._workers = workers
        assert puller.kept._interval('ucsb', 'relay') == pytest.approx(seconds)


def serve_once(path, answer):
    """Answer one question on a unix socket, as swift-lb-image does."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def serve():
        connection, _address = listener.accept()
        with connection, listener:
            connection.recv(4096)
            connection.sendall(answer)
    Thread(target=serve, daemon=True).start()


def test_another_cluster_gets_the_digest_of_this_host_and_a_client_does_not(tmp_path):
    proxy = ClusterProxy(tmp_path, more=f'[lb-image]\nsocket = {tmp_path}/image\n')
    serve_once(tmp_path / 'image', pack({'ok': True}, DIGEST))
    assert ('200 OK', DIGEST) == proxy.ask(hop_of(PATH))[::2]
    assert '404 Not Found' == proxy.ask(hop_of(PATH, nonce='1' * 16))[0]    # the daemon has gone
    proxy.ask(env_of(path=PATH))
    assert [PATH] == [env['PATH_INFO'] for env in proxy.served]
