"""How many reads each storage node of a lab answered, second by second."""
from support.cluster import eventually

from swift_lb.clock import sleep
from swift_lb.evaluation import node_share
from swift_lb.evaluation.node_share import Poll, crowding, differences, inside, reads_of, total


def test_reads_in_an_interval_are_the_increase_of_the_count():
    assert differences([(0.0, {1: 5, 2: 0}), (1.0, {1: 7, 2: 1}), (2.0, {1: 7, 2: 4})]) == (
        (1.0, {1: 2, 2: 1}), (2.0, {1: 0, 2: 3}))


def test_a_node_down_or_restarted_is_omitted_for_that_interval():
    assert differences([(0.0, {1: 5, 2: 9}), (1.0, {1: 6}), (2.0, {1: 8, 2: 1}), (3.0, {1: 1})]) \
        == ((1.0, {1: 1}), (2.0, {1: 2}), (3.0, {}))


def test_a_nodes_reads_are_the_gets_of_all_its_devices():
    served = {(1, 'sd0'): {'by_method': {'GET': 3, 'PUT': 9}},
              (1, 'sd1'): {'by_method': {'GET': 4}}, (2, 'sd0'): {'by_method': {}}}
    assert reads_of(served) == {1: 7, 2: 0}


def test_only_intervals_wholly_inside_the_window_are_kept():
    reads = [(1.0, {1: 1}), (2.5, {1: 2}), (3.5, {1: 3}), (4.2, {1: 4})]
    assert inside(reads, (1.5, 4.0)) == [(2.5, {1: 2}), (3.5, {1: 3})]


def test_crowding_is_the_mean_share_of_each_seconds_busiest_node():
    moving = [(1.0, {1: 10, 2: 0}), (2.0, {1: 0, 2: 10})]
    assert node_share.shares(total(moving)) == {1: 0.5, 2: 0.5}
    assert crowding(moving) == 1
    assert crowding([(1.0, {1: 5, 2: 5})]) == 0.5
    assert crowding([(1.0, {})]) is None
    assert crowding([]) is None


def test_nodes_counts_are_polled_until_the_run_ends():
    asked = []
    with Poll(lambda: asked.append(1) or {1: len(asked)}, 0.01) as poll:
        assert eventually(lambda: len(asked) > 3)
    assert len(poll.reads) >= 2
    assert {tuple(counts.items()) for _second, counts in poll.reads} == {((1, 1),)}
    count = len(asked)
    sleep(0.05)
    assert len(asked) == count


def test_a_node_that_refuses_connections_yields_no_counts():
    def refuse():
        raise ConnectionError

    with Poll(refuse, 0.01) as poll:
        sleep(0.03)
    assert poll.reads == ()


def test_without_a_function_to_poll_no_reads_are_known():
    with Poll(None) as poll:
        assert poll.now >= 0
    assert poll.reads == ()
