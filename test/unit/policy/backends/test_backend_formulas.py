"""Backend policies by load, choices, bytes or hashes: their orders, worked out by hand."""
import random
from collections import Counter

import pytest

from swift_lb.model import Backend, NodeInstruction, NodeLoad, RequestFacts, Snapshot, Traffic
from swift_lb.policy.backends import BackendOptions, make_backend_policy
from swift_lb.policy.backends.hashed import fraction

A, B, C = BACKENDS = [Backend(f'10.0.0.{i}', 8080, f'proxy{i}') for i in (1, 2, 3)]
ROUNDS = 3000


def made(name, *weights):
    of_names = {(each.name,): weight for each, weight in zip(BACKENDS, weights, strict=False)}
    return make_backend_policy(name, BackendOptions(of_names))


def order(name, loads, weights=(), seed=1, **asked):
    facts = {'path': '/', 'client': '', 'content': 'light'} | asked
    common = {RequestFacts: RequestFacts('GET', **facts)}
    snapshot = Snapshot(loads, common=common if asked else {})
    return made(name, *weights).order(BACKENDS, snapshot, 0.0, random.Random(seed))


def firsts(name, loads, weights=(), **asked):
    return {order(name, loads, weights, seed, **asked)[0] for seed in range(40)}


def busy(*in_flight):
    return {backend: NodeLoad(in_flight=count)
            for backend, count in zip(BACKENDS, in_flight, strict=True)}


def chosen(*choices):
    return {backend: NodeLoad(choices=count)
            for backend, count in zip(BACKENDS, choices, strict=True)}


def instructed(*loads):
    return {backend: NodeLoad(evidence={
        NodeInstruction: NodeInstruction('', '', 'up', load, 1.0, 0.3, 1.0, 0.0)})
            for backend, load in zip(BACKENDS, loads, strict=True)}


def sent(*sizes):
    return {backend: NodeLoad(evidence={Traffic: Traffic(size)})
            for backend, size in zip(BACKENDS, sizes, strict=True)}


def why(name, loads, backend, weights=(), **asked):
    common = {RequestFacts: RequestFacts('GET', content='light', **asked)} if asked else {}
    snapshot = Snapshot(loads, common=common)
    return made(name, *weights).explain(backend, BACKENDS, snapshot, 0.0)


def sequence(name, rounds, *weights):
    """Return a list: the first backend of each of `rounds` orders, which counts as chosen."""
    rng, counts, policy, turns = random.Random(5), Counter(), made(name, *weights), {}
    results = []
    for turn in range(1, rounds + 1):
        loads = {backend: NodeLoad(choices=counts[backend], last_turn=turns.get(backend, 0))
                 for backend in BACKENDS}
        first = policy.order(BACKENDS, Snapshot(loads), 0.0, rng)[0]
        counts[first] += 1
        turns[first] = turn
        results.append(first)
    return results


def test_the_most_specific_weight_of_a_backend_applies():
    policy = make_backend_policy('least_connection', BackendOptions(
        {('proxy1',): 2, ('10.0.0.1', 8080): 3, ('10.0.0.2', 8080): 4, ('10.0.0.2',): 5,
         ('10.0.0.3',): 6}))
    assert [2, 4, 6] == [policy.weight(backend) for backend in BACKENDS]
    assert 1 == policy.weight(Backend('10.0.0.4', 8080, 'proxy4'))


WEIGHED = ['weighted_round_robin', 'least_connection', 'weighted_least_connection',
           'locality_least_connection', 'destination_hash', 'source_hash', 'never_queue',
           'request_counting', 'traffic_counting', 'pending_request_counting']


@pytest.mark.parametrize('name', WEIGHED)
@pytest.mark.parametrize('asked', [{}, {'path': '/v1/a/c/o', 'client': '192.0.2.7'}],
                         ids=['not asked', 'asked'])
def test_backends_of_weight_0_come_after_all_others(name, asked):
    for place, backend in enumerate(BACKENDS):
        weights = [0 if place == each else 3 for each in range(3)]
        loads = busy(*(0 if each == place else 50 for each in range(3)))
        assert {backend} == {order(name, loads, weights, seed, **asked)[2] for seed in range(20)}
        if asked and name == 'locality_least_connection':
            continue    # names in_flight and weight of all
        assert 'weight 0' in why(name, loads, backend, weights, **asked) or not asked


