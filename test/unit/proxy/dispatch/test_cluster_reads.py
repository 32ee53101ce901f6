"""Reads leave for another cluster, which is a ScriptedServer here, only where this is safe."""
import itertools

import pytest
from support.client_env import env_of
from support.cluster_proxy import HERE, KEY, NEWER, ORIGIN, VERSION, follower, redirected, reply
from support.scripted_server import ScriptedServer, always
from swift.common.middleware.domain_remap import DomainRemapMiddleware

from swift_lb import clock, clusters_file
from swift_lb.dispatch import gains
from swift_lb.dispatch.away import ReadsAway
from swift_lb.dispatch.containers import ContainerFacts
from swift_lb.dispatch.credits import CreditBuckets
from swift_lb.policy.clusters import CLUSTER_POLICIES, make_cluster_policy
from swift_lb.wire.redirect import ABSENT, UNSEEN, decode, without_parameter


def test_a_large_read_is_fetched_only_in_the_version_that_is_here(make):
    proxy = make()
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert b'there' == proxy.ask()[2]
        proxy.headers = NEWER
        assert HERE == proxy.ask()[2]
    assert (1, 1) == (proxy.counts['fetched ucsb late'],
                      proxy.counts['cluster_failures ucsb version'])


@pytest.mark.parametrize('change', [
    {'content': b'x' * 65535}, {'headers': {}}, {'headers': VERSION | {'X-Object-Manifest': 'c/p'}},
    {'headers': VERSION | {'X-Static-Large-Object': 'True'}}, {'status': '404 Not Found'},
    {'status': '503 Service Unavailable'}])
def test_what_is_small_unversioned_composed_or_an_error_stays(make, change):
    proxy = make()
    for name, value in change.items():
        setattr(proxy, name, value)
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert proxy.content == proxy.ask()[2]
        assert not there.connections


def slow(proxy):
    """Let `proxy` take 2 s until a head, so that reads leave if they may."""
    for _sample in range(40):
        proxy.filter.served.curve.add(0, 2.0, clock.monotonic())


@pytest.mark.parametrize('header', ['X-Static-Large-Object', 'X-Object-Manifest',
                                    'Content-Location'])
@pytest.mark.parametrize(('ring', 'body'), [('', HERE), ('ab', b'there')])
def test_before_its_version_is_known_only_a_region_answers_with_a_manifest_or_link(
        make, facts, header, ring, body):
    facts[0] = ContainerFacts(('ucsb',), immutable=True)
    proxy = make('adaptive')
    with ScriptedServer(always(reply(**{header: 'd/o'}))) as there:
        proxy.know(there, ring=ring)
        assert HERE == proxy.ask()[2]       # by which the container is learnt
        slow(proxy)
        assert body == proxy.ask()[2]


@pytest.mark.parametrize('path', ['/v1/a/c/', '/v1/a//o', '/v2/a/c/o', '/bucket/a/c/o', '/v1/a/c'])
def test_what_is_no_object_stays(make, facts, path):
    facts[0] = ContainerFacts(('ucsb',), immutable=True)
    proxy = make()
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert HERE == proxy.ask(env_of(path=path, query='format=json'))[2]
        slow(proxy)
        assert HERE == proxy.ask(env_of(path=path, query='format=json'))[2]
        assert not there.connections


@pytest.mark.parametrize('policy', CLUSTER_POLICIES)
def test_a_cluster_to_which_no_link_is_measured_yet_serves_no_read_that_is_served_here(
        make, policy):
    proxy = make(policy)
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        known = proxy.filter._clusters.known()
        clusters_file.write(proxy.where / 'clusters', known._replace(links={}))
        proxy.filter._clusters._path = None     # look now
        assert HERE == proxy.ask(follower())[2]
        assert not there.connections
    assert not [name for name in proxy.counts if name.startswith('fallbacks')]


def test_a_read_of_another_container_than_the_clients_stays_and_teaches_nothing(make):
    proxy = make()
    app = proxy.filter.app = proxy.filter._reads._app = DomainRemapMiddleware(
        proxy.app, {'storage_domain': 'example.com'})
    assert not app.mangle_client_paths
    env = env_of(path='/v1/victim/c/o') | {'HTTP_HOST': 'c.AUTH-other.example.com'}
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert HERE == proxy.ask(env)[2]
        assert not there.connections
    assert '/v1/AUTH_other/c/v1/victim/c/o' == proxy.served[-1]['PATH_INFO']
    assert proxy.filter._choice.router.containers.facts('/v1/victim/c', clock.monotonic()) is None


