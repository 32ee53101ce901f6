"""Mesh, the UDP socket by which agents exchange reports, on the loopback interface."""
import select
import socket

import pytest

from swift_lb.errors import AgentError
from swift_lb.service.mesh import TRAFFIC, Mesh


@pytest.fixture
def mesh():
    """Yield a function that returns (a Mesh, its port), by default a free one on 127.0.0.1."""
    made = []

    def make(ip='127.0.0.1', port=0):
        made.append(Mesh(ip, port))
        return made[-1], made[-1].socket.getsockname()[1]
    yield make
    for one in made:
        one.socket.close()


def received(mesh):
    """Wait up to 60 s for a datagram; return a list of those that mesh.receive() yields."""
    assert select.select([mesh.socket], [], [], 60.0)[0], 'nothing arrived'
    return list(mesh.receive())


def test_a_datagram_arrives_and_is_counted_at_both_ends(mesh):
    (one, port), (other, other_port) = mesh(), mesh()
    one.send(b'report', {('127.0.0.1', other_port): None})
    assert received(other) == [(b'report', ('127.0.0.1', port))]
    assert one.traffic == dict(dict.fromkeys(TRAFFIC, 0), datagrams_sent=1, bytes_sent=6)
    assert other.traffic == dict(dict.fromkeys(TRAFFIC, 0), datagrams_received=1, bytes_received=6)


def test_receiving_without_datagrams_does_not_block(mesh):
    assert list(mesh()[0].receive()) == []


def test_a_failed_send_does_not_prevent_sends_to_other_addresses(mesh):
    (one, _port), (other, port), (_gone, gone_port) = mesh(), mesh(), mesh()
    _gone.socket.close()
    for _time in range(3):
        one.send(b'report', {('127.0.0.1', gone_port): None, ('127.0.0.1', port): None,
                             ('240.0.0.1', 1): None, ('::1', 1): None})
        assert received(other)[0][0] == b'report'
        list(one.receive())
    assert one.traffic['unsent'] >= 3


def test_a_datagram_above_the_size_limit_is_cut_1_byte_beyond_it(mesh):
    (one, _port), (other, port) = mesh(), mesh()
    one.send(b'x' * 5000, [('127.0.0.1', port)])
    assert len(received(other)[0][0]) == 1201


def test_an_ipv6_socket_exchanges_datagrams_with_ipv4_too(mesh):
    try:
        six, port = mesh('::')
    except AgentError as err:
        pytest.skip(str(err))
    four, four_port = mesh()
    four.send(b'to six', [('127.0.0.1', port)])
    assert received(six) == [(b'to six', ('127.0.0.1', four_port))]
    six.send(b'to four', [('127.0.0.1', four_port)])
    assert received(four) == [(b'to four', ('127.0.0.1', port))]


def test_a_failed_bind_raises_agenterror_with_a_sentence(mesh):
    _one, port = mesh()
    with pytest.raises(AgentError, match=f'^bind_ip = 127.0.0.1, bind_port = {port}: Address'):
        mesh(port=port)
    with pytest.raises(AgentError, match=r'^bind_ip = 240\.0\.0\.1, bind_port = 1: '):
        mesh('240.0.0.1', 1)
    with pytest.raises(AgentError, match=r'^bind_ip = no\.such\.name\.invalid, bind_port = 1: '):
        mesh('no.such.name.invalid', 1)


def test_each_peer_name_that_is_not_found_is_reported(mesh):
    one, _port = mesh()
    bad = ['a' * 70, 'a..b', 'no.such.name.invalid', '::1']
    addresses, faults = one.resolve([('127.0.0.1', 1), ('localhost', 2), ('127.0.0.1', 1),
                                 *((name, 6208) for name in bad)])
    assert addresses == [('127.0.0.1', 1), ('127.0.0.1', 2)]
    assert [fault.partition(': ')[0] for fault in faults] == [f'peers, {name}' for name in bad[:3]
                                                              ] + ['peers, ::1'.partition(': ')[0]]


def test_a_peer_name_that_is_no_longer_found_keeps_its_address(mesh, monkeypatch):
    one, _port = mesh()
    assert one.resolve([('localhost', 2)]) == ([('127.0.0.1', 2)], [])
    monkeypatch.setattr(socket, 'getaddrinfo', lambda *args: (_ for _ in ()).throw(
        socket.gaierror(-3, 'Temporary failure in name resolution')))
    addresses, faults = one.resolve([('localhost', 2), ('other', 3)])
    assert addresses == [('127.0.0.1', 2)]
    assert len(faults) == 2
    assert one.resolve([('other', 3)])[0] == []


def test_the_receive_buffer_of_the_socket_is_enlarged(mesh):
    usual = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    size = mesh()[0].socket.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
    assert size >= usual.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
    usual.close()
