"""The options of [lb-cluster], and a sentence for each fault in them."""
import pytest
from support.certificates import Authority
from support.cluster_network import KEY

from swift_lb.service.cluster_options import ClusterOptions, cluster_options


def test_a_host_without_lb_cluster_has_no_cluster_and_each_fault_is_a_sentence():
    faults = []
    assert cluster_options(None, 'x', faults) is None
    assert not faults
    assert cluster_options({'name': 'US', 'peers': 'a@h1 h2 B@h3', 'url': 'ksu', 'interval': '0',
                            'kye': 'secret'}, 'x', faults) is None
    assert 6 == len(faults)
    assert not any('secret' in fault for fault in faults)
    assert ClusterOptions(name='us', peers=(('eu', 'h1', 6211), ('us', '::1', 1)), key=KEY) == (
        cluster_options({'name': 'us', 'peers': 'eu@h1, us@[::1]:1', 'key': KEY}, 'x', faults))


def test_all_wrong_options_are_reported_at_once_with_a_sentence_for_each():
    wrong = {'name': 'a b', 'url': 'ksu', 'region': '-1', 'bind_port': '0', 'peers': 'h1',
             'key': 'short', 'key2': 'short', 'trust': '*', 'relays': 'a:80', 'ca_file': 'ca.pem',
             'interval': '0', 'peer': 'a@h1'}
    faults = []
    assert cluster_options(wrong, 'x', faults) is None
    assert [1] * len(wrong) == [sum(fault.startswith((f'x, [lb-cluster], {name}:',
                                                      f'x, [lb-cluster], {name} = '))
                                    for fault in faults) for name in wrong]
    assert len(wrong) == len(faults)
    assert not any('\n' in fault or 'short' in fault for fault in faults)


def test_trust_lists_hosts_and_domains_and_each_wrong_word_has_a_sentence():
    options = cluster_options({'name': 'us', 'key': KEY, 'trust': 'ksu.example, *.ucsb.example'},
                              'x', [])
    assert ('ksu.example', '*.ucsb.example') == options.trust
    assert () == cluster_options({'name': 'us', 'key': KEY}, 'x', []).trust
    faults, wrong = [], ['*', 'https://ksu.example', 'ksu.example:80', 'a.*.example']
    assert cluster_options({'name': 'us', 'key': KEY, 'trust': ', '.join([*wrong, 'good'])}, 'x',
                           faults) is None
    assert 1 == len(faults)
    assert [True] * 4 + [False] == [f'{word!r} must be' in faults[0] for word in [*wrong, 'good']]


@pytest.mark.parametrize('url', ['http://[', 'https://evil\\@ucsb.example', 'https://u@ucsb.example',
                                 'https://ucsb.example?a', 'ftp://ucsb.example'])
def test_a_url_that_can_be_read_as_another_host_has_a_sentence(url):
    faults = []
    assert cluster_options({'name': 'us', 'key': KEY, 'url': url}, 'x', faults) is None
    assert ['url'] == [fault.split()[2] for fault in faults]


def test_each_wrong_relay_and_a_wrong_ca_file_have_a_sentence(tmp_path):
    faults, wrong = [], ['ucsb.example:80', 'http://10.0.0.1:80', '127.0.0.1:80',
                         'https://ucsb.example']
    assert cluster_options({'name': 'us', 'key': KEY, 'relays': ', '.join([*wrong, '10.0.0.1:80'])},
                           'x', faults) is None
    assert 1 == len(faults)
    assert [True] * 4 + [False] == [f'{word!r} must be IP:PORT or https://HOST:PORT' in faults[0]
                                    for word in [*wrong, '10.0.0.1:80']]
    empty = tmp_path / 'empty.pem'
    empty.write_text('')
    for path, why in (('ca.pem', 'must be an absolute path'), (empty, 'no certificate in it can'),
                      (tmp_path / 'none', 'No such file'), (tmp_path, 'Is a directory')):
        faults = []
        assert cluster_options({'name': 'us', 'key': KEY, 'ca_file': str(path)}, 'x',
                               faults) is None
        assert 1 == len(faults)
        assert f'x, [lb-cluster], ca_file = {path}: ' in faults[0]
        assert why in faults[0]
    authority = Authority(tmp_path, 'good')
    options = cluster_options({'name': 'us', 'key': KEY, 'ca_file': str(authority.path)}, 'x', [])
    assert str(authority.path) == options.ca_file


def test_the_key_of_clusters_must_not_be_that_of_the_agents():
    faults = []
    assert cluster_options({'name': 'us', 'key': KEY}, 'x', faults, {'key': KEY}) is None
    assert ['x, [lb-cluster], key: must be another than that of [lb-agent]: other clusters have '
            'this one'] == faults
    options = cluster_options({'name': 'us', 'key': KEY}, 'x', [], {'bind_ip': '::', 'key': 'a'})
    assert '::' == options.bind_ip


def test_a_cluster_cannot_have_the_name_of_a_group():
    faults = []
    assert cluster_options({'name': 'us.east', 'key': KEY, 'peers': 'us@h1, us.east.c1@h2, eu@h3'},
                           'x', faults) is None
    assert ['x, [lb-cluster], peers: us is a cluster, so us.east cannot be in a group of that name',
            'x, [lb-cluster], peers: us is a cluster, so us.east.c1 cannot be in a group of that '
            'name', 'x, [lb-cluster], peers: us.east is a cluster, so us.east.c1 cannot be in a '
            'group of that name'] == faults
