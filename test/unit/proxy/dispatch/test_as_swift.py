"""Behaviour of Swift that a hop through a peer must not change."""
import threading
from types import SimpleNamespace

import pytest
from support.client_env import env_of
from support.scripted_server import REPLY, ScriptedServer, read_head

from swift_lb.errors import ClientError
from swift_lb.proxy.dispatch import relay
from swift_lb.proxy.dispatch.request import ClientRequest

BEGINNING = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n \r\n'


def lines(env):
    """Return the header lines, in bytes, of the request that a peer gets for `env`."""
    return ClientRequest(env).head('signed').split(b'\r\n')[1:-2]


@pytest.mark.parametrize('name', ['X-Object-Meta-\xe4\xb8\xad\xe6', 'X-Object-Meta-\xb5\xff\xdf'])
def test_a_header_name_reaches_the_peer_with_all_its_bytes(name):
    assert f'{name}: 1'.encode('latin-1') in lines(env_of(raw=[(name, '1')]))


def test_header_names_reach_the_peer_in_the_clients_case():
    """S3 signatures cover header names, and s3api reads a '_' in them otherwise than Swift."""
    raw = [('X-Amz-Meta-Foo-bar', '1'), ('X-Amz-Meta-Foo_Bar', '2'), ('x-AMZ-meta-foo-bar', '3'),
           ('X_Lb_Hop', 'forged')]
    today = env_of() | {'headers_raw': raw, 'HTTP_X_AMZ_META_FOO_BAR': '1,3'}
    before = today | {'HTTP_X_AMZ_META_FOO_BAR': '1,2,3'}
    for env in today, before:
        assert sorted(one for one in lines(env) if b'Amz' in one.title()) == [
            b'X-Amz-Meta-Foo-bar: 1', b'X-Amz-Meta-Foo_Bar: 2', b'x-AMZ-meta-foo-bar: 3']
        assert b'forged' not in b''.join(lines(env))


def test_a_peer_gets_the_header_values_that_filters_have_set():
    env = env_of(raw=[('x-Foo', '1'), ('x-gone', '1')]) | {'HTTP_X_FOO': '2', 'HTTP_X_NEW': '3'}
    del env['HTTP_X_GONE']
    assert lines(env)[2:] == [b'X-Foo: 2', b'X-New: 3']


def test_a_request_with_an_invalid_header_name_goes_to_no_peer(proxy, peer):
    """It is served here, or gets 400 if the invalid name resembles one that frames a body."""
    assert proxy.ask(env_of(raw=[('X-Object-Meta-a b', '1')]))[2] == b'here'
    for name in 'Content-Length ', 'Transfer_Encoding', 'Content(Length)':
        status, _headers, body = proxy.ask(env_of(raw=[(name, '1')]))
        assert (status, body == b'here') == ('400 Bad Request', False)


def test_content_length_precedes_headers_with_non_ascii_names():
    odd = ('X-Object-Meta-\xe4\xb8\xad', '1')
    result = lines(env_of('PUT', raw=[odd], body=b'abc'))
    assert result.index(b'Content-Length: 3') < result.index(b'X-Object-Meta-\xe4\xb8\xad: 1')


def test_headers_that_gatekeeper_renamed_get_their_names_back():
    env = env_of('PUT') | {'HTTP_X_BACKEND_INBOUND_X_TIMESTAMP': '1700000000.00000',
                           'HTTP_X_BACKEND_ALLOW_RESERVED_NAMES': 'true'}
    assert {b'X-Timestamp: 1700000000.00000', b'X-Allow-Reserved-Names: true'} <= {*lines(env)}


def test_a_request_without_host_is_sent_with_the_server_name():
    env = env_of() | {'HTTP_HOST': '', 'SERVER_NAME': '127.0.0.1', 'SERVER_PORT': '8080'}
    assert b'Host: 127.0.0.1:8080' in lines(env)


@pytest.mark.parametrize(('raw', 'status'), [
    ([('Transfer-Encoding', 'gzip,chunked')], '501 Not Implemented'),
    ([('Transfer-Encoding', 'chunked,chunked')], '501 Not Implemented'),
    ([('Transfer-Encoding', 'chunked, identity')], '501 Not Implemented'),
    ([('Transfer-Encoding', 'gzip')], '400 Bad Request'),
    ([('Content-Length', '5'), ('Transfer-Encoding', 'chunked')], '400 Bad Request'),
    ([('Content-Length', '5'), ('Content-Length', '6')], '400 Bad Request'),
    ([('Content-Length', '+5')], '400 Bad Request')])
def test_a_request_with_ambiguous_framing_gets_swifts_status(proxy, peer, raw, status):
    assert status == proxy.ask(env_of('PUT', raw=raw))[0]
    assert not peer.connections
    assert [] == proxy.served


def test_a_head_request_is_refused_without_a_body(proxy, peer):
    """The 421 for a forged marker has no body: Swift's catch_errors would make a 500 of it."""
    proxy.ask()         # the peers are known from now on
    for method, body in ('GET', b'not served here: key\n'), ('HEAD', b''):
        env = env_of(method, x_lb_hop='forged') | {'REMOTE_ADDR': '127.0.0.1'}
        assert proxy.ask(env)[::2] == ('421 Misdirected Request', body)