@pytest.mark.parametrize('policy', ['always_fetch', 'always_redirect'])
@pytest.mark.parametrize('is_absent', [False, True])
def test_the_log_line_of_a_read_that_is_served_elsewhere_has_the_source_of_the_filter(
        make, policy, is_absent):
    proxy, env = make(policy), follower()
    if is_absent:
        proxy.absent, proxy.status, proxy.headers = True, '404 Not Found', {}
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert proxy.ask(env)[0] in ('200 OK', '307 Temporary Redirect')
    assert 'LB' == env['swift.source']


def test_an_object_that_no_primary_of_a_swift_has_is_not_looked_for_in_its_regions(make):
    proxy = make()
    proxy.absent, proxy.status, proxy.headers = True, '404 Not Found', {}
    with ScriptedServer(always(reply())) as there:
        proxy.know(there, ring='ab')
        assert '404 Not Found' == proxy.ask()[0]
        assert not there.connections
        proxy.know(there, ring='')
        assert '200 OK' == proxy.ask()[0]


@pytest.mark.parametrize(('ring', 'body'), [('', HERE), ('ab', b'there')])
@pytest.mark.parametrize('immutable', [False, True])
def test_a_script_of_another_origin_gets_no_cors_headers_of_another_container(
        make, facts, ring, body, immutable):
    facts[0] = ContainerFacts(('ucsb',), immutable=immutable)
    proxy = make()
    with ScriptedServer(always(reply())) as there:
        proxy.know(there, ring=ring)
        for _read in (1, 2):        # late, then early if the container is immutable
            assert body == proxy.ask(env_of(origin='https://app.example'))[2]
            slow(proxy)


def test_a_cluster_with_another_version_is_not_asked_for_it_again_at_once(make):
    proxy = make()
    with ScriptedServer(always(reply(**NEWER))) as there:
        proxy.know(there)
        assert [HERE] * 2 == [proxy.ask()[2], proxy.ask()[2]]
    assert 1 == proxy.counts['cluster_failures ucsb version']


def test_a_cluster_that_dies_while_a_read_is_decided_is_left_out(make, facts, monkeypatch):
    facts[0] = ContainerFacts(('ucsb',), immutable=True)
    proxy, others = make(), None
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        proxy.filter._choice.router.containers.learn('/v1/a/c', facts[0], clock.monotonic())
        slow(proxy)
        others = proxy.filter._clusters
        alive = [others.summaries()]
        for seen in range(1, 12):       # it is alive for so many looks at the summaries
            left = iter(alive * seen)
            monkeypatch.setattr(others, 'summaries', lambda left=left: next(left, {}))
            assert proxy.ask()[2] in (HERE, b'there')
    assert not [name for name in proxy.counts if name.startswith('fallbacks')]


@pytest.mark.parametrize('clusters', [(), ('none', 'ucsb'), ('ksu',), ('asia',)])
def test_reads_of_a_container_that_names_no_other_cluster_stay(make, facts, clusters):
    facts[0] = ContainerFacts(clusters)
    proxy = make()
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert HERE == proxy.ask()[2]
        assert not there.connections


def test_a_client_that_asks_for_it_is_redirected_with_a_signed_parameter(make):
    proxy = make('always_redirect')
    proxy.know()
    status, headers, _body = proxy.ask(follower(query='a=b'))
    assert ('307 Temporary Redirect', 'no-store') == (status, headers['Cache-Control'])
    url, _mark, query = headers['Location'].partition('?')
    assert 'http://ucsb.example/v1/a/c/o' == url
    rest, value = without_parameter(query)
    assert 'a=b' == rest
    origin = decode((KEY,), value, '/v1/a/c/o?a=b', clock.wall())
    assert ('ksu', ORIGIN.version) == origin[:2]
    assert origin.served > 0.0
    assert origin.gain is not None
    assert proxy.counts == {'redirected ucsb late': 1}


@pytest.mark.parametrize(('status', 'version'), [('200 OK', UNSEEN), ('404 Not Found', ABSENT)])
def test_a_redirect_says_whether_the_object_was_looked_for(make, facts, status, version):
    facts[0] = ContainerFacts(('ucsb',), immutable=status == '200 OK')
    proxy = make('always_redirect')
    proxy.know()
    slow(proxy)
    proxy.filter._choice.router.containers.learn('/v1/a/c', facts[0], clock.monotonic())
    proxy.status, proxy.absent = status, True
    headers = proxy.ask(follower())[1]
    value = without_parameter(headers['Location'].partition('?')[2])[1]
    assert ('ksu', version) == decode((KEY,), value, '/v1/a/c/o', clock.wall())[:2]


