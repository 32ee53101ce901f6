"""Formulas of the replica policies: orders and explanations, worked out by hand."""
import random
from collections import Counter
from types import MappingProxyType

import pytest

from swift_lb.model import Connect, Node, NodeLoad, Snapshot
from swift_lb.policy import make_policy
from swift_lb.replica_options import ReplicaOptions, weights

SN1, SN2, SN3 = NODES = [Node(f'10.0.0.{i}', 6200, 'sda') for i in (1, 2, 3)]


def order(name, loads, now=100.0, seed=1, connects=MappingProxyType({}), **options):
    policy = make_policy(ReplicaOptions(policy=name, **options))
    return policy.order(NODES, Snapshot(loads, connects), now, random.Random(seed))


def chunk(throughput, count, at=99.0, **more):
    return NodeLoad(last_throughput=throughput, chunks=count, last_chunk_at=at, **more)


@pytest.mark.parametrize(('name', 'chunks', 'expected'), [
    # Equation 2: 2000 x 30 = 60,000; 5000 x 10 = 50,000; 900 x 60 = 54,000
    ('lb_rlt', [(2000.0, 30), (5000.0, 10), (900.0, 60)], [SN1, SN3, SN2]),
    ('last_throughput', [(2000.0, 30), (5000.0, 10), (900.0, 60)], [SN2, SN1, SN3]),
    # SN1 has 1000 chunks, SN2 has 10: SN1 leads until it is 100 times slower
    ('lb_rlt', [(1010.0, 1000), (1e5, 10), (1.0, 1)], [SN1, SN2, SN3]),
    ('lb_rlt', [(990.0, 1000), (1e5, 10), (1.0, 1)], [SN2, SN1, SN3])])
def test_lb_rlt_multiplies_last_throughput_and_chunks_read(name, chunks, expected):
    loads = {node: chunk(*facts) for node, facts in zip(NODES, chunks, strict=True)}
    assert expected == order(name, loads)


@pytest.mark.parametrize('name', ['lb_rlt', 'last_throughput'])
def test_nodes_with_equal_scores_take_turns(name):
    # equal scores; SN3 was put first longest ago, SN1 last
    loads = {SN1: chunk(1e3, 5, last_turn=9), SN2: chunk(1e3, 5, last_turn=8),
             SN3: chunk(1e3, 5, last_turn=7)}
    assert [SN3, SN2, SN1] == order(name, loads)


@pytest.mark.parametrize('name', ['lb_rlt', 'last_throughput'])
def test_the_option_lb_unmeasured_places_unmeasured_nodes(name):
    loads = {SN1: chunk(1e3, 5), SN2: chunk(2e3, 5)}
    assert [SN3, SN2, SN1] == order(name, loads, unmeasured='first')
    assert [SN2, SN1, SN3] == order(name, loads, unmeasured='last')
    places = Counter(order(name, loads, seed=seed).index(SN3) for seed in range(3000))
    # each place 1 time in 3; 3000 draws: standard deviation 26, five of them 130
    assert {place: pytest.approx(1000, abs=130) for place in range(3)} == places


@pytest.mark.parametrize('name', ['lb_rlt', 'last_throughput'])
def test_a_measure_expires_after_max_age(name):
    loads = {SN1: chunk(1e3, 5, at=40.0), SN2: chunk(2e3, 5, at=39.0), SN3: chunk(1.0, 1, at=40.0)}
    # at 100 s with max_age 60 s: SN2's measure is 61 s old, the others' 60
    assert [SN2, SN1, SN3] == order(name, loads, max_age=60.0, unmeasured='first')
    assert [SN1, SN3, SN2] == order(name, loads, max_age=60.0, unmeasured='last')


def test_connect_time_is_per_ip_in_ms_and_lasts_300_s():
    def connected(*seconds, at=(99.0, 99.0, 99.0)):
        return {node.ip: Connect(*result)
                for node, *result in zip(NODES, seconds, at, strict=True)}
    assert [SN2, SN3, SN1] == order('connect_time', {}, connects=connected(.0124, .0029, .0071))
    # 2.9 ms and 3.4 ms are both 3 ms: chance decides, as after Swift's shuffle
    near = connected(.0029, .0034, .0071)
    assert {SN1, SN2} == {order('connect_time', {}, seed=seed, connects=near)[0]
                          for seed in range(20)}
    # Swift's timing_expiry: an unknown or expired timing sorts as -1.0, first
    expired = connected(.001, .5, .002, at=(99.0, 100.0, 100.0))
    assert [SN1, SN3, SN2] == order('connect_time', {}, now=400.0, connects=expired,
                                     unmeasured='first')


def test_weighted_gives_shares_in_proportion_to_weights():
    table = weights('10.0.0.1=0, 10.0.0.2=3, 10.0.0.3:6200/sda=1')
    orders = [order('weighted', {}, seed=seed, weights=table) for seed in range(4000)]
    first = Counter(ordered[0] for ordered in orders)
    # P(SN2 first) = 3 / (3 + 1); 4000 draws: standard deviation 0.0068, five of them 0.034
    assert 0.75 == pytest.approx(first[SN2] / 4000, abs=0.034)
    assert {SN1} == {ordered[-1] for ordered in orders}


def test_the_most_specific_weight_of_a_node_applies():
    table = MappingProxyType({('10.0.0.1',): 1.0, ('10.0.0.1', 6200): 2.0,
                              ('10.0.0.1', 6200, 'sda'): 3.0})
    policy = make_policy(ReplicaOptions(policy='weighted', weights=table))
    assert [3.0, 2.0, 1.0, 1.0] == [
        policy.weight(node) for node in (SN1, Node('10.0.0.1', 6200, 'sdb'),
                                         Node('10.0.0.1', 6201, 'sda'), SN2)]


def test_lb_rlt_explains_its_score():
    policy = make_policy(ReplicaOptions(policy='lb_rlt'))
    snapshot = Snapshot({SN1: chunk(2000.0, 30), SN2: chunk(1.0, 1, at=-300.0)})
    reasons = [policy.explain(node, NODES, snapshot, 100.0) for node in NODES]
    assert ['score 6e+04 = 2,000 B/s x 30 chunks', 'measure expired: in a random place',
            'unmeasured: in a random place'] == reasons