@pytest.mark.parametrize(('name', 'loads', 'weights', 'expected', 'reason'), [
    ('round_robin', {backend: NodeLoad(last_turn=turn) for backend, turn in ((A, 9), (B, 7))}, (),
     [C, B, A], 'last put first at turn 9'),        # C: never
    # (5 + 1) / 3 = 2; (2 + 1) / 1 = 3; (0 + 1) / 1 = 1
    ('weighted_round_robin', chosen(5, 2, 0), (3, 1, 1), [C, A, B],
     'next due at 2 = (5 times first + 1) / weight 3'),
    ('least_loaded', instructed(0.9, 0.2, 0.5), (), [B, C, A], 'load 0.9'),
    ('least_loaded', instructed(0.9, None, 0.95), (), [A, C, B], 'load 0.9'),
    ('least_connection', busy(3, 4, 2), (9, 1, 1), [C, A, B], '3 in flight'),
    ('shortest_queue_first', busy(3, 4, 2), (9, 1, 1), [C, A, B], '3 in flight'),
    # 5 / 4 = 1.25; 2 / 1 = 2; 1 / 1 = 1
    ('weighted_least_connection', busy(5, 2, 1), (4, 1, 1), [C, A, B],
     '1.25 = 5 in flight / weight 4'),
    # B is idle; (5 + 1) / 4 = 1.5; (1 + 1) / 1 = 2
    ('never_queue', busy(5, 0, 1), (4, 1, 1), [B, A, C],
     'expected delay 1.5 = (5 in flight + 1) / weight 4'),
    ('fair', {A: NodeLoad(in_flight=1, last_turn=3), B: NodeLoad(in_flight=1, last_turn=2),
              C: NodeLoad(in_flight=0, last_turn=4)}, (), [C, B, A],
     '1 in flight, last put first at turn 3'),
    # W = 4, 10 chosen: 11 x 2 - 4 x 5 = 2; 11 x 1 - 4 x 1 = 7; 11 x 1 - 4 x 4 = -5
    ('request_counting', chosen(5, 1, 4), (2, 1, 1), [B, A, C],
     '5 times first of weight 2, lbstatus 2'),
    # W = 3, 105 chosen: 106 x 1 - 3 x 5 = 91
    ('pending_request_counting', {
        A: NodeLoad(in_flight=2, choices=5), B: NodeLoad(in_flight=2, choices=1),
        C: NodeLoad(in_flight=1, choices=99)}, (), [C, B, A],
     '2 in flight, 5 times first of weight 1, lbstatus 91'),
    # 9000 / 3 = 3000; 4000; 2000
    ('traffic_counting', sent(9000, 4000, 2000), (3, 1, 1), [C, A, B],
     '3,000 bytes for each unit of its weight 3')])
def test_orders_of_backends_equal_those_worked_by_hand(name, loads, weights, expected, reason):
    assert expected == order(name, loads, weights)
    assert reason == why(name, loads, A, weights)


@pytest.mark.parametrize(('name', 'loads', 'weights', 'first'), [
    # as ip_vs_wlc.c: of the idle none is better, there is no + 1
    ('weighted_least_connection', busy(0, 0, 0), (4, 1, 1), {A, B, C}),
    # (3 + 1) / 4 = 1 is less than (1 + 1) / 1 = 2, but the idle B and C are asked, by chance
    ('never_queue', busy(3, 0, 0), (4, 1, 1), {B, C}),
    ('request_counting', chosen(0, 0, 0), (2, 1, 1), {A}),      # 1 x 2 is the largest lbstatus
    ('traffic_counting', {A: sent(1, 1, 1)[A], C: sent(1, 1, 1)[C]}, (), {B})])
def test_chance_decides_which_of_equal_backends_is_first(name, loads, weights, first):
    assert first == firsts(name, loads, weights)


def test_explanations_say_that_a_backend_is_unknown_or_idle():
    assert 'never put first' == why('round_robin', {}, A)
    assert 'idle' == why('never_queue', busy(5, 0, 1), B)
    assert ('nothing known: tried after all whose load is known'
            == why('least_loaded', instructed(0.9, None, 1), B))


def test_round_robin_repeats_one_sequence_of_all_backends():
    result = sequence('round_robin', 30)
    assert result[:3] * 10 == result
    assert {A, B, C} == set(result[:3])


@pytest.mark.parametrize('name', ['weighted_round_robin', 'request_counting',
                                  'pending_request_counting'])
def test_of_ten_requests_each_backend_gets_its_weights_share(name):
    result = sequence(name, 100, 5, 3, 2)
    for begin in range(0, 100, 10):
        assert {A: 5, B: 3, C: 2} == Counter(result[begin:begin + 10])


def test_paths_and_addresses_are_hashed_by_blake2b():
    # printf /v1/a/c/p | b2sum -l 48
    assert 0xf23f5661eeab / 2 ** 48 == fraction('/v1/a/c/p')
    assert 0x6d4531498b7c / 2 ** 48 == fraction('192.0.2.7')
    assert 0.0 <= fraction('\udcff') < 1.0     # of a path that is no UTF-8


