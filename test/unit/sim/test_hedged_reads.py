"""Simulated hedged reads: which device is asked when, and what hedging gains and costs."""
from dataclasses import replace
from functools import cache

import pytest
from support.small_cluster import Alone, InOrder, kind, node, scenario

from swift_lb.load.hedge import CAP, DEBT, HedgeBudget
from swift_lb.load.tail_time import CHUNK_BYTES, WHOLE
from swift_lb.sim import shipped
from swift_lb.sim.cluster import Cluster, Contender
from swift_lb.sim.contenders import contender_factory
from swift_lb.sim.events import During, fail, hang, slow
from swift_lb.sim.read import ReplicaRead
from swift_lb.sim.run import lasting, run

SEEDS = (1, 2)     # five, and longer: test/bench/promises.py


def cluster(*means, delay=0.02, tokens=10.0, events=(), rate=1e18, hedged=True, seconds=30):
    """Return an Alone cluster of devices of `means` ms, reads of which are hedged after `delay` s.

    `tokens` are those of the hedge budget, `rate` is a device's in bytes a second.
    """
    kinds = [kind(f'constant {mean}ms', rate=rate) for mean in means]
    alone = Alone(scenario(kinds, seconds=seconds, events=events),
                  lambda _cluster: Contender(InOrder(), hedged=hedged))
    book = alone.workers[0].book
    for place in alone.scenario.places:
        read = book.begin(place.node, 0.0)
        read.first_byte_came(delay / 3)
        read.end()
    book.hedges = HedgeBudget([tokens])
    return alone


def asked(result):
    """Return [(instant, number of the node asked)] of all requests of the cluster `result`."""
    numbers = {node(number): number for number in range(1, 9)}
    return [(round(at, 6), numbers[each]) for at, each in
            zip(result.tally.asked_at, result.tally.asked_nodes, strict=True)]


def load_of(result, number):
    return result.workers[0].book.snapshot([node(number)]).of(node(number))


def failing(*devices):
    """Return events: for each (number, seconds), that node answers each read 503 after so long."""
    return tuple(During(fail, (503, seconds), (node(number),)) for number, seconds in devices)


ONCE, TWICE = [(0.0, 1)], [(0.0, 1), (0.02, 2)]     # which nodes are asked at which instants


@pytest.mark.parametrize(('means', 'more', 'busy', 'end', 'sent'), [
    ((100, 10, 10), {}, 0, 0.03, TWICE),                        # the first answer wins
    ((25, 10), {}, 0, 0.025, TWICE),                            # it may be that of the first node
    ((500, 500, 10), {}, 0, 0.5, TWICE),                        # at most two at once
    ((19, 10), {}, 0, 0.019, ONCE),                             # answered in time
    ((100, 10), {'hedged': False}, 0, 0.1, ONCE),
    ((100, 10, 10), {'events': failing((2, 0.001))}, 0, 0.041, [*TWICE, (0.031, 3)]),
    ((10, 10, 10), {'events': failing((1, 0.05), (2, 0.001))}, 0, 0.041, [*TWICE, (0.031, 3)]),
    ((100, 200, 10), {}, 1, 0.04, [*TWICE, (0.03, 3)]),         # the second node declines
    ((100, 10), {}, 1, 0.04, [*TWICE, (0.03, 2)]),              # asked again, with a higher limit
    ((100, 200, 10), {'tokens': 1.0}, 1, 0.1, TWICE)])          # that has cost the token
def test_a_late_read_is_also_sent_to_the_next_device(means, more, busy, end, sent):
    result = cluster(*means, **more)
    result.devices[node(2)].in_flight = busy        # requests of another proxy
    result.read(ReplicaRead)
    assert [(end, 1, True)] == result.ended()
    assert sent == asked(result)


def test_the_slower_attempt_of_a_hedged_read_is_timed_and_dropped():
    result = cluster(100, 10, rate=CHUNK_BYTES / 0.010)    # one chunk of a large object is enough
    result.read(ReplicaRead, size=4 * CHUNK_BYTES)
    (end, _size, success), = result.ended()
    assert (0.07, True) == (end, success)           # asked at 0.02, seek, and four chunks of 10 ms
    loser, winner = load_of(result, 1), load_of(result, 2)
    assert (pytest.approx(0.11), 0, 0, 0) == (
        loser.first_byte_time, loser.in_flight, loser.successes, loser.chunks)
    assert (0, 1, 4) == (winner.in_flight, winner.successes, winner.chunks)
    assert 0.02 < result.workers[0].book.tail_time(node(1), WHOLE)
    assert [0, 0] == [result.devices[node(number)].in_flight for number in (1, 2)]


def test_a_hedge_waits_until_the_budget_has_a_token():
    result = cluster(100, 10, tokens=0.0)
    result.read(ReplicaRead)
    result.agenda.at(0.055, lambda _nothing: [result.workers[0].book.hedges.earn()
                                            for _request in range(21)], None)
    assert [(0.07, 1, True)] == result.ended()
    assert [(0.0, 1), (0.06, 2)] == asked(result)


