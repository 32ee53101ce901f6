"""`swift-lb why --dispatch`: its output, and its errors."""
import json

import pytest
from unit.console.dispatch_pages import choice, dispatch, peer, stand

from swift_lb.cli import main
from swift_lb.console import dispatch_page
from swift_lb.console.dispatch_words import PEERS, rows, sentence
from swift_lb.proxy.dispatch.delegation import PEERS as ASKED

ORDER = (stand(2), stand(3, 'expected 9 ms', 0.007), stand(1, 'this proxy: expected 20 ms', 0.02))
HERE = peer(1, expected=0.02, hop=0.0, in_flight=31, load=2.25)
PAGE = dispatch(choice(*ORDER), HERE, peer(2, in_flight=4), peer(3, load=None),
                peer(4, state='draining', expected=None, hop=None))


@pytest.fixture
def dispatcher(proxy):
    """Return a StubProxy that serves the status page PAGE of a dispatcher."""
    proxy.says(PAGE)
    return proxy


def why(proxy, *words):
    """Return the exit status of `why --dispatch`."""
    return main(['why', '--url', proxy.url, '--dispatch', *words])


def lines_of(capsys):
    """Return the printed lines, in which each run of blanks is made one blank."""
    return [' '.join(line.split()) for line in capsys.readouterr().out.splitlines()]


def test_why_dispatch_prints_proxies_in_order_with_reasons(dispatcher, capsys):
    assert 0 == why(dispatcher, 'get', '/v1/a/c/o')
    assert [
        'GET /v1/a/c/o: content class small, policy adaptive',
        f'as a worker of p1 ({dispatcher.url}) knows the proxies, by instruction 12',
        'node address expected hop load in flight state why',
        '1 p2 10.0.0.2:8080 4.0 ms 2.0 ms 1.5 4 up expected 6 ms',
        '2 p3 10.0.0.3:8080 7.0 ms 2.0 ms - 0 up expected 9 ms',
        '3 p1 (here) 10.0.0.1:8080 20 ms 0.0 ms 2.25 31 up this proxy: expected 20 ms',
        'p4 10.0.0.4:8080 - - 1.5 0 draining not asked: its operator drains it',
        'delegated to p2: expected 6 ms; if it does not answer, to p3, then served here',
    ] == lines_of(capsys)


def test_method_path_client_and_key_are_sent_to_the_proxy(dispatcher):
    why(dispatcher, 'head', '/v1/a/c/ö o?a=b&c', '--client', '192.0.2.1', '--key', 'geheim')
    assert [('/lb/dispatch?path=%2Fv1%2Fa%2Fc%2F%25C3%25B6%2520o%3Fa%3Db%26c&method=HEAD'
             '&client=192.0.2.1', 'geheim')] == dispatcher.requests


def test_why_dispatch_json_has_every_proxy_and_its_reason(dispatcher, capsys):
    assert 0 == why(dispatcher, 'GET', '/v1/a/c/o', '--json')
    document = json.loads(capsys.readouterr().out)
    assert (1, 'GET', '/v1/a/c/o') == tuple(document[name] for name in ('format', 'method', 'path'))
    one, = document['proxies']
    assert (dispatcher.url, 'adaptive', 'p1', 12, 'small', 'p2') == tuple(
        one[name] for name in ('url', 'policy', 'here', 'generation', 'content', 'served_by'))
    assert [1, 2, 3, None] == [row['place'] for row in one['proxies']]
    assert ('p1', 0.02, 31, 'this proxy: expected 20 ms') == tuple(
        one['proxies'][2][name] for name in ('name', 'expected', 'in_flight', 'why'))


def test_why_shows_all_other_proxies_if_one_of_them_fails(dispatcher, capsys):
    gone = 'http://127.0.0.1:1'
    assert 0 == why(dispatcher, 'GET', '/v1/a/c/o', '--url', gone)
    lines = lines_of(capsys)
    assert ['', f'{gone} does not answer: Connection refused'] == lines[-2:]
    assert 0 == why(dispatcher, 'GET', '/v1/a/c/o', '--url', gone, '--json')
    assert [None, f'{gone} does not answer: Connection refused'] == [
        one.get('error') for one in json.loads(capsys.readouterr().out)['proxies']]


