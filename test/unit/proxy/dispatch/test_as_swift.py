"""Behaviour of Swift that a hop through a peer must not change."""
import io
import threading

import pytest
from support.scripted_server import REPLY, ScriptedServer, always, read_head

from swift_lb import clock, instruction_file
from swift_lb.errors import ClientError
from swift_lb.model import UP, NodeInstruction
from swift_lb.plan.decision import make_instruction
from swift_lb.proxy.dispatch import relay
from swift_lb.proxy.dispatch.connection import Pool
from swift_lb.proxy.dispatch.relay import Relay
from swift_lb.proxy.dispatch.request import ClientRequest
from swift_lb.proxy.dispatcher import filter_factory

BEGINNING = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n \r\n'


def env_of(method='GET', path='/v1/a/c/o', raw=(), body=b'', **others):
    """Return the environment of a request with the headers `raw`, as Swift's server makes it."""
    env = {'REQUEST_METHOD': method, 'PATH_INFO': path, 'RAW_PATH_INFO': path, 'CONTENT_TYPE': '',
           'REMOTE_ADDR': '127.0.0.1', 'SERVER_NAME': '127.0.0.1', 'SERVER_PORT': '8080',
           'headers_raw': tuple(raw), 'wsgi.input': io.BytesIO(body)}
    for name, value in raw:
        key = 'HTTP_' + name.replace('-', '_').encode('latin-1').upper().decode('latin-1')
        env[key.removeprefix('HTTP_') if key == 'HTTP_CONTENT_LENGTH' else key] = value
    return env | others


def lines(env):
    """Return the lines of the head that a peer gets."""
    return ClientRequest(env).head('signed').split(b'\r\n')[1:-2]


@pytest.fixture
def delegating(tmp_path):
    """Return a function of a port that makes a filter whose peer there gets all requests."""
    path, conf = tmp_path / 'instruction.json', tmp_path / 'lb-server.conf'
    conf.write_text(f'[lb-agent]\nnode = here\nkey = secret\ninstruction_file = {path}\n')

    def make(port):
        nodes = tuple(NodeInstruction(node, f'127.0.0.1:{at}', UP, 0.5, 1.0, 0.5, 0.0, 0.5)
                      for node, at in (('here', 8080), ('there', port)))
        instruction_file.write(
            path, make_instruction(1, clock.monotonic() + 600, 'test', False, nodes, ''))
        return filter_factory({}, policy='weighted_round_robin', weights='here=0',
                              lb_conf=str(conf))(served_here)
    return make


def served_here(_env, start_response):
    """Answer as Swift's proxy here."""
    start_response('500 Internal Error', [])
    return [b'served here']


class Started:
    """A start_response that keeps its arguments."""

    def __call__(self, status, headers):
        self.status, self.headers = status, headers


@pytest.mark.parametrize('name', ['X-Object-Meta-\xe4\xb8\xad\xe6', 'X-Object-Meta-\xb5\xff\xdf'])
def test_the_bytes_of_a_headers_name_are_kept(name):
    assert f'{name}: 1'.encode('latin-1') in lines(env_of(raw=[(name, '1')]))


def test_names_of_headers_keep_the_case_that_the_client_sent():
    """A signature of S3 covers them, and s3api reads those with '_' in another way than Swift."""
    raw = [('X-Amz-Meta-Foo-bar', '1'), ('X-Amz-Meta-Foo_Bar', '2'), ('x-AMZ-meta-foo-bar', '3'),
           ('X_Lb_Hop', 'forged')]
    today = env_of() | {'headers_raw': raw, 'HTTP_X_AMZ_META_FOO_BAR': '1,3'}
    before = today | {'HTTP_X_AMZ_META_FOO_BAR': '1,2,3'}
    for env in today, before:
        assert sorted(one for one in lines(env) if b'Amz' in one.title()) == [
            b'X-Amz-Meta-Foo-bar: 1', b'X-Amz-Meta-Foo_Bar: 2', b'x-AMZ-meta-foo-bar: 3']
        assert b'forged' not in b''.join(lines(env))


