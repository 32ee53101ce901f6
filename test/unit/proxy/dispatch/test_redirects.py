"""Redirects that every client follows to the same place, and requests that only seem redirected."""
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.client_env import env_of
from support.cluster_proxy import KEY, ClusterProxy
from support.scripted_server import ScriptedServer

from swift_lb import clock
from swift_lb.dispatch.containers import ContainerFacts
from swift_lb.proxy.dispatch import cluster_reads
from swift_lb.proxy.dispatch.facts import target_of
from swift_lb.proxy.dispatch.identity import ClusterIdentity
from swift_lb.proxy.dispatch.redirects import URI, follows, is_trusted, redirect, take_out
from swift_lb.wire.redirect import ABSENT, LASTS, Origin, encode

HERE = b'x' * 70_000
ORIGIN = Origin('ksu', ABSENT)
TRUST = ClusterIdentity('ksu', (KEY,), '', (), trust=('ucsb.example', '*.edu'))


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Return a function that returns a ClusterProxy which redirects whom it may to ucsb."""
    monkeypatch.setattr(cluster_reads, 'container_facts',
                        lambda _env, _app: ContainerFacts(('ksu', 'ucsb')))

    def make(url='http://ucsb.example', **options):
        proxy = ClusterProxy(tmp_path, cluster_policy='always_redirect', **options)
        proxy.know(url=url)
        return proxy
    return make


def follower(**more):
    return env_of(x_lb_redirect='follow', **more)


def followed(env):
    """Return the WSGI environment of a request that follows the redirect of `env`."""
    answer = []
    redirect(env, lambda _status, headers: answer.append(dict(headers)), 'http://ucsb.example',
             ORIGIN, KEY, clock.wall())
    path, _mark, query = answer[0]['Location'].removeprefix('http://ucsb.example').partition('?')
    assert {*path, *query} <= {*URI, *'?._-', *map(chr, range(0x30, 0x3a)),
                               *map(chr, range(0x41, 0x5b)), *map(chr, range(0x61, 0x7b))}
    return env_of(path=path, query=query) | {'PATH_INFO': unquote(path, encoding='latin-1')}


NAMES = st.text(st.characters(max_codepoint=0xff, exclude_characters='?%',
                              exclude_categories=('Cc',)))
QUERIES = st.text(st.characters(min_codepoint=0x21, max_codepoint=0xff))


@given(NAMES, QUERIES)
def test_location_is_a_plain_uri_whose_signature_holds_there(name, query):
    env = follower(path=f'/v1/a/c/{name}', query=query)
    there = followed(env)
    assert take_out(there, (KEY,), clock.wall())
    assert there['QUERY_STRING'].count('=') == query.count('=')


def test_a_number_sign_in_a_path_or_query_is_quoted_in_location(make):
    location = make().ask(follower(path='/v1/a/c/o#1', query='a#b'))[1]['Location']
    assert location.startswith('http://ucsb.example/v1/a/c/o%231?a%23b&lb_from=')


@pytest.mark.parametrize('name', ['.', '..', 'a/../b', './a', 'a/.'])
def test_a_name_that_clients_would_shorten_is_not_redirected(make, name):
    assert HERE == make().ask(follower(path=f'/v1/a/c/{name}'))[2]
    assert '307' == make().ask(follower(path='/v1/a/c/.a/b..'))[0][:3]


@pytest.mark.parametrize(('url', 'env'), [
    ('', {'x_forwarded_proto': 'https'}), ('url = https://ksu.example\n', {}),
    ('url = http://ksu.example\n', {'x_forwarded_proto': 'http, HTTPS'})])
def test_a_client_of_https_behind_a_terminator_is_not_sent_to_http(make, url, env):
    assert HERE == make(more=url).ask(follower(**env))[2]
    assert '307' == make('https://ucsb.example', more=url).ask(follower(**env))[0][:3]


@pytest.mark.parametrize('url', [
    'http://[', 'https://[ucsb', 'https://evil.example\\@ucsb.example', 'https://u@ucsb.example',
    'https://ucsb.example?a', 'https://ucsb.example#a', 'ftp://ucsb.example', '//ucsb.example',
    'https://ucsb.example:', 'https://UCSB.example', 'https://evil.example', 'https://edu', ''])
def test_a_url_that_can_be_read_as_another_host_is_not_trusted(url):
    assert not is_trusted(url, {}, TRUST)


@pytest.mark.parametrize('url', ['https://ucsb.example', 'http://ucsb.example:8080/swift/',
                                 'https://a.b.edu'])
def test_a_url_of_a_host_in_trust_is_trusted_with_port_and_path(url):
    assert is_trusted(url, {}, TRUST)


def refusing(proxy):
    proxy.filter._is_shed = lambda _env: True
    proxy.filter._shedder.level = 0.9
    return proxy


def valid(method):
    return env_of(method, query=f'lb_from={encode(KEY, ORIGIN, clock.wall() + LASTS, "/v1/a/c/o")}')


@pytest.mark.parametrize('env', [env_of(query='lb_from=x'), valid('PUT'), valid('OPTIONS')])
def test_only_a_read_with_a_valid_lb_from_escapes_shedding(make, env):
    proxy = refusing(make())
    assert '503' == proxy.ask(env)[0][:3]
    assert HERE == proxy.ask(valid('GET'))[2]


def test_a_peer_to_which_an_invalid_lb_from_is_delegated_sees_it(make):
    proxy = make(policy='weighted_round_robin', weights={('me',): 0.0})
    heads = []

    def note(connection, _number):
        heads.append(connection.recv(4096))
        connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    with ScriptedServer(note) as peer:
        proxy.tell(peer)
        proxy.ask(env_of(query='lb_from=x'))
    assert b'/v1/a/c/o?lb_from=x' in heads[0]


def test_target_of_a_redirected_read_has_no_lb_from():
    env = valid('HEAD')
    assert take_out(env, (KEY,), clock.wall())
    assert '/v1/a/c/o' == target_of(env)


@pytest.mark.parametrize('wrong', [-3600.0, 3600.0])
def test_a_redirect_by_a_host_whose_clock_is_wrong_is_invalid_but_the_last_one(wrong):
    value = encode(KEY, ORIGIN, clock.wall() + wrong + LASTS, '/v1/a/c/o')
    env = follower(query=f'lb_from={value}')
    assert not take_out(env, (KEY,), clock.wall())
    assert not follows(env, None, ())
    assert follows(env | {'QUERY_STRING': ''}, None, ())
