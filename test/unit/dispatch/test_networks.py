"""The ways to client networks: merged, bounded, forgotten, the busiest first."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.dispatch.networks import KEPT, MAX_NETWORKS, NetworkPaths, network_of
from swift_lb.wire.observations import SeenPath

NETWORK = '198.51.100.0/24'


def merged(*samples):
    """Return the SeenPath after the samples (answers, rtt, bandwidth) of one network."""
    paths = NetworkPaths()
    for sample in samples:
        paths.add(SeenPath(NETWORK, *sample), 1.0)
    path, = paths.busiest()
    return path


def test_clients_are_put_together_by_the_first_24_or_48_bits_of_their_address():
    assert [NETWORK, NETWORK, '2001:db8:1::/48', None, None] == [*map(network_of, (
        '198.51.100.7', '::ffff:198.51.100.9', '2001:db8:1:2::3', '', 'client'))]


def test_a_bandwidth_rises_at_once_and_falls_slowly():
    assert merged((1, 0.1, 1e6), (1, 0.1, 9e6)).bandwidth == 9e6
    assert merged((1, 0.1, 9e6), (1, 0.1, 1e6)).bandwidth == 8e6
    assert merged((1, 0.1, 9e6), (1, 0.1, None)).bandwidth == 9e6
    assert merged((1, 0.1, None), (1, 0.1, None)).bandwidth is None


@given(st.lists(st.floats(0.001, 10.0), min_size=1, max_size=30))
def test_a_round_trip_stays_between_the_least_and_the_largest_sample(rtts):
    assert min(rtts) * 0.999 <= merged(*[(1, rtt, None) for rtt in rtts]).rtt <= max(rtts) * 1.001


def test_the_busiest_networks_come_first_and_the_least_busy_go_for_lack_of_room():
    paths = NetworkPaths()
    for number in range(MAX_NETWORKS + 5):
        paths.add(SeenPath(f'10.0.{number}.0/24', float(number + 1), 0.1, None), 1.0)
    busiest = paths.busiest(MAX_NETWORKS + 5)
    assert MAX_NETWORKS == len(busiest)
    assert [MAX_NETWORKS + 5.0, MAX_NETWORKS + 4.0] == [one.answers for one in busiest[:2]]
    assert 64 == len(paths.busiest())


def test_a_network_is_forgotten_ten_minutes_after_its_last_sample():
    paths = NetworkPaths()
    paths.add(SeenPath(NETWORK, 1.0, 0.1, None), 100.0)
    paths.forget(100.0 + KEPT)
    assert 1 == len(paths.busiest())
    paths.forget(100.1 + KEPT)
    assert [] == paths.busiest()


def test_answers_of_long_ago_count_less():
    paths = NetworkPaths()
    paths.add(SeenPath(NETWORK, 100.0, 0.1, None), 0.0)
    paths.add(SeenPath(NETWORK, 1.0, 0.1, None), KEPT)
    assert pytest.approx(37.8, abs=0.1) == paths.busiest()[0].answers