def test_destination_hash_maps_paths_to_backends_by_weight():
    # 0.9463 x (1 + 1 + 1) = 2.839, in C's slots, which are from 2 to 3
    assert [C, A, B] == order('destination_hash', {}, path='/v1/a/c/p?x=1')
    assert [C, A, B] == order('destination_hash', busy(0, 0, 99), seed=2, path='/v1/a/c/p')
    # 0.9463 x (1 + 20 + 1) = 20.82, in B's, which are from 1 to 21
    assert [B, C, A] == order('destination_hash', {}, (1, 20, 1), path='/v1/a/c/p')
    # 0.9463 x (1 + 1 + 0) = 1.893, in B's; weight 0 is last
    assert [B, A, C] == order('destination_hash', {}, (1, 1, 0), path='/v1/a/c/p')
    assert ('by the hash of the path /v1/a/c/p'
            == why('destination_hash', {}, A, path='/v1/a/c/p?x', client=''))
    assert 'nothing known: at random' == why('destination_hash', {}, A)


def test_source_hash_uses_the_clients_address_not_the_path():
    lines = {tuple(order('source_hash', {}, path=f'/{i}', client='192.0.2.7')) for i in range(9)}
    assert {(B, C, A)} == lines     # 0.4268 x 3 = 1.281
    assert ('by the hash of the client 192.0.2.7'
            == why('source_hash', {}, A, path='/', client='192.0.2.7'))
    assert {A, B, C} == firsts('source_hash', {}, path='/', client='')     # not known


@pytest.mark.parametrize('name', ['destination_hash', 'source_hash', 'locality_least_connection'])
def test_hash_policies_share_requests_out_by_weight(name):
    first = Counter(order(name, {}, (1.5, 1, 0.5), path=f'/v1/a/{i}', client=f'host{i}')[0]
                    for i in range(ROUNDS))
    # 3000 draws: the standard deviation of a share is at most 0.0091, five of them 0.046
    for backend, share in ((A, 1 / 2), (B, 1 / 3), (C, 1 / 6)):
        assert share == pytest.approx(first[backend] / ROUNDS, abs=0.046)


def home(path, weights=()):
    return made('locality_least_connection', *weights).home(
        BACKENDS, Snapshot({}, common={RequestFacts: RequestFacts('GET', path, '', 'light')}))


def test_locality_moves_only_the_paths_of_a_backend_that_left():
    policy = made('locality_least_connection')
    for i in range(200):
        snapshot = Snapshot({}, common={RequestFacts: RequestFacts('GET', f'/{i}', '', 'light')})
        before = policy.order(BACKENDS, snapshot, 0.0, random.Random(i))[0]
        after = policy.order([A, B], snapshot, 0.0, random.Random(i))[0]
        assert before in (after, C)


def test_locality_leaves_a_paths_usual_backend_if_overloaded():
    mine = home('/o')
    one, other = (backend for backend in BACKENDS if backend != mine)

    def order_at(*loads):
        return order('locality_least_connection', {
            backend: NodeLoad(in_flight=count)
            for backend, count in zip((mine, one, other), loads, strict=True)}, path='/o?q')
    assert [mine, other, one] == order_at(1, 3, 0)     # 1 request is not more than weight 1
    assert [mine, other, one] == order_at(7, 9, 1)     # none has less than 1 / 2
    assert [other, mine, one] == order_at(7, 9, 0)     # by in_flight: 0, 7, 9
    # of weight 4: 5 requests are more than 4; 1 < 4 / 2
    weights = [4, 4, 4]
    loads = {mine: NodeLoad(in_flight=5), one: NodeLoad(in_flight=2), other: NodeLoad(in_flight=9)}
    assert mine == home('/o', weights) == order('locality_least_connection', loads, weights,
                                                path='/o')[0]
    loads[one] = NodeLoad(in_flight=1)
    assert one == order('locality_least_connection', loads, weights, path='/o')[0]


def test_locality_explains_which_backend_a_path_usually_gets():
    mine = home('/o')
    one = next(backend for backend in BACKENDS if backend != mine)
    loads = {mine: NodeLoad(in_flight=7)}
    request = {'path': '/o', 'client': ''}
    assert 'home of this path: 0 = 0 in flight / weight 1' == why(
        'locality_least_connection', {}, mine, **request)
    assert 'home of this path, but overloaded: 7 = 7 in flight / weight 1' == why(
        'locality_least_connection', loads, mine, **request)
    assert '0 = 0 in flight / weight 1' == why('locality_least_connection', loads, one, **request)
