"""Trial connections to proxies' addresses: when they are made, and which results are told."""
import socket

import pytest
from support.free_port import free_port

from swift_lb.service.dns import reach
from swift_lb.service.dns.reach import Reach


@pytest.fixture
def port():
    """Yield a port on which 127.0.0.1 accepts connections, and 127.0.0.2 refuses them."""
    number = free_port()        # that no other test listens on, at any address
    with socket.create_server(('127.0.0.1', number)):
        yield number


def test_a_closed_port_is_unreachable_with_a_reason(port):
    tried = Reach({'n1': ('127.0.0.1', None), 'n2': ('127.0.0.2', '::1')}, port)
    assert {'reachable': None, 'unreachable': None} == tried.of('n1', '127.0.0.1')
    tried.try_all()
    assert {'reachable': True, 'unreachable': None} == tried.of('n1', '127.0.0.1')
    assert {'reachable': False, 'unreachable': 'Connection refused'} == tried.of('n2', '127.0.0.2')
    assert tried.of('n2', '::1')['reachable'] is False


def test_a_connection_without_any_response_times_out(monkeypatch):
    def connect(*_args):
        raise TimeoutError
    monkeypatch.setattr(reach.socket, 'create_connection', connect)
    tried = Reach({'n1': ('127.0.0.1', None)}, 80)
    tried.try_all()
    assert 'nothing came for 2 s' == tried.of('n1', '127.0.0.1')['unreachable']


def test_more_addresses_than_connections_at_once_are_all_tried(monkeypatch):
    monkeypatch.setattr(reach, 'fault', lambda ip, port: None)
    nodes = {f'n{number}': (f'127.0.1.{number}', None) for number in range(120)}
    tried = Reach(nodes, 80)
    tried.try_all()
    assert all(tried.of(node, ip)['reachable'] for node, (ip, _none) in nodes.items())


def test_a_failing_address_is_retried_each_second_ten_times():
    tried = Reach({'n1': ('127.0.0.1', None)}, 1)
    assert [1.0] * 10 + [5.0, 5.0] == [tried.try_all() for _look in range(12)]


def test_after_recovery_addresses_are_tried_once_a_minute_again(port, monkeypatch):
    tried = Reach({'n1': ('127.0.0.1', None)}, port)
    assert 60.0 == tried.try_all()
    with monkeypatch.context() as patch:
        patch.setattr(reach, 'fault', lambda ip, port: 'Connection refused')
        assert [1.0] * 10 + [5.0] == [tried.try_all() for _look in range(11)]
    assert 60.0 == tried.try_all()
    assert {'reachable': True, 'unreachable': None} == tried.of('n1', '127.0.0.1')
    monkeypatch.setattr(reach, 'fault', lambda ip, port: 'Connection refused')
    assert 1.0 == tried.try_all()


def test_with_proxy_port_0_reachability_is_unknown():
    tried = Reach({'n1': ('127.0.0.1', None)}, 0)
    tried.try_all()
    assert {'reachable': None, 'unreachable': None} == tried.of('n1', '127.0.0.1')
