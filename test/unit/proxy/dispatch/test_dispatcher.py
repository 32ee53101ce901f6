"""The dispatcher, with peers on real sockets: which proxy answers, and what if none does."""
import json

import pytest
from support.client_env import env_of
from support.dispatching_proxy import KEY, DispatchingProxy
from support.scripted_server import REPLY, ScriptedServer, always, keeping, once, read_head, reset

from swift_lb.clock import wall
from swift_lb.dispatch.chooser import MOMENT
from swift_lb.model import DRAINING, GONE, LATE
from swift_lb.wire import hop

REFUSAL = b'HTTP/1.1 421 Misdirected Request\r\nX-Lb-Refused: key\r\nContent-Length: 2\r\n\r\nno'
LOADED = (b'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Trans-Id: theirs\r\n'
          b'Connection: keep-alive\r\n'
          b'X-Lb-Load: in_flight=3 expected=0.050000 step=0.010000 took=0.001000\r\n'
          b'X-Object-Meta-A: b\r\n\r\nhello')


def test_the_answer_of_a_peer_is_passed_on_to_the_client(proxy):
    with ScriptedServer(always(LOADED)) as peer:
        proxy.tell(peer)
        env = env_of()
        assert ('200 OK', {'Content-Length': '5', 'X-Object-Meta-A': 'b'}, b'hello') == proxy.ask(
            env)
    assert env['swift.source'] == 'LB'
    assert {'delegated p0': 1} == proxy.counts
    assert [] == proxy.served


def test_a_peer_learns_the_clients_address_and_transaction_id(proxy):
    heads = []
    with ScriptedServer(keeping(heads)) as peer:
        proxy.tell(peer)
        proxy.ask(env_of(query='a=b') | {'swift.trans_id': 'tx7', 'wsgi.url_scheme': 'https',
                                         'REMOTE_PORT': '12'})
        to = f'127.0.0.1:{peer.port}'
    text = next(line for line in heads[0].split('\r\n') if line.startswith('X-Lb-Hop: '))
    result = hop.decode((KEY,), text.partition(' ')[2], 'GET', '/v1/a/c/o?a=b')
    assert ('me', to, '198.51.100.7', '12', 'https', 'tx7', False) == (
        result.sender, result.to, result.client, result.port, result.scheme, result.trans_id,
        result.expects)


@pytest.mark.parametrize('how', [
    {'states': [LATE]}, {'states': [GONE]}, {'states': [DRAINING]}, {'expires_in': -1.0}])
def test_only_a_peer_known_to_be_up_is_asked(proxy, peer, how):
    proxy.tell(peer, **how)
    assert proxy.ask()[2] == b'here'
    assert not peer.connections


FATES = {'refused': once(b''), 'closed': once(b''), 'nonsense': once(b'SSH-2.0-x\r\n\r\n'),
         'reset': lambda connection, _number: (read_head(connection), reset(connection))}


def met(proxy, fate, env):
    """Return ((status, body), counts) of a request whose only peer behaves as FATES[fate]."""
    with ScriptedServer(FATES[fate]) as peer:
        proxy.tell(peer)
        if fate != 'refused':
            return proxy.ask(env)[::2], proxy.counts
    return proxy.ask(env)[::2], proxy.counts


