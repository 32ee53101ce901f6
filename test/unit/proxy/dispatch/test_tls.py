"""Connections by TLS: answers and uploads arrive whole, and every certificate is verified."""
import subprocess
import sys
import threading
from contextlib import contextmanager, nullcontext
from math import inf

import pytest
from support.certificates import Authority
from support.client_env import env_of
from support.scripted_server import REPLY, ScriptedServer, always, once, read_head, taking

from swift_lb import clock
from swift_lb.authorities import client_context
from swift_lb.concurrency import is_readable
from swift_lb.errors import PeerError
from swift_lb.proxy.dispatch import connection as connections
from swift_lb.proxy.dispatch import tls
from swift_lb.proxy.dispatch.pool import Pool
from swift_lb.proxy.dispatch.tls import TlsAddress

BIG = bytes(range(256)) * 2000      # 512,000 bytes
CHUNKED = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
GREEN = '''
from swift.common.utils import eventlet_monkey_patch
eventlet_monkey_patch()
import sys
from swift_lb.concurrency import sleep, spawn
from swift_lb.errors import PeerError
from swift_lb.proxy.dispatch.connection import PeerConnection
from swift_lb.proxy.dispatch.tls import TlsAddress, TlsConnection
from swift_lb.authorities import client_context
turns = []
def others():
    while True:
        turns.append(1)
        sleep(0.001)
spawn(others)
context = client_context(sys.argv[1])
for port, timeout in zip(sys.argv[2:], (30, 0.1)):
    try:
        one = TlsConnection(TlsAddress('localhost', int(port), context), '', timeout)
        one.send(b'GET / HTTP/1.1\\r\\n\\r\\n', None)
        print(one.head('GET', None).status)
    except PeerError as err:
        print(str(err).replace(port, 'port'))
print(len(turns) > 2)
'''
LIMIT = 30.0        # seconds until a condition must hold, which holds at once


@pytest.fixture
def authority(tmp_path):
    """Return the Authority that clients trust."""
    return Authority(tmp_path, 'trusted')


@pytest.fixture
def serving(authority):
    """Return a context manager: serving(script) yields (server, TlsAddress) with TLS."""
    @contextmanager
    def serve(script, host='127.0.0.1', certificate=None):
        certificate = certificate or authority.certify('localhost', '127.0.0.1')
        with ScriptedServer(script, certificate) as server:
            yield server, TlsAddress(host, server.port, client_context(str(authority.path)))
    return serve


def opened(address, timeout=LIMIT):
    """Return a new connection to a TlsAddress."""
    return Pool(clock.monotonic, timeout).new(address, '')


def until(condition):
    """Return when condition() is true."""
    end = clock.monotonic() + LIMIT
    while not condition():
        assert clock.monotonic() < end
        clock.sleep(0.005)


