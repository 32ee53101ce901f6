"""Agents of several clusters exchange summaries: which speak, what is kept, what is refused."""
import pytest
from support.certificates import Authority
from support.cluster_network import KEY, WALL, ClusterNetwork, instruction

from swift_lb.dispatch.clusters import DEAD_AFTER, alive
from swift_lb.model import (
    CRITICAL,
    Clusters,
    ClusterSummary,
    Echo,
    HeardCluster,
    NodeInstruction,
)
from swift_lb.plan.credits import Room
from swift_lb.plan.decision import make_instruction
from swift_lb.plan.forecast.series import MeasuredSeries
from swift_lb.plan.speakers import speakers
from swift_lb.service.cluster_options import ClusterOptions, cluster_options
from swift_lb.service.clusters import ClusterExchange, is_elsewhere
from swift_lb.wire import cluster_summary, observations, signature
from swift_lb.wire.observations import Observations, RelayedBody, SeenPath, ServedTime

NAMES = ('a', 'b', 'c')


class Group(ClusterNetwork):
    """Clusters a, b and c of three agents each."""

    def __init__(self, **options):
        super().__init__(NAMES, **options)

    def alive(self, cluster, number=0):
        """Return the set of the clusters that agent `number` of `cluster` takes for alive."""
        exchange = self.agents[cluster, number]
        return {*alive(exchange.clusters(self.now), self.now)}


def test_two_nodes_speak_and_the_next_takes_the_place_of_a_missing_one():
    first = speakers('b', ['n0', 'n1', 'n2', 'n3'])
    assert 2 == len(first)
    rest = [name for name in ('n0', 'n1', 'n2', 'n3') if name != first[0]]
    assert first[1] == speakers('b', rest)[0]
    assert ['n0'] == speakers('b', ['n0'])
    assert 1 < len({tuple(speakers(f'c{number}', ['n0', 'n1', 'n2'])) for number in range(20)})


def test_all_agents_know_all_clusters_loads_relays_and_links():
    group = Group()
    for _interval in range(4):
        group.interval()
    for exchange in group.agents.values():
        known = exchange.clusters(group.now)
        assert {*NAMES} == {known.here, *known.others}
        for summary, _at in known.others.values():
            assert (3, 2.0, 1.0) == (summary.nodes, summary.load, summary.least_load)
            assert ('10.0.0.1:8080', '10.0.0.2:8080', '10.0.0.3:8080') == summary.relays
        assert {*known.others} == {*known.links}
        for link in known.links.values():
            assert (0.08, 0.0, 0.0) == pytest.approx(link[1:4], abs=1e-6)


def test_no_cluster_dies_in_an_hour_at_30_percent_loss_and_loss_is_measured():
    group = Group(loss=0.3)
    for number in range(1800):
        group.interval()
        if number > 3:
            assert all({*NAMES} - {cluster} == group.alive(cluster) for cluster in NAMES)
    links = group.agents['a', 0].clusters(group.now).links
    assert all(link.lost < 0.3 for link in links.values())  # one of two gateways is enough


def test_a_silent_cluster_is_dead_after_4_5_intervals_until_it_is_heard():
    group = Group()
    for _interval in range(3):
        group.interval()
    group.down = {'b'}
    for _interval in range(3):
        group.interval()
    assert {'b', 'c'} == group.alive('a')
    group.interval()
    assert {'c'} == group.alive('a')
    assert set() == group.alive('b')        # both others are silent: it is cut off
    group.down = set()
    group.interval()
    assert {'b', 'c'} == group.alive('a')
    assert DEAD_AFTER == 4.5


def test_datagrams_that_are_forged_garbled_replayed_or_of_strangers_are_refused():
    group, other = Group(), Group(key='a key of other clusters')
    speaker = next(one for one in other.agents.values() if one.options.name == 'b')
    for exchange in other.agents.values():
        datagram, _letters = exchange.speak(instruction({'n0': 1.0}), 100.0, WALL)
        if datagram is not None and exchange.options.name == 'b':
            speaker = datagram
    target = group.agents['a', 0]
    assert not target.receive(speaker, 100.0, WALL)
    assert not target.receive(b'slc1', 100.0, WALL)
    assert not target.receive(b'x' * 5000, 100.0, WALL)
    assert {'forged': 3} == target.refused
    good = next(datagram for (cluster, _number), one in group.agents.items() if cluster == 'b'
                for datagram, _letters in [one.speak(instruction({'n0': 1.0}), 100.0, WALL)]
                if datagram is not None)
    assert target.receive(good, 100.0, WALL)
    assert not target.receive(good, 100.0, WALL)
    assert not group.agents['a', 1].receive(good, 100.0, WALL + 100)
    target.options = ClusterOptions(name='a', key=KEY)
    stranger = ClusterExchange(target.options, 'n0', 1)
    assert not stranger.receive(good, 100.0, WALL)
    assert {'stranger': 1} == stranger.refused
    assert {'forged': 3, 'replayed': 1} == target.refused
    target.forget(100.0)
    assert {} == target.clusters(100.0).others      # no longer in the conf
    assert {'skewed': 1} == group.agents['a', 1].refused


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


