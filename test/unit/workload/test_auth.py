"""Logins at servers that respond as TempAuth and Keystone do, and otherwise."""
import asyncio
import json
import random
import threading

import pytest
from support.scripted_server import ScriptedServer, always, read_head

from swift_lb.wire.cosbench.model import Access
from swift_lb.workload.auth import Session, login
from swift_lb.workload.failure import OperationError
from swift_lb.workload.storage import SwiftStorage

COMMON = {'username': 'u', 'password': 'p', 'timeout': 60.0, 'retry': 0, 'insecure': False,
          'cacert': None}
KEYSTONE = {**COMMON, 'tenant_name': 't', 'service': 'swift', 'region': '', 'version': 2,
            'user_domain': 'Default', 'project_domain': 'Default'}
YES = (b'HTTP/1.1 200 OK\r\nX-Storage-Url: http://p/v1/AUTH_u\r\nX-Auth-Token: tk\r\n'
       b'Content-Length: 0\r\n\r\n')
V2 = {'access': {'token': {'id': 'tk'}, 'serviceCatalog': [
    {'name': 'nova', 'endpoints': [{'publicURL': 'http://nova'}]},
    {'name': 'swift', 'endpoints': [{'publicURL': 'http://r1/v1/AUTH_t', 'region': 'one'},
                                    {'publicURL': 'http://r2/v1/AUTH_t', 'region': 'two'}]}]}}
V3 = {'token': {'catalog': [{'name': 'swift', 'type': 'object-store', 'endpoints': [
    {'interface': 'internal', 'url': 'http://inside', 'region': 'one'},
    {'interface': 'public', 'url': 'http://r1/v1/AUTH_t', 'region': 'one'},
    {'interface': 'public', 'url': 'http://r2/v1/AUTH_t', 'region': 'two'}]}]}}


def do_login(kind, settings, server=None, path='/auth/v1.0'):
    """Log in with an <auth> of type `kind`, at a ScriptedServer if given; return the Session."""
    url = {'auth_url': f'http://127.0.0.1:{server.port}{path}'} if server else {}
    return asyncio.run(login(Access(kind, '', {**settings, **url}), random.Random(1)))


class Keystone:
    """A server that answers every request with the JSON `answer`, and keeps the last request."""

    def __init__(self, answer, headers=b''):
        self.asked, self.body = '', {}
        text = json.dumps(answer).encode()
        self._reply = (b'HTTP/1.1 201 Created\r\n%bContent-Length: %d\r\n\r\n%b'
                       % (headers, len(text), text))

    def __call__(self, connection, _number):
        head = read_head(connection).decode()
        self.asked = head.split('\r\n')[0]
        length = int(head.partition('Content-Length: ')[2].split('\r\n')[0])
        self.body = json.loads(connection.recv(length))
        connection.sendall(self._reply)


def test_logins_of_type_none_and_mock_send_no_request():
    assert do_login('none', {}) == Session()
    assert do_login('mock', {'token': 'abc', 'delay': 0.0, 'retry': 0}) == Session(None, 'abc')


def test_a_login_at_tempauth_gives_url_and_token():
    with ScriptedServer(always(YES)) as server:
        assert do_login('swauth', COMMON, server) == Session('http://p/v1/AUTH_u', 'tk')


@pytest.mark.parametrize(('region', 'url'), [('', 'http://r1/v1/AUTH_t'),
                                             ('two', 'http://r2/v1/AUTH_t')])
def test_a_login_at_keystone_2_gives_url_and_token(region, url):
    keystone = Keystone(V2)
    with ScriptedServer(keystone) as server:
        session = do_login('keystone', {**KEYSTONE, 'region': region}, server, '/v2.0')
    assert session == Session(url, 'tk')
    assert keystone.asked == 'POST /v2.0/tokens HTTP/1.1'
    assert keystone.body['auth'] == {
        'tenantName': 't', 'passwordCredentials': {'username': 'u', 'password': 'p'}}