@pytest.mark.parametrize('env', [
    env_of(user_agent='python-swiftclient-4.6.0'), env_of(sec_fetch_mode='navigate')])
def test_programs_that_follow_and_browsers_are_redirected(make, env):
    proxy = make('always_redirect')
    proxy.know()
    assert '307 Temporary Redirect' == proxy.ask(env)[0]


def test_clients_of_a_container_that_says_so_are_redirected(make, facts):
    facts[0] = ContainerFacts(('ucsb',), redirects=True)
    proxy = make('always_redirect')
    proxy.know()
    assert '307 Temporary Redirect' == proxy.ask()[0]


@pytest.mark.parametrize('env', [
    env_of(), env_of(user_agent='curl/8'), follower(origin='https://example.org'),
    follower(authorization='AWS4-HMAC-SHA256 Credential=a'), follower(query='X-Amz-Signature=a'),
    follower() | {'wsgi.url_scheme': 'https'}, redirected() | {'HTTP_X_LB_REDIRECT': 'follow'},
    follower(query='lb_from=x')])
def test_no_other_client_is_redirected(make, env):
    proxy = make('always_redirect')
    proxy.know()
    assert HERE == proxy.ask(env)[2]


@pytest.mark.parametrize(('trust', 'url', 'options'), [
    ('', 'http://ucsb.example', {}), ('ksu.example', 'http://ucsb.example', {}),
    ('ucsb.example', '', {}), ('ucsb.example', 'http://ucsb.example', {'redirect': 'never'})])
def test_no_client_is_redirected_to_a_host_without_trust(make, trust, url, options):
    proxy = make('always_redirect', trust=trust, **options)
    proxy.know(url=url)
    assert HERE == proxy.ask(follower())[2]


def test_all_hosts_of_a_domain_can_be_trusted(make):
    proxy = make('always_redirect', trust='*.example')
    proxy.know()
    assert '307 Temporary Redirect' == proxy.ask(follower())[0]


def test_an_immutable_object_is_fetched_before_it_is_looked_for_here(make, facts):
    facts[0] = ContainerFacts(('ucsb',), immutable=True)
    proxy = make('on_absent')
    for number in range(40):
        proxy.filter.served.curve.add(0, 0.5, clock.monotonic() + number / 100)
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert HERE == proxy.ask()[2]       # it is learnt by this what the container says
        proxy.filter._choice.router.policy = make_cluster_policy('always_fetch')
        assert b'there' == proxy.ask()[2]
        assert 1 == len(proxy.served)


@pytest.mark.parametrize('known', [{'ring': 'ab'}, {'ring': 'ab', 'region': 2}])
def test_a_region_of_the_same_swift_may_serve_any_read_early(make, facts, known):
    facts[0] = ContainerFacts(())
    proxy = make('on_absent', region=1)
    proxy.filter.served.curve.add(0, 0.5, clock.monotonic())
    with ScriptedServer(always(reply())) as there:
        proxy.know(there, **known)
        assert HERE == proxy.ask()[2]
        proxy.filter._choice.router.policy = make_cluster_policy('always_fetch')
        assert b'there' == proxy.ask()[2]
        assert 1 == len(proxy.served)


def test_a_mutable_object_of_a_synced_container_is_first_looked_for_here(make):
    proxy = make()
    proxy.filter.served.curve.add(0, 0.5, clock.monotonic())
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert [b'there'] * 2 == [proxy.ask()[2], proxy.ask()[2]]
    assert 2 == len(proxy.served)


def test_an_overloaded_cluster_lets_reads_leave_by_the_default_policy(make, facts):
    facts[0] = ContainerFacts(('ucsb',), immutable=True)
    proxy = make('adaptive')
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert HERE == proxy.ask()[2]
        slow(proxy)
        assert b'there' == proxy.ask()[2]
    assert 1 == len(proxy.served)
    gains = proxy.filter._choice.router.gains.figures(clock.monotonic())
    assert [1] == [one.reads for route, one in gains.items() if route.cluster == 'ucsb']