def test_a_relay_that_is_a_name_without_tls_or_loopback_makes_a_summary_invalid():
    assert [True, True, True, True, False, False, False, False, False, False] == [*map(
        is_elsewhere, (
            '198.18.1.1:80', '[2001:db8::1]:80', 'https://host:443', 'https://198.18.1.1:443',
            'host:80', '127.0.0.1:80', '[::1]:80', '169.254.169.254:80', 'https://localhost:443',
            'https://127.0.0.1:443'))]


@pytest.mark.parametrize(('relays', 'told'), [
    ('', {('10.0.0.1:8080', '10.0.0.2:8080', '10.0.0.3:8080')}),
    ('https://A.example:443', {('https://a.example:443',)}),
    ('10.9.0.1:80,https://[2001:DB8::1]:443', {
        ('10.9.0.1:80', 'https://[2001:db8::1]:443'),
        ('https://[2001:db8::1]:443', '10.9.0.1:80')}),
    ('https://a:1, https://b:2, https://c:3, https://d:4', {
        tuple(f'https://{"abcd"[(first + place) % 4]}:{(first + place) % 4 + 1}'
              for place in range(3)) for first in range(4)})])
def test_a_summary_has_the_relays_of_the_conf_in_turn_else_the_least_loaded_proxies(relays, told):
    options = cluster_options({'name': 'a', 'key': KEY, 'peers': 'b@x', 'relays': relays}, 'x', [])
    exchange, there = ClusterExchange(
        options, speakers('b', ['n0', 'n1', 'n2'])[0], 1), ClusterExchange(
        ClusterOptions(name='b', key=KEY, peers=(('a', 'a', 1),)), 'm0', 1)
    exchange.addresses = {'b': [('b', 1)]}
    heard = set()
    for second in range(4):
        datagram, _targets = exchange.speak(instruction({'n0': 1.0, 'n1': 2.0, 'n2': 6.0}),
                                            float(second), WALL + second)
        assert there.receive(datagram, float(second), WALL + second)
        heard.add(there.clusters(float(second)).others['a'].summary.relays)
    assert told == heard


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


def test_overloaded_nodes_speak_and_count_in_the_averages():
    exchange = ClusterExchange(ClusterOptions(
        name='a', peers=(('b', 'b', 1),), key=KEY), 'n0', 1)
    exchange.addresses = {'b': [('b', 1)]}
    parts = tuple(NodeInstruction(name, '10.0.0.1:8080', CRITICAL, 9.0, 1.0, 0.5, 1.0, 0.0)
                  for name in ('n0', 'n1'))
    _datagram, letters = exchange.speak(make_instruction(1, 1e9, 'balanced', True, parts, ''),
                                        100.0, WALL)
    assert [[('b', 1)]] == [addresses for _letter, addresses in letters]
    exchange.speak(None, 102.0, WALL)


def test_a_summary_has_the_ring_and_credits_of_clusters_that_are_heard():
    group = Group()
    for exchange in group.agents.values():
        exchange.ring = '0123456789abcdef'
    for _interval in range(3):
        group.interval()
    for exchange in group.agents.values():
        known = exchange.clusters(group.now)
        assert '0123456789abcdef' == known.ring
        for summary, _at in known.others.values():
            assert '0123456789abcdef' == summary.ring
            assert ((known.here, 45.0),) == summary.credits
        exchange.grant(Room(-200.0, 90.0), group.now)
        assert {0.0} == {*exchange.credits.values()}
        exchange.grant(Room(90.0, 90.0), group.now + 10.0)
        assert {} == exchange.credits       # all are silent


def test_a_cluster_that_was_never_heard_counts_for_being_cut_off():
    clusters = Clusters('a', {}, {}, ('b', 'c', 'd'))
    summary = ClusterSummary('b', 'n', 1, 1, WALL, 2.0, '', 1, 0.0, 0.0)
    one = clusters._replace(others={'b': HeardCluster(summary, 100.0)})
    assert {} == alive(one, 101.0)
    two = one._replace(others=one.others | {
        'c': HeardCluster(summary._replace(cluster='c'), 100.0)})
    assert {'b', 'c'} == {*alive(two, 101.0)}


