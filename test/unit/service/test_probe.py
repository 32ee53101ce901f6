"""The probe of a link: two answers of 64 KiB on one connection, of which the second is timed."""
import socket
from functools import partial

import pytest
from support.certificates import Authority
from support.scripted_server import ScriptedServer, keeping, once, read_head

from swift_lb.authorities import client_context
from swift_lb.clock import wall
from swift_lb.service.probe import SKIPPED, probe
from swift_lb.wire import hop
from swift_lb.wire.observations import PROBE, PROBE_BYTES

KEY = b'one key of all clusters'


def reply(size=PROBE_BYTES, status='200 OK'):
    """Return the bytes of an answer with a body of `size` bytes."""
    return f'HTTP/1.1 {status}\r\nContent-Length: {size}\r\n\r\n'.encode() + bytes(size)


def system():
    """Stand for the authorities of the system, which no probe without TLS may ask for."""
    pytest.fail('a probe without TLS has asked for authorities')


@pytest.mark.parametrize('scheme', ['', 'https://'])
def test_a_probe_asks_twice_on_one_connection_and_times_the_middle(scheme, tmp_path):
    heads, authority = [], Authority(tmp_path, 'trusted')
    context, certificate = system, None
    if scheme:
        context = partial(client_context, str(authority.path))
        certificate = authority.certify('127.0.0.1')

    def script(connection, _number):
        while head := read_head(connection):
            heads.append(head.decode())
            connection.sendall(reply())
    with ScriptedServer(script, certificate) as server:
        address = f'127.0.0.1:{server.port}'
        body = probe(scheme + address, 'ucsb', 'ksu', KEY, wall, context)
        assert 1 == server.connections
    assert ('ucsb', PROBE_BYTES - 2 * SKIPPED, True) == (*body[:2], body.seconds > 0)
    texts = [line.partition(': ')[2] for head in heads for line in head.split('\r\n')
             if line.startswith(hop.CLUSTER_HEADER)]
    first, second = [hop.decode((KEY,), text, 'GET', PROBE, hop.CLUSTER_FOR) for text in texts]
    assert ('ksu', address, 'ksu', address) == (*first[:2], *second[:2])
    assert first.nonce != second.nonce


@pytest.mark.parametrize('answer', [
    reply(status='404 Not Found'), reply(size=5), b'', b'SSH-2.0-x\r\n\r\n', reply()[:9999]])
def test_an_answer_that_is_none_of_a_probe_makes_it_fail(answer):
    with ScriptedServer(once(answer)) as server:
        assert probe(f'127.0.0.1:{server.port}', 'ucsb', 'ksu', KEY, wall, system) is None


def test_a_proxy_that_is_not_there_makes_a_probe_fail():
    with socket.create_server(('127.0.0.1', 0)) as unused:
        port = unused.getsockname()[1]
    assert probe(f'127.0.0.1:{port}', 'ucsb', 'ksu', KEY, wall, system) is None


@pytest.mark.parametrize('trusts', [True, False])
def test_a_probe_of_a_server_that_cannot_be_verified_fails_before_it_is_asked(tmp_path, trusts):
    heads, authority = [], Authority(tmp_path, 'trusted')
    context = client_context(str(authority.path)) if trusts else None
    with ScriptedServer(keeping(heads, reply()), authority.certify('ucsb.example')) as server:
        assert probe(f'https://127.0.0.1:{server.port}', 'ucsb', 'ksu', KEY, wall,
                     lambda: context) is None
    assert not heads
