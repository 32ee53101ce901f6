"""The HTTP client with correct and incorrect servers, on real sockets."""
import asyncio
import contextlib
import gc
import threading
from pathlib import Path

import pytest
from support.scripted_server import REPLY, ScriptedServer, always, once, read_head, reset

from swift_lb.workload.client import Client, ServerUrl, tls_context
from swift_lb.workload.connection import PIECE
from swift_lb.workload.failure import OperationError

TLS = Path(__file__).resolve().parents[2] / 'cases' / 'tls'
CERTIFICATE = TLS / 'localhost.pem', TLS / 'localhost.key'
TOO_LARGE = b'HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n'
OK = b'HTTP/1.1 200 OK\r\n'
HALF = OK + b'Content-Length: 4096\r\n\r\nhalf of it'


def ask(server, times=1, method='GET', timeout=60.0, body=None, tls=None, scheme='http', each=None):
    """Send the same request `times` times through one Client; return the last response."""
    async def asking():
        to = ServerUrl(f'{scheme}://127.0.0.1:{server.port}/')
        client = Client(timeout, tls)
        try:
            for _ in range(times):
                length = f'Content-Length: {PIECE * 64}\r\n' if body else ''
                head = f'{method} / HTTP/1.1\r\nHost: x\r\n{length}\r\n'.encode()
                answer = await client.request(to, method, head, body, each)
            return answer
        finally:
            client.close()
    return asyncio.run(asyncio.wait_for(asking(), 120))


def asked(script, times=1, **options):
    """Run a ScriptedServer with `script`, ask it; return (last response, connections opened)."""
    with ScriptedServer(script) as server:
        return ask(server, times, **options), server.connections


def test_a_connection_is_kept_for_the_next_request():
    seen = []
    answer, connections = asked(always(REPLY), times=5, each=seen.append)
    assert (answer.status, answer.size, connections) == (200, 5, 1)
    assert b''.join(seen) == b'hello' * 5
    assert answer.headers[b'content-length'] == b'5'
    assert answer.headers_at <= answer.ended_at


def reset_after_one(connection, number):
    """Answer one request; if this is the first connection, reset it at the second request."""
    read_head(connection)
    connection.sendall(REPLY)
    if number == 0:
        read_head(connection)
        reset(connection)


@pytest.mark.parametrize(('script', 'method', 'size', 'connections'), [
    (always(OK + b'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'),
     'GET', 5, 1),
    (always(b'HTTP/1.1 204 No Content\r\n\r\n'), 'GET', 0, 1),
    (always(b'HTTP/1.1 100 Continue\r\n\r\n' + REPLY), 'GET', 5, 1),
    (always(OK + b'Content-Length: 0\r\n\r\n'), 'GET', 0, 1),
    (always(OK + b'Content-Length: 4096\r\n\r\n'), 'HEAD', 0, 1),
    (once(OK + b'Connection: close\r\n\r\nabc'), 'GET', 3, 3),
    (once(REPLY), 'GET', 5, 3),                                    # closed, and opened again
    (reset_after_one, 'GET', 5, 3),                                # sent once more
    (always(REPLY + b'HTTP/1.1 500 No\r\n\r\n'), 'GET', 5, 3)])    # surplus is no answer
def test_every_form_of_http_response_is_read_to_its_end(script, method, size, connections):
    answer, opened = asked(script, times=3, method=method)
    assert (answer.size, opened) == (size, connections)
    assert answer.status in (200, 204)


def silence(_connection):
    """Keep the connection open for 60 s without sending anything."""
    threading.Event().wait(60)


def half_a_line(connection):
    """Answer the next request with the first half of a status line."""
    read_head(connection)
    connection.sendall(b'HTTP/1.1 2')


