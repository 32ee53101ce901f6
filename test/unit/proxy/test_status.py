"""The status page: which clients get it, what it has, and that its faults break no request."""
import hmac
import json
import os
from urllib.parse import quote

import pytest
from support.fallbacks import broken
from support.proxy_app import set_clock
from support.scripted_node import NodeAnswer
from support.stored_object import everything, stored
from swift.common.swob import Request
from swift.common.wsgi import ConfigFileError

from swift_lb.load.book import LoadBook
from swift_lb.proxy import status
from swift_lb.wire.report import LOAD

BODY = b'z' * 100000
LOCAL, REMOTE = '127.0.0.1', '203.0.113.7'


def below(env, start_response):
    """Answer 418, as the rest of the pipeline behind the filter."""
    start_response('418 Below', [])
    return [b'below']


class StatusProxy:
    """Stands for swift-lb's app at the end of a pipeline; it has `replicas` only."""

    replicas = object()


def page(key=None, final=None):
    """Return the status filter before `below`, as Swift's loader makes it for the app `final`."""
    made = status.filter_factory({}, **({} if key is None else {'key': key}))(below)
    if final is not None:
        made._pipeline_final_app = final
    return made


def ask(filtered, path='/lb/status', address=LOCAL, method='GET', **headers):
    """Return (status code, body) of a request by a client with this IP; '_' in headers is '-'."""
    made = Request.blank(path, method=method, headers={
        name.replace('_', '-'): value for name, value in headers.items()})
    made.environ['REMOTE_ADDR'] = address
    response = made.get_response(filtered)
    return response.status_int, response.body


def document(made, query='', **ask_as):
    """Return (status code, parsed JSON) of a cluster's status page."""
    code, body = ask(page(final=made.app), '/lb/status' + query, **ask_as)
    return code, json.loads(body, parse_constant=lambda name: pytest.fail(f'{name} is not JSON'))


@pytest.mark.parametrize(('key', 'given', 'status'), [
    ('  secret ', 'secret', 200),
    ('schl\u00fcssel', 'schl\u00fcssel'.encode().decode('latin-1'), 200),
    ('secret', 'Secret', 404), ('   ', '', 404), (None, '', 404), (None, 'None', 404)])
@pytest.mark.parametrize('client', [
    {'REMOTE_ADDR': REMOTE}, {'REMOTE_ADDR': LOCAL, 'HTTP_X_FORWARDED_FOR': LOCAL}, {}])
def test_clients_that_are_not_on_this_host_need_the_key(cluster, key, given, status, client):
    env = client | {'PATH_INFO': '/lb/status', 'REQUEST_METHOD': 'GET',
                    'HTTP_X_LB_STATUS_KEY': given}
    sent = []
    body = page(key, cluster(*[None] * 3).app)(env, lambda *head: sent.append(head))
    [(line, headers)] = sent
    assert (str(status), status == 200) == (line.split()[0], bool(b''.join(body)))
    assert {('Cache-Control', 'no-store'), ('Content-Type', 'application/json')} <= {*headers}


def test_keys_are_compared_in_constant_time(monkeypatch):
    compared = []
    monkeypatch.setattr(hmac, 'compare_digest', lambda *pair: compared.append(pair))
    ask(page('secret'), address=REMOTE, x_lb_status_key='guess')
    assert [(b'guess', b'secret')] == compared


@pytest.mark.parametrize('path', ['/', '/lb/statuses', '/lb/status/', '/v1/a/lb/status',
                                  '/LB/STATUS'])
def test_other_paths_pass_through_and_other_methods_get_404(path):
    filtered = page(final=StatusProxy())
    assert (418, b'below') == ask(filtered, path)
    for method in ('HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS'):
        assert 404 == ask(filtered, method=method)[0]


@pytest.mark.parametrize('final', [None, object()])
def test_the_page_is_404_on_a_proxy_with_swifts_own_app(final):
    code, body = ask(page(final=final))
    assert (404, {'error': "this proxy's app is not egg:swift-lb#proxy"}) == (
        code, json.loads(body))
    assert (404, b'') == ask(page(final=final), address=REMOTE)


def test_an_unknown_option_of_the_filter_is_refused():
    with pytest.raises(ConfigFileError, match=r'^conf, \[filter:lb_status\], kee: unknown option'):
        status.filter_factory({}, kee='x')


@pytest.fixture
def now():
    """Return [seconds], the clock of every cluster made by `still`."""
    return [1000.0]


@pytest.fixture
def still(cluster, now):
    """Return a function that makes a cluster whose clock is `now`."""
    def make(*nodes, **conf):
        made = cluster(*nodes, **conf)
        set_clock(made.app, lambda: now[0])
        return made
    return make


