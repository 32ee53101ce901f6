"""Status pages are fetched over HTTP; each failure is reported in one sentence."""
import errno
import socket
import threading
from http.client import HTTPConnection

import pytest
from unit.console.status_pages import node, page

from swift_lb.console import dispatch_why, fetch, watch
from swift_lb.console.fetch import Source, loopback
from swift_lb.errors import StatusError


def refusal(url):
    with pytest.raises(StatusError) as refused:
        Source(url).page()
    return str(refused.value)


def test_the_status_key_and_the_quoted_object_path_are_sent(proxy):
    proxy.says(page(node(1)))
    Source(proxy.url, 'geheim').page('/AUTH_test/a b/50%?#+&ü')
    Source(proxy.url).page()
    assert [('/lb/status?object=/AUTH_test/a%20b/50%25%3F%23%2B%26%C3%BC', 'geheim'),
            ('/lb/status', None)] == proxy.requests


def test_a_non_ascii_status_key_is_sent_as_utf_8(proxy):
    proxy.says(page())
    Source(proxy.url, 'schlüssel').page()
    assert 'schlüssel'.encode() == proxy.requests[0][1].encode('latin-1')


NO_KEY = 'we are not on its loopback interface and need its key (--key-file)'
IN_FRONT = ': in its pipeline lb_status must stand before the authentication filters'
NO_AGENT = 'it is not a swift-lb-agent'
NO_FILTER = ': its pipeline lacks lb_dispatcher'
AGENT, DISPATCHER, STATUS = watch.DOCUMENT, dispatch_why.DISPATCH_PAGE, fetch.STATUS_PAGE


@pytest.mark.parametrize(('subject', 'status', 'keyed', 'sentence'), [
    (STATUS, 404, False, 'has no status page for us (404): its pipeline lacks lb_status, or '
                         + NO_KEY),
    (STATUS, 404, True, 'has no status page for us (404): its pipeline lacks lb_status, or the key '
                        'is another'),
    (STATUS, 400, False, 'has no status page (400): its pipeline lacks lb_status'),
    (STATUS, 401, False, f'requires authentication (401){IN_FRONT}'),
    (STATUS, 403, True, f'requires authentication (403){IN_FRONT}'),
    (STATUS, 302, True, "redirects (302), which is not followed: give the proxy's own URL"),
    (STATUS, 503, False, 'answers 503 to a request for its status page'),
    (DISPATCHER, 400, False, f'has no dispatcher (400){NO_FILTER}'),
    (DISPATCHER, 401, False, f'has no dispatcher (401){NO_FILTER}'),
    (DISPATCHER, 404, False, f'has no dispatcher for us to see (404){NO_FILTER}, or {NO_KEY}'),
    (DISPATCHER, 404, True, f'has no dispatcher for us to see (404){NO_FILTER}, or the key is '
                            'another'),
    (DISPATCHER, 302, False, "redirects (302), which is not followed: give the proxy's own URL"),
    (DISPATCHER, 503, False, 'answers 503 to a request for the page of its dispatcher'),
    (AGENT, 403, False, f'does not answer us (403): {NO_AGENT}, or {NO_KEY}'),
    (AGENT, 401, True, f'does not answer us (401): {NO_AGENT}, or its key is another'),
    (AGENT, 404, False, f'has no /v1/cluster (404): {NO_AGENT}'),
    (AGENT, 302, True, "redirects (302), which is not followed: give the agent's own URL"),
    (AGENT, 500, False, 'answers 500 to a request for /v1/cluster')])
def test_each_http_error_is_reported_in_one_sentence(subject, status, keyed, sentence):
    assert f'U {sentence}' == fetch.refusal(subject, 'U', status, None, keyed)
    assert 'U: not yet' == fetch.refusal(subject, 'U', status, 'not yet', keyed)


@pytest.mark.parametrize(('status', 'body', 'sentence'), [
    (404, b'{"error": "this proxy\'s app is not egg:swift-lb#proxy"}',
     "URL: this proxy's app is not egg:swift-lb#proxy"),
    (302, b'', "URL redirects (302), which is not followed: give the proxy's own URL"),
    (503, b'[1]', 'URL answers 503 to a request for its status page')])
def test_the_error_message_of_the_server_is_shown(proxy, status, body, sentence):
    proxy.refuses(status, body, Location=f'{proxy.url}/elsewhere')
    assert sentence == refusal(proxy.url).replace(proxy.url, 'URL')
    assert 1 == len(proxy.requests)


def test_a_connection_error_is_reported_in_words(proxy, monkeypatch):
    """The text of the error is that of its errno: eventlet's sockets say ECONNREFUSED."""
    def connect(_connection):
        raise OSError(errno.ECONNREFUSED, 'ECONNREFUSED')
    monkeypatch.setattr(HTTPConnection, 'connect', connect)
    assert f'{proxy.url} does not answer: Connection refused' == refusal(proxy.url)


@pytest.fixture
def mute():
    """Yield a listening socket: connections succeed, but get no answer."""
    listener = socket.create_server(('127.0.0.1', 0))
    yield listener
    listener.close()


def test_a_request_to_a_hung_proxy_times_out(mute, monkeypatch):
    monkeypatch.setattr(fetch, 'TIMEOUT', 0.1)
    url = f'http://127.0.0.1:{mute.getsockname()[1]}'
    assert f'{url} does not answer: nothing came for 0.1 s' == refusal(url)


def test_a_server_that_does_not_speak_http_is_reported(mute):
    def answer():
        with mute.accept()[0] as connection:
            connection.recv(1000)
            connection.sendall(b'SSH-2.0-\x1b[2J\r\n')
    threading.Thread(target=answer, daemon=True).start()
    url = f'http://127.0.0.1:{mute.getsockname()[1]}'
    assert f'{url} does not answer: SSH-2.0-\ufffd[2J\ufffd\ufffd' == refusal(url)


def test_the_variable_http_proxy_is_ignored_for_loopback(proxy, monkeypatch):
    monkeypatch.setenv('http_proxy', 'http://127.0.0.1:1')
    monkeypatch.delenv('no_proxy', raising=False)
    proxy.says(page(pid=7))
    assert 7 == Source(proxy.url).page().pid


def test_loopback_addresses_are_recognised():
    assert [True, True, True, False, False] == [
        *map(loopback, ('127.64.0.1', '::1', 'localhost', '10.0.0.1', 'localhost.example'))]
