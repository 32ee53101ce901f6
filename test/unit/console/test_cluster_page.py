"""An agent's document is read whole or refused in one sentence."""
import json

import pytest
from support.agent_stub import METRICS, cluster, gone, node

from swift_lb.console.cluster_page import ClusterNode, ClusterPage, parse
from swift_lb.errors import StatusError

URL = 'http://10.0.0.9:6209'


def parsed(document):
    return parse(json.dumps(document).encode(), URL)


def test_the_agents_document_becomes_a_page():
    assert ClusterPage(
        node='p1', interval=1.0, rules='tllb', metric='cpu', generation=12, expires_in=4.2,
        panic=True, faults=('no space left',), nodes=(
            ClusterNode('p1', '10.0.0.1:6208', '10.0.0.1:8080', 'up', 0.4, 0.32, 1.0, 0.25, 1.0,
                        0.0, 'load 32%', METRICS, 0.01, True, {'p2': 3.5}),
            ClusterNode('p2', '10.0.0.2:6208', '10.0.0.2:8080', 'gone', None, None, 0.0, 0.0, 1.0,
                        0.0, 'never heard', {}, None, None, {})),
    ) == parsed(cluster(node(1, flows={'p2': 3.5}), gone(2), rules='tllb', metric='cpu', panic=True,
                        faults=['no space left']))


def test_fields_are_none_without_an_instruction():
    result = parsed(cluster(node(1, load=None, weight=None, metrics={'cpu': None}),
                            generation=None, expires_in=None))
    assert (None, None, None, {}) == (result.generation, result.expires_in, result.nodes[0].weight,
                                      result.nodes[0].metrics)


def test_unknown_fields_are_ignored():
    assert parsed(cluster(node(1))) == parsed(cluster(node(1, colour='red'), weather='rain'))


def test_control_characters_are_replaced():
    result = parsed(cluster(
        node(1, node='a\x1b[2J', state='up\n', reason='\x07', metrics={'cp\ru': 1.0}),
        faults=['\x9b1m'], rules='\u202e'))
    one = result.nodes[0]
    assert ('a\ufffd[2J', 'up\ufffd', '\ufffd', {'cp\ufffdu': 1.0}, ('\ufffd1m',), '\ufffd') == (
        one.node, one.state, one.reason, one.metrics, result.faults, result.rules)


FAULT = f'{URL} has an agent whose document has a fault in it'


@pytest.mark.parametrize(('body', 'sentence'), [
    (b'<html>', f'{URL} answers with something that is not JSON: is it a swift-lb-agent?'),
    (b'{"format": NaN}', f'{URL} answers with something that is not JSON: is it a swift-lb-agent?'),
    (b'\xff', f'{URL} answers with something that is not JSON: is it a swift-lb-agent?'),
    (b'[' * 100_000, f'{URL} answers with something that is not JSON: is it a swift-lb-agent?'),
    (b'[1]', f'{URL} answers with JSON that is not of an agent'),
    (b'{"error": "no"}', f'{URL} answers with JSON that is not of an agent'),
    (b'{"format": 2}', f'{URL} has an agent whose documents are of format 2, and this swift-lb '
                       'reads format 1: use the version the agent is of'),
    (b'{"format": 1}', f"{FAULT} (KeyError: 'node')"),
    (cluster(node(1, dns='much')), f"{FAULT} (ValueError: 'much' is not a number)"),
    (cluster(node(1, agrees='yes')), f"{FAULT} (ValueError: 'yes' is neither true nor false)"),
    (cluster(node(1, metrics=[])), f"{FAULT} (AttributeError: 'list' object has no attribute "
                                   "'items')"),
    (cluster(node(1, flows={'p2': 'much'})), f"{FAULT} (ValueError: 'much' is not a number)"),
    (cluster(node(1, state=None)), f'{FAULT} (ValueError: None is not a text)'),
    (cluster(faults=None), f"{FAULT} (TypeError: 'NoneType' object is not iterable)"),
])
def test_documents_of_another_form_are_refused(body, sentence):
    with pytest.raises(StatusError) as refused:
        parse(body if isinstance(body, bytes) else json.dumps(body).encode(), URL)
    assert sentence == str(refused.value)
