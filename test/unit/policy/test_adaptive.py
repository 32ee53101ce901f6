"""`adaptive`: its formula worked by hand, and its rules for stalls, probes and unknowns."""
import math
import random

import pytest

from swift_lb.load.pace import TAU, DevicePace, Fleet, Pace
from swift_lb.model import DeviceReport, Node, NodeLoad, Snapshot
from swift_lb.policy import make_policy
from swift_lb.replica_options import ReplicaOptions

A, B, C = NODES = [Node(f'10.0.0.{number}', 6200, 'sda') for number in (1, 2, 3)]
NOW = 1000.0
POLICY = make_policy(ReplicaOptions(policy='adaptive'))


def pace(seconds=0.010, weight=199.0, **facts):
    """Return the NodeLoad of a device with a mean service time of `seconds` from `weight` samples.

    `facts` are fields of its DevicePace, or `queued` reads and the last `report`.
    """
    queued = facts.pop('queued', 0)
    report = facts.pop('report', None)
    words = dict.fromkeys(DevicePace._fields[2:], 0.0) | {
        'at': NOW, 'progress_at': NOW, 'asked_at': NOW,
        'service_time': report.service_time if report else 0.0}
    return NodeLoad(queued=queued, in_flight=queued, evidence={
        Pace: DevicePace(seconds, weight, **words | facts)})


def view(loads, typical=0.010, may_probe=False, further=0.0, reported_at=NOW):
    return Snapshot(loads, common={Pace: Fleet(typical, may_probe, further, reported_at)})


def explained(node, snapshot, *candidates):
    """Return what `adaptive` says on `node` among `candidates`, by default all NODES."""
    return POLICY.explain(node, candidates or NODES, snapshot, NOW)


def firsts(snapshot, rounds=3000):
    """Return {node: fraction of `rounds` orders in which it came first}."""
    rng = random.Random(1)
    orders = [POLICY.order(NODES, snapshot, NOW, rng)[0] for _round in range(rounds)]
    return {node: orders.count(node) / rounds for node in NODES}


def expected(loads, node=A, **facts):
    return POLICY.expected(list(loads), view(loads, **facts), NOW)[list(loads).index(node)]


@pytest.mark.parametrize(('queued', 'cost'), [(0, 0.01133), (1, 0.02267)])
def test_costs_equal_the_worked_example_of_the_manual(queued, cost):
    loads = {A: pace(0.010, 399.0, queued=queued), B: pace(0.020, 399.0)}
    a, b = POLICY.expected([A, B], view(loads, typical=0.0133), NOW)
    assert (cost, 0.01865) == pytest.approx((a.cost, b.cost), rel=2e-3)


def test_the_service_time_is_the_mean_of_samples_and_reports():
    known = pace(0.020, 9.0, at=NOW - TAU, report=DeviceReport(0, 0.010), reported_at=NOW - TAU)
    samples, reports = 9 / math.e, 19 / math.e
    mean = (samples * 0.020 + reports * 0.010) / (samples + reports)
    assert expected({A: known}, typical=mean).service == pytest.approx(mean)


@pytest.mark.parametrize(('ours', 'said', 'samples', 'left_out'), [
    (0.010, 0.025, 3.0, False), (0.010, 0.035, 3.0, True),  # mended, and 3 times faster
    (0.020, 0.010, 3.0, False), (0.025, 0.010, 3.0, True),  # it has become 2.3 times slower
    (0.020, 0.400, 3.0, True), (0.020, 0.400, 1.0, False)])     # one sample may be chance
def test_a_report_from_before_a_change_of_speed_does_not_count(ours, said, samples, left_out):
    known = pace(ours, samples, report=DeviceReport(0, said), reported_at=NOW)
    assert left_out == (expected({A: known}, typical=ours).service == pytest.approx(ours))


def test_an_unknown_device_is_first_as_often_as_known_ones():
    """It counts as fast as the others are in the mean; alone it has the time `typical`."""
    fast = {A: pace(0.0, 0.0), B: pace(0.0005), C: pace(0.0005)}
    assert firsts(view(fast, typical=0.020))[A] == pytest.approx(1 / 3, abs=0.05)
    assert expected({A: pace(0.0, 0.0)}, typical=0.020).service == pytest.approx(0.020)


def test_few_samples_are_mixed_with_the_typical_service_time():
    common = 1 / (0.25 / 0.100 + 0.75 / 0.0005)
    service = expected({A: pace(0.100, 0.25)}, typical=0.0005).service
    assert service == pytest.approx((0.025 + common) / 1.25 - 2 * common / math.sqrt(1.25))


