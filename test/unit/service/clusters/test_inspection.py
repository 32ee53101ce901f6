"""Which datagrams from clusters are refused, and which relays make a summary invalid."""
from support.cluster_network import KEY, WALL, ClusterNetwork, instruction

from swift_lb.service.cluster_options import ClusterOptions
from swift_lb.service.clusters.exchange import ClusterExchange
from swift_lb.service.clusters.inspection import is_elsewhere

NAMES = ('a', 'b', 'c')


def test_datagrams_that_are_forged_garbled_replayed_or_of_strangers_are_refused():
    group, other = ClusterNetwork(NAMES), ClusterNetwork(NAMES, key='a key of other clusters')
    speaker = next(one for one in other.agents.values() if one.options.name == 'b')
    for exchange in other.agents.values():
        datagram, _letters = exchange.speak(instruction({'n0': 1.0}), 100.0, WALL)
        if datagram is not None and exchange.options.name == 'b':
            speaker = datagram
    target = group.agents['a', 0]
    assert not target.receive(speaker, 100.0, WALL)
    assert not target.receive(b'slc1', 100.0, WALL)
    assert not target.receive(b'x' * 5000, 100.0, WALL)
    assert {'forged': 3} == target.inspected.refused
    good = next(datagram for (cluster, _number), one in group.agents.items() if cluster == 'b'
                for datagram, _letters in [one.speak(instruction({'n0': 1.0}), 100.0, WALL)]
                if datagram is not None)
    assert target.receive(good, 100.0, WALL)
    assert not target.receive(good, 100.0, WALL)
    assert not group.agents['a', 1].receive(good, 100.0, WALL + 100)
    target.options = ClusterOptions(name='a', key=KEY)
    stranger = ClusterExchange(target.options, 'n0', 1)
    assert not stranger.receive(good, 100.0, WALL)
    assert {'stranger': 1} == stranger.inspected.refused
    assert {'forged': 3, 'replayed': 1} == target.inspected.refused
    target.forget(100.0)
    assert {} == target.clusters(100.0).others      # no longer in the conf
    assert {'skewed': 1} == group.agents['a', 1].inspected.refused


def test_a_relay_that_is_a_name_without_tls_or_loopback_makes_a_summary_invalid():
    assert [True, True, True, True, False, False, False, False, False, False] == [*map(
        is_elsewhere, (
            '198.18.1.1:80', '[2001:db8::1]:80', 'https://host:443', 'https://198.18.1.1:443',
            'host:80', '127.0.0.1:80', '[::1]:80', '169.254.169.254:80', 'https://localhost:443',
            'https://127.0.0.1:443'))]
