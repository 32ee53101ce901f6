"""The status page explains the routes of a read in another cluster, and changes nothing."""
import json

import pytest
from support.client_env import env_of
from support.cluster_proxy import ClusterProxy

from swift_lb import clock, clusters_file
from swift_lb.dispatch.containers import ContainerFacts
from swift_lb.dispatch.gains import FEW, SPACING
from swift_lb.model import FETCH, Route
from swift_lb.proxy.dispatch.clusters import question_of

BIG = 'bytes=1000000'
FETCHED, NAMED = Route('ucsb', FETCH), ContainerFacts(('ksu', 'ucsb'))


@pytest.fixture
def make(tmp_path):
    """Return a function that returns a ClusterProxy which knows the container, and ucsb.

    It has a `credit` of one request to ucsb, and gets no more.
    """
    def make(policy='adaptive', facts=NAMED, credit=1, **options):
        proxy = ClusterProxy(tmp_path, cluster_policy=policy, **options)
        proxy.know()
        bucket = proxy.filter._choice.credits._buckets['ucsb']
        bucket._rate, bucket._tokens = 0.0, credit
        if facts is not None:
            proxy.filter._choice.router.containers.learn('/v1/a/c', facts, clock.monotonic())
        return proxy
    return make


def page_of(proxy, query='', path='/v1/a/c/o', **more):
    env = env_of(path='/lb/dispatch', query=f'path={path}&client=198.51.100.7&{query}')
    return json.loads(proxy.ask(env | {'REMOTE_ADDR': '127.0.0.1'} | more)[2])


def routes_of(proxy, query=BIG, **more):
    """Return {kind: entry} of the routes on the page of a proxy that knows only ucsb."""
    return {one['kind']: one for one in page_of(proxy, query, **more)['cluster_choice']['routes']}


def test_a_line_of_each_route_has_terms_sum_error_credits_and_age(make):
    routes = routes_of(make())
    assert ['local', 'fetch', 'redirect'] == list(routes)
    fetch = routes['fetch']
    assert {'head': 0.001, 'round trips': 0.002} == {
        name: fetch['terms'][name] for name in ('head', 'round trips')}
    assert fetch['seconds'] == pytest.approx(sum(fetch['terms'].values()))
    assert (0.0, 0, None) == tuple(fetch[name] for name in ('forecast_error', 'reads', 'gain'))
    assert 1.0 == fetch['credits']
    assert 0.0 <= fetch['age'] < 60.0
    assert (1, 2, None) == tuple(routes[kind]['place'] for kind in routes)


def test_the_policys_reason_is_given_without_the_terms_beside_it(make):
    routes = routes_of(make())
    assert routes['local']['why'].startswith('first up to ')
    assert '' == routes['fetch']['why']
    assert 'read here, as it is here' == routes_of(make('on_absent'))['local']['why']


def test_a_client_that_follows_may_be_redirected(make):
    routes = routes_of(make('always_redirect'), f'{BIG}&follows=1')
    assert 1 == routes['redirect']['place']
    assert 'the client is not known to follow redirects' == routes_of(
        make('always_redirect'))['redirect']['why']


STAYS = {
    'unknown': ({'facts': None}, BIG, 'the container is unknown to this worker'),
    'names none': ({'facts': ContainerFacts(())}, BIG, 'the container does not name it'),
    'none': ({'facts': ContainerFacts(('none', 'ucsb'))}, BIG, 'the container says none'),
    'policy': ({'policy': 'local'}, BIG, 'the policy is local'),
    'small': ({}, 'bytes=1000', 'it has less than 65536 bytes'),
    'credit': ({'credit': 0}, BIG, 'no credit left'),
    'early': ({}, f'{BIG}&moment=early', 'the seconds until a head here are not known yet'),
}


@pytest.mark.parametrize(('options', 'query', 'why'), STAYS.values(), ids=STAYS)
def test_a_cluster_that_is_left_out_has_the_reason(make, options, query, why):
    routes = routes_of(make(**options), query)
    assert routes['fetch']['why'].startswith(why)
    assert (1, None) == (routes['local']['place'], routes['fetch']['place'])


@pytest.mark.parametrize(('options', 'why'), [
    ({'redirect': 'never'}, 'redirect = never'),
    ({'trust': 'ksu.example'},
     'it has no url, or one of a host not in trust, or http and the client has https')])
def test_a_redirect_that_is_not_allowed_has_the_reason(make, options, why):
    assert why == routes_of(make(**options), f'{BIG}&follows=1')['redirect']['why']


def test_of_an_absent_object_neither_size_nor_credit_matters(make):
    routes = routes_of(make(credit=0), 'moment=absent')
    assert (1, 'the object is absent here') == (routes['fetch']['place'], routes['local']['why'])
    assert routes.keys() == routes_of(make(credit=0), 'method=HEAD').keys()
    assert 'absent' == page_of(make(), 'method=HEAD')['cluster_choice']['moment']


@pytest.mark.parametrize('policy', ['adaptive', 'always_fetch', 'always_redirect', 'hsweb',
                                    'on_absent', 'nearest'])