def test_candidates_all_slow_with_few_samples_cost_the_same():
    loads = {A: pace(0.090, 3.0), B: pace(0.110, 3.0), C: pace(0.100, 3.0)}
    assert len({round(expected(loads, node, typical=0.0005).service, 9) for node in loads}) == 1


def test_the_candidates_mean_time_weighs_each_by_its_samples():
    loads = {A: pace(0.010, 399.0), B: pace(0.040, 4.0)}
    common = 403 / (399 / 0.010 + 4 / 0.040)
    assert expected(loads, B, typical=1e-6).service == pytest.approx(
        (4 * 0.040 + common) / 5 - 2 * common / math.sqrt(5))


def test_devices_within_two_standard_errors_cost_the_same():
    loads = {A: pace(0.010), B: pace(0.011), C: pace(0.0105)}
    assert len({round(expected(loads, node).service, 9) for node in loads}) == 1
    assert firsts(view(loads)) == pytest.approx(dict.fromkeys(NODES, 1 / 3), abs=0.05)


def test_a_slow_disks_cost_is_lowered_by_two_standard_errors():
    loads = {A: pace(0.030), B: pace(0.010), C: pace(0.010)}
    common = 597 / (199 / 0.030 + 2 * 199 / 0.010)
    assert expected(loads).service == pytest.approx(
        (199 * 0.030 + common) / 200 - 2 * common / math.sqrt(200))
    assert firsts(view(loads))[A] == 0


def test_other_proxies_requests_raise_the_cost_and_fade():
    fresh = pace(others=2.0, surplus=4.0, report=DeviceReport(6, 0.010), reported_at=NOW)
    assert expected({A: fresh}).queue == pytest.approx(6)
    old = pace(others=2.0, surplus=4.0, report=DeviceReport(6, 0.010), reported_at=NOW - 0.16)
    assert expected({A: old}).queue == pytest.approx(2 + 4 / math.e, rel=0.05)
    fewer = pace(others=1.0, surplus=-3.0, report=DeviceReport(0, 0.010), reported_at=NOW)
    assert expected({A: fewer}).queue == 0


def test_a_device_without_fresh_samples_is_as_good_as_any():
    loads = {A: pace(0.200, at=NOW - 100), B: pace(), C: pace()}
    assert firsts(view(loads)) == pytest.approx(dict.fromkeys(NODES, 1 / 3), abs=0.05)


def test_a_stalled_device_is_avoided_before_it_times_out():
    hangs = pace(queued=1, progress_at=NOW - 0.5)
    loads = {A: hangs, B: pace(queued=9), C: pace(queued=9)}
    assert expected(loads).cost == pytest.approx(0.5 + 0.010)     # and then ours
    assert firsts(view(loads))[A] == 0
    behind = pace(queued=3, progress_at=NOW - 0.5)
    assert expected(loads | {A: behind}).cost == pytest.approx(0.5 + 3 * 0.010)
    waits = pace(queued=1, progress_at=NOW - 0.02)     # twice as long as usual is nothing
    assert expected({A: waits, B: pace()}).cost == pytest.approx(0.020)


def test_an_unknown_device_gets_two_reads_until_one_is_answered():
    for queued, share in ((0, 1.0), (1, 1.0), (2, 0.0)):
        unknown = pace(0.0, 0.0, queued=queued, progress_at=NOW)
        loads = {A: unknown, B: pace(queued=5), C: pace(queued=5)}
        assert share == firsts(view(loads))[A]
    all_held = dict.fromkeys(NODES, pace(0.0, 0.0, queued=2))
    assert firsts(view(all_held)) == pytest.approx(dict.fromkeys(NODES, 1 / 3), abs=0.05)


def test_a_device_unread_for_seconds_is_probed_if_budget_allows():
    loads = {A: pace(0.200, asked_at=NOW - 3), B: pace(), C: pace()}
    assert firsts(view(loads))[A] == 0
    assert firsts(view(loads, may_probe=True))[A] == 1
    one_waits = {**loads, A: pace(0.200, asked_at=NOW - 3, queued=1, progress_at=NOW - 3)}
    assert firsts(view(one_waits, may_probe=True))[A] == 0


def test_a_load_limit_lets_a_device_cost_1_25_times_the_next():
    loads = {A: pace(), B: pace(queued=3), C: pace(queued=7)}
    assert POLICY.limits([A, B, C], view(loads), NOW) == pytest.approx(
        {A: 1.25 * 4 - 1, B: 1.25 * 8 - 1})


