"""Documents of proxies, agents and DNS services are read whole or refused in one sentence."""
import json
import re

import pytest
from support import agent_stub
from unit.console import dispatch_pages, status_pages

from swift_lb.console import cluster_page, clusters_page, dispatch_page, dns_page, page
from swift_lb.errors import StatusError

URL = 'http://10.0.0.9:8080'
STATUS = status_pages.page(
    status_pages.node(1, oldest_wait=0.5), book=status_pages.book(),
    object=status_pages.order((1, 'at random', True, {})))
CLUSTER = agent_stub.cluster(
    agent_stub.node(1, flows={'p\r2': 3.5}, metrics={'cp\ru': 1.0}), agent_stub.gone(2),
    faults=['no space left'])
DISPATCH = dispatch_pages.dispatch(
    dispatch_pages.choice(dispatch_pages.stand(2), dispatch_pages.stand(1)),
    dispatch_pages.peer(1), dispatch_pages.peer(2))
DNS = agent_stub.name_server(
    agent_stub.family(agent_stub.proxy(1, unreachable='Connection refused')), suspects=['p1'],
    ns={'ns\r1': ['10.0.0.1']})
CLUSTERS = agent_stub.clusters(agent_stub.other_cluster('us.uc\rsb'), refused={'forged': 2})
PAGES = {       # the sender: (its document, the parser)
    'proxy with lb_status in its pipeline': (STATUS, page.parse),
    'swift-lb-agent': (CLUSTER, cluster_page.parse),
    'proxy with lb_dispatcher in its pipeline': (DISPATCH, dispatch_page.parse),
    'swift-lb-dns': (DNS, dns_page.parse)}
every_page = pytest.mark.parametrize(
    ('document', 'parse'), [*PAGES.values(), (CLUSTERS, clusters_page.parse)],
    ids=[*PAGES, 'clusters'])


def parsed(parse, document):
    return parse(json.dumps(document).encode(), URL)


def refused(parse, body):
    """Return the text of the StatusError that `parse` raises for `body`, bytes."""
    with pytest.raises(StatusError) as refusal:
        parse(body, URL)
    return str(refusal.value)


@pytest.mark.parametrize('body', [b'<html>', b'{"format": NaN}', b'\xff', b'[' * 100_000])
@pytest.mark.parametrize('sender', PAGES)
def test_a_document_that_is_not_json_is_refused(sender, body):
    assert (f'{URL} answers with something that is not JSON: is it a {sender}?'
            == refused(PAGES[sender][1], body))


def with_one_change(value):
    """Yield other values, and copies of `value` with one part removed or of another kind."""
    yield from (None, 'x', -1.5, True, [], {})
    if isinstance(value, dict):
        for key, part in value.items():
            yield {name: other for name, other in value.items() if name != key}
            yield from (value | {key: changed} for changed in with_one_change(part))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from ([*value[:place], changed, *value[place + 1:]]
                        for changed in with_one_change(part))


def outcome(parse, document):
    """Return what `parse` makes of a document, or the StatusError that it raises."""
    try:
        return parsed(parse, document)
    except StatusError as err:
        return err


@every_page
def test_a_damaged_document_is_read_or_raises_status_error(document, parse):
    results = [outcome(parse, changed) for changed in with_one_change(document)]
    faults = [str(one) for one in results if isinstance(one, StatusError)]
    assert all(fault.startswith(f'{URL} ') for fault in faults)
    assert len(results) // 2 < len(faults)


def with_controls(value):
    """Return a copy of `value` with a control character before each text but dict keys."""
    if isinstance(value, dict):
        return {key: with_controls(part) for key, part in value.items()}
    if isinstance(value, list):
        return [*map(with_controls, value)]
    return f'\x1b{value}' if isinstance(value, str) else value


@every_page
def test_control_characters_in_documents_are_replaced(document, parse):
    shown = repr(parsed(parse, with_controls(document)))
    assert not re.search(r'\\x1b|\\r', shown)
    assert '\ufffd' in shown


@every_page
def test_unknown_fields_of_a_document_are_ignored(document, parse):
    assert parsed(parse, document) == parsed(parse, document | {'weather': {'rain': True}})


AGENT, NAME_SERVER = (f'{URL} has {one} whose document has a fault in it' for one in (
    'an agent', 'a DNS service'))
PROXY, DISPATCHER = (f'{URL} has a {one}' for one in (
    'status page with a fault in it', 'page that is not of a dispatcher of this version'))


