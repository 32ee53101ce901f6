"""Status pages over HTTP, and every way not to get one."""
import errno
import socket
import threading
from http.client import HTTPConnection

import pytest
from unit.console.status_pages import node, page

from swift_lb.console import fetch
from swift_lb.console.fetch import Source, loopback
from swift_lb.errors import StatusError


def refusal(url, key=None):
    with pytest.raises(StatusError) as refused:
        Source(url, key).page()
    return str(refused.value)


def test_the_key_and_the_quoted_object_are_sent(proxy):
    proxy.says(page(node(1)))
    Source(proxy.url, 'geheim').page('/AUTH_test/a b/50%?#+&ü')
    Source(proxy.url).page()
    assert [('/lb/status?object=/AUTH_test/a%20b/50%25%3F%23%2B%26%C3%BC', 'geheim'),
            ('/lb/status', None)] == proxy.requests


def test_non_ascii_key_is_sent_as_utf_8(proxy):
    proxy.says(page())
    Source(proxy.url, 'schlüssel').page()
    assert 'schlüssel'.encode() == proxy.requests[0][1].encode('latin-1')


@pytest.mark.parametrize(('status', 'body', 'key', 'sentence'), [
    (404, b'', None, 'URL has no status page for us (404): its pipeline lacks lb_status, or we are '
                     'not on its loopback interface and need its key (--key-file)'),
    (404, b'<html>', 'k', 'URL has no status page for us (404): its pipeline lacks lb_status, or '
                          'the key is another'),
    (404, b'{"error": "this proxy\'s app is not egg:swift-lb#proxy"}', None,
     "URL: this proxy's app is not egg:swift-lb#proxy"),
    (400, b'{"error": "object=/a/b/c: the container answers 404"}', None,
     'URL: object=/a/b/c: the container answers 404'),
    (401, b'', None, 'URL requires authentication (401): in its pipeline lb_status must stand '
                     'before the authentication filters'),
    (302, b'', 'k', "URL redirects (302), which is not followed: give the proxy's own URL"),
    (503, b'[1]', None, 'URL answers 503 to a request for its status page'),
    (200, b'OK', None, 'URL answers with something that is not JSON: is it a proxy with lb_status '
                       'in its pipeline?'),
])
def test_a_response_that_is_no_page_is_reported_in_one_sentence(proxy, status, body, key, sentence):
    proxy.refuses(status, body, Location=f'{proxy.url}/elsewhere')
    assert sentence == refusal(proxy.url, key).replace(proxy.url, 'URL')
    assert 1 == len(proxy.requests)


def test_oserror_is_reported_in_words(proxy, monkeypatch):
    """Where Swift has been imported, http.client's sockets are eventlet's."""
    def connect(_connection):
        raise OSError(errno.ECONNREFUSED, 'ECONNREFUSED')
    monkeypatch.setattr(HTTPConnection, 'connect', connect)
    assert f'{proxy.url} does not answer: Connection refused' == refusal(proxy.url)


def test_refused_connection_is_reported_in_one_sentence(proxy):
    proxy.close()
    assert f'{proxy.url} does not answer: Connection refused' == refusal(proxy.url)


@pytest.fixture
def mute():
    """Give the URL of a listener that accepts, and sends `mute.said` or nothing."""
    listener = socket.create_server(('127.0.0.1', 0))
    yield listener
    listener.close()


def test_hung_proxy_times_out(mute, monkeypatch):
    monkeypatch.setattr(fetch, 'TIMEOUT', 0.1)
    url = f'http://127.0.0.1:{mute.getsockname()[1]}'
    assert f'{url} does not answer: nothing came for 0.1 s' == refusal(url)


def test_server_without_http_is_reported_in_one_sentence(mute):
    def answer():
        with mute.accept()[0] as connection:
            connection.recv(1000)
            connection.sendall(b'SSH-2.0-\x1b[2J\r\n')
    threading.Thread(target=answer, daemon=True).start()
    url = f'http://127.0.0.1:{mute.getsockname()[1]}'
    assert f'{url} does not answer: SSH-2.0-\ufffd[2J\ufffd\ufffd' == refusal(url)


def test_loopback_ignores_http_proxy(proxy, monkeypatch):
    monkeypatch.setenv('http_proxy', 'http://127.0.0.1:1')
    monkeypatch.delenv('no_proxy', raising=False)
    proxy.says(page(pid=7))
    assert 7 == Source(proxy.url).page().pid


def test_loopback_addresses_are_recognised():
    assert [True, True, True, False, False] == [
        *map(loopback, ('127.64.0.1', '::1', 'localhost', '10.0.0.1', 'localhost.example'))]
