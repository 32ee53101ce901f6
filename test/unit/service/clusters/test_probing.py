"""Which agent probes a link, and what its probes change."""
from support.cluster_network import ClusterNetwork, instruction

from swift_lb.plan.speakers import in_order
from swift_lb.wire.observations import RelayedBody

NAMES = ('a', 'b', 'c')


def test_the_first_speaker_probes_a_link_and_a_failed_probe_is_only_counted():
    group = ClusterNetwork(NAMES)
    for _interval in range(3):
        group.interval()
    nodes = instruction({'n0': 1.0, 'n1': 2.0, 'n2': 6.0})
    probing = {number: exchange.probes(nodes, exchange.clusters(group.now), group.now)
               for (cluster, number), exchange in group.agents.items() if cluster == 'a'}
    assert ['b', 'c'] == sorted(due.cluster for one in probing.values() for due in one)
    for cluster in ('b', 'c'):
        number = int(in_order(cluster, ['n0', 'n1', 'n2'])[0][1:])
        exchange = group.agents['a', number]
        due = next(due for due in probing[number] if due.cluster == cluster)
        assert due.relay in ('10.0.0.1:8080', '10.0.0.2:8080', '10.0.0.3:8080')
        assert (exchange.clusters(group.now).links[cluster].rtt, 0.0) == (due.rtt, due.bandwidth)
        exchange.probing.note(cluster, None)
        assert {} == exchange.observed.take_rates()
        exchange.probing.note(cluster, (RelayedBody(cluster, 1e6, 1.0), 2_000_000))
        assert {cluster: 1e6} == exchange.observed.take_rates()
        assert {(cluster, 'failed'): 1, (cluster, 'answered'): 1} == exchange.probing.counted
    exchange = group.agents['a', 0]
    assert [] == exchange.probes(nodes, exchange.clusters(group.now), group.now + 60)  # all silent
