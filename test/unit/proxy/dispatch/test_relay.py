"""A request sent to a peer on a real socket: what the peer gets, and what comes back."""
import gc
import io
import threading

import pytest
from support.client_env import env_of
from support.scripted_server import REPLY, ScriptedServer, always, once, read_head, reset, taking

from swift_lb.dispatch.cost import WINDOW
from swift_lb.errors import ClientError, PeerError
from swift_lb.proxy.dispatch import relay
from swift_lb.proxy.dispatch.connection import PeerConnection
from swift_lb.proxy.dispatch.pool import Pool
from swift_lb.proxy.dispatch.request import ClientRequest, next_size

CHUNKED = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
BIG = bytes(range(256)) * 2000      # 512,000 bytes


def whole(answer):
    """Read an Answer to its end and close it; return (status, body)."""
    body = b''.join(answer)
    answer.close()
    return answer.head.status, body


@pytest.mark.parametrize(('script', 'body', 'connections'), [
    (always(REPLY), b'hello', 1),
    (always(CHUNKED + b'3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n'), b'hello', 1),
    (always(b'HTTP/1.1 204 No Content\r\n\r\n'), b'', 1),
    (always(b'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n'), b'', 1),
    (always(b'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n' + REPLY), b'hello', 1),
    (always(b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n' % len(BIG) + BIG), BIG, 1),
    (once(REPLY), b'hello', 3), (once(b'HTTP/1.1 200 OK\r\n\r\nhello'), b'hello', 3)])
def test_answers_arrive_whole_and_open_connections_are_reused(asked, script, body, connections):
    with ScriptedServer(script) as server:
        for _time in range(3):
            assert whole(asked.ask(server, env_of()))[1] == body
        assert server.connections == connections
    assert asked.bytes == 3 * len(body)


@pytest.mark.parametrize(('reply', 'window'), [
    (REPLY, WINDOW),
    (b'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n' + BIG[:100_000], 64_480)])
def test_an_idle_connection_has_the_window_that_its_bodies_have_opened(asked, reply, window):
    with ScriptedServer(always(reply)) as server:
        address = '127.0.0.1', server.port
        assert 0 == asked.pool.idle_window(address)
        whole(asked.ask(server, env_of()))
        assert window == asked.pool.idle_window(address)


def test_the_connection_with_the_largest_window_is_used_first_then_the_last_used(asked):
    with ScriptedServer(always(REPLY)) as server:
        made = [asked.pool.new(('127.0.0.1', server.port), '') for _time in range(4)]
        for connection, window in zip(made, (WINDOW, 64_480, WINDOW, WINDOW), strict=True):
            connection.window, connection.reusable = window, True
            asked.pool.give('there', connection)
        assert 64_480 == asked.pool.idle_window('there')
        assert [made[1], made[3], made[2], made[0]] == [asked.pool.take('there') for _one in made]
        assert asked.pool.take('there') is None
        for connection in made:
            connection.close()


def test_an_answer_to_head_has_no_body(asked):
    with ScriptedServer(always(b'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n')) as server:
        for _time in range(2):
            answer = asked.ask(server, env_of('HEAD'))
            assert (200, b'') == whole(answer)
            assert ('Content-Length', '5') in answer.headers()
        assert server.connections == 1


@pytest.mark.parametrize('reply', [
    b'', b'HTTP/1.1 200 OK\r\nContent-Le', b'hello\r\n\r\n',
    b'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello', CHUNKED + b'5\r\nhello\r\n',
    CHUNKED + b'5\r\nhellooo\r\n0\r\n\r\n'])
def test_an_invalid_or_incomplete_answer_raises_a_peer_error(asked, reply):
    with ScriptedServer(once(reply)) as server, pytest.raises(PeerError):
        whole(asked.ask(server, env_of()))


@pytest.mark.parametrize('head', [CHUNKED, b'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'])
def test_a_peer_that_ends_before_the_body_of_a_read_has_not_answered(asked, head):
    with ScriptedServer(once(head)) as server, pytest.raises(PeerError):
        asked.ask(server, env_of())


def test_a_success_of_what_is_no_read_is_an_answer_without_its_body(asked):
    with ScriptedServer(once(CHUNKED)) as server:
        answer = asked.ask(server, env_of('DELETE', body=b'x'))
        assert 200 == answer.head.status
        with pytest.raises(PeerError):
            next(answer)


def test_an_answer_that_is_dropped_closes_its_connection_at_once(asked):
    ends = []
    with ScriptedServer(always(REPLY)) as server:
        answer = asked.ask(server, env_of())
        answer.on_end = ends.append
        gc.disable()        # it must not need the garbage collector
        try:
            del answer
            assert [None] == ends
        finally:
            gc.enable()


def test_the_first_piece_of_a_body_is_news_until_it_is_taken(asked):
    with ScriptedServer(always(REPLY)) as server:
        answer = asked.ask(server, env_of())
        assert answer.has_news
        assert b'hello' == next(answer)
        assert not answer.has_news
        assert (200, b'') == whole(answer)
        assert (200, b'hello') == whole(asked.ask(server, env_of()))
        assert server.connections == 1


def test_a_refused_connection_raises_a_peer_error(asked):
    with ScriptedServer(always(REPLY)) as server:
        pass
    with pytest.raises(PeerError, match='refused'):
        asked.ask(server, env_of())


def test_an_idle_connection_that_ends_when_reused_is_replaced(asked):
    def script(connection, number):
        read_head(connection)
        connection.sendall(REPLY)
        if not number:
            read_head(connection)
            reset(connection)
    with ScriptedServer(script) as server:
        for _time in range(2):
            assert (200, b'hello') == whole(asked.ask(server, env_of()))
        assert server.connections == 2


def test_if_the_client_leaves_the_peer_connection_is_closed(asked):
    reply = b'HTTP/1.1 200 OK\r\nContent-Length: 512000\r\n\r\n' + BIG
    with ScriptedServer(always(reply)) as server:
        answer = asked.ask(server, env_of())
        next(answer)
        answer.close()
        assert (200, BIG) == whole(asked.ask(server, env_of()))
        assert server.connections == 2


def test_an_upload_is_sent_after_the_peers_100_continue(asked):
    bodies = []
    with ScriptedServer(taking(bodies)) as server:
        assert (200, b'hello') == whole(asked.ask(server, env_of('PUT', body=BIG)))
        assert (200, b'hello') == whole(asked.ask(server, env_of('PUT', body=b'abc')))
        assert server.connections == 1
    assert [BIG, b'abc'] == [body for _head, body in bodies]
    assert b'\r\nExpect: 100-continue\r\n' in bodies[0][0]
    assert asked.bytes == len(BIG) + 3 + 10


def test_an_upload_of_unknown_length_is_sent_chunked(asked):
    bodies = []
    with ScriptedServer(taking(bodies)) as server:
        whole(asked.ask(server, env_of('PUT', body=BIG[:5000], chunked=True)))
    [[head, body]] = bodies
    assert b'transfer-encoding: chunked\r\n' in head.lower()
    assert b'content-length' not in head.lower()
    assert body.startswith(b'1000\r\n' + BIG[:4096] + b'\r\n')
    assert body.endswith(BIG[4096:5000] + b'\r\n0\r\n\r\n')


class Unread:
    """A request body of 5 bytes; to read it fails the test."""

    def __len__(self):
        return 5

    def read(self, _size):
        """Raise AssertionError."""
        raise AssertionError('the body has been read')


@pytest.mark.parametrize('status', [b'401 Unauthorized', b'413 Too Large', b'507 Full'])
def test_a_refusal_in_place_of_100_leaves_the_body_unread(asked, status):
    reply = b'HTTP/1.1 %b\r\nContent-Length: 2\r\n\r\nno' % status
    with ScriptedServer(once(reply)) as server:
        for _time in range(2):
            answer = asked.ask(server, env_of('PUT', body=Unread()))
            assert (int(status[:3]), b'no') == whole(answer)
            assert not asked.request.begun
        assert server.connections == 2      # the peer still expects the body on this one


def test_a_peers_refusal_during_an_upload_is_passed_on(asked):
    def script(connection, _number):
        read_head(connection)
        connection.sendall(b'HTTP/1.1 100 Continue\r\n\r\n')
        connection.recv(1000)
        connection.sendall(b'HTTP/1.1 422 No\r\nContent-Length: 2\r\n\r\nno')
        connection.recv(1)
        over.wait(60)
    over, endless = threading.Event(), bytes(50_000_000)
    with ScriptedServer(script) as server:
        assert (422, b'no') == whole(asked.ask(server, env_of('PUT', body=endless)))
        over.set()


def test_a_half_sent_upload_is_not_repeated_after_a_reset(asked):
    def script(connection, _number):
        read_head(connection)
        connection.sendall(b'HTTP/1.1 100 Continue\r\n\r\n')
        connection.recv(1000)
        reset(connection)
    with ScriptedServer(script) as server:
        with pytest.raises(PeerError):
            asked.ask(server, env_of('PUT', body=BIG * 20))
        assert asked.request.begun
        assert server.connections == 1


class Breaking(io.BytesIO):
    """A request body of 100 bytes, of which the client sends only some."""

    def __len__(self):
        return 100

    def read(self, size=-1):
        """Return at most 10 bytes; at the end raise `end` if it is an exception, or return b''."""
        data = super().read(min(size, 10))
        if not data and isinstance(self.end, Exception):
            raise self.end
        return data


@pytest.mark.parametrize(('end', 'status'), [
    (TimeoutError('timed out'), '408 Request Timeout'), (b'', '499 Client Disconnect'),
    (OSError('unexpected end'), '499 Client Disconnect')])
def test_a_client_that_breaks_off_its_upload_gets_408_or_499(asked, monkeypatch, end, status):
    monkeypatch.setattr(relay, 'LAST_WORDS', 0.0)
    got, body = [], Breaking(b'0123456789')
    body.end = end

    def script(connection, _number):
        read_head(connection)
        connection.sendall(b'HTTP/1.1 100 Continue\r\n\r\n')
        while data := connection.recv(1000):
            got.append(data)
        closed.set()
    closed = threading.Event()
    with ScriptedServer(script) as server:
        with pytest.raises(ClientError) as error:
            asked.ask(server, env_of('PUT', body=body))
        assert closed.wait(60)
    assert error.value.status == status
    assert b''.join(got) == b'0123456789'


# what the peer is sent

def head_of(**kwargs):
    """Return the lines of the head that a peer gets of the request env_of(**kwargs)."""
    request = ClientRequest(env_of(**kwargs))
    return request.head('signed').decode('latin-1').split('\r\n')


def test_a_peer_gets_no_hop_by_hop_header_of_the_client():
    lines = head_of(method='GET', path='/v1/a/c/o\xe9', query='x=1&y=%2f',
                    x_auth_token='AUTH_tk1', range='bytes=0-5,7-9', if_none_match='"a"',
                    connection='close, Hop-Thing, Host', keep_alive='5', hop_thing='1',
                    te='trailers', x_lb_hop='forged', x_forwarded_for='10.1.2.3')
    assert lines[0] == 'GET /v1/a/c/o%E9?x=1&y=%2f HTTP/1.1'
    assert sorted(lines[1:-2]) == [
        'Host: swift.example', 'If-None-Match: "a"', 'Range: bytes=0-5,7-9',
        'X-Auth-Token: AUTH_tk1', 'X-Forwarded-For: 10.1.2.3', 'X-Lb-Hop: signed']
    assert lines[-2:] == ['', '']


def test_the_path_is_sent_as_the_client_wrote_it():
    env = env_of(path='/v1/a/c/\xe9+~%/x')
    env['RAW_PATH_INFO'] = '/v1/a/c/%e9%2B%7e%25%2fx'
    assert ClientRequest(env).target == '/v1/a/c/%e9%2B%7e%25%2fx'


def test_a_put_with_an_empty_body_has_a_content_length_of_0():
    assert 'Content-Length: 0' in head_of(method='PUT', body=b'')
    assert not any('xpect' in line for line in head_of(method='PUT', body=b''))
    assert not any('ontent-' in line for line in head_of())


@pytest.mark.parametrize(('size', 'seconds', 'following'), [
    (4096, 0.001, 8192), (65536, 0.001, 65536), (4096, 0.5, 4096), (4096, 4.1, 2048),
    (1024, 70.0, 1024)])
def test_an_upload_is_read_in_larger_pieces_if_it_comes_fast(size, seconds, following):
    assert next_size(size, seconds) == following


def test_a_connection_uses_the_source_ip_if_the_host_has_it():
    froms = []

    def script(connection, _number):
        froms.append(connection.getpeername()[0])
    for source in ('127.9.8.7', '192.0.2.1', ''):
        with ScriptedServer(script) as server:
            connection = PeerConnection(('127.0.0.1', server.port), source, 2.0)
            with pytest.raises(PeerError):
                connection.head('GET', lambda _waited: None)
            connection.close()
    assert ['127.9.8.7', '127.0.0.1', '127.0.0.1'] == froms


def test_the_pool_closes_connections_idle_for_15_seconds():
    now = [0.0]
    pool = Pool(lambda: now[0], 2.0)
    with ScriptedServer(always(REPLY)) as server:
        address = ('127.0.0.1', server.port)
        connection = pool.new(address, '')
        connection.reusable = True
        pool.give(address, connection)
        assert pool.take(address) is connection
        assert pool.take(address) is None
        connection.reusable = True
        pool.give(address, connection)
        now[0] = 15.1
        assert pool.take(address) is None
        with pytest.raises(OSError, match='descriptor'):
            connection._socket.send(b'')