@pytest.mark.parametrize(('region', 'url'), [('', 'http://r1/v1/AUTH_t'),
                                             ('two', 'http://r2/v1/AUTH_t')])
def test_a_login_at_keystone_3_gives_url_and_token(region, url):
    keystone = Keystone(V3, b'X-Subject-Token: tk3\r\n')
    with ScriptedServer(keystone) as server:
        session = do_login('keystone', {**KEYSTONE, 'version': 3, 'region': region,
                                        'user_domain': 'users'}, server, '/v3/')
    assert session == Session(url, 'tk3')
    assert keystone.asked == 'POST /v3/auth/tokens HTTP/1.1'
    identity = keystone.body['auth']['identity']['password']['user']
    assert identity == {'name': 'u', 'password': 'p', 'domain': {'name': 'users'}}
    assert keystone.body['auth']['scope']['project'] == {'name': 't', 'domain': {'name': 'Default'}}


@pytest.mark.parametrize(('kind', 'settings', 'script', 'reason'), [
    ('swauth', COMMON, always(b'HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n'), 'HTTP 401'),
    ('swauth', COMMON, always(b'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
     'the answer has no x-storage-url'),
    ('swauth', COMMON, lambda connection, _number: read_head(connection) and None,
     'connection closed without an answer'),
    ('keystone', KEYSTONE, Keystone({'error': 'no'}), "keystone: the answer has no 'access'"),
    ('keystone', KEYSTONE, Keystone([]), 'keystone: the answer has no '),
    ('keystone', {**KEYSTONE, 'version': 3}, Keystone({'token': {'catalog': []}}),
     'keystone: no service swift in the catalogue'),
    ('keystone', {**KEYSTONE, 'region': 'three'}, Keystone(V2),
     'keystone: no service swift in region three in the catalogue'),
    ('keystone', {**KEYSTONE, 'version': 3}, Keystone(V3), 'the answer has no x-subject-token'),
    *(('keystone', KEYSTONE, always(b'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n' + body),
       'the answer is not JSON') for body in (b' ' * 100000, b'[' * 100000)),
    ('swauth', {**COMMON, 'username': 'u\r\nX-Admin: yes'}, always(YES),
     'X-Auth-User has characters that no header can have'),
])
def test_the_error_of_a_failed_login_says_why(kind, settings, script, reason):
    with ScriptedServer(script) as server, pytest.raises(OperationError) as caught:
        do_login(kind, settings, server)
    assert str(caught.value).startswith(f'login: {reason}')


def test_a_login_times_out_if_its_response_trickles_in():
    def script(connection, _number):
        read_head(connection)
        connection.sendall(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
        for _ in range(1200):
            connection.sendall(b'1\r\n \r\n')
            threading.Event().wait(0.05)
    with (ScriptedServer(script) as server, pytest.raises(OperationError, match='login: timeout')):
        do_login('keystone', {**KEYSTONE, 'timeout': 0.5}, server)


@pytest.mark.parametrize('settings', [{'policy': 'gold\r\nX-A: b'}, {'policy': ''}])
def test_a_token_or_policy_with_a_line_end_is_refused(settings):
    token = 't' if settings['policy'] else 't\nX-A: b'
    with pytest.raises(OperationError, match='has characters that no header can have'):
        SwiftStorage('http://h/v1/a', token, {'timeout': 1.0, **settings})


def test_a_failed_login_is_retried_as_often_as_configured(monkeypatch):
    monkeypatch.setattr('swift_lb.workload.auth.PAUSE', (0.0, 0.01))

    def script(connection, number):
        read_head(connection)
        connection.sendall(b'HTTP/1.1 503 x\r\nContent-Length: 0\r\n\r\n' if number < 2 else YES)
    with ScriptedServer(script) as server:
        assert do_login('swauth', {**COMMON, 'retry': 2}, server).token == 'tk'
        assert server.connections == 3
