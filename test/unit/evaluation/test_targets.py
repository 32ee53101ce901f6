"""The proxy application and its options that the label of a policy stands for."""
import re

import pytest
from swift.common.utils import affinity_key_function

from swift_lb.errors import ConfigError
from swift_lb.evaluation import targets
from swift_lb.evaluation.targets import (
    OURS,
    SWIFTS,
    LabNode,
    faults_of,
    known,
    paper_name,
    settings,
)
from swift_lb.policy import POLICIES
from swift_lb.replica_options import OPTIONS, PREFIX

NODES = [LabNode(1, '127.0.0.11', 48.1), LabNode(2, '127.0.0.12', 72.2),
         LabNode(3, '127.0.0.13', 69.7)]
ALIKE = [node._replace(capacity=72.2) for node in NODES]


def test_every_policy_of_swift_lb_runs_on_swift_lbs_app():
    assert set(POLICIES) <= set(known())
    for policy in POLICIES:
        app, options = settings(policy, NODES)
        assert (app, options['lb_policy']) == (OURS, policy)


@pytest.mark.parametrize('label', known())
def test_a_policys_label_yields_only_options_that_exist(label):
    app, options = settings(label, NODES)
    if app == OURS:
        assert {name.removeprefix(PREFIX) for name in options} <= set(OPTIONS)


@pytest.mark.parametrize(('label', 'more'), [
    ('lb_rlt', {'lb_hedge': 'off', 'lb_book': 'worker'}),
    ('lb_rlt@read', {'lb_hedge': 'off', 'lb_book': 'worker', 'lb_chunk_clock': 'read'}),
    ('lb_rlt@host', {'lb_hedge': 'off'}), ('adaptive', {}),
    ('adaptive@read', {'lb_chunk_clock': 'read'})])
def test_a_policys_label_sets_lb_hedge_and_lb_book(label, more):
    assert settings(label, NODES) == (OURS, {'lb_policy': label.partition('@')[0]} | more)


def test_the_policy_adaptive_is_refused_with_suffix_host():
    assert [*faults_of(['adaptive@host'])]


def test_policy_labels_with_prefix_swift_select_swifts_own_app():
    assert settings('swift:shuffle', NODES) == (SWIFTS, {'sorting_method': 'shuffle'})
    assert settings('swift:timing', NODES) == (
        SWIFTS, {'sorting_method': 'timing', 'timing_expiry': '300'})


def test_swifts_affinity_prefers_the_two_fastest_nodes():
    _app, options = settings('swift:affinity', NODES)
    key = affinity_key_function(options['read_affinity'])
    places = {zone: key({'region': 1, 'zone': zone}) for zone in (1, 2, 3)}
    assert places[2] == places[3] < places[1]


def test_the_policy_weighted_excludes_the_slowest_node():
    assert settings('weighted', NODES)[1]['lb_weights'] == '127.0.0.11=0'
    assert settings('weighted', ALIKE)[1]['lb_weights'] == ''
    assert settings('swift:affinity', ALIKE)[1]['read_affinity'].count('=') == 3


def test_to_measure_one_node_alone_the_others_get_weight_0():
    assert targets.alone(2, NODES) == (
        OURS, {'lb_policy': 'weighted', 'lb_weights': '127.0.0.11=0, 127.0.0.13=0',
               'lb_hedge': 'off'})


def test_unknown_and_repeated_policy_labels_are_refused():
    faults = [*faults_of(['best', 'shuffle', 'shuffle', 'swift:fastest'])]
    assert [re.search("'.*?'|shuffle is", fault)[0] for fault in faults] == [
        "'best'", 'shuffle is', "'swift:fastest'"]
    assert 'lb_rlt' in faults[0]
    assert 'swift:timing' in faults[0]
    with pytest.raises(ConfigError, match='best'):
        settings('best', NODES)


@pytest.mark.parametrize(('label', 'name'), [
    ('shuffle', 'LB-R'), ('swift:shuffle', 'LB-R'), ('weighted', 'LB-RW'),
    ('swift:affinity', 'LB-RW'), ('connect_time', 'LB-RCT'), ('swift:timing', 'LB-RCT'),
    ('last_throughput', 'LB-RL'), ('lb_rlt', 'LB-RLT'), ('lb_rlt@read', ''), ('lb_rlt@host', ''),
])
def test_policy_labels_are_mapped_to_the_papers_names(label, name):
    assert paper_name(label) == name