def test_reads_streaming_to_this_host_do_not_count_for_the_limit():
    streaming = pace()._replace(in_flight=7, waiting=5)     # two clients take their time
    assert 5 + 1 == POLICY.limits([A, B], view({A: streaming, B: pace()}), NOW)[A]


def test_other_proxies_requests_fade_without_new_reports():
    report = {'report': DeviceReport(8, 0.010), 'others': 8.0, 'surplus': 0.0}
    for age in (0.0, TAU, 3600.0):
        known = pace(reported_at=NOW - age, **report)
        assert expected({A: known}).queue == pytest.approx(8 * math.exp(-age / TAU))


def test_no_device_may_decline_reads_if_no_node_reports():
    loads = {A: pace(), B: pace(queued=3), C: pace(queued=7)}
    for silent in (0.0, NOW - 61.0):
        assert POLICY.limits([A, B, C], view(loads, reported_at=silent), NOW) == {}
    assert POLICY.limits([A, B, C], Snapshot({}), NOW) == {}


def test_the_time_of_chunks_after_the_first_adds_to_the_cost():
    loads = {A: pace(further_seconds=0.002, further_weight=99.0, further_at=NOW), B: pace(),
             C: pace(further_seconds=0.030, further_weight=99.0, further_at=NOW)}
    a, b, c = POLICY.expected(NODES, view(loads, further=15.0), NOW)
    common = 2 / (1 / 0.002 + 1 / 0.030)
    assert b.rest == pytest.approx(15 * common)
    slow = (99 * 0.030 + common) / 100
    assert c.rest == pytest.approx(15 * (slow - 2 * common / math.sqrt(100)))
    assert (a.cost, b.cost, c.cost) == pytest.approx(
        (0.010 + a.rest, 0.010 + b.rest, 0.010 + c.rest))
    assert firsts(view(loads, further=15.0))[C] == 0
    assert [0.0] * 3 == [each.rest for each in POLICY.expected(NODES, view(loads), NOW)]


def test_reads_in_transfer_slow_the_chunks_after_the_first():
    chunks = {'further_seconds': 0.001, 'further_weight': 1e8, 'further_at': NOW}
    one, two = pace(**chunks)._replace(in_flight=3, waiting=3), pace(**chunks)
    a, b = POLICY.expected([A, B], view({A: one, B: two}, further=4.0), NOW)
    assert (4 * 0.004, 4 * 0.001) == pytest.approx((a.rest, b.rest), rel=1e-3)
    assert a.service == b.service
    small = POLICY.expected([A, B], view({A: one, B: two}), NOW)
    assert small[0].cost == small[1].cost


def test_explain_shows_the_terms_of_the_cost():
    loads = {A: pace(0.010, queued=2)}
    assert explained(A, view(loads)) == 'expected 30 ms = 10 ms x (1 + 2 queued)'
    assert explained(A, view({A: pace(2.0)})) == 'expected 2000 ms = 2000 ms x (1 + 0 queued)'
    large = {A: pace(further_seconds=0.002, further_weight=99.0, further_at=NOW)}
    assert explained(A, view(large, further=15.0), A) == (
        'expected 40 ms = 10 ms x (1 + 0 queued) + 30 ms for the body')
    assert explained(B, view(loads)).endswith(
        'no recent sample: estimated from the other candidates or all devices')
    assert (True, False) == (POLICY.knows(A, view(loads), NOW), POLICY.knows(B, view(loads), NOW))


def test_explain_compares_a_device_with_the_other_candidates():
    alike = {A: pace(0.010, 20.0), B: pace(0.011, 20.0)}
    a, b = explained(A, view(alike), A, B), explained(B, view(alike), A, B)
    assert a == b
    assert a != explained(A, view(alike), A)


def test_explain_names_probes_and_stalled_devices():
    loads = {A: pace(0.200, asked_at=NOW - 3), B: pace(queued=1, progress_at=NOW - 0.5),
             C: pace(0.0, 0.0, queued=2)}
    probing = view(loads, may_probe=True)
    assert POLICY.order(NODES, probing, NOW, random.Random(1)) == [A, B, C]
    assert 'first now' in explained(A, probing)
    assert 'first now' not in explained(A, view(loads))
    assert 'has answered nothing for 0.5 s' in explained(B, probing)
    assert 'last until one of its 2 reads is answered' in explained(C, probing)
