"""A simulated read from begin to end: fragments, timeouts, error limits, chunks in turn."""
import pytest
from support.small_cluster import Alone, in_order, kind, node, scenario

from swift_lb.load.tail_time import CHUNK_BYTES
from swift_lb.sim.cluster import Cluster
from swift_lb.sim.events import During, fail, hang
from swift_lb.sim.read import FragmentRead, ReplicaRead


def milliseconds(*means):
    """Return [device kind of a constant service time] of each of `means`, in ms."""
    return [kind(f'constant {mean}ms') for mean in means]


def asked(cluster):
    """Return [number of the node asked] of all requests of a cluster, in order."""
    numbers = {node(number): number for number in range(1, 9)}
    return [numbers[each] for each in cluster.tally.asked_nodes]


@pytest.mark.parametrize(('slots', 'round_trip', 'ends'), [
    (1, 0.0, [0.01, 0.02, 0.03]), (2, 0.0, [0.01, 0.01, 0.02]), (1, 0.001, [0.011, 0.021, 0.031])])
def test_reads_wait_in_order_for_a_free_slot_of_the_device(slots, round_trip, ends):
    one = kind('constant 10ms', slots=slots)
    cluster = Alone(scenario([one], round_trip=round_trip, seconds=1))
    for begin in (0.0, 0.0, 0.004):
        cluster.read(ReplicaRead, at=begin)
    assert [(end, 1, True) for end in ends] == cluster.ended()


@pytest.mark.parametrize(('reads', 'others'), [(1, 0), (3, 2)])
def test_a_load_report_does_not_count_the_answered_request(reads, others):
    cluster = Alone(scenario([kind('constant 10ms', rate=CHUNK_BYTES / 0.010)], seconds=0.021))
    for _read in range(reads):
        cluster.read(ReplicaRead, size=2 * CHUNK_BYTES)
    cluster.ended()     # the first chunk is there after 20 ms
    load = cluster.workers[0].book.snapshot().of(node(1))
    assert (reads, others) == (load.in_flight, load.report.in_flight)


def test_with_reports_off_nodes_send_no_load_report():
    cluster = Alone(scenario(milliseconds(10), reports=False))
    cluster.read(ReplicaRead)
    assert [(0.01, 1, True)] == cluster.ended()
    assert cluster.workers[0].book.snapshot().of(node(1)).report is None


def test_an_ec_read_ends_with_the_slowest_of_k_fragments():
    cluster = Alone(scenario(milliseconds(10, 30, 20, 5), fragments=(3, 1), seconds=1))
    cluster.read(FragmentRead, size=3)
    assert [(0.03, 3, True)] == cluster.ended()
    assert [1, 2, 3] == asked(cluster)


@pytest.mark.parametrize(('failing', 'end'), [
    ((1,), (0.011, 2, True)), ((1, 2), (0.001, 2, False))])
def test_an_ec_read_succeeds_while_k_fragments_can_be_read(failing, end):
    events = (During(fail, (503, 0.001), tuple(map(node, failing))),)
    cluster = Alone(scenario(milliseconds(10, 10, 10), fragments=(2, 1), seconds=1, events=events))
    cluster.read(FragmentRead, size=2)
    assert [end] == cluster.ended()


def test_a_hung_device_is_given_up_after_node_timeout():
    cluster = Alone(scenario(milliseconds(10, 10), seconds=12, node_timeout=10.0,
                             events=(During(hang, (), (node(1),)),)))
    cluster.read(ReplicaRead, at=0.5)
    (at, _size, success), = cluster.ended()
    assert success
    assert 10.51 <= at <= 10.51 + 0.05
    assert [1, 2] == asked(cluster)


@pytest.mark.parametrize('read', [ReplicaRead, FragmentRead])
def test_a_read_resumes_on_another_device_after_a_hang(read):
    chunky = kind('constant 10ms', rate=CHUNK_BYTES / 0.010)
    cluster = Alone(scenario([chunky, chunky], seconds=9, node_timeout=2.0, fragments=(1, 1),
                             events=(During(hang, (), (node(1),), 0.505),)))
    cluster.read(read, size=100 * CHUNK_BYTES)
    (at, _size, success), = cluster.ended()
    assert success
    # 50 chunks have arrived by 0.51, the last one then; the rest is a seek and 50 more.
    assert pytest.approx(0.51 + 2.0 + 0.51, abs=0.001) == at
    assert [1, 2] == asked(cluster)
    loads = cluster.workers[0].book.snapshot().loads
    assert [(1, 0, 0), (0, 1, 0)] == [
        (load.timeouts, load.successes, load.in_flight) for load in (
            loads[node(1)], loads[node(2)])]


