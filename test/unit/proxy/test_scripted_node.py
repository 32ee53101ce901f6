"""A ScriptedNode, the object server of tests, has noted each request when a test looks."""
import socket

from support.scripted_node import NodeAnswer, ScriptedNode


def test_a_scripted_node_notes_each_request_before_count_returns():
    node, clients = ScriptedNode(NodeAnswer(hang=True)), []
    for number in range(1, 51):
        clients.append(socket.create_connection((node.ip, node.port)))
        clients[-1].sendall(b'GET /%d HTTP/1.1\r\n\r\n' % number)
        assert number == node.count('GET') == node.count()
    assert [f'/{number}' for number in range(1, 51)] == [each.path for each in node.requests]
    node.close()
    assert 50 == node.count('GET')
    for client in clients:
        client.close()
