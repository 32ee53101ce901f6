"""The HTTP requests of `swift-lb image`, against a real server on a socket."""
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from swift_lb.console.image.server import ImageServer, from_environment
from swift_lb.errors import ImageError


@contextmanager
def serving(answers):
    """Provide (URL, [(path, token, X-Lb-Client), ...]) of a server that answers path by `answers`.

    An answer is (status, headers, body).
    """
    seen = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'

        def do_GET(self):
            seen.append((self.path, *map(self.headers.get, ('X-Auth-Token', 'X-Lb-Client'))))
            status, headers, body = answers[self.path.partition('?')[0]]
            self.send_response(status)
            for name, value in {**headers, 'Content-Length': len(body)}.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(body)

        def do_PUT(self):
            self.rfile.read(int(self.headers['Content-Length']))
            self.do_GET()

        def log_message(self, *_args):
            """Log nothing."""

    server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f'http://127.0.0.1:{server.server_port}', seen
    finally:
        server.shutdown()
        server.server_close()


def test_an_answer_has_its_body_headers_and_times():
    with serving({'/v1/a/c/o%20o': (200, {'X-Lb-Point': 'D2'}, b'body')}) as (url, seen):
        server = ImageServer(f'{url}/v1/a/', 'token')
        first, second = (server.get(server.address('c/o o', 'lb_reduce=1'), {})
                         for _time in range(2))
        server.close()
    assert (first.body, first.headers['X-Lb-Point']) == (b'body', 'D2')
    assert first.latency is not None
    assert second.latency is None       # the connection was open
    assert seen == 2 * [('/v1/a/c/o%20o?lb_reduce=1', 'token', None)]


def test_a_redirect_of_a_cluster_is_followed_with_the_token():
    with serving({'/v1/a/c/o': (200, {}, b'there')}) as (there, seen), serving(
            {'/v1/a/c/o': (307, {'Location': f'{there}/v1/a/c/o?lb_from=x'}, b'')}) as (here, _):
        assert ImageServer(f'{here}/v1/a', 'token').get(f'{here}/v1/a/c/o', {}).body == b'there'
    assert seen == [('/v1/a/c/o?lb_from=x', 'token', None)]


def test_another_redirect_is_not_followed():
    with serving({'/v1/a/c/o': (200, {}, b'there')}) as (there, seen), serving(
            {'/v1/a/c/o': (307, {'Location': f'{there}/v1/a/c/o'}, b'')}) as (
            here, _), pytest.raises(ImageError, match='answered 307'):
        ImageServer(f'{here}/v1/a', 'token').get(f'{here}/v1/a/c/o', {})
    assert seen == []


@pytest.mark.parametrize(('status', 'body', 'sentence'), [
    (400, b'lb_reduce=x must be\na number', 'answered 400 Bad Request: lb_reduce=x must be$'),
    (404, b'<html><h1>Not Found</h1></html>', 'answered 404 Not Found$')])
def test_an_error_is_told_with_the_servers_sentence(status, body, sentence):
    with serving({'/v1/a/c/o': (status, {}, body)}) as (url, _), pytest.raises(
            ImageError, match=sentence):
        ImageServer(f'{url}/v1/a', None).get(f'{url}/v1/a/c/o', {})


def test_an_object_without_a_container_is_told():
    with serving({'/v1/a/c/o': (404, {}, b'<html></html>')}) as (url, _), pytest.raises(
            ImageError, match='answered 404 Not Found: its container must be there before'):
        ImageServer(f'{url}/v1/a', None).put(f'{url}/v1/a/c/o', b'data', 'image/jp2')


@pytest.mark.parametrize(('url', 'sentence'), [
    ('http://127.0.0.1:1/v1/a', 'does not answer'), ('ftp://h/v1/a', 'must be a URL'),
    ('v1/a', 'must be a URL')])
def test_a_server_that_cannot_be_asked_is_an_error(url, sentence):
    with pytest.raises(ImageError, match=sentence):
        ImageServer(url, None).get(f'{url}/c/o', {})


def test_the_environment_names_account_and_token(monkeypatch):
    monkeypatch.setenv('OS_STORAGE_URL', 'http://h/v1/a')
    monkeypatch.delenv('OS_AUTH_TOKEN', raising=False)
    assert from_environment().address('c/o') == 'http://h/v1/a/c/o'
    monkeypatch.delenv('OS_STORAGE_URL')
    with pytest.raises(ImageError, match='OS_STORAGE_URL must be set'):
        from_environment()
