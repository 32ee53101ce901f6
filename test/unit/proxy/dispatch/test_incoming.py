"""Requests that peers have delegated are recognised by a signed hop marker, a header."""
import pytest

from swift_lb.proxy.dispatch.incoming import DELEGATED, Incoming, RefusedError
from swift_lb.wire.hop import Hop, encode

KEY, OTHER, WRONG = b'a key of 16 or more', b'another key of 16 or more', b'a wrong key'
NOW, PEERS = 1000.0, frozenset(('10.0.0.2',))
HOP = Hop('proxy-2', '10.0.0.1:8080', NOW, '0011223344556677', '198.51.100.7', '40000', 'https',
          'tx00-1', False)


def env_of(hop=HOP, key=KEY, text=None, remote='10.0.0.2', path='/v1/a/c/o', query='x=1', **more):
    """Return a PUT's environment with the hop marker `text`, by default `hop` signed with `key`."""
    text = encode(key, hop, 'PUT', '/v1/a/c/o?x=1') if text is None else text
    return {'REQUEST_METHOD': 'PUT', 'PATH_INFO': path, 'RAW_PATH_INFO': path,
            'QUERY_STRING': query, 'SERVER_NAME': '10.0.0.1', 'SERVER_PORT': '8080',
            'REMOTE_ADDR': remote, 'REMOTE_PORT': '5', 'wsgi.url_scheme': 'http',
            'swift.trans_id': 'tx00-2', 'HTTP_X_LB_HOP': text, 'HTTP_EXPECT': '100-continue'} | more


def accepted(env, keys=(OTHER, KEY), now=NOW):
    """Return the Hop of a peer's request, or None for a client's; may raise RefusedError."""
    return Incoming(lambda: now).accept(env, keys, PEERS)


def test_a_peers_request_gets_the_address_of_its_client():
    env = env_of()
    assert accepted(env) == HOP
    assert env[DELEGATED] == HOP
    assert ('198.51.100.7', '40000', 'https', 'tx00-1') == (
        env['REMOTE_ADDR'], env['REMOTE_PORT'], env['wsgi.url_scheme'], env['swift.trans_id'])
    assert not {'HTTP_X_LB_HOP', 'HTTP_EXPECT'} & set(env)


def test_the_clients_expect_header_is_restored_from_the_marker():
    env = env_of(HOP._replace(expects=True))
    accepted(env)
    assert env['HTTP_EXPECT'] == '100-continue'


@pytest.mark.parametrize('env', [
    env_of(text=''), env_of(key=WRONG), env_of(query='x=2'), env_of(REQUEST_METHOD='POST')],
    ids=['empty', 'key', 'query', 'method'])
def test_an_invalid_hop_marker_is_refused_only_if_from_a_peer(env):
    with pytest.raises(RefusedError, match='key'):
        accepted(dict(env))
    clients = dict(env, REMOTE_ADDR='198.51.100.66')
    before = {name: value for name, value in clients.items() if name != 'HTTP_X_LB_HOP'}
    assert accepted(clients) is None
    assert clients == before


def test_a_request_without_a_hop_marker_is_left_unchanged():
    env = env_of()
    del env['HTTP_X_LB_HOP']
    before = dict(env)
    assert accepted(env) is None
    assert env == before


def test_a_hop_marker_that_is_used_twice_is_refused():
    incoming = Incoming(lambda: NOW)
    assert incoming.accept(env_of(), (KEY,), PEERS) == HOP
    with pytest.raises(RefusedError, match='replayed'):
        incoming.accept(env_of(), (KEY,), PEERS)


@pytest.mark.parametrize(('hop', 'now', 'why'), [
    (HOP, NOW + 61, 'stale'), (HOP, NOW - 61, 'stale'),
    (HOP._replace(to='10.0.0.3:8080'), NOW, 'address')])
def test_a_hop_marker_for_another_time_or_address_is_refused(hop, now, why):
    with pytest.raises(RefusedError, match=why):
        accepted(env_of(hop), now=now)


def test_without_keys_no_hop_marker_is_accepted():
    with pytest.raises(RefusedError):
        accepted(env_of(), keys=())
    assert accepted(env_of(remote='198.51.100.66'), keys=()) is None
