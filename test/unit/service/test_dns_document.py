"""The DNS service's status document and metrics, made of the reports of all its processes."""
import pytest
from support.dns_reports import BOTH, INSTRUCTION, datagram, document_of
from support.prometheus import families

from swift_lb.service.dns.exposition import COUNTERS, GAUGES, PREFIX, values
from swift_lb.service.dns.tally import STALE
from swift_lb.service.prometheus import PrometheusText
from swift_lb.version import version


def test_the_document_has_the_zone_its_names_and_processes():
    result = document_of(*BOTH)
    assert {'format': 1, 'version': version(), 'node': 'n1', 'zone': 'lb.example.com',
            'mode': 'membership', 'ttl': 30,
            'names': ['lb.example.com', '*.s3.lb.example.com'], 'usual_ttl': 60, 'serial': 77,
            'ns': {'ns1.lb.example.com': ['192.0.2.1']}, 'suspects': ['n3'], 'window': 300.0,
            'without_instruction': None, 'resolvers': 4, 'updates': 0,
            'queries': [['A', 'answer', 11], ['other', 'dropped', 2], ['other', 'slipped', 3]],
            } == {name: value for name, value in result.items()
                  if name not in ('processes', 'families')}
    assert [{'process': 'tcp', 'pid': 2, 'heard': 1.0, 'answers': True, 'resolvers': 2,
             'starts': 1, 'faults': 5, 'fault': 'OSError(28)'},
            {'process': 'udp0', 'pid': 1, 'heard': 1.0, 'answers': True, 'resolvers': 4,
             'starts': 1, 'faults': 0, 'fault': None}] == result['processes']


def test_each_proxy_has_its_state_shares_and_answer_counts():
    reached = {('n1', '192.0.2.1'): None, ('n2', '192.0.2.2'): 'No route to host'}
    v4, v6 = document_of(*BOTH, reached=reached)['families']
    assert ('A', 'membership', 2, False) == tuple(v4[name] for name in (
        'family', 'mode', 'size', 'panic'))
    assert [
        {'node': 'n1', 'address': '192.0.2.1', 'state': 'up', 'left_out': None, 'target': 0.5,
         'chance': 1.0, 'given': 10, 'expected': 10.0, 'given_share': 0.5, 'expected_share': 0.5,
         'reachable': True, 'unreachable': None},
        {'node': 'n2', 'address': '192.0.2.2', 'state': 'up', 'left_out': None, 'target': 0.5,
         'chance': 1.0, 'given': 10, 'expected': 10.0, 'given_share': 0.5, 'expected_share': 0.5,
         'reachable': False, 'unreachable': 'No route to host'},
        {'node': 'n3', 'address': '192.0.2.3', 'state': 'late', 'left_out': 'late', 'target': 0.0,
         'chance': 0.0, 'given': 0, 'expected': 0.0, 'given_share': None, 'expected_share': None,
         'reachable': None, 'unreachable': None}] == v4['proxies']
    assert [('n1', '2001:db8::1', 1.0)] == [
        (one['node'], one['address'], one['target']) for one in v6['proxies']]


def test_the_document_says_why_there_is_no_instruction():
    result = document_of(datagram(instruction='/run/it.json: No such file or directory'),
                         instruction=None)
    assert '/run/it.json: No such file or directory' == result['without_instruction']
    assert [None, []] == [result['families'][0]['proxies'][0]['state'], result['suspects']]


def test_a_node_missing_in_the_instruction_has_the_state_unheard():
    result = document_of(*BOTH, instruction=INSTRUCTION._replace(nodes=INSTRUCTION.nodes[:2]))
    assert 'unheard' == result['families'][0]['proxies'][2]['state']


@pytest.mark.parametrize('heard', [(), BOTH], ids=['never', 'not any more'])
def test_unknown_values_are_null_in_the_document(heard):
    result = document_of(*heard, now=STALE + 1)
    assert [None] * 3 == [result[name] for name in ('ttl', 'serial', 'resolvers')]
    assert [(0, 0, None)] * 2 == [(one['size'], one['proxies'][0]['target'], one['mode'])
                                  for one in result['families']]
    assert len(heard) == len(result['processes'])


def test_the_document_lacks_an_address_family_without_addresses():
    assert ['AAAA'] == [one['family'] for one in document_of(
        *BOTH, proxies='n1=2001:db8::1')['families']]


def metrics(*heard, **more):
    """Return {metric: {label values: number}} that Prometheus reads of document_of(...)."""
    result = document_of(*heard, **more)
    text = PrometheusText(PREFIX, COUNTERS, GAUGES, lambda: values(result))().decode()
    return {name: {tuple(sample.labels.values()): sample.value for sample in family.samples}
            for name, family in families(text, PREFIX, COUNTERS, GAUGES).items()}


def test_a_service_without_reports_has_0_processes_in_metrics():
    assert {(): 0} == metrics()['processes']


def test_metrics_have_the_values_of_the_document():
    results = metrics(*BOTH, reached={
        ('n1', '192.0.2.1'): None, ('n2', '192.0.2.2'): 'No route to host'})
    assert [{(version(),): 1}, {(): 0}] == [results['info'], results['updates']]
    assert {('A', 'answer'): 11} == {tuple(sorted(key)): value
                                     for key, value in results['queries'].items()}
    assert {('drop',): 2, ('slip',): 3} == results['limited']
    assert {('A', 'n1'): 10, ('A', 'n2'): 10, ('A', 'n3'): 0,
            ('AAAA', 'n1'): 0} == results['answers']
    assert {('A', 'n3', 'late'): 1} == results['left_out']
    assert {('udp0',): 0, ('tcp',): 5} == results['faults']
    assert {('192.0.2.1', 'n1'): 1, ('192.0.2.2', 'n2'): 0} == results['reachable']
    assert [{(): 2}, {(): 30}, {(): 77}, {(): 0}] == [
        results[name] for name in ('processes', 'ttl_seconds', 'serial', 'without_instruction')]
    assert ('A', 'n3') not in results['share_given']
    assert 0.5 == results['share_target']['A', 'n1'] == results['share_given']['A', 'n1']