def test_a_hedge_to_a_busy_device_is_sent_later():
    result = cluster(300, 300, delay=0.03)
    book = result.workers[0].book
    queued = [book.begin(node(2), 0.0) for _read in range(2)]
    result.read(ReplicaRead)
    result.ended()
    assert [(0.0, 1), (0.054, 2)] == asked(result)   # 0 may be there at 0.03, 1 at 0.042
    del queued


def test_a_read_of_an_unmeasured_device_is_not_hedged():
    result = cluster(100, 10)
    result.workers[0].book.forget(before=1.0)
    result.read(ReplicaRead)
    assert [(0.1, 1, True)] == result.ended()


def test_a_device_that_declined_is_asked_again_if_the_others_fail():
    result = cluster(10, 10, events=failing((1, 0.05)))
    result.devices[node(2)].in_flight = 100
    result.read(ReplicaRead)
    result.ended()
    assert (0.05, 2) == asked(result)[-1]


def test_a_read_of_a_hung_device_is_answered_by_a_hedge():
    result = cluster(10, 10, events=(During(hang, (), (node(1),)),))
    result.read(ReplicaRead, at=1.0)
    assert [(1.03, 1, True)] == result.ended()
    assert (1, 0) == (load_of(result, 1).timeouts, load_of(result, 1).in_flight)


def test_reads_of_a_hung_device_are_hedged_on_borrowed_tokens():
    result = cluster(10, 10, events=(During(hang, (), (node(1),)),), tokens=0.0)
    queued = [result.workers[0].book.begin(node(2), 1.03) for _read in range(5)]
    for _read in range(3):
        result.read(ReplicaRead, at=1.0)
    assert [(1.05, 1, True), (1.06, 1, True), (1.07, 1, True)] == result.ended()
    assert [(1.0, 1)] * 3 + [(1.04, 2)] * 3 == asked(result)
    del queued


def test_no_token_is_borrowed_for_a_hedge_if_all_devices_hang():
    hung = During(hang, (), (node(1), node(2), node(3)))
    result = cluster(10, 10, 10, events=(hung,), tokens=0.0, seconds=5)
    queued = [result.workers[0].book.begin(node(number), 0.9) for number in (2, 3)]
    for _read in range(3):
        result.read(ReplicaRead, at=1.0)
    result.run()
    assert [(1.0, 1)] * 3 == asked(result)
    del queued


@cache
def claimed(name, label, seed, seconds=None):
    """Return the Figures of scenario `name` under policy `label`, cut to `seconds` if given."""
    result = shipped.load(name)
    return run(lasting(result, seconds) if seconds else result, label, seed)


@pytest.mark.parametrize('seed', SEEDS)
def test_hedging_lowers_the_p99_9_by_30_percent_if_disks_pause(seed):
    plain, hedged = (claimed('pauses-of-three', label, seed)
                     for label in ('adaptive', 'adaptive+hedge'))
    assert hedged.percentiles[99.9] <= 0.7 * plain.percentiles[99.9]
    assert 1.0 < hedged.requests <= 1.05
    assert (0, 0) == (plain.failed, hedged.failed)


def test_hedging_costs_at_most_1_percent_of_throughput_if_busy():
    throughput, p99 = [], []
    for seed in SEEDS:
        plain, hedged = (claimed('pauses-busy', label, seed, 15.0)
                         for label in ('adaptive', 'adaptive+hedge'))
        throughput.append(hedged.throughput / plain.throughput)
        p99.append(hedged.percentiles[99.0] / plain.percentiles[99.0])
        assert hedged.requests <= 1.05
    assert min(throughput) >= 0.99
    assert sum(p99) / len(p99) <= 1.03      # two seeds' mean is known to 2 %


@pytest.mark.parametrize('name', ['homogeneous', 'overload', 'pauses-of-three'])
def test_hedges_never_exceed_their_budget_of_5_per_cent(name):
    result = Cluster(lasting(shipped.load(name), 20.0), contender_factory('shuffle+hedge'), 1)
    tally = result.run()
    reads = len(tally.ended_at) + len(tally.failed_at)
    under_way = sum(device.in_flight for device in result.devices.values())
    borrowed = DEBT * len(result.workers)
    assert reads < len(tally.asked_at) <= 1.05 * (reads + under_way) + borrowed


def test_the_hedge_budget_holds_when_all_nodes_slow_down():
    result = shipped.load('slowed-node')
    all_slow = replace(result, reports=False, events=(During(slow, (20.0,), tuple(
        place.node for place in result.places), 20.0),))
    whole = Cluster(all_slow, contender_factory('adaptive+hedge'), 1)
    tally = whole.run()
    reads = len(tally.ended_at) + len(tally.failed_at)
    under_way = sum(device.in_flight for device in whole.devices.values())
    assert len(tally.asked_at) <= 1.05 * (reads + under_way + CAP + DEBT)
