"""Batch: many datagrams with one system call, each whole, each answer to its own client."""
import ctypes
import errno
import socket

import pytest

from swift_lb.service.dns import batch
from swift_lb.service.dns.batch import BATCH_SIZE, MAX_DATAGRAM, Batch

LOOPBACK = {socket.AF_INET: '127.0.0.1', socket.AF_INET6: '::1'}


def udp(family):
    """Return a UDP socket on the loopback address of `family`."""
    made = socket.socket(family, socket.SOCK_DGRAM)
    made.bind((LOOPBACK[family], 0))
    made.settimeout(60)
    return made


@pytest.fixture(params=LOOPBACK, ids=['IPv4', 'IPv6'])
def server(request):
    """Yield the UDP socket to which clients send queries, once on IPv4 and once on IPv6."""
    try:
        made = udp(request.param)
    except OSError as err:
        pytest.skip(f'no {LOOPBACK[request.param]} here: {err}')
    with made:
        yield made


@pytest.fixture
def clients(server):
    """Yield five UDP sockets, from which queries are sent."""
    made = [udp(server.family) for _client in range(5)]
    yield made
    for one in made:
        one.close()


def test_each_answer_goes_to_the_client_that_asked(server, clients):
    queries = Batch(server)
    for round_ in range(3):
        for number, client in enumerate(clients):
            client.sendto(b'%d from %d' % (round_, number), server.getsockname())
        received = queries.receive()
        assert [(b'%d from %d' % (round_, number), LOOPBACK[server.family])
                for number in range(5)] == received
        for place, (data, _ip) in enumerate(received):
            queries.answer(place, data.upper())
        assert [] == [*queries.send()]
        assert [b'%d FROM %d' % (round_, number) for number in range(5)] == [
            client.recv(100) for client in clients]


def test_no_datagram_is_sent_for_a_query_without_an_answer(server, clients):
    queries = Batch(server)
    for client in clients:
        client.sendto(b'?', server.getsockname())
    for place, _query in enumerate(queries.receive()):
        if place in (1, 4):
            queries.answer(place, b'to %d' % place)
    assert [] == [*queries.send()] == [*queries.send()]
    assert [b'to 1', b'to 4'] == [clients[number].recv(100) for number in (1, 4)]
    for number in (0, 2, 3):
        clients[number].setblocking(False)
        with pytest.raises(BlockingIOError):
            clients[number].recv(100)


def test_receive_returns_nothing_without_datagrams(server):
    assert [] == Batch(server).receive()


def test_datagrams_beyond_the_batch_size_wait_for_a_next_call(server, clients):
    queries = Batch(server)
    for number in range(BATCH_SIZE + 3):
        clients[0].sendto(bytes([number]), server.getsockname())
    data = [[one for one, _ip in queries.receive()] for _call in range(3)]
    assert [BATCH_SIZE, 3, 0] == [*map(len, data)]
    assert [bytes([number]) for number in range(BATCH_SIZE + 3)] == data[0] + data[1]


def test_a_query_longer_than_the_buffer_is_truncated(server, clients):
    clients[0].sendto(b'a' * (MAX_DATAGRAM + 1), server.getsockname())
    clients[0].sendto(b'', server.getsockname())
    assert [b'a' * MAX_DATAGRAM, b''] == [data for data, _ip in Batch(server).receive()]


def test_an_answer_longer_than_the_buffer_raises_valueerror(server, clients):
    queries = Batch(server)
    for client in clients[:2]:
        client.sendto(b'?', server.getsockname())
    queries.receive()
    with pytest.raises(ValueError, match='an answer of 4097 bytes: 4096 is the most'):
        queries.answer(0, b'a' * (MAX_DATAGRAM + 1))
    queries.answer(1, b'a' * MAX_DATAGRAM)
    assert [] == [*queries.send()]
    assert b'a' * MAX_DATAGRAM == clients[1].recv(MAX_DATAGRAM + 1)


def test_a_failed_send_does_not_block_other_answers(server, clients, monkeypatch):
    class Refusing:
        """A C library whose sendmmsg() fails in turn, and in turn sends one answer."""

        calls, real = 0, batch.LIBRARY.sendmmsg

        def sendmmsg(self, *args):
            self.calls += 1
            if self.calls % 2:
                ctypes.set_errno(errno.EINVAL)
                return -1
            return self.real(*args[:2], 1, args[3])

    queries = Batch(server)
    for client in clients:
        client.sendto(b'?', server.getsockname())
    for place, _query in enumerate(queries.receive()):
        queries.answer(place, b'to %d' % place)
    monkeypatch.setattr(batch, 'LIBRARY', Refusing())
    assert [errno.EINVAL] * 3 == [err.errno for err in queries.send()]
    assert [b'to 1', b'to 3'] == [clients[number].recv(100) for number in (1, 3)]


def test_an_error_of_the_socket_raises_oserror(server):
    queries = Batch(server)
    server.close()
    with pytest.raises(OSError, match='Bad file descriptor'):
        queries.receive()