def test_headers_that_a_filter_changed_are_sent_changed():
    env = env_of(raw=[('x-Foo', '1'), ('x-gone', '1')]) | {'HTTP_X_FOO': '2', 'HTTP_X_NEW': '3'}
    del env['HTTP_X_GONE']
    assert lines(env)[2:] == [b'X-Foo: 2', b'X-New: 3']


def test_requests_with_invalid_names_go_to_no_peer(delegating):
    """Such a request goes to no peer, unless it might frame a body: then it goes nowhere."""
    started = Started()
    with ScriptedServer(always(REPLY)) as server:
        app = delegating(server.port)
        assert app(env_of(raw=[('X-Object-Meta-a b', '1')]), started) == [b'served here']
        for name in 'Content-Length ', 'Transfer_Encoding', 'Content(Length)':
            assert b''.join(app(env_of(raw=[(name, '1')]), started)) != b'served here'
            assert started.status == '400 Bad Request'


def test_framing_headers_come_before_odd_names():
    odd = ('X-Object-Meta-\xe4\xb8\xad', '1')
    result = lines(env_of('PUT', raw=[odd, ('Content-Length', '3')], body=b'abc'))
    assert result.index(b'Content-Length: 3') < result.index(b'X-Object-Meta-\xe4\xb8\xad: 1')


def test_headers_that_gatekeeper_renamed_are_sent_unrenamed():
    env = env_of('PUT', HTTP_X_BACKEND_INBOUND_X_TIMESTAMP='1700000000.00000',
                 HTTP_X_BACKEND_ALLOW_RESERVED_NAMES='true')
    assert {b'X-Timestamp: 1700000000.00000', b'X-Allow-Reserved-Names: true'} <= {*lines(env)}


def test_without_a_host_header_the_address_is_sent():
    assert b'Host: 127.0.0.1:8080' in lines(env_of())


@pytest.mark.parametrize(('raw', 'status'), [
    ([('Transfer-Encoding', 'gzip,chunked')], '501 Not Implemented'),
    ([('Transfer-Encoding', 'chunked,chunked')], '501 Not Implemented'),
    ([('Transfer-Encoding', 'gzip')], '400 Bad Request'),
    ([('Content-Length', '5'), ('Content-Length', '6')], '400 Bad Request')])
def test_ambiguous_requests_are_refused_as_by_swift(delegating, raw, status):
    started = Started()
    with ScriptedServer(always(REPLY)) as server:
        assert b'' != b''.join(delegating(server.port)(env_of('PUT', raw=raw), started))
        assert not server.connections
    assert started.status == status


def test_a_head_is_refused_without_a_body(delegating):
    """Else catch_errors would make a 500 of it."""
    started = Started()
    with ScriptedServer(always(REPLY)) as server:
        app = delegating(server.port)
        for method, body in ('GET', [b'not from a peer: key\n']), ('HEAD', []):
            list(app(env_of('GET'), started))      # the peers are known from now on
            assert app(env_of(method, HTTP_X_LB_HOP='forged'), started) == body
            assert started.status == '421 Misdirected Request'


def test_slow_answers_are_passed_on_at_once(delegating):
    """Blanks of bulk requests keep clients awake; eventlet's server would gather 4 kB of them."""
    started, env = Started(), env_of()
    with ScriptedServer(always(REPLY)) as server:
        assert b''.join(delegating(server.port)(env, started)) == b'hello'
    assert started.status == '200 OK'
    assert env['eventlet.minimum_write_chunk_size'] == 0


def test_a_peer_is_not_ejected_for_unreadable_metadata(delegating):
    """Else a client that stores it could have every peer ejected."""
    answers = iter([REPLY.replace(b' OK\r\n', b' OK\r\nX-Object-Meta-A: 1\r\n 2\r\n'), REPLY])

    def script(connection, _number):
        while read_head(connection):
            connection.sendall(next(answers))
    with ScriptedServer(script) as server:
        app = delegating(server.port)
        assert b''.join(app(env_of(), Started())) == b'served here'
        assert b''.join(app(env_of(), Started())) == b'hello'


