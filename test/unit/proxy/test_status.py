"""The status page: which clients get it, what it has, and that its faults break no request."""
import hmac
import json
import os
from urllib.parse import quote

import pytest
from support.scripted_node import Answer
from support.stored_object import everything, stored
from swift.common.swob import Request
from swift.common.wsgi import ConfigFileError

from swift_lb.load.book import LoadBook
from swift_lb.proxy import status
from swift_lb.wire.report import LOAD

BODY = b'z' * 100000
LOCAL, REMOTE = '127.0.0.1', '203.0.113.7'


def below(env, start_response):
    """Stand for the rest of the pipeline."""
    start_response('418 Below', [])
    return [b'below']


class Proxy:
    """The least that a final app needs: replicas."""

    replicas = object()


def page(key=None, final=None):
    """Return the filter as Swift's loader leaves it, over `below`."""
    made = status.filter_factory({}, **({} if key is None else {'key': key}))(below)
    if final is not None:
        made._pipeline_final_app = final
    return made


def ask(filtered, path='/lb/status', address=LOCAL, method='GET', **headers):
    """Return (status, body) of a request from `address`."""
    made = Request.blank(path, method=method, headers={
        name.replace('_', '-'): value for name, value in headers.items()})
    made.environ['REMOTE_ADDR'] = address
    if address is None:
        del made.environ['REMOTE_ADDR']
    response = made.get_response(filtered)
    return response.status_int, response.body


def document(made, query='', **ask_as):
    """Return (status, the JSON document) of a cluster's status page."""
    code, body = ask(page(final=made.app), '/lb/status' + query, **ask_as)
    return code, json.loads(body, parse_constant=lambda name: pytest.fail(f'{name} is not JSON'))


@pytest.mark.parametrize('address', ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])
def test_clients_on_the_loopback_interface_are_answered(cluster, address):
    assert 200 == ask(page(final=cluster(*[None] * 3).app), address=address)[0]


@pytest.mark.parametrize('address', [
    REMOTE, '10.0.0.1', '::ffff:10.0.0.1', '2001:db8::1', '0.0.0.0', '', 'localhost', None,
    '127.0.0.1, 10.0.0.1'])
def test_other_clients_get_404(address):
    assert (404, b'') == ask(page(final=Proxy()), address=address)


@pytest.mark.parametrize('header', [
    'X-Forwarded-For', 'Forwarded', 'X-Cluster-Client-Ip', 'Via', 'X-Real-Ip',
    'X-Forwarded-Proto', 'X-Forwarded-Host'])
@pytest.mark.parametrize('value', [REMOTE, LOCAL, ''])
def test_a_forwarded_request_is_not_local(header, value):
    assert (404, b'') == ask(page(final=Proxy()), **{header: value})


@pytest.mark.parametrize(('key', 'given', 'allowed'), [
    ('secret', 'secret', True),
    ('  secret ', 'secret', True),
    ('schl\u00fcssel', 'schl\u00fcssel'.encode().decode('latin-1'), True),
    ('secret', 'Secret', False),
    ('secret', 'secret ', False),
    ('secret', 'secre', False),
    ('secret', '', False),
    ('secret', None, False),
    ('', '', False),
    ('', 'x', False),
    ('   ', '', False),
    (None, '', False),
    (None, 'None', False),
])
@pytest.mark.parametrize('forwarded', [{}, {'x_forwarded_for': '198.51.100.1'}])
def test_other_clients_need_the_key(key, given, allowed, forwarded):
    env = {'REMOTE_ADDR': REMOTE, **{f'HTTP_{name.upper()}': value
                                     for name, value in forwarded.items()}}
    if given is not None:
        env['HTTP_X_LB_STATUS_KEY'] = given
    assert allowed == status.allowed(env, status.KEY, page(key)._key)


def test_keys_are_compared_in_constant_time(monkeypatch):
    compared = []
    monkeypatch.setattr(hmac, 'compare_digest', lambda *pair: compared.append(pair))
    ask(page('secret'), address=REMOTE, x_lb_status_key='guess')
    assert [(b'guess', b'secret')] == compared


