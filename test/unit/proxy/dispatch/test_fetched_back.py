"""A read whose client was redirected here is answered as the cluster that redirected it would."""
import pytest
from support.client_env import env_of
from support.cluster_proxy import HERE, NEWER, OLDER, ORIGIN, VERSION, redirected, reply
from support.scripted_server import ScriptedServer, always, keeping

from swift_lb.dispatch.containers import ContainerFacts
from swift_lb.wire.redirect import ABSENT, UNSEEN, Origin

UNSEEN_THERE = Origin('ucsb', UNSEEN)


@pytest.mark.parametrize('query', ['', 'a=b'])
def test_the_parameter_of_a_redirect_is_taken_out_and_what_is_the_same_served(make, query):
    proxy = make('local')
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert HERE == proxy.ask(redirected(query))[2]
        assert query == proxy.served[0]['QUERY_STRING']
        assert not there.connections
    assert {'cluster': 1} == proxy.local


def test_another_version_is_fetched_back_from_the_cluster_that_redirected(make):
    proxy, heads = make('local'), []
    proxy.headers = NEWER
    with ScriptedServer(keeping(heads, reply())) as there:
        proxy.know(there)
        assert b'there' == proxy.ask(redirected('a=b'))[2]
    assert heads[0].startswith('GET /v1/a/c/o?a=b HTTP/1.1\r\n')
    assert proxy.counts == {'fetched ucsb back': 1}


@pytest.mark.parametrize('absent', [True, False])       # False: there is a tombstone
def test_what_this_cluster_does_not_have_is_fetched_back(make, absent):
    proxy = make('local')
    proxy.status, proxy.headers, proxy.content = '404 Not Found', {}, b'missing'
    proxy.absent = absent
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert b'there' == proxy.ask(redirected())[2]


@pytest.mark.parametrize('status', [
    '304 Not Modified', '412 Precondition Failed', '416 Requested Range Not Satisfiable',
    '401 Unauthorized', '403 Forbidden', '503 Service Unavailable'])
def test_an_answer_of_another_version_or_of_none_is_fetched_back(make, status):
    proxy = make('local')
    proxy.status, proxy.headers, proxy.content = status, OLDER, b''
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert b'there' == proxy.ask(redirected(if_none_match='"old"'))[2]


def test_not_modified_of_the_same_version_is_answered_here(make):
    proxy = make('local')
    proxy.status, proxy.content = '304 Not Modified', b''
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert '304 Not Modified' == proxy.ask(redirected(if_none_match=VERSION['Etag']))[0]
        assert not there.connections


@pytest.mark.parametrize('answer', [
    reply(**NEWER), reply(b'gone', '404 Not Found'), reply(b'', '412 Precondition Failed')])
def test_what_the_origin_has_by_now_is_the_answer_whichever_it_is(make, answer):
    proxy = make('local')
    proxy.headers = OLDER
    with ScriptedServer(always(answer)) as there:
        proxy.know(there)
        status, _headers, body = proxy.ask(redirected())
    assert answer.split(b'\r\n')[0].decode() == f'HTTP/1.1 {status}'
    assert answer.split(b'\r\n\r\n')[1] == body
    assert proxy.counts == {'fetched ucsb back': 1}


@pytest.mark.parametrize('answer', [
    reply(b'', '503 Busy'), reply(b'', '401 Unauthorized'), b'SSH-2.0-x\r\n\r\n'])
def test_if_the_origin_does_not_answer_the_client_gets_what_is_here(make, answer):
    proxy = make('local')
    proxy.headers = OLDER
    with ScriptedServer(always(answer)) as there:
        proxy.know(there)
        assert HERE == proxy.ask(redirected())[2]


@pytest.mark.parametrize(('answer', 'body'), [
    (reply(), b'there'), (reply(**NEWER), HERE),
    (b'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n', HERE)])
def test_another_cluster_of_the_origins_group_has_to_have_its_very_version(make, answer, body):
    proxy = make('local')
    proxy.headers = OLDER
    with ScriptedServer(always(answer)) as there:
        proxy.know(there)
        assert body == proxy.ask(redirected(origin=ORIGIN._replace(cluster='ucsb.a')))[2]


@pytest.mark.parametrize('facts_here', [ContainerFacts(()), ContainerFacts(('ucsb',))])
def test_an_immutable_object_that_the_origin_did_not_look_for_is_fetched_back(
        make, facts, facts_here):
    facts[0] = facts_here       # the metadata of a container is not synced
    proxy = make('local')
    proxy.status, proxy.headers, proxy.content = '404 Not Found', {}, b'missing'
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert [b'there'] * 2 == [proxy.ask(redirected(origin=UNSEEN_THERE))[2] for _read in (1, 2)]


@pytest.mark.parametrize(('headers', 'ring', 'body'), [
    ({}, '', HERE), ({'X-Object-Manifest': 'c/p'}, '', b'there'),
    ({'Content-Location': '/v1/a/d/o'}, '', b'there'), ({'X-Object-Manifest': 'c/p'}, 'ab', HERE)])
def test_a_manifest_that_the_origin_did_not_look_for_is_served_by_a_region_only(
        make, headers, ring, body):
    proxy = make('local')
    proxy.headers = VERSION | headers
    with ScriptedServer(always(reply())) as there:
        proxy.know(there, ring=ring)
        assert body == proxy.ask(redirected(origin=UNSEEN_THERE))[2]


def test_a_redirected_read_that_can_be_answered_here_goes_no_further(make):
    proxy = make()
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert HERE == proxy.ask(redirected())[2]
        assert not there.connections


@pytest.mark.parametrize('env', [
    redirected(key=b'the key of somebody else'), redirected(origin=Origin('ucsb', ABSENT)),
    redirected(origin=ORIGIN._replace(cluster='asia')), env_of(query='lb_from=x')])
def test_nothing_is_fetched_back_for_an_invalid_or_unknown_origin(make, env):
    proxy = make('local')
    proxy.headers = NEWER
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert HERE == proxy.ask(env)[2]
        assert not there.connections


def test_a_redirect_that_is_used_again_and_again_is_fetched_back_within_a_budget(make):
    proxy = make('local')
    proxy.headers = OLDER
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        proxy.filter._reads._elsewhere._clock = lambda: 1.0
        bodies = [proxy.ask(redirected())[2] for _read in range(20)]
    assert [14, 6] == [bodies.count(b'there'), bodies.count(HERE)]
    assert 6 == proxy.counts['cluster_failures ucsb budget']