class Stalled:
    """A body that stops coming."""

    def read(self, _size):
        """Fail as a server does whose client is silent."""
        raise TimeoutError


@pytest.mark.parametrize(('said', 'error'), [
    (REPLY.replace(b'200 OK', b'400 Bad Request'), None), (b'', ClientError)])
def test_a_client_that_stops_sending_gets_the_peers_answer(monkeypatch, said, error):
    """With s3api it is a document that clients look for."""
    monkeypatch.setattr(relay, 'LAST_WORDS', 0.0)

    def script(connection, _number):
        read_head(connection)
        connection.sendall(b'HTTP/1.1 100 Continue\r\n\r\n' + said)
        connection.recv(1)
    with ScriptedServer(script) as server:
        if error is None:
            assert relayed(server, Stalled())[0] == b'hello'
        else:
            with pytest.raises(error):
                relayed(server, Stalled())


def test_the_connection_of_the_client_closes_with_the_peers(delegating):
    started, answer = Started(), REPLY.replace(b'200 OK', b'400 No\r\nConnection: close')

    def script(connection, _number):
        read_head(connection)
        connection.sendall(b'HTTP/1.1 100 Continue\r\n\r\n' + answer)
        connection.recv(1)
    env = env_of('PUT', raw=[('Content-Length', '9')], **{'wsgi.input': Stalled()})
    with ScriptedServer(script) as server:
        assert b''.join(delegating(server.port)(env, started)) == b'hello'
    assert started.status == '400 No'
    assert ('Connection', 'close') in started.headers


class SlowBody:
    """A body of three pieces; the second is there when `go` is set."""

    def __init__(self, go):
        self._left, self._go = [b'a', b'b', b'c'], go

    def read(self, _size):
        """Return the next piece."""
        if len(self._left) == 2:
            assert self._go.wait(60)
        return self._left.pop(0) if self._left else b''


def relayed(server, body):
    """Return (the body of the answer, the request, the connections kept) of a chunked upload."""
    pool = Pool(clock.monotonic, 60.0)
    env = env_of('PUT', raw=[('Transfer-Encoding', 'chunked')]) | {'wsgi.input': body}
    request = ClientRequest(env)
    answer = Relay(pool).send(request, lambda: request.head('signed'),
                             ('127.0.0.1', server.port), '', lambda waited: None,
                             lambda count: None)
    return b''.join(answer), request, pool.take(('127.0.0.1', server.port))


def upload(begun, end, beginning=BEGINNING):
    """Return a script of a server that begins its answer after the first piece of a body."""
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
    """Read the rest of the body, and say so."""
    rest = b''
    while not rest.endswith(b'0\r\n\r\n'):
        rest += connection.recv(1000)
    assert rest == b'1\r\nb\r\n1\r\nc\r\n0\r\n\r\n'
    connection.sendall(b'4\r\nwell\r\n0\r\n\r\n')


def test_a_body_goes_on_when_its_answer_has_begun():
    """Swift's bulk upload answers 200 and blanks before it has read all."""
    begun = threading.Event()
    with ScriptedServer(upload(begun, all_of_it)) as server:
        answer, request, kept = relayed(server, SlowBody(begun))
    assert answer == b' well'
    assert request.ended
    assert kept is not None


@pytest.mark.parametrize('answer', [
    REPLY.replace(b'200 OK', b'413 Too Large'),
    REPLY.replace(b' OK\r\n', b' OK\r\nConnection: close\r\n')])
def test_after_a_peers_refusal_the_rest_of_the_body_is_not_sent(answer):
    begun = threading.Event()
    with ScriptedServer(upload(begun, lambda _: None, answer)) as server:
        answered, request, kept = relayed(server, SlowBody(begun))
    assert (answered, request.ended, kept) == (b'hello', False, None)