def test_a_long_read_does_not_time_out():
    chunky = kind('constant 10ms', rate=CHUNK_BYTES / 0.010)
    cluster = Alone(scenario([chunky, chunky], seconds=9, node_timeout=2.0))
    cluster.read(ReplicaRead, size=500 * CHUNK_BYTES)
    (at, _size, success), = cluster.ended()
    assert (True, [1]) == (success, asked(cluster))
    assert 5.0 < at < 5.1


def test_reads_waiting_for_a_hung_device_end_when_the_hang_ends():
    cluster = Alone(scenario(milliseconds(10, 10), seconds=5,
                             events=(During(hang, (), (node(1),), 0.0, 2.0),)))
    cluster.read(ReplicaRead, at=0.5)
    assert [(2.01, 1, True)] == cluster.ended()


def refused(status, reads, after=()):
    """Return the nodes that a worker asked in `reads` reads, each 0.1 s, and reads at `after`.

    Node 1 of two answers every request `status`.
    """
    cluster = Alone(scenario(milliseconds(1, 1), seconds=100,
                             events=(During(fail, (status, 0.001), (node(1),)),)))
    for number in range(reads):
        cluster.read(ReplicaRead, at=0.1 * number)
    for at in after:
        cluster.read(ReplicaRead, at=at)
    assert all(success for _at, _size, success in cluster.ended())
    return asked(cluster)


@pytest.mark.parametrize(('status', 'reads', 'after', 'nodes'), [
    (503, 14, (), [1, 2] * 11 + [2] * 3),                               # the eleventh error
    (503, 12, (60.9, 61.2), [1, 2] * 11 + [2, 2, 1, 2]),                # over after 60 s
    (507, 3, (), [1, 2, 2, 2])])                                        # at once
def test_a_device_is_error_limited_after_11_errors_or_one_507(status, reads, after, nodes):
    assert nodes == refused(status, reads, after)


def test_a_restarted_worker_has_no_error_limited_devices():
    cluster = Alone(scenario(milliseconds(1, 1), seconds=10, workers=2,
                             events=(During(fail, (507, 0.001), (node(1),)),)))
    for at, worker in ((0.0, 0), (0.1, 0), (0.2, 1), (0.4, 0)):
        cluster.read(ReplicaRead, at=at, worker=worker)
    cluster.agenda.at(0.3, cluster.forget, 0)
    cluster.run()
    assert [1, 2, 2, 1, 2, 1, 2] == asked(cluster)


def test_a_read_fails_if_all_devices_are_error_limited():
    events = (During(fail, (507, 0.001), (node(1), node(2))),)
    cluster = Alone(scenario(milliseconds(1, 1), seconds=1, events=events))
    for at in (0.0, 0.1):
        cluster.read(ReplicaRead, at=at)
    assert [(0.002, 1, False), (0.1, 1, False)] == cluster.ended()


def test_a_large_read_takes_turns_with_small_ones():
    one = kind('constant 10ms', rate=CHUNK_BYTES / 0.010)     # each whole chunk 10 ms more
    cluster = Alone(scenario([one], seconds=10))
    cluster.read(ReplicaRead, size=100 * CHUNK_BYTES)
    cluster.read(ReplicaRead, size=1, at=0.001)
    small, large = cluster.ended()
    assert (pytest.approx(0.03, abs=1e-4), 1, True) == small       # behind one chunk, not all
    assert (pytest.approx(1.02, abs=1e-4), 100 * CHUNK_BYTES, True) == large


def test_a_read_of_a_cached_object_needs_no_seek():
    cluster = Alone(scenario([kind('constant 10ms', cache=1)], seconds=1))
    cluster.read(ReplicaRead)
    cluster.read(ReplicaRead, at=0.5)
    first, second = cluster.ended()
    assert 0.01 == first[0]
    assert 0.5 < second[0] < 0.501


def test_clients_of_a_closed_loop_go_on_after_failed_reads():
    events = (During(fail, (507, 0.0), (node(1),)),)
    cluster = Cluster(scenario(milliseconds(1), clients=2, seconds=1, events=events), in_order, 1)
    assert 150 < len(cluster.run().failed_at) <= 200