@pytest.mark.parametrize(('parse', 'document', 'sentence'), [
    (page.parse, [1], f'{URL} answers with JSON that is not a status page'),
    (page.parse, {'pid': 1}, f'{URL} answers with JSON that is not a status page'),
    (page.parse, {'format': 1}, f'{URL} has a status page of format 1, and this swift-lb reads '
                                'format 2: use the version the proxy runs'),
    (page.parse, {'format': 2}, f"{PROXY} (KeyError: 'policies')"),
    (page.parse, STATUS | {'policies': {}}, f"{PROXY} (KeyError: 'default')"),
    (page.parse, STATUS | {'nodes': [status_pages.node(1, chunks=None)]},
     f'{PROXY} (ValueError: None is not a number)'),
    (cluster_page.parse, [1], f'{URL} answers with JSON that is not of an agent'),
    (cluster_page.parse, {'format': 2}, f'{URL} has an agent whose documents are of format 2, and '
     'this swift-lb reads format 1: use the version the agent is of'),
    (cluster_page.parse, {'format': 1}, f"{AGENT} (KeyError: 'node')"),
    (cluster_page.parse, agent_stub.cluster(agent_stub.node(1, dns='much')),
     f"{AGENT} (ValueError: 'much' is not a number)"),
    (cluster_page.parse, agent_stub.cluster(agent_stub.node(1, agrees='yes')),
     f"{AGENT} (ValueError: 'yes' is neither true nor false)"),
    (cluster_page.parse, agent_stub.cluster(agent_stub.node(1, flows={'p2': True})),
     f'{AGENT} (ValueError: True is not a number)'),
    (cluster_page.parse, agent_stub.cluster(agent_stub.node(1, state=None)),
     f'{AGENT} (ValueError: None is not a text)'),
    (dns_page.parse, [], f'{URL} answers with JSON that is not of a DNS service'),
    (dns_page.parse, {'format': 2}, f'{URL} has a DNS service whose documents are of format 2, and '
     'this swift-lb reads format 1: use the version the DNS service is of'),
    (dns_page.parse, {'format': 1}, f"{NAME_SERVER} (KeyError: 'node')"),
    (dispatch_page.parse, [], f'{DISPATCHER} (TypeError: list indices must be integers or slices, '
                              'not str)'),
    (dispatch_page.parse, {}, f"{DISPATCHER} (KeyError: 'choice')")])
def test_an_error_says_what_is_wrong_with_a_document(parse, document, sentence):
    assert sentence == refused(parse, json.dumps(document).encode())


def test_the_document_of_an_agent_is_parsed_to_a_cluster_page():
    assert cluster_page.ClusterPage(
        node='p1', interval=1.0, rules='tllb', metric='cpu', generation=12, expires_in=4.2,
        panic=True, faults=('no space left',), nodes=(
            cluster_page.ClusterNode(
                'p1', '10.0.0.1:6208', '10.0.0.1:8080', 'up', 0.4, 0.32, 1.0, 0.25, 1.0, 0.0,
                'load 32%', {'cpu': 0.3}, 0.01, True, {'p2': 3.5}),
            cluster_page.ClusterNode(
                'p2', '10.0.0.2:6208', '10.0.0.2:8080', 'gone', None, None, 0.0, 0.0, 1.0, 0.0,
                'never heard', {}, None, None, {})),
    ) == parsed(cluster_page.parse, agent_stub.cluster(
        agent_stub.node(1, flows={'p2': 3.5}, metrics={'cpu': 0.3, 'disk': None}),
        agent_stub.gone(2), rules='tllb', metric='cpu', panic=True, faults=['no space left']))


def test_the_status_page_of_a_proxy_is_parsed_to_a_page():
    nothing = page.Facts(0, 0, 0, 0, 0, None, None, None, None, None, None)
    policies = {'default': page.Policy('lb_rlt', True), '1': page.Policy('shuffle', False)}
    result = parsed(page.parse, status_pages.page(
        status_pages.node(1, choices=7, in_flight=2, oldest_wait=0.5, chunks=9, errors=1),
        policies={'default': status_pages.policy(), '1': status_pages.policy('shuffle', False)},
        pid=31, worker=2,
        object=status_pages.order((1, 'at random', True, {'timeouts': 3}), storage_policy=1)))
    assert page.Page(
        pid=31, worker=2, policies=policies, devices=(page.DeviceFacts(
            '10.0.0.1:6200/sda', 7, {'default': 'unmeasured: tried first'},
            nothing._replace(in_flight=2, oldest_wait=0.5, chunks=9, errors=1)),),
        order=page.Order('/AUTH_test/photos/cat', 1, 33, (page.ReplicaPlace(
            '10.0.0.1:6200/sda', True, 'at random', nothing._replace(timeouts=3)),)),
    ) == result
    assert [policies['1'], policies['default'], policies['default']] == [
        result.policy(1), result.policy(0), result.policy()]
    assert (None, 31, 1) == (result.book, result.keeper, result.workers)
    shared = parsed(page.parse, status_pages.page(book=status_pages.book(3, workers=8), pid=31))
    assert (page.Book('boot-3', '/dev/shm/3.book', 8), 'boot-3', 8) == (
        shared.book, shared.keeper, shared.workers)