@pytest.mark.parametrize('host', ['127.0.0.1', 'localhost'])
@pytest.mark.parametrize(('reply', 'body'), [
    (REPLY, b'hello'), (CHUNKED + b'3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n', b'hello'),
    (b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n' % len(BIG) + BIG, BIG)])
def test_answers_arrive_whole_and_the_connection_is_reused(asked, serving, host, reply, body):
    with serving(always(reply), host) as (server, address):
        for _time in range(3):
            assert body == b''.join(asked.ask_at(address, env_of()))
            assert asked.pool.idle_since(address) is not None
            assert asked.pool.idle_since((host, server.port)) is None
        assert 1 == server.connections


def test_an_upload_arrives_whole(asked, serving):
    bodies = []
    with serving(taking(bodies)) as (_server, address):
        for _time in range(2):
            assert b'hello' == b''.join(asked.ask_at(address, env_of('PUT', body=BIG)))
    assert [BIG] * 2 == [body for _head, body in bodies]


def test_what_a_slow_server_has_not_taken_is_sent_later_and_once(serving, monkeypatch):
    monkeypatch.setattr(connections, 'WAKE', 0.02)
    data, reads, got = BIG * 20, threading.Event(), []

    def script(sock, _number):
        reads.wait(LIMIT)
        while sum(map(len, got)) < len(data):
            got.append(sock.recv(65536))
        sock.sendall(REPLY)
    waits = []

    def on_wait(waited):
        waits.append(waited)
        if len(waits) == 3:
            reads.set()
    with serving(script) as (_server, address):
        one = opened(address)
        one.send(data, on_wait)
        assert 200 == one.head('GET', on_wait).status
        one.close()
    assert data == b''.join(got)
    assert len(waits) >= 3


def test_an_end_of_the_body_without_an_end_of_the_session_is_an_error(asked, serving):
    head = b'HTTP/1.1 200 OK\r\n\r\n'
    with serving(once(head + BIG)) as (_server, address), pytest.raises(PeerError, match='lost'):
        b''.join(asked.ask_at(address, env_of()))
    with serving(once(head + BIG, lambda sock: sock.unwrap())) as (_server, address):
        assert BIG == b''.join(asked.ask_at(address, env_of()))


def test_a_lost_session_stays_lost_however_often_it_is_looked_at(serving):
    with serving(lambda _sock, _number: None) as (_server, address):
        one = opened(address)
        until(lambda: one.has_news)
        for _time in range(3):
            assert one.has_news
            with pytest.raises(OSError, match=r'EOF|reset'):
                one._socket.recv(10)
        one.close()


def test_session_tickets_are_no_news_but_data_and_the_end_are(serving):
    speak, end = threading.Event(), threading.Event()

    def script(sock, _number):
        speak.wait(LIMIT)
        sock.sendall(REPLY)
        end.wait(LIMIT)
    with serving(script) as (_server, address):
        one = opened(address)
        until(lambda: is_readable(one._socket._socket))
        assert not one.has_news
        assert not is_readable(one._socket._socket)
        speak.set()
        until(lambda: one.has_news)
        head = one.head('GET', pytest.fail)
        assert b'hello' == b''.join(one.body(head, pytest.fail))
        assert not one.has_news
        end.set()
        until(lambda: one.has_news)
        one.close()


def test_decrypted_bytes_that_were_not_read_are_news(serving):
    def script(sock, _number):
        sock.sendall(b'hello')
        read_head(sock)
    with serving(script) as (_server, address):
        one = opened(address)
        assert b'h' == one._socket.recv(1)
        assert one.has_news
        assert b'el' == one._socket.recv(2)
        assert one.has_news
        assert b'lo' == one._socket.recv(9)
        assert not one.has_news
        one.close()


@pytest.mark.parametrize(('host', 'certified', 'why'), [
    ('127.0.0.1', ['localhost'], "IP address mismatch, certificate is not valid for '127.0.0.1'"),
    ('localhost', ['ucsb.example', '127.0.0.1'], 'Hostname mismatch'),
    ('localhost', ['*'], 'Hostname mismatch')])
def test_a_certificate_for_another_name_or_ip_is_refused(serving, authority, host, certified, why):
    requests = []
    with (serving(taking(requests), host, authority.certify(*certified)) as (_server, address),
          pytest.raises(PeerError, match=f'{host}:[0-9]+: TLS: {why}')):
        opened(address)
    assert not requests


def test_certificates_of_unknown_or_expired_authorities_and_expired_ones_are_refused(
        serving, authority, tmp_path):
    stranger, old = Authority(tmp_path, 'stranger'), Authority(tmp_path, 'old', expired=True)
    for certificate, trusted, why in (
            (stranger.certify('127.0.0.1'), authority, 'unable to get local issuer certificate'),
            (authority.certify('127.0.0.1', expired=True), authority, 'certificate has expired'),
            (old.certify('127.0.0.1'), old, 'certificate has expired')):
        with serving(always(REPLY), certificate=certificate) as (_server, address):
            trusting = address._replace(context=client_context(str(trusted.path)))
            with pytest.raises(PeerError, match=f'TLS: {why}'):
                opened(trusting)


def test_a_certificate_of_no_authority_of_the_system_is_refused_by_default(serving):
    with (serving(always(REPLY)) as (_server, address),
          pytest.raises(PeerError, match='TLS: unable to get local issuer certificate')):
        opened(address._replace(context=client_context('')))


def test_a_server_without_tls_or_without_a_word_raises_a_peer_error(serving, authority):
    def plain(sock, _number):
        sock.sendall(REPLY)
        read_head(sock)

    def silent(_sock, _number):
        over.wait(LIMIT)
    over, context = threading.Event(), client_context(str(authority.path))
    for script, timeout, why in ((plain, LIMIT, 'TLS: WRONG_VERSION_NUMBER'),
                                 (silent, 0.02, 'timed out')):
        with ScriptedServer(script) as server, pytest.raises(PeerError, match=why):
            opened(TlsAddress('127.0.0.1', server.port, context), timeout)
    over.set()


def test_name_connection_and_handshake_have_the_connect_timeout_together(serving, monkeypatch):
    limits = []
    monkeypatch.setattr(tls, 'Timeout', lambda seconds, _error: (
        limits.append(seconds) or nullcontext()))
    with serving(always(REPLY)) as (_server, address):
        for patience in (inf, LIMIT / 2):
            Pool(clock.monotonic, LIMIT).new(address, '', patience).close()
    assert [LIMIT, LIMIT / 2] == limits


def test_without_authorities_there_is_no_connection(serving):
    with serving(always(REPLY)) as (server, address):
        with pytest.raises(PeerError, match='no authorities'):
            opened(address._replace(context=None))
        assert not server.connections


def test_in_swifts_process_other_greenthreads_run_while_a_server_is_silent(serving, authority):
    def slow(sock, _number):
        read_head(sock)
        clock.sleep(0.1)
        sock.sendall(REPLY)

    def silent(_sock, _number):
        over.wait(LIMIT)
    over = threading.Event()
    with serving(slow) as (server, _address), ScriptedServer(silent) as other:
        output = subprocess.run(
            [sys.executable, '-W', 'ignore', '-c', GREEN, authority.path, str(server.port),
             str(other.port)], capture_output=True, text=True, timeout=LIMIT, check=True).stdout
    over.set()
    assert ['200', 'localhost:port: timed out', 'True'] == output.splitlines()