def test_if_no_proxy_answers_the_error_names_each_of_them(capsys):
    one, other = 'http://127.0.0.1:1', 'http://127.0.0.1:2'
    assert 1 == main(['why', '--dispatch', 'GET', '/v1/a/c/o', '--url', one, '--url', other])
    assert ('', f'swift-lb why: {one} does not answer: Connection refused; {other} does not '
                'answer: Connection refused\n') == capsys.readouterr()


@pytest.mark.parametrize(('words', 'said'), [
    (['--dispatch', 'GET', 'a/c/o'], "'a/c/o' must be a path as a client sends it, e.g. "
                                     '/v1/AUTH_test/photos/cat'),
    (['--dispatch', 'GET /', '/a'], "'GET /' must be a method, e.g. GET"),
    (['--dispatch', 'GET', '/\udcff'], "'/\\udcff' is not UTF-8, as all names in Swift are"),
    (['a/c/o', '--client', '192.0.2.1'], '--client is for --dispatch and --clusters'),
    (['a/c/o', '--url', 'http://a', '--url', 'http://b'],
     'several --url are for --dispatch and --clusters'),
    (['--dns', 'x', '--url', 'http://a', '--url', 'http://b'],
     'several --url are for --dispatch and --clusters'),
])
def test_wrong_arguments_of_why_are_reported_in_one_sentence(capsys, words, said):
    assert 1 == main(['why', *words])
    assert f'swift-lb why: {said}\n' == capsys.readouterr().err


def test_the_options_dns_and_dispatch_exclude_each_other(capsys):
    with pytest.raises(SystemExit) as left:
        main(['why', '--dns', 'lb.example.com', '--dispatch', 'GET', '/v1/a/c/o'])
    assert 2 == left.value.code
    assert 'not allowed with argument' in capsys.readouterr().err


def page(chosen, *peers, **more):
    """Return the DispatchPage parsed from dispatch() of these arguments."""
    return dispatch_page.parse(json.dumps(dispatch(chosen, *peers, **more)).encode(), 'http://h')


@pytest.mark.parametrize(('chosen', 'said'), [
    (choice(stand(1, 'this proxy: expected 4 ms'), stand(2)), 'served here: expected 4 ms'),
    (choice(stand(2), stand(1)),
     'delegated to p2: expected 6 ms; if it does not answer, served here'),
    (choice(stand(2), stand(3), stand(4), stand(1)),
     'delegated to p2: expected 6 ms; if it does not answer, to p3, then served here'),
    (choice(why='/run/it.json has expired 2.0 s ago'),
     'served here: /run/it.json has expired 2.0 s ago'),
])
def test_a_sentence_names_the_proxy_that_serves_a_request(chosen, said):
    assert said == sentence(page(chosen, *map(peer, (1, 2, 3, 4))))


def test_why_assumes_the_dispatchers_own_maximum_of_peers_asked():
    assert ASKED == PEERS


@pytest.mark.parametrize(('order', 'more', 'places', 'said'), [
    ((1,), {'state': 'late'}, '1 ', 'not asked: its report is overdue'),
    ((1,), {'state': 'asleep'}, '1 ', 'not asked: it is asleep'),
    ((1,), {'ejected_for': 3.2}, '1 ', 'not asked for 3.2 s, as it has failed'),
    ((1, 2), {'ejected_for': 3.2}, '12', 'not asked for 3.2 s, as it has failed; expected 6 ms')])
def test_why_tells_the_reason_if_a_peer_is_not_asked(order, more, places, said):
    result = rows(page(choice(*map(stand, order)), peer(1), peer(2, **more)))
    assert [('p1', places[0].strip()), ('p2', places[1].strip())] == [
        (row.peer.name, row.place) for row in result]
    assert said == result[1].why


def test_without_an_instruction_a_proxy_is_shown_by_its_url(proxy, capsys):
    proxy.says(dispatch(choice(why='there is none'), here=None, generation=None))
    assert 0 == why(proxy, 'GET', '/v1/a/c/o')
    assert [f'as a worker of {proxy.url} knows the proxies, without an instruction',
            'served here: there is none'] == [*lines_of(capsys)[1::2]]
