"""Which clusters are alive, and when this one takes itself for cut off."""
from swift_lb.dispatch.clusters import alive
from swift_lb.model import Clusters, ClusterSummary, HeardCluster


def test_a_cluster_that_was_never_heard_counts_for_being_cut_off():
    clusters = Clusters('a', {}, {}, ('b', 'c', 'd'))
    summary = ClusterSummary('b', 'n', 1, 1, 0.0, 2.0, '', 1, 0.0, 0.0)
    one = clusters._replace(others={'b': HeardCluster(summary, 100.0)})
    assert {} == alive(one, 101.0)
    two = one._replace(others=one.others | {
        'c': HeardCluster(summary._replace(cluster='c'), 100.0)})
    assert {'b', 'c'} == {*alive(two, 101.0)}
