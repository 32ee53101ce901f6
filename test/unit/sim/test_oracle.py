"""The oracle, which sees all queues: its costs worked by hand, and that no policy beats it."""
import math
import random

import pytest
from support.small_cluster import Alone, kind, node, scenario

from swift_lb.sim import events, shipped
from swift_lb.sim.oracle import Oracle
from swift_lb.sim.read import FragmentRead, ReplicaRead
from swift_lb.sim.run import lasting, run


def costs(kinds, at, reads=(), planned=(), size=1):
    """Return [cost of a device, s] at the instant `at`, after `reads`, [(instant, node number)]."""
    result = scenario(kinds, events=planned, seconds=10, sizes=((size, 1.0),))
    cluster = Alone(result)
    oracle, seen = Oracle(cluster), []
    for instant, number in reads:
        cluster.agenda.at(instant, lambda number: ReplicaRead(
            cluster.workers[0], 0, [node(number)], size, lambda *_end: None), number)
    cluster.agenda.at(at, lambda _nothing: seen.extend(
        oracle.cost(device) for device in cluster.devices.values()), None)
    cluster.run()
    return seen


SIZE = 64 * 1024
CHUNKY = kind(rate=SIZE * 100)      # a chunk takes 10 ms, and the seek as long


@pytest.mark.parametrize(('one', 'at', 'reads', 'size', 'cost'), [
    (kind(), 0.5, (), 1, 0.01), (kind('constant 20ms'), 0.5, (), 1, 0.02),
    # one of three is served, one waits: 5 + 10, and 10 for itself
    (kind(), 0.015, (0, 0, 0), 1, 0.025), (kind(slots=2), 0.005, (0,), 1, 0.01),
    # two are served and one waits: (5 + 10) / 2, and 10 for itself
    (kind(slots=2), 0.005, (0, 0.004, 0.004), 1, 0.0075 + 0.01),
    (CHUNKY, 0.5, (), SIZE, 0.02), (CHUNKY, 0.5, (), 4 * SIZE, 0.05),
    # 5 ms into another read: half of its seek, then both take turns
    (CHUNKY, 0.005, (0,), 4 * SIZE, 0.005 + 0.02 + 3 * 2 * 0.01),
    # the residual life of a service grows with its variation
    (kind('exponential 10ms'), 0.0, (0,), 1, 0.02),
    (kind('gamma 10ms 0.5'), 0.0, (0,), 1, 0.01 * (1 + 0.25) / 2 + 0.01)])
def test_the_oracles_cost_is_wait_plus_first_and_other_chunks(one, at, reads, size, cost):
    assert [cost] == pytest.approx(costs([one], at, [(begin, 1) for begin in reads], size=size))


def test_the_oracles_cost_includes_the_events_slow_later_and_pause():
    slow = events.During(events.slow, (8.0,), (node(1),), 1.0)
    later = events.During(events.later, (0.05,), (node(2),), 1.0)
    pause = events.During(events.pause, (0.01, 0.5), (node(3),), 1.0)
    kinds, faults = [CHUNKY] * 3, (slow, later, pause)
    assert [0.02] * 3 == pytest.approx(costs(kinds, 0.5, planned=faults, size=SIZE))
    assert [0.16, 0.07, 0.025] == pytest.approx(costs(kinds, 1.5, planned=faults, size=SIZE))


@pytest.mark.parametrize('change', [(events.hang, ()), (events.fail, (503, 0.001))])
def test_the_oracles_cost_of_a_hung_or_failing_device_is_infinite(change):
    assert [math.inf, 10.0] == pytest.approx(costs(
        [kind(), kind('constant 10s')], 0.5, planned=(events.During(*change, (node(1),)),)))


def test_the_oracle_orders_devices_of_equal_cost_at_random():
    cluster = Alone(scenario([kind(), kind(), kind()]))
    oracle, rng = Oracle(cluster), random.Random(1)
    first = [oracle.order(cluster.replicas, None, 0.0, rng)[0] for _order in range(3000)]
    assert all(900 < first.count(one) < 1100 for one in cluster.replicas)


def test_for_an_ec_read_the_oracle_asks_the_k_cheapest_devices():
    kinds = [kind('constant 30ms'), kind('constant 10ms'), kind('constant 20ms')]
    cluster = Alone(scenario(kinds, fragments=(2, 1), seconds=1),
                    lambda cluster: (Oracle(cluster), (), False))
    cluster.read(FragmentRead, size=2)
    assert [(0.02, 2, True)] == cluster.ended()


@pytest.mark.parametrize('name', ['paper', 'one-slow-disk', 'ec-one-slow', 'hung-disk'])
@pytest.mark.parametrize('other', ['shuffle', 'lb_rlt', 'weighted'])
def test_no_policy_has_a_lower_p99_than_the_oracle(name, other):
    result = lasting(shipped.load(name), 30.0)
    best, rest = (run(result, label, 3).percentiles for label in ('oracle', other))
    assert best[99.0] < rest[99.0]
    assert best[99.9] < rest[99.9]
