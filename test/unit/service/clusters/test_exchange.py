"""Agents of several clusters exchange summaries: which are alive, and what all of them know."""
import pytest
from support.cluster_network import KEY, WALL, ClusterNetwork

from swift_lb.dispatch.clusters import DEAD_AFTER, alive
from swift_lb.model import CRITICAL, NodeInstruction
from swift_lb.plan.credits import Room
from swift_lb.plan.decision import make_instruction
from swift_lb.service.cluster_options import ClusterOptions
from swift_lb.service.clusters.exchange import ClusterExchange
from swift_lb.wire import observations, signature
from swift_lb.wire.observations import (
    Observations,
    RelayedBody,
    SeenPath,
    ServedTime,
    TakenRequests,
)

NAMES = ('a', 'b', 'c')


class Group(ClusterNetwork):
    """Clusters a, b and c of three agents each."""

    def __init__(self, **options):
        super().__init__(NAMES, **options)

    def alive(self, cluster, number=0):
        """Return the set of the clusters that agent `number` of `cluster` takes for alive."""
        exchange = self.agents[cluster, number]
        return {*alive(exchange.clusters(self.now), self.now)}


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


def seen(exchange, sequence, now=100.0, **fields):
    """Let the worker 7 of an exchange's node tell it these fields of Observations."""
    told = Observations('a', exchange._node, 7, 1, sequence, WALL + now)._replace(**fields)
    datagram = signature.sign(KEY.encode(), observations.encode(told), observations.MAGIC)
    assert not exchange.receive(datagram, now, WALL + now)


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


def test_credits_go_to_the_clusters_whose_requests_come():
    group = Group()
    for sequence in range(1, 6):
        for number in range(3):
            seen(group.agents['a', number], sequence, group.now,
                 taken=(TakenRequests('b.west', 10.0), TakenRequests('b.east', 5.0)))
        tell(group)
        group.interval()
    speakers = [group.agents['a', number] for number in range(3)]
    # 22.5 a second are used, but 90 is all that there is; c has sent nothing, and can begin
    assert pytest.approx({'b': 90 * (0.125 + 0.75), 'c': 90 * 0.125}) in [
        exchange.credits for exchange in speakers]