def test_each_piece_of_an_answer_is_passed_on_at_once(proxy, peer):
    """The WSGI server is told to gather 0 bytes: else it keeps back up to 4 kB of a bulk answer."""
    env = env_of()
    assert proxy.ask(env)[::2] == ('200 OK', b'hello')
    assert env['eventlet.minimum_write_chunk_size'] == 0


def test_a_peer_that_returns_unreadable_metadata_is_not_ejected(proxy):
    """A client could store such metadata, and so have every peer ejected."""
    answers = iter([REPLY.replace(b' OK\r\n', b' OK\r\nX-Object-Meta-A: 1\r\n 2\r\n'), REPLY])

    def script(connection, _number):
        while read_head(connection):
            connection.sendall(next(answers))
    with ScriptedServer(script) as server:
        proxy.tell(server)
        assert [b'here', b'hello'] == [proxy.ask()[2] for _time in range(2)]


def stalled():
    """Return the environment of a PUT of 9 bytes; to read its body raises TimeoutError."""
    def read(_size):
        raise TimeoutError
    env = env_of('PUT', raw=[('Content-Length', '9')])
    return env | {'wsgi.input': SimpleNamespace(read=read)}


@pytest.mark.parametrize(('said', 'error'), [
    (REPLY.replace(b'200 OK', b'400 Bad Request'), None), (b'', ClientError)])
def test_a_client_that_stops_sending_gets_the_peers_answer(asked, monkeypatch, said, error):
    """`said` is the peer's answer; without one, ask() raises `error`."""
    monkeypatch.setattr(relay, 'LAST_WORDS', 0.0)

    def script(connection, _number):
        read_head(connection)
        connection.sendall(b'HTTP/1.1 100 Continue\r\n\r\n' + said)
        connection.recv(1)
    with ScriptedServer(script) as server:
        if error is None:
            assert b''.join(asked.ask(server, stalled())) == b'hello'
        else:
            with pytest.raises(error):
                asked.ask(server, stalled())


def test_an_upload_cut_by_the_peer_closes_the_clients_connection(proxy):
    answer = REPLY.replace(b'200 OK', b'400 No\r\nConnection: close')

    def script(connection, _number):
        read_head(connection)
        connection.sendall(b'HTTP/1.1 100 Continue\r\n\r\n' + answer)
        connection.recv(1)
    with ScriptedServer(script) as server:
        proxy.tell(server)
        status, headers, body = proxy.ask(stalled())
    assert ('400 No', 'close', b'hello') == (status, headers['Connection'], body)


class SlowBody:
    """A body of the pieces b'a', b'b', b'c'; the second comes when the event `go` is set."""

    def __init__(self, go):
        self._left, self._go = [b'a', b'b', b'c'], go

    def read(self, _size):
        """Return the next piece, or b'' after the last one."""
        if len(self._left) == 2:
            assert self._go.wait(60)
        return self._left.pop(0) if self._left else b''


def uploaded(asked, server, body):
    """Upload `body`; return (the answer's body, whether all was sent, the kept connection)."""
    answer = b''.join(asked.ask(server, env_of('PUT', body=body, chunked=True)))
    return answer, asked.request.ended, asked.pool.take(('127.0.0.1', server.port))


def upload(begun, end, beginning=BEGINNING):
    """Return a script: after an upload's first piece send `beginning`, set `begun`, call `end`."""
    def script(connection, _number):
        read_head(connection)
        connection.sendall(b'HTTP/1.1 100 Continue\r\n\r\n')
        assert connection.recv(6) == b'1\r\na\r\n'
        connection.sendall(beginning)
        begun.set()
        end(connection)
        connection.recv(1)
    return script


def all_of_it(connection):
    """Read the rest of a chunked upload from the connection, and then answer `well`."""
    rest = b''
    while not rest.endswith(b'0\r\n\r\n'):
        rest += connection.recv(1000)
    assert rest == b'1\r\nb\r\n1\r\nc\r\n0\r\n\r\n'
    connection.sendall(b'4\r\nwell\r\n0\r\n\r\n')


def test_an_upload_goes_on_after_its_200_answer_has_begun(asked):
    """Swift's bulk upload sends 200 and blanks before it has read the whole body."""
    begun = threading.Event()
    with ScriptedServer(upload(begun, all_of_it)) as server:
        answer, ended, kept = uploaded(asked, server, SlowBody(begun))
    assert (answer, ended, kept is None) == (b' well', True, False)


@pytest.mark.parametrize('answer', [
    REPLY.replace(b'200 OK', b'413 Too Large'),
    REPLY.replace(b' OK\r\n', b' OK\r\nConnection: close\r\n')])
def test_an_upload_stops_when_the_peer_refuses_it_or_closes(asked, answer):
    begun = threading.Event()
    with ScriptedServer(upload(begun, lambda _: None, answer)) as server:
        assert (b'hello', False, None) == uploaded(asked, server, SlowBody(begun))
