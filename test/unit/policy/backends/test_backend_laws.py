"""The laws that every policy of backends obeys, run over the registry."""
import random
from collections import Counter

import pytest

from swift_lb.model import (
    CRITICAL,
    REJECTED,
    UP,
    Backend,
    Forecast,
    NodeInstruction,
    NodeLoad,
    RequestFacts,
    Snapshot,
    Traffic,
)
from swift_lb.policy.backends import BACKEND_POLICIES, BackendOptions, make_backend_policy

BACKENDS = [Backend(f'10.0.0.{i}', 8080, f'proxy{i}') for i in (1, 2, 3)]
EMPTY = Snapshot({})
NOW = 1000.0
ROUNDS = 6000
# A share of 1/3 over 6000 draws has a standard deviation of 0.0061; five of them miss by chance
# once in two million runs.
TOLERANCE = 0.031

MADE = {name: make_backend_policy(name) for name in BACKEND_POLICIES}
every_policy = pytest.mark.parametrize('policy', MADE.values(), ids=MADE)


def load(state=UP, said=0.3, take=0.25, seconds=0.01, size=5000, **facts):
    """Return the load of a backend of which all is known, with `facts` changed."""
    usual = {'in_flight': 2, 'choices': 30, 'last_turn': 7, 'successes': 28, 'evidence': {
        NodeInstruction: NodeInstruction(
            'proxy', '10.0.0.1:8080', state, said, 1.0, 0.25, 0.75, take),
        Forecast: Forecast(seconds, 0.001), Traffic: Traffic(size)}}
    return NodeLoad(**usual | facts)


WORSE = load(CRITICAL, 0.9, 0.0, 0.5, 900000, in_flight=9, choices=40, last_turn=9, errors=5)
FAILING = NodeLoad(in_flight=5, choices=30, last_turn=7, errors=20)
FAILURE_IS_NO_TRAFFIC = {'traffic_counting': 'Apache counts bytes, and who fails has none'}


def some_snapshots():
    """Return snapshots of every kind: empty, half known, alike, unlike, with a request or not."""
    a, b, c = BACKENDS
    asked = RequestFacts('GET', '/v1/a/c/o', '192.0.2.7', 'light')
    loads = [{}, {a: load()}, {a: load(), b: WORSE, c: load(REJECTED)},
             dict.fromkeys(BACKENDS, load()), dict.fromkeys(BACKENDS, WORSE),
             {a: NodeLoad(in_flight=1), b: load(), c: load(said=None)}]
    commons = [{}, {RequestFacts: asked}, {RequestFacts: asked, Backend: a},
               {Backend: Backend('10.0.0.9', 8080, 'elsewhere')}]
    return [Snapshot(each, common=common) for each in loads for common in commons]


def requests():
    """Return a request of its own path and client for each round."""
    return [RequestFacts('GET', f'/v1/AUTH_test/c/{i}', f'192.0.{i // 250}.{i % 250}', 'light')
            for i in range(ROUNDS)]


REQUESTS = requests()


def first_shares(policy, snapshot, candidates=BACKENDS, seed=12345, asked=True):
    """Return {backend: fraction of ROUNDS, each of another request, in which it came first}."""
    rng, first = random.Random(seed), Counter()
    for each in REQUESTS:
        if asked:
            snapshot = snapshot._replace(common={**snapshot.common, RequestFacts: each})
        first[policy.order(candidates, snapshot, NOW, rng)[0]] += 1
    return {backend: first[backend] / ROUNDS for backend in candidates}


WEIGHTS_OF_1 = BackendOptions({'proxy1': 1, ('10.0.0.2', 8080): 1.0, ('10.0.0.3',): 1})
EVEN = pytest.approx(dict.fromkeys(BACKENDS, 1 / 3), abs=TOLERANCE)


@every_policy
@pytest.mark.parametrize('count', [0, 1, 2, 3])
def test_1_keeps_every_candidate_once(policy, count):
    for snapshot in some_snapshots():
        ordered = policy.order(BACKENDS[:count], snapshot, NOW, random.Random(1))
        assert BACKENDS[:count] == sorted(ordered)
        assert isinstance(ordered, list)


@every_policy
def test_2_leaves_its_input_alone(policy):
    for snapshot in some_snapshots():
        given, loads, common = list(BACKENDS), dict(snapshot.loads), dict(snapshot.common)
        policy.order(given, snapshot, NOW, random.Random(1))
        assert (given, loads, common) == (BACKENDS, snapshot.loads, snapshot.common)


@every_policy
def test_3_same_seed_same_order(policy):
    for snapshot in some_snapshots():
        runs = [[policy.order(BACKENDS, snapshot, NOW, rng) for _ in range(20)]
                for rng in (random.Random(7), random.Random(7))]
        assert runs[0] == runs[1]


@every_policy
def test_4_ties_are_fair(policy):
    assert EVEN == first_shares(policy, Snapshot(dict.fromkeys(BACKENDS, load())))


@every_policy
def test_5_the_order_of_the_input_is_irrelevant(policy):
    for snapshot in some_snapshots()[::4]:
        one = first_shares(policy, snapshot)
        other = first_shares(policy, snapshot, BACKENDS[::-1], seed=54321)
        assert one == pytest.approx(other, abs=2 * TOLERANCE)


@every_policy
@pytest.mark.parametrize('worst', BACKENDS, ids=str)
def test_6_more_load_never_wins_more(policy, worst):
    snapshot = Snapshot({backend: WORSE if backend == worst else load() for backend in BACKENDS})
    assert first_shares(policy, snapshot)[worst] <= 1 / 3 + TOLERANCE


@every_policy
@pytest.mark.parametrize('bad', BACKENDS, ids=str)
def test_6_a_failing_backend_never_wins_more(policy, bad):
    name = next(name for name, made in MADE.items() if made is policy)
    snapshot = Snapshot({backend: FAILING if backend == bad else load() for backend in BACKENDS})
    share = first_shares(policy, snapshot)[bad]
    if name in FAILURE_IS_NO_TRAFFIC:
        assert share == 1.0
    else:
        assert share <= 1 / 3 + TOLERANCE


@every_policy
def test_7_no_facts_behaves_like_shuffle(policy):
    assert EVEN == first_shares(policy, EMPTY, asked=False)


@every_policy
def test_weights_of_1_are_no_weights(policy):
    name = next(name for name, made in MADE.items() if made is policy)
    weighed = make_backend_policy(name, WEIGHTS_OF_1)
    for snapshot in some_snapshots():
        assert (policy.order(BACKENDS, snapshot, NOW, random.Random(3))
                == weighed.order(BACKENDS, snapshot, NOW, random.Random(3)))


@every_policy
def test_every_place_is_explained_in_one_line(policy):
    for snapshot in some_snapshots():
        for backend in BACKENDS:
            said = policy.explain(backend, BACKENDS, snapshot, NOW)
            assert said.strip()
            assert '\n' not in said


@every_policy
def test_every_policy_has_choices_and_knows(policy):
    assert policy.choices in (None, 2)
    for snapshot in some_snapshots():
        assert policy.knows(BACKENDS[0], snapshot, NOW) in (True, False)


def test_adaptive_alone_has_two_choices():
    assert ['adaptive'] == [name for name, made in MADE.items() if made.choices]


def test_an_unknown_policy_is_refused_with_the_list():
    with pytest.raises(ValueError, match="unknown policy 'nearest': the policies are random, "
                                         'round_robin, weighted_round_robin, least_loaded'):
        make_backend_policy('nearest')
