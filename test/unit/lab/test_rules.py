"""Rules that slow a node: parsed, all faults reported at once, and the capacity left."""
import math

import pytest

from swift_lb.errors import ConfigError
from swift_lb.lab import rules
from swift_lb.lab.rules import NODE, Rule


def test_a_document_of_handicaps_is_parsed_into_rules():
    result = rules.parse({
        'seed': '7', 'node': {'slots': '2', 'mean': '80ms'},
        'devices': {'sd0': {'hang': 'yes', 'methods': 'get,HEAD'}, 'sd1': {}}})
    assert result.seed == 7
    assert result.scopes == {NODE: Rule(slots=2, mean=0.08),
                             'sd0': Rule(hang=True, methods=('GET', 'HEAD'))}


def test_all_faults_of_a_document_of_rules_are_reported_together():
    with pytest.raises(ConfigError) as refused:
        rules.parse({'seed': 'x', 'colour': 1, 'node': {'slots': 0, 'mean': 'long', 'dist': 'flat'},
                     'devices': {'sd0': {'fail': 2, 'hang': 'maybe'},
                                 'sd1': {'slots': 3, 'pause': '1%'}}}, 'here')
    assert refused.value.faults == (
        'here, colour: unknown; a document has profile, seed, node, devices',
        'here, slots = 0: must be a whole number, 1 to 10000',
        'here, mean = long: must be a time of more than 0, such as 80ms or 0.5s',
        'here, dist = flat: must be exponential, constant or lognormal',
        'here, device sd0, fail = 2: must be a fraction of 0 to 1, such as 0.1 or 10%',
        'here, device sd0, hang = maybe: must be yes or no',
        'here, device sd1, slots = 3: needs mean, the time a request is in service',
        'here, device sd1, pause = 1%: needs mean, the time a request is in service',
        'here, seed = x: must be a whole number, 0 to 9223372036854775808')


@pytest.mark.parametrize('document', [[], None, 'x', {'node': 'x'}, {'devices': {'sd0': 3}}])
def test_a_document_of_rules_that_is_not_a_mapping_is_refused(document):
    with pytest.raises(ConfigError, match='must be a mapping'):
        rules.parse(document)


def test_a_rule_applies_to_its_node_or_device_and_methods():
    result = rules.parse({'node': {'hang': 'yes', 'methods': 'PUT'},
                          'devices': {'sd0': {'cut': 9}}})
    assert [scope for scope, _rule in result.of('sd0', 'PUT')] == [NODE, 'sd0']
    assert [scope for scope, _rule in result.of('sd0', 'GET')] == ['sd0']
    assert result.of('sd1', 'GET') == []


@pytest.mark.parametrize(('node', 'devices', 'limit'), [
    ({}, {}, math.inf),
    ({'slots': 2, 'mean': '100ms'}, {}, 20),
    ({}, {'sd0': {'mean': '100ms'}}, math.inf),          # sd1 is not limited
    ({}, {'sd0': {'mean': '100ms'}, 'sd1': {'mean': '50ms'}}, 30),
    ({'mean': '40ms'}, {'sd0': {'mean': '100ms'}, 'sd1': {'mean': '50ms'}}, 25),
    ({'hang': 'yes'}, {}, math.inf),
    ({'mean': '40ms', 'pause': '2%'}, {}, 20),
    ({'mean': '40ms', 'pause': '10%', 'pause_time': '100ms'}, {}, 20),
])
def test_a_nodes_capacity_is_slots_divided_by_the_mean_time(node, devices, limit):
    result = rules.parse({'node': node, 'devices': devices})
    assert rules.capacity(result, ('sd0', 'sd1')) == pytest.approx(limit)
