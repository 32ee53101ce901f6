"""What the summary of a cluster tells of its relays, links and client paths."""
import pytest
from support.cluster_network import KEY, WALL, instruction

from swift_lb.model import ClusterSummary, Echo, ImageState
from swift_lb.plan.speakers import in_order
from swift_lb.service.cluster_options import ClusterOptions, cluster_options
from swift_lb.service.clusters.exchange import ClusterExchange
from swift_lb.wire import cluster_summary, signature
from swift_lb.wire.observations import SeenPath


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
        options, in_order('b', ['n0', 'n1', 'n2'])[0], 1), ClusterExchange(
        ClusterOptions(name='b', key=KEY, peers=(('a', 'a', 1),)), 'm0', 1)
    exchange.addresses = {'b': [('b', 1)]}
    heard = set()
    for second in range(4):
        datagram, _targets = exchange.speak(instruction({'n0': 1.0, 'n1': 2.0, 'n2': 6.0}),
                                            float(second), WALL + second)
        assert there.receive(datagram, float(second), WALL + second)
        heard.add(there.clusters(float(second)).others['a'].summary.relays)
    assert told == heard


def test_other_clusters_hear_of_the_decoders_of_nodes_that_are_up():
    exchange, there = [ClusterExchange(
        ClusterOptions(name=name, key=KEY, peers=((peer, peer, 1),)),
        in_order(peer, ['n0', 'n1', 'n2'])[0], 1) for name, peer in (('a', 'b'), ('b', 'a'))]
    exchange.addresses = {'b': [('b', 1)]}
    images = {'n0': ImageState(0.0, 1, 1e-7, 1e-7, 1e-8, 2e-7), 'n1': None,
              'n2': ImageState(0.5, 3, 3e-7, 1e-7, 1e-8, 2e-7),
              'gone': ImageState(9.0, 9, 1.0, 1.0, 1.0, 1.0)}
    heard = []
    for now, known in ((1.0, images), (3.0, {})):
        _own, letters = exchange.speak(instruction({'n0': 1.0, 'n1': 2.0, 'n2': 3.0}), now,
                                       WALL + now, known)
        assert there.receive(letters[0][0], now, WALL + now)
        heard.append(there.clusters(now).others['a'].summary.image)
    assert [pytest.approx((0.375, 4, 2.5e-7, 1e-7, 1e-8, 2e-7)), None] == heard


def test_all_links_and_64_client_networks_are_told_within_some_rounds():
    exchange = ClusterExchange(ClusterOptions(
        name='a', peers=tuple((f'b{number}', 'h', 1) for number in range(18)), key=KEY), 'n0', 1)
    nodes = instruction({'n0': 1.0})
    exchange.speak(nodes, 99.0, WALL)
    for number in range(18):
        for node in ('m0', 'm1'):
            assert exchange.receive(signature.sign(KEY.encode(), cluster_summary.encode(
                ClusterSummary(f'b{number}', node, 1, 1, WALL, 60.0, '', 1, 0.0, 0.0, echoes=(
                    Echo('a', 'n0', 1, 1, 0.0, 0.25),))), cluster_summary.MAGIC), 99.1, WALL)
    for number in range(80):
        exchange.observed.paths.add(SeenPath(f'10.0.{number}.0/24', 1.0 + number, 0.1, 1e6), 99.0)
    links, paths, far = set(), set(), set()
    for _round in range(20):
        own, letters = exchange.speak(nodes, 100.0, WALL, {
            'n0': ImageState(12.3456, 12, 1.23456e-7, 1.23456e-7, 1.23456e-8, 1.23456e-7)})
        told, letter = [cluster_summary.decode(signature.verified(
            (KEY.encode(),), datagram, cluster_summary.MAGIC)) for datagram in (
                own, letters[0][0])]
        far |= {path.network for path in letter.paths}
        links |= {link.cluster for link in told.links}
        paths |= {path.network for path in told.paths}
        assert {link.lost for link in told.links} == {0.25}
    assert {f'b{number}' for number in range(18)} == links == {*exchange.clusters(101.0).links}
    assert {f'10.0.{number}.0/24' for number in range(16, 80)} == paths == far