@pytest.mark.parametrize('path', ['/', '/lb', '/lb/statuses', '/lb/status/', '/v1/a/lb/status',
                                  '/LB/STATUS'])
@pytest.mark.parametrize('address', [LOCAL, REMOTE])
def test_other_paths_pass_through(path, address):
    assert (418, b'below') == ask(page('secret', Proxy()), path, address)


@pytest.mark.parametrize('method', ['HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS'])
def test_other_methods_get_404(method):
    assert 404 == ask(page(final=Proxy()), method=method)[0]


@pytest.mark.parametrize('final', [None, object()])
def test_a_proxy_that_is_not_ours_is_reported(final):
    code, body = ask(page(final=final))
    assert (404, {'error': "this proxy's app is not egg:swift-lb#proxy"}) == (
        code, json.loads(body))
    assert (404, b'') == ask(page(final=final), address=REMOTE)


def test_an_unknown_option_is_refused():
    with pytest.raises(ConfigFileError, match=r'^conf, \[filter:lb_status\], kee: unknown option'):
        status.filter_factory({}, kee='x')


def test_the_document_of_a_proxy_that_has_served_nothing(cluster):
    code, found = document(cluster(*[None] * 3))
    assert (200, status.FORMAT, os.getpid(), [], {}) == (
        code, found['format'], found['pid'], found['nodes'], found['last_orders'])


def test_the_document_holds_the_facts(cluster):
    made = cluster(*[everything(BODY)] * 3,
                   policy_config={'1': {'lb_policy': 'lb_rlt', 'lb_max_age': '60'}})
    made.ask()
    _code, found = document(made)
    assert {'default', '1'} == set(found['policies'])
    assert {'policy': 'lb_rlt', 'enabled': True, 'chunk_clock': 'request', 'max_age': 60.0,
            'unmeasured': 'shuffle', 'hedge': 'auto',
            'account_container': False} == found['policies']['1']
    facts, = found['nodes']
    node, load = made.nodes[0], made.load(1)
    assert {'node': f'127.0.0.1:{node.port}/sd1', 'ip': '127.0.0.1', 'port': node.port,
            'device': 'sd1', 'choices': 1, 'in_flight': 0, 'oldest_wait': None,
            'last_throughput': load.last_throughput, 'chunks': 2,
            'connect_time': load.connect_time, 'first_byte_time': load.first_byte_time,
            'successes': 1, 'errors': 0, 'timeouts': 0, 'reported_in_flight': None,
            'reported_service_time': None, 'report_age': None} == {
        name: value for name, value in facts.items()
        if name not in ('why', 'last_chunk_age', 'first_byte_age')}
    assert 0 <= facts['last_chunk_age'] <= facts['first_byte_age'] < 60
    assert ('weight 1', True) == (facts['why']['default'],
                                  facts['why']['1'].startswith('score '))
    last = found['last_orders']['0']
    assert [f'127.0.0.1:{node.port}/{node.device}' for node in made.nodes] == [
        place['node'] for place in last['order']]
    assert 0 <= last['age'] < 60


def test_the_document_holds_what_a_node_reports(cluster):
    made = cluster(stored(BODY, headers={LOAD: '1 7 0.012500'}), *[everything(BODY)] * 2)
    made.ask()
    facts, = document(made)[1]['nodes']
    assert (7, 0.0125) == (facts['reported_in_flight'], facts['reported_service_time'])
    assert 0 <= facts['first_byte_age'] <= facts['report_age'] < 60     # it came with the head


def test_a_waiting_read_is_shown(cluster):
    made = cluster(*[everything(BODY)] * 3)
    response = made.open()
    response.app_iter.close()
    read = made.app.recorder.begin({'ip': '127.0.0.1', 'port': 1, 'device': 'sd9'}, 0)
    facts, = (facts for facts in document(made)[1]['nodes'] if facts['device'] == 'sd9')
    assert 1 == facts['in_flight']
    assert 0 <= facts['oldest_wait'] < 60
    read.end()


