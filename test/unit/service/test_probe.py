"""The probe of a link: a body whose second half is timed, and a larger one if it was too small."""
import socket
from functools import partial
from itertools import pairwise

import pytest
from support.certificates import Authority
from support.scripted_server import ScriptedServer, keeping, once, read_head

from swift_lb.authorities import client_context
from swift_lb.clock import wall
from swift_lb.service.clusters.probing import DueProbe
from swift_lb.service.probe import least_size, probe
from swift_lb.wire import hop
from swift_lb.wire.observations import MOST_BYTES, PROBE, PROBE_BYTES

KEY = b'one key of all clusters'


def due_at(relay, rtt=0.0, bandwidth=0.0):
    """Return the DueProbe of a link to the cluster ucsb by way of `relay`."""
    return DueProbe('ucsb', relay, rtt, bandwidth)


def reply(size=PROBE_BYTES, status='200 OK'):
    """Return the bytes of an answer with a body of `size` bytes."""
    return f'HTTP/1.1 {status}\r\nContent-Length: {size}\r\n\r\n'.encode() + bytes(size)


def size_of(head):
    """Return the bytes that the head of a probe's request asks for."""
    return int(head.partition('bytes=')[2].partition(' ')[0])


def system():
    """Stand for the authorities of the system, which no probe without TLS may ask for."""
    pytest.fail('a probe without TLS has asked for authorities')


class ProbedProxy:
    """A server that answers with the bytes asked for; `heads` are the requests."""

    def __init__(self, certificate=None):
        self.heads = []
        self.server = ScriptedServer(self._answer, certificate)

    def _answer(self, connection, _number):
        while head := read_head(connection):
            self.heads.append(head.decode())
            connection.sendall(reply(size_of(self.heads[-1])))


@pytest.mark.parametrize('scheme', ['', 'https://'])
def test_a_probe_times_the_second_half_of_the_body_of_a_signed_request(scheme, tmp_path):
    authority = Authority(tmp_path, 'trusted')
    context = partial(client_context, str(authority.path)) if scheme else system
    proxy = ProbedProxy(authority.certify('127.0.0.1') if scheme else None)
    with proxy.server as server:
        address = f'127.0.0.1:{server.port}'
        body, came = probe(due_at(scheme + address), 'ksu', KEY, wall, context)
    assert ('ucsb', PROBE_BYTES // 2, True) == (*body[:2], body.seconds > 0)
    assert came == PROBE_BYTES
    head, = proxy.heads
    text, = [line.partition(': ')[2] for line in head.split('\r\n')
             if line.startswith(hop.CLUSTER_HEADER)]
    signed = hop.decode((KEY,), text, 'GET', f'{PROBE}?bytes={PROBE_BYTES}', hop.CLUSTER_FOR)
    assert ('ksu', address) == signed[:2]


def test_a_body_that_is_too_small_for_its_rate_is_followed_by_larger_ones():
    proxy = ProbedProxy()
    with proxy.server as server:    # at any rate of a socket, no body is large enough
        body, came = probe(due_at(f'127.0.0.1:{server.port}', rtt=1e6), 'ksu', KEY, wall, system)
        assert 1 == server.connections
    sizes = [size_of(head) for head in proxy.heads]
    assert [PROBE_BYTES, MOST_BYTES] == [sizes[0], sizes[-1]]
    assert all(second >= min(MOST_BYTES, 2 * first) for first, second in pairwise(sizes))
    assert (MOST_BYTES // 2, sum(sizes)) == (body.bytes, came)


def test_the_first_body_is_large_enough_for_the_bandwidth_that_is_known():
    proxy = ProbedProxy()
    with proxy.server as server:
        probe(due_at(f'127.0.0.1:{server.port}', 0.08, 2.5e6), 'ksu', KEY, wall, system)
    assert size_of(proxy.heads[0]) == least_size(2.5e6, 0.08) == 1_000_000


@pytest.mark.parametrize('answer', [
    reply(status='404 Not Found'), reply(size=5), b'', b'SSH-2.0-x\r\n\r\n', reply()[:9999],
    reply()[:-1]])
def test_an_answer_that_is_none_of_a_probe_makes_it_fail(answer):
    with ScriptedServer(once(answer)) as server:
        assert probe(due_at(f'127.0.0.1:{server.port}'), 'ksu', KEY, wall, system) is None


def test_a_proxy_that_is_not_there_makes_a_probe_fail():
    with socket.create_server(('127.0.0.1', 0)) as unused:
        port = unused.getsockname()[1]
    assert probe(due_at(f'127.0.0.1:{port}'), 'ksu', KEY, wall, system) is None


@pytest.mark.parametrize('trusts', [True, False])
def test_a_probe_of_a_server_that_cannot_be_verified_fails_before_it_is_asked(tmp_path, trusts):
    heads, authority = [], Authority(tmp_path, 'trusted')
    context = client_context(str(authority.path)) if trusts else None
    with ScriptedServer(keeping(heads, reply()), authority.certify('ucsb.example')) as server:
        assert probe(due_at(f'https://127.0.0.1:{server.port}'), 'ksu', KEY, wall,
                     lambda: context) is None
    assert not heads