@pytest.mark.parametrize(('script', 'times', 'expected'), [
    (once(HALF), 1, 'body cut short'),
    (once(b'', reset), 1, 'connection reset'),
    (once(HALF, reset), 1, 'body cut short'),
    (once(b''), 1, 'connection closed without an answer'),
    (once(REPLY, half_a_line), 2, 'connection closed without an answer'),     # is not sent again
    (always(b'220 smtp.example ready\r\n\r\n'), 1, 'not an HTTP answer'),
    (always(OK + b'Content-Length: many\r\n\r\n'), 1, 'not an HTTP answer'),
    (always(b'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'), 1,
     'not an HTTP answer')])
def test_a_broken_connections_error_says_why(script, times, expected):
    with ScriptedServer(script) as server, pytest.raises(OperationError) as caught:
        ask(server, times)
    assert str(caught.value) == expected


def test_a_refused_connections_error_says_so():
    with ScriptedServer(always(REPLY)) as server:
        pass
    with pytest.raises(OperationError, match='connection refused'):
        ask(server)


@pytest.mark.parametrize('url', ['ftp://h/', 'nothing', 'http://', 'http://h:port/',
                                 'http://[::1', 'http://[zz]/', 'http://a b/', 'http://ö/', 'http://.1:80/',
                                 f'http://{"a" * 64}/'])
def test_invalid_urls_are_refused(url):
    with pytest.raises(OperationError, match='not a URL'):
        ServerUrl(url)


def upload():
    return (b'x' * PIECE for _ in range(64))


def test_a_large_upload_to_a_slow_server_succeeds():
    def script(connection, _number):
        while read_head(connection):
            left = PIECE * 64
            while left:
                left -= len(connection.recv(min(left, 100_000)))
            connection.sendall(REPLY)
    answer, connections = asked(script, times=2, method='PUT', body=upload)
    assert (answer.status, connections) == (200, 1)
    assert answer.sending_time > 0


def test_a_response_before_the_end_of_the_upload_is_accepted():
    def listen(connection):
        with contextlib.suppress(OSError):
            while connection.recv(1000):
                pass
    answer, connections = asked(once(TOO_LARGE, listen), times=2, method='PUT', body=upload)
    assert (answer.status, connections) == (413, 2)


@pytest.mark.parametrize('wait', [0.0, 0.3])
def test_a_response_is_accepted_if_the_server_reads_no_upload(wait):
    def script(connection, _number):
        read_head(connection)
        threading.Event().wait(wait)
        connection.sendall(TOO_LARGE)
        done.wait(120)     # longer than the client, which would call that a timeout
    done = threading.Event()
    assert asked(script, method='PUT', body=upload)[0].status == 413
    done.set()


def test_a_cancelled_upload_leaves_no_unhandled_exception():
    errors = []   # an exception without a waiting task would print a traceback

    async def breaking_off(port):
        asyncio.get_running_loop().set_exception_handler(lambda _loop, error: errors.append(error))
        client = Client(60.0)
        head = b'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4194304\r\n\r\n'
        task = asyncio.ensure_future(
            client.request(ServerUrl(f'http://127.0.0.1:{port}/'), 'PUT', head, upload))
        await asyncio.sleep(0.3)
        task.cancel()
        await asyncio.wait({task})
        await asyncio.sleep(0.05)
        client.close()
        del client, task
        gc.collect()
        await asyncio.sleep(0.05)

    with ScriptedServer(once(b'', silence)) as server:
        asyncio.run(breaking_off(server.port))
    assert errors == []


def test_tls_needs_a_trusted_certificate_unless_insecure():
    with ScriptedServer(always(REPLY), CERTIFICATE) as server:
        for tls in (tls_context(cacert=CERTIFICATE[0]), tls_context(insecure=True)):
            assert ask(server, times=2, scheme='https', tls=tls).size == 5
        with pytest.raises(OperationError, match='TLS: self-signed certificate'):
            ask(server, scheme='https', tls=tls_context())


def test_a_missing_certificate_file_is_an_error():
    with pytest.raises(OperationError, match=r'cacert nowhere\.pem: No such file'):
        tls_context(cacert='nowhere.pem')