def test_the_page_has_the_measurements_of_each_node_that_was_read(still, now):
    made = still(stored(BODY, headers={LOAD: '1 7 0.012500'}), *[None] * 2,
                 policy_config={'1': {'lb_policy': 'lb_rlt', 'lb_max_age': '60'}})
    made.ask()
    waiting = made.app.recorder.begin(made.primaries()[0], 0)
    now[0] += 5.0
    code, page = document(made)
    assert (200, status.FORMAT, os.getpid()) == (code, page['format'], page['pid'])
    assert {'default', '1'} == set(page['policies'])
    assert {'policy': 'lb_rlt', 'enabled': True, 'chunk_clock': 'request', 'max_age': 60.0,
            'unmeasured': 'shuffle', 'hedge': 'auto',
            'account_container': False} == page['policies']['1']
    facts, = page['nodes']
    why = facts.pop('why')
    node, load = made.nodes[0], made.load(1)
    assert {'node': f'127.0.0.1:{node.port}/sd1', 'ip': '127.0.0.1', 'port': node.port,
            'device': 'sd1', 'choices': 1, 'in_flight': 1, 'oldest_wait': 5.0,
            'last_throughput': load.last_throughput, 'last_chunk_age': 5.0, 'chunks': 2,
            'connect_time': 0.0, 'first_byte_time': 0.0, 'first_byte_age': 5.0,
            'successes': 1, 'errors': 0, 'timeouts': 0, 'reported_in_flight': 7,
            'reported_service_time': 0.0125, 'report_age': 5.0} == facts
    assert ('weight 1', True) == (why['default'], why['1'].startswith('score '))
    last = page['last_orders']['0']
    assert [f'127.0.0.1:{node.port}/{node.device}' for node in made.nodes] == [
        place['node'] for place in last['order']]
    assert 5.0 == last['age']
    waiting.end()


@pytest.mark.parametrize(('container', 'name'), [
    ('c', 'o'), ('c', 'a/b//c'), ('c', 'with space?&#'), ('c\u00e9', '\u65e5'), ('c', '\xfc')])
def test_the_page_shows_the_order_of_an_objects_next_read(cluster, container, name):
    made = cluster(*[everything(BODY)] * 3)
    path = f'/a/{container}/{name}'
    code, page = document(made, f'?object={quote(path)}')
    assert (200, path, 0) == (code, page['object']['path'], page['object']['storage_policy'])
    partition, nodes = made.app.get_object_ring(0).get_nodes('a', container, name)
    assert partition == page['object']['partition']
    assert sorted((node['port'], node['device']) for node in nodes) == sorted(
        (node.port, node.device) for node in made.nodes)
    assert [(f'127.0.0.1:{node.port}/{node.device}', False, 'weight')
            for node in made.nodes] == [
        (place['node'], place['error_limited'], place['why'].split()[0])
        for place in page['object']['order']]


def test_showing_an_order_does_not_count_as_a_choice(cluster):
    made = cluster(*[everything(BODY)] * 3)
    for _ in range(3):
        document(made, '?object=/a/c/o')
    assert {} == made.app.replicas.book.snapshot().loads
    assert {} == document(made)[1]['last_orders']


def test_the_page_marks_error_limited_nodes(cluster):
    made = cluster(*[everything(BODY)] * 3)
    made.error_limit(2)
    order = document(made, '?object=/a/c/o')[1]['object']['order']
    assert [False, True, False] == [place['error_limited'] for place in order]


@pytest.mark.parametrize('path', ['o', '/a/c', '/a/c/', 'a/c/o', '//c/o', '/a//o'])
def test_a_query_for_an_invalid_object_path_gets_400(cluster, path):
    assert (400, {'error': f'object={path}: must be /ACCOUNT/CONTAINER/OBJECT'}) == document(
        cluster(*[everything(BODY)] * 3), f'?object={quote(path)}')


@pytest.mark.parametrize('status', [404, 503])
@pytest.mark.parametrize(('of_all', 'error'), [
    (False, 'the container answers {}'), (True, 'its account does not exist, or does not answer')])
def test_a_query_gets_400_if_its_container_or_account_fails(cluster, status, of_all, error):
    whole = everything(BODY)

    def script(request):
        return NodeAnswer(status) if of_all or request.path.endswith('/c') else whole(request)
    assert (400, {'error': f'object=/a/c/o: {error.format(status)}'}) == document(
        cluster(*[script] * 3), '?object=/a/c/o')


def test_a_failing_status_page_gets_500_and_is_counted(cluster, monkeypatch):
    made, parts = cluster(*[everything(BODY)] * 3), []
    made.app.guard.fall_back = parts.append
    monkeypatch.setattr(LoadBook, 'snapshot', broken)
    assert (500, {'error': 'see the log'}) == document(made)
    assert ['status'] == parts
