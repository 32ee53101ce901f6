"""What the agent knows of its host's proxy: its conf, its books, its healthcheck over sockets."""
import errno
import os
import pwd
import socket

import pytest
from support.free_port import held_port
from support.scripted_server import ScriptedServer, once

from swift_lb.book_path import path_of
from swift_lb.proxy.dispatcher import filter_factory
from swift_lb.service import local_proxy
from swift_lb.service.local_proxy import (
    ProxyBook,
    ProxyCheck,
    address_of,
    book_of,
    dispatch_book_of,
    is_disabled,
    proxy_facts,
    with_proxy,
)
from swift_lb.service.options import AgentOptions


@pytest.mark.parametrize('user', [None, 'daemon'])
def test_the_path_of_the_proxys_book_depends_on_its_user(monkeypatch, user):
    monkeypatch.setattr(local_proxy, 'USER', 'daemon')
    uid = pwd.getpwnam('daemon').pw_uid
    facts = {'user': user, 'book': None}
    assert book_of('/etc/swift/p.conf', facts) == path_of('host', '/etc/swift/p.conf', uid)


def test_a_books_path_has_the_agents_uid_if_the_user_is_unknown():
    facts = {'user': 'no such user', 'book': None}
    assert book_of('/p.conf', facts) == path_of('host', '/p.conf', os.geteuid())


@pytest.mark.parametrize('section', ['', 'book = host', 'book = worker', 'book = {0}/a.book',
                                     'book = {0}/all'])
def test_the_agent_reads_the_book_that_the_dispatcher_writes(tmp_path, section):
    conf = tmp_path / 'proxy-server.conf'
    conf.write_text(f'[DEFAULT]\nuser = {pwd.getpwuid(os.geteuid()).pw_name}\n'
                    f'[filter:lb_dispatcher]\n{section.format(tmp_path)}\n')
    made = filter_factory({'__file__': str(conf)}, **dict(
        [section.format(tmp_path).split(' = ')] if section else []))(lambda *_args: [])
    assert dispatch_book_of(str(conf), proxy_facts(str(conf))) == made._book_path()


@pytest.mark.parametrize('path', [None, '/nowhere/at.all'])
def test_a_missing_book_of_the_proxy_gives_none_and_a_reason(path):
    book = ProxyBook(path, lambda: 1.0)
    assert book() is None
    assert book.fault


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Let a healthcheck time out after 60 s only, however slow the machine is."""
    monkeypatch.setattr(local_proxy, 'CHECK_TIMEOUT', 60.0)


@pytest.mark.parametrize(('conf', 'options', 'expected'), [
    ('bind_ip = 10.0.0.1\nbind_port = 8080', {}, ('10.0.0.1', 8080)),
    ('bind_ip = 0.0.0.0\nbind_port = 8080', {}, ('127.0.0.1', 8080)),
    ('bind_ip = ::\nbind_port = 8080', {}, ('::1', 8080)),
    ('bind_port = 80', {'proxy': '10.0.0.9:443'}, ('127.0.0.1', 80)),
    ('', {'proxy': '[2001:db8::1]:8080'}, ('2001:db8::1', 8080)),
    ('', {}, None), ('bind_port = 8080\ncert_file = /etc/cert', {}, None),
    ('bind_port = 8080', {'check': False}, None)])
def test_the_healthcheck_goes_to_the_address_in_the_proxys_conf(tmp_path, conf, options, expected):
    path = tmp_path / 'proxy-server.conf'
    path.write_text(f'[DEFAULT]\n{conf}\n')
    assert address_of(AgentOptions(**options), proxy_facts(path)) == expected


@pytest.mark.parametrize(('text', 'proxy'), [
    ('[DEFAULT]\nbind_ip = 10.0.0.1\nbind_port = 8080\n', '10.0.0.1:8080'),
    ('[DEFAULT]\nbind_ip = 2001:db8::1\nbind_port = 8080\n', '[2001:db8::1]:8080'),
    ('[DEFAULT]\nbind_ip = 0.0.0.0\nbind_port = 8080\n', ''), ('[DEFAULT]\nbind_port = 8080\n', ''),
    ('[DEFAULT]\nbind_ip = 10.0.0.1\n', ''), ('', ''), ('garbage', ''), (b'\xff', ''),
    ('[DEFAULT]\nbind_ip = 10.0.0.1\nbind_port = http\n', ''),
    ('[DEFAULT]\nbind_ip = %(ip)s\nbind_port = 8080\n', '')])
def test_the_proxys_address_defaults_to_that_in_the_proxys_conf(tmp_path, text, proxy):
    path = tmp_path / 'proxy-server.conf'
    assert set(proxy_facts(path).values()) == {None}
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    facts = proxy_facts(path)
    assert with_proxy(AgentOptions(), facts).proxy == proxy
    assert with_proxy(AgentOptions(proxy='a:1'), facts).proxy == 'a:1'


def checked(*addresses):
    """Return a ProxyCheck that has checked each of the addresses in turn."""
    check = ProxyCheck(None)
    for check.address in addresses:
        check.check()
    return check


@pytest.mark.parametrize(('answer', 'fault'), [
    (b'HTTP/1.1 200 OK\r\n\r\nOK', None), (b'HTTP/1.0 404 Not Found\r\n\r\n', None),
    (b'HTTP/1.1 503 Service Unavailable\r\n\r\nDISABLED BY FILE', 'answers 503'),
    (b'', 'does not answer as HTTP servers do'), (b'SSH-2.0', 'does not answer as HTTP servers')])
def test_a_proxy_is_out_of_service_after_two_failed_checks(answer, fault):
    with ScriptedServer(once(answer)) as server:
        address = '127.0.0.1', server.port
        assert checked(address).fault is None
        twice = checked(address, address).fault
        assert checked(address, address, None).fault is None
    assert (twice is None) == (fault is None)
    assert fault is None or fault in twice


def test_a_proxy_is_in_service_again_after_one_good_check():
    with ScriptedServer(once(b'HTTP/1.1 200 OK\r\n\r\n')) as server, held_port() as holder:
        address, closed = ('127.0.0.1', server.port), holder.getsockname()
        fault = checked(address, closed, closed).fault
        assert 'does not answer: Connection refused' in fault
        assert checked(address, closed, closed, address).fault is None


def test_an_error_of_eventlets_sockets_is_told_in_words(monkeypatch):
    def refuse(*_args):
        raise ConnectionRefusedError(errno.ECONNREFUSED, 'ECONNREFUSED')
    monkeypatch.setattr(socket, 'create_connection', refuse)
    assert checked(('127.0.0.1', 80), ('127.0.0.1', 80)).fault == (
        'the proxy at 127.0.0.1, port 80 does not answer: Connection refused')


@pytest.mark.parametrize('address', [('a..b', 80), ('127.0.0.1', 99999)])
def test_an_impossible_proxy_address_is_a_failed_check(address):
    assert 'does not answer' in checked(address, address).fault


def test_the_disable_file_is_looked_for_at_each_call(tmp_path):
    path = tmp_path / 'disabled'
    assert is_disabled(str(path)) is False
    path.touch()
    assert is_disabled(str(path)) is True
    for impossible in (None, '', 'a\0b', 'x' * 5000, f'{path}/disabled'):
        assert is_disabled(impossible) is False
