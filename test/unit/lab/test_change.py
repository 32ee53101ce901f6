"""`lab set`: its words change the rules that slow nodes and proxies, or are refused."""
import copy

import pytest

from swift_lb.errors import ConfigError
from swift_lb.lab.change import EMPTY, changed, parse_words
from swift_lb.lab.network import NODE, PROXY

DEVICES = ('sd0', 'sd1')


def lab(nodes=2):
    return {node: copy.deepcopy(EMPTY) for node in range(1, nodes + 1)}


def after(words, documents=None, kind=NODE):
    """Return the documents of rules, {number: document}, after `lab set WORDS`."""
    parsed = parse_words(words.split())
    where = {name: parsed.pop(name) for name in ('device', 'profile', 'seed', 'clear')
             if name in parsed}
    return changed(documents or lab(), DEVICES, number=parsed.pop(kind.one, None), rule=parsed,
                   kind=kind, **where)


def test_later_settings_of_a_device_are_added_to_earlier_ones():
    result = after('node=1 device=sd0 slots=2 mean=80ms')
    result = after('node=1 device=sd0 hang', result)
    result = after('node=1 device=sd0 mean=10ms slots=off', result)
    assert result[1]['devices'] == {'sd0': {'mean': '10ms', 'hang': 'yes'}}
    assert result[2] == EMPTY


def test_lab_set_clear_empties_the_rules_of_a_device_node_or_all():
    result = after('node=2 mean=1s', after('node=1 mean=1s', after('node=1 device=sd0 mean=1s')))
    assert after('node=1 device=sd0 clear', result)[1]['devices'] == {}
    assert after('node=1 clear', result) == {1: EMPTY, 2: result[2]}
    assert after('clear', result) == lab()


def test_lab_set_clear_with_new_settings_removes_only_older_ones():
    assert after('node=1 clear hang', after('node=1 mean=1s'))[1]['node'] == {'hang': 'yes'}


def test_a_profile_replaces_all_rules_and_later_changes_show():
    result = after('profile=even', after('node=1 device=sd0 hang'))
    assert [result[node]['profile'] for node in result] == ['even', 'even']
    result = after('node=1 hang', after('node=1 hang', result))
    assert [result[node]['profile'] for node in result] == ['even (changed)', 'even']
    assert [one['seed'] for one in after('seed=9', result).values()] == ['9', '9']


def test_the_handicap_of_a_proxy_is_changed_like_a_nodes():
    result = after('proxy=2 slots=4 mean=80ms', kind=PROXY)
    assert result == {1: EMPTY, 2: EMPTY | {'node': {'slots': '4', 'mean': '80ms'}}}
    assert after('proxy=2 clear', result, PROXY) == lab()


@pytest.mark.parametrize(('words', 'says'), [
    ('node=3 hang', 'node=3: the lab has nodes 1 to 2'),
    ('node=1 device=sd9 hang', 'device=sd9: the devices of a node are sd0, sd1'),
    ('device=sd0 hang', 'device=sd0: of which node'),
    ('hang', 'hang: of which node'),
    ('node=1 slots=2', 'node 1, slots = 2: needs mean'),
    ('node=1 hnag', 'hnag: must be clear, hang, or NAME=VALUE of node,'),
    ('colour=red shape=round', 'colour=red: must be.*\nshape=round: must be'),
    ('proxy=3 hang', 'proxy=3: the lab has proxies 1 to 2'),
    ('proxy=1 device=sd0 hang', 'device=sd0: a proxy has none'),
    ('proxy=1 profile=even', 'profile=even: is of nodes'),
    ('proxy=1 slots=2', 'proxy 1, slots = 2: needs mean'),
])
def test_lab_set_names_a_wrong_argument_and_changes_no_rule(words, says):
    before = lab()
    with pytest.raises(ConfigError, match=says):
        after(words, before, PROXY if 'proxy' in words else NODE)
    assert before == lab()
