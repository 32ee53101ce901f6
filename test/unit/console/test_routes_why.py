"""`swift-lb why --clusters`: its output, and its errors."""
import json

import pytest
from unit.console.dispatch_pages import choice, dispatch, stand

from swift_lb.cli import main
from swift_lb.console import routes_page
from swift_lb.proxy.dispatch import cluster_asked


def route(kind, place, cluster='us.ucsb', why='', **more):
    """Return the page's entry of a route; `more` replaces fields."""
    is_here = kind == 'local'
    return {'cluster': 'us.ksu' if is_here else cluster, 'kind': kind, 'place': place,
            'seconds': 0.4, 'forecast_error': 0.02, 'reads': 0, 'error': None, 'bias': None,
            'gain': None, 'shut_for': 0.0, 'credits': None if is_here else 12.0,
            'age': None if is_here else 0.7, 'why': why,
            'terms': {'head': 0.004, 'round trips': 0.08, 'body': 0.316}} | more


LOCAL = route('local', 1, seconds=0.2, forecast_error=0.0, why='first up to 520 ms',
              terms={'head': 0.1, 'body': 0.1})
FETCH = route('fetch', 2, reads=18, error=0.015, gain=-0.012)
REDIRECT = route('redirect', None, why='the client is not known to follow redirects')


def page(*routes, **more):
    """Return a status page with these routes of a read; `more` replaces facts of the read."""
    return dispatch(choice(stand(1))) | {
        'clusters': {'here': 'us.ksu', 'policy': 'adaptive', 'cut_off': False, 'others': []},
        'cluster_choice': {'moment': 'late', 'size': 1.5e6, 'content': 'small',
                           'network': '192.0.2.0/24', 'client': 0.0, 'stays': None,
                           'hedge': None, 'late': None,
                           'routes': list(routes)} | more}


@pytest.fixture
def dispatcher(proxy):
    """Return a StubProxy that serves a status page with the three routes."""
    proxy.says(page(LOCAL, FETCH, REDIRECT))
    return proxy


def why(proxy, *words):
    """Return the exit status of `why --clusters`."""
    return main(['why', '--url', proxy.url, '--clusters', *words])


def test_why_clusters_prints_a_line_of_each_route(dispatcher, capsys):
    assert 0 == why(dispatcher, 'get', '/v1/a/c/o')
    lines = [' '.join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert [
        'GET /v1/a/c/o: content class small, 1,500,000 bytes, client in 192.0.2.0/24, '
        'round trip unknown',
        f'as a worker of {dispatcher.url} in cluster us.ksu knows the clusters, policy adaptive, '
        'decided late',
        'round their their',
        'cluster route head trips body sum error reads error gain credits age why',
        '1 us.ksu local 100 ms - 100 ms 200 ms 0.0 ms 0 - - - - first up to 520 ms',
        '2 us.ucsb fetch 4.0 ms 80 ms 316 ms 400 ms 20 ms 18 15 ms -12 ms 12.0 700 ms',
        'us.ucsb redirect 4.0 ms 80 ms 316 ms 400 ms 20 ms 0 - - 12.0 700 ms '
        'the client is not known to follow redirects',
        'served here: first up to 520 ms',
    ] == lines


def test_what_is_asked_is_sent_to_the_proxy_with_the_key(dispatcher):
    why(dispatcher, 'get', '/v1/a/c/o?a=b', '--client', '192.0.2.1', '--size', '5', '--moment',
        'early', '--follows', '--key', 'geheim')
    why(dispatcher, 'head', '/v1/a/c/o')
    assert [('/lb/dispatch?path=%2Fv1%2Fa%2Fc%2Fo%3Fa%3Db&method=GET&client=192.0.2.1&bytes=5'
             '&moment=early&follows=1', 'geheim'),
            ('/lb/dispatch?path=%2Fv1%2Fa%2Fc%2Fo&method=HEAD', None)] == dispatcher.requests


def test_why_clusters_json_has_every_route(dispatcher, capsys):
    assert 0 == why(dispatcher, 'GET', '/v1/a/c/o', '--json')
    one, = json.loads(capsys.readouterr().out)['proxies']
    assert [LOCAL, FETCH, REDIRECT] == one['routes']
    assert ('us.ksu', 'adaptive', 'late', 'served here: first up to 520 ms') == tuple(
        one[name] for name in ('here', 'policy', 'moment', 'sentence'))


@pytest.mark.parametrize(('routes', 'said'), [
    ([route('fetch', 1), route('local', 2)],
     'fetched from us.ucsb; if it does not answer, served here'),
    ([route('fetch', 1), route('fetch', 2, 'eu'), route('local', 3)],
     'fetched from us.ucsb; if it does not answer, from eu'),
    ([route('fetch', 1), route('local', None)],
     'fetched from us.ucsb; if it does not answer, answered 404'),
    ([route('redirect', 1), route('local', 2)], 'the client is redirected to us.ucsb'),
    ([route('local', None)], 'answered 404: no other cluster is asked'),
    ([route('local', 1)], 'served here: no other route is chosen'),
])
def test_a_sentence_says_how_a_read_is_served(proxy, capsys, routes, said):
    proxy.says(page(*routes))
    assert 0 == why(proxy, 'GET', '/v1/a/c/o')
    assert said == capsys.readouterr().out.splitlines()[-1].rstrip()


def test_the_sentence_says_when_a_read_that_is_served_here_is_asked_elsewhere_too(proxy, capsys):
    for hedge, late, end in (('us.ucsb', 0.412, '; us.ucsb is asked too once it takes 412 ms'),
                             ('us.ucsb', None, ''), (None, None, '')):
        proxy.says(page(LOCAL, hedge=hedge, late=late))
        assert 0 == why(proxy, 'GET', '/v1/a/c/o')
        assert ('served here: first up to 520 ms' + end
                == capsys.readouterr().out.splitlines()[-1].rstrip())


@pytest.mark.parametrize(('words', 'said'), [
    (['--clusters', 'PUT', '/v1/a/c/o'], 'only GET and HEAD of objects may leave a cluster, e.g. '
                                         'GET /v1/AUTH_test/photos/cat'),
    (['--clusters', 'GET', '/v1/a/c'], 'only GET and HEAD of objects may leave a cluster, e.g. '
                                       'GET /v1/AUTH_test/photos/cat'),
    (['a/c/o', '--size', '5'], '--size, --moment and --follows are for --clusters'),
    (['a/c/o', '--follows'], '--size, --moment and --follows are for --clusters')])
def test_wrong_arguments_are_reported_in_one_sentence(capsys, words, said):
    assert 1 == main(['why', *words])
    assert f'swift-lb why: {said}\n' == capsys.readouterr().err


def test_a_proxy_without_other_clusters_is_reported_in_one_sentence(proxy, capsys):
    proxy.says(dispatch(choice(stand(1))) | {'clusters': None})
    assert 1 == why(proxy, 'GET', '/v1/a/c/o')
    assert (f'swift-lb why: {proxy.url} knows no other cluster: its lb-server.conf has no '
            '[lb-cluster], or its agent has not heard of one yet\n') == capsys.readouterr().err


def test_a_size_that_is_no_number_of_bytes_is_refused(capsys):
    with pytest.raises(SystemExit) as left:
        main(['why', '--clusters', 'GET', '/v1/a/c/o', '--size', '5M'])
    assert 2 == left.value.code
    assert "'5M' must be a number of bytes" in capsys.readouterr().err


def test_the_command_knows_the_moments_of_the_page():
    assert cluster_asked.MOMENTS == routes_page.MOMENTS
