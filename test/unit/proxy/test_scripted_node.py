"""The storage node of these tests: what it was asked is not a matter of whose thread runs first."""
import socket

import pytest
from support.scripted_node import Answer, ScriptedNode


@pytest.fixture
def node():
    """A node that lets everybody hang."""
    found = ScriptedNode(Answer(hang=True))
    yield found
    found.close()


def test_what_has_been_sent_has_been_asked(node):
    clients = []
    for number in range(1, 101):
        clients.append(socket.create_connection((node.ip, node.port)))
        clients[-1].sendall(b'GET /%d HTTP/1.1\r\n\r\n' % number)
        assert number == node.count('GET') == node.count()
    assert [f'/{number}' for number in range(1, 101)] == [each.path for each in node.requests]
    for client in clients:
        client.close()


def test_of_a_node_that_was_closed_it_is_known_what_it_was_asked(node):
    with socket.create_connection((node.ip, node.port)) as client:
        client.sendall(b'HEAD / HTTP/1.1\r\n\r\n')
        assert 1 == node.count('HEAD')
        node.close()
        assert 1 == node.count('HEAD')
