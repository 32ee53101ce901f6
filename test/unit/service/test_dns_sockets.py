"""The DNS service's sockets: one for each address; what follows if one cannot be bound."""
import contextlib
import itertools
import socket
from types import SimpleNamespace

import pytest
from support.free_port import free_port

from swift_lb.errors import NameServerError
from swift_lb.service.dns import sockets

NOT_OURS = '192.0.2.77'


@pytest.fixture
def listening():
    """Yield a function that calls sockets.bound(); its sockets are closed after the test."""
    with contextlib.ExitStack() as stack:
        def bound(port=None, workers=1, bind_ip=('0.0.0.0',), say=pytest.fail):
            result = sockets.bound(SimpleNamespace(
                bind_ip=bind_ip, bind_port=port or free_port(), workers=workers), say)
            for one in itertools.chain(*result[0], result[1]):
                stack.enter_context(one)
            return result
        yield bound


def names(result):
    """Return a list of the IPs that these sockets are bound to."""
    return [one.getsockname()[0] for one in result]


def test_a_wildcard_binds_each_host_address_for_each_worker(listening, monkeypatch):
    monkeypatch.setattr(sockets, 'own_addresses', lambda version: ['127.0.0.1', '127.0.0.2'])
    datagrams, listeners = listening(workers=3)
    assert [['127.0.0.1', '127.0.0.2']] * 3 == [names(each) for each in datagrams]
    assert ['127.0.0.1', '127.0.0.2'] == names(listeners)


def test_an_address_of_a_wildcard_that_is_taken_is_skipped(listening, monkeypatch):
    messages = []
    monkeypatch.setattr(sockets, 'own_addresses', lambda version: [NOT_OURS, '127.0.0.1'])
    datagrams, listeners = listening(port=(port := free_port()), say=messages.append)
    assert [['127.0.0.1']] == [names(each) for each in datagrams]
    assert ['127.0.0.1'] == names(listeners)
    assert [f'bind_ip = {NOT_OURS}, bind_port = {port}: this host has no such address; it is left '
            'out'] == messages


def test_an_address_in_bind_ip_that_cannot_be_bound_is_an_error(listening):
    with pytest.raises(NameServerError, match=f'bind_ip = {NOT_OURS}.*no such address'):
        listening(bind_ip=(NOT_OURS,))


def test_binding_fails_if_the_port_is_taken_on_all_addresses(listening, monkeypatch):
    messages = []
    monkeypatch.setattr(sockets, 'own_addresses', lambda version: ['127.0.0.1'])
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', port := free_port()))
        taken.listen()
        with pytest.raises(NameServerError, match=f'no address here where port {port} is free'):
            listening(port=port, say=messages.append)
    assert 'another program has the port' in messages[0]


def test_link_local_addresses_of_the_host_are_not_bound():
    assert '127.0.0.1' in sockets.own_addresses(4)
    assert not [ip for ip in sockets.own_addresses(6) if ip.startswith('fe80')]