@pytest.mark.parametrize('method', ['late', 'absent'])
@pytest.mark.parametrize('size', [100_000, 50_000_000])
def test_the_order_on_the_page_begins_as_that_of_a_real_read(make, policy, method, size):
    proxy = make(policy)
    read = env_of(x_lb_redirect='follow')
    proxy.filter._choice.router.containers.note_size('/v1/a/c', '/v1/a/c/o', size)
    choice = proxy.filter._choice
    ordered = choice.late(read, size) if method == 'late' else choice.absent(read)
    shown = page_of(proxy, f'follows=1&moment={method}')['cluster_choice']['routes']
    assert [one.route.kind for one in ordered[:1]] or ['local'] == [
        one['kind'] for one in shown if one['place'] == 1]


def test_a_dead_cluster_and_one_without_a_link_have_the_reason(make):
    proxy = make()
    path = proxy.filter._clusters._path
    known = proxy.filter._clusters.known()
    clusters_file.write(path, known._replace(names=('ucsb', 'eu'), links={}))
    proxy.filter._clusters._path = None
    by_route = {(one['cluster'], one['kind']): one
                for one in page_of(proxy, BIG)['cluster_choice']['routes']}
    assert 'dead: no summary comes from it' == by_route['eu', 'fetch']['why']
    assert by_route['ucsb', 'fetch']['why'].endswith(': no link is measured yet')


def test_a_cluster_that_is_cut_off_says_so(make):
    proxy = make()
    proxy.know(age=60.0)
    assert routes_of(proxy)['fetch']['why'].startswith('this cluster is cut off')
    assert page_of(proxy)['clusters']['cut_off']


def test_a_shut_route_and_a_refusal_have_the_reason(make):
    proxy, now = make(), clock.monotonic()
    for number in range(FEW):
        proxy.filter._choice.router.gains.add(FETCHED, 0.1, 0.5, (Route('ksu', 'local'), 0.2),
                                              now + (number - FEW) * SPACING)
    fetch = routes_of(proxy)['fetch']
    assert fetch['why'].startswith('shut for ')
    assert (FEW, pytest.approx(0.4), None) == (fetch['reads'], fetch['error'], fetch['place'])
    proxy.filter._clusters._refused.add('ucsb', question_of({'PATH_INFO': '/v1/a/c/o'}), now)
    assert 'it has refused a request for the container in the last 10 minutes' == routes_of(
        proxy, 'moment=absent')['fetch']['why']


def test_the_way_to_a_client_is_that_of_its_network_if_the_cluster_knows_it(make):
    proxy = make()
    assert 0.0 == page_of(proxy, BIG)['cluster_choice']['client']
    known = proxy.filter._clusters.known()
    clusters_file.write(proxy.filter._clusters._path, known._replace(
        paths={'ksu': {path.network: path._replace(rtt=0.03)
                       for path in known.paths['ucsb'].values()}}))
    proxy.filter._clusters._path = None
    assert 0.03 == page_of(proxy, BIG)['cluster_choice']['client']


def test_the_page_shows_the_figures_of_each_cluster_and_route(make):
    clusters = page_of(make())['clusters']
    assert ('ksu', 'adaptive', False) == tuple(
        clusters[name] for name in ('here', 'policy', 'cut_off'))
    one, = clusters['others']
    assert ('ucsb', 'up') == (one['cluster'], one['state'])
    assert [('fetch', 0, None, 0.0), ('redirect', 0, None, 0.0)] == [
        tuple(route[name] for name in ('kind', 'reads', 'gain', 'shut_for'))
        for route in one['routes']]


def test_a_proxy_without_other_clusters_has_none_on_its_page(make):
    proxy = make()
    (proxy.where / 'clusters').unlink()
    proxy.filter._clusters._path = None
    page = page_of(proxy)
    assert (None, None) == (page['clusters'], page['cluster_choice'])
    with open(proxy.where / 'lb.conf', 'w') as conf:
        conf.write('[lb-agent]\nkey = a key of 16 or more\n')
    proxy.filter._identity._look_at = 0.0
    assert page_of(proxy)['clusters'] is None


@pytest.mark.parametrize('query', ['path=/v1/a/c', 'path=/v1/a/c/o&method=PUT'])
def test_only_reads_of_objects_have_routes(make, query):
    env = env_of(path='/lb/dispatch', query=query) | {'REMOTE_ADDR': '127.0.0.1'}
    assert json.loads(make().ask(env)[2])['cluster_choice'] is None


def test_questions_change_no_counts_credits_tries_nor_routes(make):
    proxy = make('round_robin')
    router, credits = proxy.filter._choice.router, proxy.filter._choice.credits

    def state():
        return (dict(proxy.counts), dict(router._choices), dict(router.away._there),
                router.gains._left, dict(router.containers._sizes), router._rng.getstate(),
                list(proxy.served))
    before = state()
    for query in (BIG, f'{BIG}&follows=1', 'moment=absent', f'{BIG}&moment=early'):
        page_of(proxy, query)
    assert before == state()
    assert 1.0 == credits.left('ucsb', clock.monotonic())
