"""The links that a speaker measures by echoes, and those that speakers tell."""
import pytest

from swift_lb.dispatch.clusters import DEAD_AFTER
from swift_lb.model import ClusterLink, ClusterSummary, Echo
from swift_lb.service.clusters.links import ROUNDS, MeasuredLinks, ToldLinks


def summary(**fields):
    """Return a ClusterSummary of the cluster b, of an interval of 2 s."""
    return ClusterSummary('b', 'm', 1, 1, 0.0, 2.0, '', 1, None, None)._replace(**fields)


def test_the_round_trip_is_measured_without_the_seconds_that_the_echo_was_held():
    links = MeasuredLinks()
    links.note_sent(3, 100.0)
    links.note_echoes(summary(echoes=(Echo('a', 'n', 1, 3, 1.5, 0.25),)), {('a', 'n')}, 1, 101.6)
    assert [('b', pytest.approx(0.1), None, 0.25, None, None)] == links.forecast()
    links.forget(set())
    assert [] == links.forecast()


def test_of_a_cluster_that_is_forgotten_nothing_is_kept():
    links = MeasuredLinks()
    for cluster in 'bc':
        links.note_sent(3, 100.0)
        links.note_echoes(summary(cluster=cluster, echoes=(Echo('a', 'n', 1, 3, 1.5, 0.25),)),
                          {('a', 'n')}, 1, 101.6)
        links.bandwidths.add(cluster, 1e6, 101.6)
        assert not links.bandwidths.is_due(cluster, 102.0)
    links.forget({'c'})
    assert ['c'] == [*links._lost]
    assert ['c'] == [link.cluster for link in links.forecast()]
    links.note_sent(4, 110.0)
    links.note_echoes(summary(echoes=(Echo('a', 'n', 1, 4, 0.0, 0.5),)), {('a', 'n')}, 1, 110.1)
    assert {'c': (0.25, True), 'b': (0.5, False)} == {
        link.cluster: (link.lost, link.bandwidth is not None) for link in links.forecast()}
    assert {'c': 1} == links.bandwidths.samples
    assert links.bandwidths.is_due('b', 110.1)


@pytest.mark.parametrize('echo', [
    Echo('a', 'other', 1, 3, 0.0, 0.25), Echo('a', 'n', 2, 3, 0.0, 0.25),
    Echo('a', 'n', 1, 4, 0.0, 0.25)])
def test_echoes_of_others_of_another_epoch_or_of_nothing_sent_measure_no_link(echo):
    links = MeasuredLinks()
    links.note_sent(3, 100.0)
    links.note_echoes(summary(echoes=(echo,)), {('a', 'n')}, 1, 100.1)
    assert [] == links.forecast()


def test_of_two_told_links_the_later_counts_unless_only_the_other_has_a_bandwidth():
    links, slow = ToldLinks(), ClusterLink('c', 0.2, None, 0.0)
    fast = slow._replace(rtt=0.1)
    links.add(summary(node='m', links=(slow,)), 100.0)
    links.add(summary(node='n', links=(fast,)), 101.0)
    assert {'c': fast} == links.last(102.0)
    links.add(summary(node='m', links=(slow._replace(bandwidth=1e6),)), 100.0)
    assert {'c': slow._replace(bandwidth=1e6)} == links.last(102.0)


def test_a_told_link_is_kept_for_four_times_as_long_as_a_cluster():
    links = ToldLinks()
    links.add(summary(links=(ClusterLink('c', 0.2, None, 0.0),)), 100.0)
    end = 100.0 + ROUNDS * DEAD_AFTER * 2.0
    assert {'c'} == {*links.last(end)}
    assert {} == links.last(end + 0.1)
    links.forget({'b'}, 100.0)
    assert {} == links.last(100.0)


def test_the_echoes_of_an_interval_are_one_sample_of_a_round_trip():
    links = MeasuredLinks()
    for number, rtt in ((1, 0.1), (2, 0.9)):
        links.note_sent(number, 100.0)
        links.note_echoes(summary(echoes=(Echo('a', 'n', 1, number, 0.0, 0.0),)), {('a', 'n')}, 1,
                          100.0 + rtt)
    assert pytest.approx(0.1) == links.forecast()[0].rtt