@pytest.mark.parametrize(('container', 'name'), [
    ('c', 'o'), ('c', 'a/b//c'), ('c', 'with space?&#'), ('c\u00e9', '\u65e5'), ('c', '\xfc')])
def test_the_order_of_an_object_is_that_of_its_next_read(cluster, container, name):
    made = cluster(*[everything(BODY)] * 3)
    path = f'/a/{container}/{name}'
    code, found = document(made, f'?object={quote(path)}')
    assert (200, path, 0) == (code, found['object']['path'], found['object']['storage_policy'])
    partition, nodes = made.app.get_object_ring(0).get_nodes('a', container, name)
    assert partition == found['object']['partition']
    assert sorted((node['port'], node['device']) for node in nodes) == sorted(
        (node.port, node.device) for node in made.nodes)
    assert [(f'127.0.0.1:{node.port}/{node.device}', False, 'weight')
            for node in made.nodes] == [
        (place['node'], place['error_limited'], place['why'].split()[0])
        for place in found['object']['order']]


def test_showing_an_order_counts_no_choice(cluster):
    made = cluster(*[everything(BODY)] * 3)
    for _ in range(3):
        document(made, '?object=/a/c/o')
    assert {} == made.app.replicas.book.snapshot().loads
    assert {} == document(made)[1]['last_orders']


def test_a_node_that_swift_skips_is_marked(cluster):
    made = cluster(*[everything(BODY)] * 3)
    _partition, nodes = made.app.get_object_ring(0).get_nodes('a', 'c', 'o')
    second, = (node for node in nodes if node['device'] == 'sd2')
    made.app.error_limit(second, 'for the test')
    order = document(made, '?object=/a/c/o')[1]['object']['order']
    assert [False, True, False] == [place['error_limited'] for place in order]


@pytest.mark.parametrize('path', ['o', '/a/c', '/a/c/', 'a/c/o', '//c/o', '/a//o'])
def test_a_path_of_no_object_is_a_bad_request(cluster, path):
    assert (400, {'error': f'object={path}: must be /ACCOUNT/CONTAINER/OBJECT'}) == document(
        cluster(*[everything(BODY)] * 3), f'?object={quote(path)}')


@pytest.mark.parametrize('answer', [Answer(404), Answer(503)])
def test_a_missing_container_is_a_bad_request(cluster, answer):
    whole = everything(BODY)

    def script(request):
        return answer if request.path.endswith('/c') else whole(request)
    assert (400, {'error': f'object=/a/c/o: the container answers {answer.status}'}) == document(
        cluster(*[script] * 3), '?object=/a/c/o')


@pytest.mark.parametrize('answer', [Answer(404), Answer(503)])
def test_a_missing_account_is_a_bad_request(cluster, answer):
    error = 'object=/a/c/o: its account does not exist, or does not answer'
    assert (400, {'error': error}) == document(cluster(*[answer] * 3), '?object=/a/c/o')


@pytest.mark.parametrize('fault', [RuntimeError('broken'), ValueError('broken'), KeyError('x')])
def test_a_page_that_fails_is_a_500_and_a_fallback(cluster, monkeypatch, fault):
    def broken(*_arguments):
        raise fault
    made = cluster(*[everything(BODY)] * 3)
    fallen = []
    made.app.guard.fall_back = fallen.append
    monkeypatch.setattr(LoadBook, 'snapshot', broken)
    assert (500, {'error': 'see the log'}) == document(made)
    assert ['status'] == fallen


def test_the_page_must_not_be_cached():
    response = Request.blank('/lb/status', environ={'REMOTE_ADDR': LOCAL}).get_response(
        page(final=object()))
    assert ('no-store', 'application/json') == (
        response.headers['Cache-Control'], response.headers['Content-Type'])
