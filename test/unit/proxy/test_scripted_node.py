"""A ScriptedNode has every request that was sent, whichever thread runs first."""
import socket

from support.scripted_node import NodeAnswer, ScriptedNode


def test_a_fake_node_notes_all_requests_that_were_sent_to_it():
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
