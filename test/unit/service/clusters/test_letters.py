"""Groups of clusters: each cluster hears its siblings, and one summary of each other group."""
import pytest
from support.cluster_network import ClusterNetwork

from swift_lb.dispatch.clusters import alive
from swift_lb.model import EndedRedirect

NAMES = [f'{group}.c{number}' for group in ('us.east', 'us.west', 'eu') for number in range(3)]


@pytest.fixture
def network():
    """Return a ClusterNetwork of three groups of three clusters, after ten intervals."""
    made = ClusterNetwork(NAMES, agents=2)
    for _interval in range(10):
        made.interval()
    return made


def test_a_cluster_is_told_the_ends_of_its_own_redirected_reads_only(network):
    told = {name: EndedRedirect(f'{place:08x}', 0.5, None) for place, name in enumerate(NAMES)}
    for (cluster, _number), exchange in network.agents.items():
        exchange.observed._ended.add([one for one in told.items() if one[0] != cluster],
                                     network.now)
    for _interval in range(3):
        network.interval()
    for cluster in NAMES:
        others = known(network, cluster).others
        siblings = [name for name in others if name in NAMES]
        assert [(told[cluster],)] * 2 == [others[name].summary.ended for name in siblings]


def known(network, cluster):
    """Return the Clusters of an agent of `cluster`."""
    return network.agents[cluster, 1].clusters(network.now)


def test_a_cluster_hears_its_siblings_and_one_summary_of_each_other_group(network):
    assert {'us.east.c1', 'us.east.c2', 'us.west', 'eu'} == {*known(network, 'us.east.c0').others}
    assert {'eu.c1', 'eu.c2', 'us'} == {*known(network, 'eu.c0').others}


def test_the_summary_of_a_group_has_all_nodes_but_the_credits_of_one_cluster(network):
    parts = {'us': 6, 'us.west': 3, 'us.east': 3, 'eu': 3}
    for cluster in NAMES:
        for name, (summary, _at) in known(network, cluster).others.items():
            assert 2 * parts.get(name, 1) == summary.nodes
            assert (1.5, 1.0) == (summary.load, summary.least_load)
    granted = dict(known(network, 'eu.c0').others['us'].summary.credits)
    assert [*granted] == ['eu']
    assert 22.5 == granted['eu']       # a quarter of 90, as reads go to the least loaded one


def test_the_link_to_a_group_is_measured_to_its_speakers(network):
    for cluster in NAMES:
        clusters = known(network, cluster)
        assert {*clusters.others} == {*clusters.links}
        for link in clusters.links.values():
            assert (0.08, 0.0, 0.0) == pytest.approx(link[1:4], abs=1e-6)


def test_a_group_lives_as_long_as_one_of_its_clusters(network):
    network.down = {'us.west.c0', 'us.west.c1'}
    for _interval in range(10):
        network.interval()
        assert 'us.west' in alive(known(network, 'us.east.c0'), network.now)
        assert 'us' in alive(known(network, 'eu.c0'), network.now)
    assert 2 == known(network, 'us.east.c0').others['us.west'].summary.nodes
    network.down.add('us.west.c2')
    for _interval in range(6):
        network.interval()
    assert 'us.west' not in alive(known(network, 'us.east.c0'), network.now)
    assert 6 == known(network, 'eu.c0').others['us'].summary.nodes


def test_no_group_dies_in_five_minutes_at_30_percent_loss():
    network = ClusterNetwork(NAMES, agents=2, loss=0.3)
    for number in range(150):
        network.interval()
        if number > 5:
            assert all(len(alive(known(network, name), network.now)) ==
                       (4 if 'us' in name else 3) for name in NAMES[::3])