@pytest.mark.parametrize('method', ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST'])
@pytest.mark.parametrize('fate', FATES)
def test_reads_and_unsent_uploads_survive_the_death_of_a_peer(proxy, method, fate):
    body = b'abc' if method in ('PUT', 'POST') else None
    answer, counts = met(proxy, fate, env_of(method, body=body))
    assert ('200 OK', body or b'here') == answer
    assert {'delegation_failures p0 unanswered': 1} == counts


@pytest.mark.parametrize('method', ['PUT', 'POST', 'DELETE', 'COPY'])
@pytest.mark.parametrize('fate', FATES)
def test_a_write_that_a_dead_peer_may_have_done_is_not_repeated(proxy, method, fate):
    (status, _body), counts = met(proxy, fate, env_of(method))
    if fate == 'refused':       # it can not have
        assert ('200 OK', {'delegation_failures p0 unanswered': 1}) == (status, counts)
    else:
        assert ('503 Service Unavailable', {'delegation_failures p0 begun': 1}) == (status, counts)
        assert [] == proxy.served


def test_a_read_that_is_sent_again_gets_a_new_signature(proxy):
    heads = []

    def script(connection, number):
        heads.append(read_head(connection))
        connection.sendall(REPLY)
        if not number:
            heads.append(read_head(connection))
            reset(connection)
    with ScriptedServer(script) as peer:
        proxy.tell(peer)
        for _time in range(2):
            assert proxy.ask()[2] == b'hello'
    assert len({line for head in heads for line in head.split(b'\r\n')
                if line.startswith(b'X-Lb-Hop')}) == 3


def test_a_peer_that_has_failed_is_ejected(proxy):
    with ScriptedServer(once(b'')) as peer:
        proxy.tell(peer)
        for _time in range(3):
            assert proxy.ask()[2] == b'here'
        assert peer.connections == 1


def test_after_a_peer_that_fails_another_peer_is_asked(proxy):
    with ScriptedServer(once(b'')) as dead, ScriptedServer(always(REPLY)) as alive:
        for _time in range(8):
            proxy.tell(dead, alive)
            for record in proxy.filter.chooser.ledger._records.values():
                record.ejected_until = 0.0
            assert proxy.ask()[2] == b'hello'
        assert 0 < dead.connections < 8
    assert [] == proxy.served


def test_an_upload_gets_503_if_its_peer_dies_within_the_body(proxy):
    def script(connection, _number):
        read_head(connection)
        connection.sendall(b'HTTP/1.1 100 Continue\r\n\r\n')
        connection.recv(100)
        reset(connection)
    with ScriptedServer(script) as peer, ScriptedServer(always(REPLY)) as other:
        proxy.tell(peer)
        status, headers, body = proxy.ask(env_of('PUT', body=bytes(3_000_000)))
        assert not other.connections
    assert status == '503 Service Unavailable'
    assert int(headers['Content-Length']) == len(body)
    assert [] == proxy.served
    assert {'delegation_failures p0 begun': 1} == proxy.counts
    assert 'p0 did not answer' in proxy.log.said[0]


def test_the_client_sees_that_a_peers_answer_has_broken_off(proxy):
    with ScriptedServer(once(b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello')) as peer:
        proxy.tell(peer)
        with pytest.raises(Exception, match='before the end'):
            proxy.ask()
    assert [] == proxy.served


def test_a_read_is_served_here_if_its_peer_ends_between_head_and_body(proxy):
    with ScriptedServer(once(b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n')) as peer:
        proxy.tell(peer)
        assert b'here' == proxy.ask()[2]
    assert {'delegation_failures p0 unanswered': 1} == proxy.counts


def test_a_request_that_a_peer_refuses_is_served_locally(proxy):
    with ScriptedServer(always(REFUSAL)) as peer:
        proxy.tell(peer)
        assert ('200 OK', b'abc') == proxy.ask(env_of('PUT', body=b'abc'))[::2]
        assert proxy.ask()[2] == b'here'
        assert peer.connections == 1
    assert {'delegation_failures p0 refused': 1} == proxy.counts


def test_a_peer_without_a_decoder_is_asked_for_other_requests_all_the_same(proxy):
    with ScriptedServer(always(REFUSAL.replace(b'key', b'undecoded'))) as peer:
        proxy.tell(peer)
        assert proxy.ask()[2] == proxy.ask()[2] == b'here'
        assert peer.connections == 2
    assert {'delegation_failures p0 undecoded': 2} == proxy.counts


def test_a_421_of_the_peers_application_reaches_the_client(proxy):
    with ScriptedServer(always(REFUSAL.replace(b'X-Lb-Refused', b'X-Other'))) as peer:
        proxy.tell(peer)
        assert proxy.ask()[0].startswith('421 ')


@pytest.mark.parametrize('path', ['/lb/status', '/lb_handicap', '/recon/load'])
def test_status_pages_of_this_host_are_served_locally(proxy, peer, path):
    assert proxy.ask(env_of(path=path))[2] == b'here'
    assert not peer.connections


def test_a_request_is_served_locally_if_the_policy_raises(proxy, peer):
    proxy.filter._policy.order = None
    assert proxy.ask()[2] == b'here'
    assert {'fallbacks dispatch': 1} == proxy.counts
    assert 'dispatch failed' in proxy.log.said[0]


@pytest.mark.parametrize('begun', [False, True])
def test_a_delete_gets_503_if_delegation_raises_after_sending(proxy, peer, begun):
    def broken(_order, request, *_rest):
        request.sent = begun
        raise RuntimeError('broken')
    proxy.filter._delegations.delegate = broken
    assert proxy.ask(env_of('DELETE'))[0] == ('503 Service Unavailable' if begun else '200 OK')
    assert {'fallbacks delegation': 1} == proxy.counts


def peers(env, number=0, key=KEY):
    """Return `env` as from a peer: with a hop marker of this number that is signed with `key`."""
    result = hop.Hop('p0', '127.0.0.1:1', wall(),
                     f'{number:016x}', '198.51.100.9', '7', 'http', 'tx9', False)
    return env | {'HTTP_X_LB_HOP': hop.encode(key, result, env['REQUEST_METHOD'], '/v1/a/c/o'),
                  'SERVER_NAME': '127.0.0.1', 'SERVER_PORT': '1', 'REMOTE_ADDR': '127.0.0.1'}


def test_a_request_from_a_peer_is_not_delegated_again(proxy, peer):
    proxy.ask()
    status, headers, body = proxy.ask(peers(env_of()))
    assert ('200 OK', b'here') == (status, body)
    assert 'took=' in headers['X-Lb-Load']
    assert peer.connections == 1
    assert proxy.served[0]['REMOTE_ADDR'] == '198.51.100.9'
    assert proxy.log.txn_id == 'tx9'


def test_a_request_signed_with_an_unknown_key_is_refused(proxy, peer):
    proxy.ask()
    status, headers, _body = proxy.ask(peers(env_of(), key=b'another key of 16 or more'))
    assert (status[:3], headers['X-Lb-Refused']) == ('421', 'key')
    assert [] == proxy.served
    assert proxy.counts['hops_refused key'] == 1
    assert 'signed with an unknown key' in proxy.log.said[0]


def test_the_status_page_has_the_order_of_proxies_with_reasons(proxy):
    with ScriptedServer(always(LOADED)) as peer:
        proxy.tell(peer)
        proxy.ask()
        page = env_of(path='/lb/dispatch', query='path=/v1/a/c/o&method=head')
        _status, _headers, body = proxy.ask(page | {'REMOTE_ADDR': '127.0.0.1'})
        document = json.loads(body)
        assert proxy.ask(page)[0].startswith('404 ')
    assert ('weighted_round_robin', 'me') == (document['policy'], document['here'])
    assert [('me', 0), ('p0', 1)] == [
        (one['name'], one['successes']) for one in document['backends']]
    assert ['p0', 'me'] == [one['name'] for one in document['choice']['order']]
    assert document['choice']['asked']['content'] == 'light'
    assert all(one['why'] for one in document['choice']['order'])


def test_adaptive_delegates_if_a_peer_answers_much_sooner(tmp_path, still):
    proxy = DispatchingProxy(tmp_path, 'adaptive')
    with ScriptedServer(always(LOADED)) as peer:        # 50 ms
        proxy.tell(peer)
        for _time in range(30):
            proxy.filter.served.curve.add(0, 0.05, still())
        assert proxy.ask()[2] == b'here'
        for _time in range(500):
            proxy.filter.served.curve.add(0, 0.5, still())
        assert proxy.ask()[2] in (b'hello', b'here')
        proxy.report(0.05)
        still.now += MOMENT
        assert proxy.ask()[2] == b'hello'


def test_the_status_page_names_the_proxy_that_would_serve(tmp_path, still):
    def choice(query):
        page = env_of(path='/lb/dispatch', query=query) | {'REMOTE_ADDR': '127.0.0.1'}
        return json.loads(proxy.ask(page)[2])['choice']
    proxy = DispatchingProxy(tmp_path, 'adaptive')
    with ScriptedServer(always(LOADED)) as peer:
        proxy.tell(peer)
        proxy.ask()
        for _time in range(500):
            proxy.filter.served.curve.add(0, 0.1, still())
        record = proxy.report(0.05)
        assert choice('path=/v1/a/c/o')['served_by'] == 'p0'
        light = choice('path=/v1/a/c/o&method=HEAD')
        assert light['served_by'] == 'me'
        assert light['order'][0]['why'].startswith('light, stays')
        manifest = choice('path=/v1/a/c/o%3Fmultipart-manifest%3Dput&method=PUT')
        assert manifest['asked']['content'] == 'computing'
        record.failed(still())
        assert ['me'] == [one['name'] for one in choice('path=/v1/a/c/o')['order']]


@pytest.mark.parametrize(('part', 'break_it'), [
    ('begin', lambda made: setattr(made, '_counts', Broken(made._counts, 'emit_through'))),
    ('hop', lambda made: setattr(made._acceptance, 'accepted', None)),
    ('served', lambda made: setattr(made.served.curve, 'add', None)),
    ('served', lambda made: setattr(made.served, 'elsewhere', 'no function')),
    ('shedding', lambda made: setattr(made, '_shedder', Broken(made._shedder, 'sheds')))])
def test_a_failing_part_of_the_dispatcher_fails_no_request(proxy, part, break_it):
    proxy.filter.served.curve = Broken(proxy.filter.served.curve)
    proxy.filter._shedder.level, proxy.filter.served._first = 1e-9, 0
    if part != 'begin':
        proxy.ask()
    break_it(proxy.filter)
    for _time in range(2):
        assert ('200 OK', b'here') == proxy.ask()[::2]
    assert proxy.counts[f'fallbacks {part}'] >= 1


class Broken:
    """Stands for the object `whole`, but access to its attribute `name` raises RuntimeError."""

    def __init__(self, whole, name=None):
        self.__dict__.update(whole=whole, name=name)

    def __getattr__(self, name):
        if name == self.name:
            raise RuntimeError('broken')
        return getattr(self.whole, name)
