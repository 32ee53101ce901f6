"""Events of a scenario (slow, pause, hang, rebuild ...): what each changes, and until when."""
import itertools

import pytest
from support.small_cluster import Alone, in_order, kind, node, scenario

from swift_lb.sim import events
from swift_lb.sim.cluster import Cluster
from swift_lb.sim.read import ReplicaRead


def times(*planned, at=(0.0,), seconds=10):
    """Return the seconds of reads begun at the instants `at` on a 10 ms device with events."""
    cluster = Alone(scenario([kind()], events=planned, seconds=seconds))
    for instant in at:
        cluster.read(ReplicaRead, at=instant)
    return [pytest.approx(end - began, abs=1e-5)
            for began, (end, _size, _success) in zip(at, cluster.ended(), strict=True)]


def during(change, values, at, until):
    return events.During(change, values, (node(1),), at, until)


@pytest.mark.parametrize(('planned', 'at', 'seconds'), [
    ([during(events.slow, (20.0,), 1.0, 2.0)], (0.5, 1.5, 2.5), [0.01, 0.2, 0.01]),
    ([during(events.slow, (2.0,), 1.0, 3.0), during(events.slow, (3.0,), 2.0, 4.0)],
     (1.5, 2.5, 3.5, 4.5), [0.02, 0.06, 0.03, 0.01]),
    ([during(events.later, (0.05,), 0.0, 1.0)], (0.5, 1.5), [0.06, 0.01])])
def test_the_events_slow_and_later_combine_and_end_on_time(planned, at, seconds):
    assert seconds == times(*planned, at=at)


def test_the_event_pause_delays_the_configured_fraction_of_reads():
    at = [0.6 * number for number in range(1000)]
    result = times(events.During(events.pause, (0.1, 0.5), (node(1),)), at=at, seconds=1000)
    paused = [one for one in result if one == 0.51]
    assert 70 < len(paused) < 130
    assert 1000 == len(paused) + sum(one == 0.01 for one in result)


def test_the_event_fluctuate_switches_between_two_service_times():
    at = [0.025 + 0.05 * number for number in range(400)]
    event = events.Repeated(events.fluctuate, (3.0, 0.05), (node(1),), 0.0, 15.0)
    result = times(event, at=at, seconds=30)
    fast = [one == 0.01 / 3 for one in result[:300]]
    assert all(one == 0.01 for one, quick in zip(result, fast, strict=False) if not quick)
    assert 120 < sum(fast) < 180
    assert 100 < sum(one != other for one, other in itertools.pairwise(fast)) < 200
    assert all(one == 0.01 for one in result[300:])      # it is over


def test_devices_fluctuate_independently():
    event = events.Repeated(events.fluctuate, (3.0, 1.0), (node(1), node(2)))
    cluster = Alone(scenario([kind(), kind()], events=(event,), seconds=50))
    seen = []
    for second in range(50):
        cluster.agenda.at(second + 0.5, lambda _nothing: seen.append(
            [device.condition.slow for device in cluster.devices.values()]), None)
    cluster.run()
    assert 10 < sum(one == other for one, other in seen) < 40


def test_rebuild_reads_delay_client_reads_but_are_not_counted():
    event = events.Repeated(events.rebuild, (50.0, 4096), (node(1),), 0.0, 100.0)
    cluster = Alone(scenario([kind()], events=(event,), seconds=120))
    for number in range(1000):
        cluster.read(ReplicaRead, at=0.1 * number)
    in_flight = []
    cluster.agenda.at(50.05, lambda _nothing: in_flight.append(
        cluster.devices[node(1)].in_flight), None)
    waited = sum(end - 0.1 * number - 0.01
                 for number, (end, *_rest) in enumerate(cluster.ended())) / 1000
    # M/D/1 at 50 %: a wait of 0.5 x 10 ms / (2 x 0.5)
    assert 0.005 == pytest.approx(waited, rel=0.2)
    assert [0] == in_flight
    assert 1000 == len(cluster.tally.asked_at)
    assert not cluster.devices[node(1)].serving


def test_stuck_requests_of_a_hung_device_are_those_of_the_worst_host():
    hang = events.During(events.hang, (), (node(1),), 1.0, 5.0)
    cluster = Alone(scenario([kind(), kind()], hosts=2, seconds=6, node_timeout=2.0,
                             events=(hang,)))
    for worker, at in ((0, 1.5), (0, 1.6), (1, 1.7)):
        cluster.read(ReplicaRead, at=at, worker=worker)
    cluster.run()
    results = {round(at, 2): most for at, _node, most in cluster.tally.stuck_requests}
    assert (0, 1, 2, 1, 0) == tuple(results[at] for at in (1.4, 1.55, 1.75, 3.65, 4.9))
    assert 5.05 > max(results)


class Noticing:
    """A policy that records, for each read, how many nodes the Snapshot has."""

    def __init__(self):
        self.met = []

    def order(self, candidates, snapshot, now, _rng):
        """Return the candidates unchanged; add (now, nodes in `snapshot`) to `met`."""
        self.met.append((now, len(snapshot.loads)))
        return list(candidates)


def met(planned, shared):
    """Return how many nodes worker 0's book has at 0.5, 0.9 and 1.5 s; `planned` comes at 1 s."""
    policy = Noticing()
    cluster = Alone(scenario([kind(), kind()], workers=2, events=(planned,), seconds=3),
                    lambda _cluster: (policy, (), shared))
    for at in (0.5, 0.9, 1.5):
        cluster.read(ReplicaRead, at=at)
    cluster.run()
    return [number for _now, number in policy.met]


def test_a_restarted_worker_loses_only_its_own_measurements():
    assert [0, 1, 0] == met(events.OfWorkers('forget', 0, 1.0), shared=False)
    assert [0, 1, 1] == met(events.OfWorkers('forget', 1, 1.0), shared=False)
    assert [0, 1, 1] == met(events.OfWorkers('forget', 0, 1.0), shared=True)


@pytest.mark.parametrize('shared', [False, True])
def test_the_event_expire_deletes_all_measurements(shared):
    assert [0, 1, 0] == met(events.OfWorkers('expire', at=1.0), shared)
    cluster = Cluster(scenario([kind()], hosts=2, workers=3, seconds=1),
                      lambda cluster: (*in_order(cluster)[:2], shared), 1)
    before = {id(worker.book) for worker in cluster.workers}
    cluster.expire(None)
    books = [worker.book for worker in cluster.workers]
    assert (2 if shared else 6) == len({id(book) for book in books})
    assert not before & {id(book) for book in books}


def test_an_event_changes_only_the_devices_that_it_names():
    cluster = Alone(scenario([kind(), kind(), kind()], seconds=1,
                             events=(events.During(events.slow, (2.0,), (node(3), node(1))),)))
    cluster.run()
    assert [2.0, 1.0, 2.0] == [device.condition.slow for device in cluster.devices.values()]