def seen(exchange, sequence, **fields):
    """Let the worker 7 of an exchange's node tell it these fields of Observations."""
    told = Observations('a', exchange._node, 7, 1, sequence, WALL + 100)._replace(**fields)
    datagram = signature.sign(KEY.encode(), observations.encode(told), observations.MAGIC)
    assert not exchange.receive(datagram, 100.0, WALL + 100)


def tell(group):
    """Let all agents of the cluster a tell its speakers what was measured."""
    for (cluster, _number), exchange in group.agents.items():
        if cluster == 'a':
            datagram, nodes = exchange.tell(group.now, WALL + group.now)
            for node in nodes if datagram else ():
                group.agents['a', int(node[1:])].receive(datagram, group.now, WALL + group.now)


def test_what_one_node_measures_is_known_to_all_agents_and_its_times_to_other_clusters():
    for number in range(3):
        group = Group()
        group.interval()
        group.interval()
        seen(group.agents['a', number], 1, times=(ServedTime('small', 0.02, 0.001, 5.0),),
             bodies=(RelayedBody('b', 1e6, 0.5),),
             paths=(SeenPath('198.51.100.0/24', 1.0, 0.03, 1e6),
                    SeenPath('192.0.2.0/24', 1.0, 0.03, None)))
        tell(group)
        group.interval()
        group.interval()
        for (cluster, _number), exchange in group.agents.items():
            known = exchange.clusters(group.now)
            if cluster == 'a':
                assert pytest.approx(2e6) == known.links['b'].bandwidth
                assert known.links['c'].bandwidth is None
            else:
                assert (0.02, 0.001) == known.times['a']['small'][::2]
            assert {'198.51.100.0/24': ('198.51.100.0/24', 0.03, 1e6)} == known.paths['a']


def test_all_links_and_64_client_networks_are_told_within_some_rounds():
    exchange = ClusterExchange(ClusterOptions(
        name='a', peers=tuple((f'b{number}', 'h', 1) for number in range(18)), key=KEY), 'n0', 1)
    for number in range(18):
        for node in ('m0', 'm1'):
            exchange._receive((f'b{number}', node), ClusterSummary(
                f'b{number}', node, 1, 1, WALL, 60.0, '', 1, 0.0, 0.0, echoes=(
                    Echo('a', 'n0', 1, 0, 0.0, 0.25),)), 99.0)
        exchange._rtts.setdefault(f'b{number}', MeasuredSeries()).add(0.1)
    for number in range(80):
        exchange.observed.paths.add(SeenPath(f'10.0.{number}.0/24', 1.0 + number, 0.1, 1e6), 99.0)
    links, paths, far = set(), set(), set()
    for _round in range(20):
        _own, letters = exchange.speak(instruction({'n0': 1.0}), 100.0, WALL)
        told = exchange._receptions['a', 'n0'].summary
        letter = cluster_summary.decode(signature.verified(
            (KEY.encode(),), letters[0][0], cluster_summary.MAGIC))
        far |= {path.network for path in letter.paths}
        links |= {link.cluster for link in told.links}
        paths |= {path.network for path in told.paths}
        assert {link.lost for link in told.links} == {0.25}
    assert {f'b{number}' for number in range(18)} == links == {*exchange.clusters(101.0).links}
    assert {f'10.0.{number}.0/24' for number in range(16, 80)} == paths == far


def test_the_first_speaker_probes_a_link_and_a_failed_probe_is_only_counted():
    group = Group()
    for _interval in range(3):
        group.interval()
    nodes = instruction({'n0': 1.0, 'n1': 2.0, 'n2': 6.0})
    probing = {number: exchange.probes(nodes, exchange.clusters(group.now), group.now)
               for (cluster, number), exchange in group.agents.items() if cluster == 'a'}
    assert ['b', 'c'] == sorted(cluster for one in probing.values() for cluster in one)
    for cluster in ('b', 'c'):
        number = int(speakers(cluster, ['n0', 'n1', 'n2'])[0][1:])
        assert probing[number][cluster] in ('10.0.0.1:8080', '10.0.0.2:8080', '10.0.0.3:8080')
        exchange = group.agents['a', number]
        exchange.note_probe(cluster, None)
        assert {} == exchange.observed.take_rates()
        exchange.note_probe(cluster, RelayedBody(cluster, 1e6, 1.0))
        assert {cluster: 1e6} == exchange.observed.take_rates()
        assert (1, 1) == (exchange.probed[cluster, 'failed'], exchange.probed[cluster, 'answered'])
    exchange = group.agents['a', 0]
    assert {} == exchange.probes(nodes, exchange.clusters(group.now), group.now + 60)  # all silent