def test_a_cluster_that_failed_is_asked_for_the_same_read_by_no_other_route(make, facts):
    facts[0] = ContainerFacts(('ucsb',), immutable=True)
    proxy = make('always_redirect')
    proxy.filter._choice.router.policy = make_cluster_policy('adaptive')
    with ScriptedServer(lambda _connection, _number: None) as there:    # it closes at once
        proxy.know(there)
        assert HERE == proxy.ask()[2]       # by which the container is learnt
        slow(proxy)
        proxy.filter._choice._is_idle = lambda _summary: True   # a fetch is best, then a redirect
        assert HERE == proxy.ask(follower())[2]
    assert proxy.counts == {'cluster_failures ucsb unanswered': 1, 'cluster_stays late here': 2,
                            'cluster_stays early no_answer': 1}


def test_a_route_on_which_each_read_fails_is_shut(make, monkeypatch):
    monkeypatch.setattr(gains, 'SPACING', 0.0)
    proxy, ticks = make(), itertools.count(1)
    now = clock.monotonic()     # each read takes as many milliseconds as the others
    proxy.filter._reads._elsewhere._clock = lambda: now + next(ticks) / 1000
    with ScriptedServer(always(reply(status='503 Busy'))) as there:
        proxy.know(there)
        assert [HERE] * 40 == [proxy.ask()[2] for _read in range(40)]
    assert gains.FEW <= proxy.counts['cluster_failures ucsb 503'] < 40     # by their scatter


def test_a_route_without_a_proxy_that_answers_costs_no_credit(make, monkeypatch):
    proxy, taken = make(), []
    monkeypatch.setattr(CreditBuckets, 'take', lambda *args: taken.append(args) or True)
    with ScriptedServer(lambda _connection, _number: None) as there:
        proxy.know(there)
        assert [HERE] * 3 == [proxy.ask()[2] for _read in range(3)]
    assert 1 == len(taken) == proxy.counts['cluster_failures ucsb unanswered']


@pytest.mark.parametrize(('status', 'body'), [('200 OK', b'there'), ('503 Busy', HERE)])
def test_a_fetched_read_is_there_until_it_ends_or_fails(make, monkeypatch, status, body):
    steps = []
    monkeypatch.setattr(ReadsAway, 'began', lambda _self, name, *_: steps.append(('began', name)))
    monkeypatch.setattr(ReadsAway, 'ended', lambda _self, name, *_: steps.append(('ended', name)))
    proxy = make()
    with ScriptedServer(always(reply(status=status))) as there:
        proxy.know(there)
        assert body == proxy.ask()[2]
    assert [('began', 'ucsb'), ('ended', 'ucsb')] == steps


def test_an_error_in_the_choice_leaves_the_answer_of_this_cluster(make, monkeypatch):
    proxy = make()
    monkeypatch.setattr(proxy.filter._reads, '_choice', None)
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert HERE == proxy.ask()[2]
    assert 1 == proxy.counts['fallbacks clusters']


def test_with_the_policy_local_no_read_of_an_absent_object_leaves(make):
    proxy = make('local')
    proxy.status, proxy.absent = '404 Not Found', True
    with ScriptedServer(always(reply())) as there:
        proxy.know(there)
        assert '404 Not Found' == proxy.ask()[0]
        assert not there.connections


def test_no_more_reads_leave_than_the_other_cluster_takes(make):
    proxy = make()
    with ScriptedServer(always(reply())) as there:
        proxy.know(there, credit=1)
        proxy.filter._choice.credits._buckets['ucsb']._rate = 0.0
        assert [b'there', HERE] == [proxy.ask()[2] for _read in range(2)]
        proxy.status, proxy.absent = '404 Not Found', True
        assert b'there' == proxy.ask()[2]       # which cannot be served here


def test_the_observer_counts_reads_that_are_fetched_and_redirected(make):
    proxy = make()
    with ScriptedServer(always(reply(HERE))) as there:
        proxy.know(there)
        proxy.ask()
        sent, = proxy.filter._observer._sent.values()
        assert ('ucsb', 1, 0, 1) == sent[:4]
        assert 0 < sent.predicted < sent.taken + 1
    other = make('always_redirect')
    other.know()
    other.ask(follower())
    assert ('ucsb', 0, 1, 0, 0.0, 0.0) == other.filter._observer._sent['ucsb']


def test_the_size_of_an_absent_object_is_known_after_it_was_fetched(make):
    proxy = make()
    proxy.absent, proxy.status = True, '404 Not Found'
    with ScriptedServer(always(reply(HERE))) as there:
        proxy.know(there)
        assert HERE == proxy.ask()[2]
    assert len(HERE) == proxy.filter._choice.router.containers.size('/v1/a/c', '/v1/a/c/o')
