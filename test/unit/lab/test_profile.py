"""Profiles of a lab's handicaps: capacities of the included ones; a faulty one is refused."""
import pytest

from swift_lb.errors import ConfigError
from swift_lb.lab import profile, rules


def capacities(name, nodes=3, devices=('sd0',)):
    documents = profile.load(name, nodes, devices)
    return [rules.capacity(rules.parse(document), devices) for document in documents.values()]


def test_profile_paper_has_the_papers_ratios_of_capacity():
    result = capacities('paper')
    assert sum(result) == pytest.approx(190, rel=1e-3)
    assert [one / result[0] for one in result] == pytest.approx(
        [1, 147.8 / 98.4, 142.6 / 98.4], rel=1e-3)


@pytest.mark.parametrize(('name', 'devices', 'expected'), [
    ('even', ('sd0',), [capacities('paper')[1]] * 3), ('slots', ('sd0',), [25, 100, 100]),
    ('one-slow-disk', ('sd0',), [10, 80, 80]), ('one-slow-disk', ('sd0', 'sd1'), [90, 160, 160])])
def test_included_profiles_give_nodes_the_intended_capacity(name, devices, expected):
    assert capacities(name, devices=devices) == pytest.approx(expected)


@pytest.mark.parametrize('name', profile.names())
def test_rules_of_an_included_profile_have_its_name_and_seed_1(name):
    document = profile.load(name, 3, ('sd0',))[1]
    assert (document['profile'], document['seed']) == (name, 1)


def test_a_profile_can_be_given_as_the_path_of_a_file(tmp_path):
    path = tmp_path / 'mine.conf'
    path.write_text('[profile]\nseed = 5\n[every node]\nmean = 1s\n[node 2]\nslots = 3\n')
    documents = profile.load(str(path), 2, ('sd0',))
    assert documents[2] == {'profile': 'mine', 'seed': '5', 'node': {'mean': '1s', 'slots': '3'},
                            'devices': {}}


def test_all_faults_of_a_profile_are_reported():
    text = '[node 9]\nmean = 1s\n[node 1 device sd7]\nmean = 1s\n[disk]\n[every node]\nmean = x\n'
    with pytest.raises(ConfigError) as refused:
        profile.documents(text, 'p', 1, ('sd0',))
    assert refused.value.faults == (
        'profile p, [node 9]: the lab has nodes 1 to 1',
        'profile p, [node 1 device sd7]: the devices of a node are sd0',
        'profile p, [disk]: must be [profile], [every node], [every device], [node N] or '
        '[node N device NAME]',
        'profile p, node 1, mean = x: must be a time of more than 0, such as 80ms or 0.5s')


def test_the_error_for_an_unknown_profile_lists_all_profiles():
    with pytest.raises(ConfigError, match='neither one of even, one-slow-disk, paper, slots nor'
                                          ' a file'):
        profile.load('papre', 3, ('sd0',))
