"""The laws that every policy of backends obeys, run over the registry."""

import pytest
from unit.policy.laws import EMPTY, ROUNDS, TOLERANCE, Laws

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
from swift_lb.policy.backends import BACKEND_POLICIES, make_backend_policy

BACKENDS = [Backend(f'10.0.0.{i}', 8080, f'proxy{i}') for i in (1, 2, 3)]
MADE = {name: make_backend_policy(name) for name in BACKEND_POLICIES}
every_policy = pytest.mark.parametrize('policy', MADE.values(), ids=MADE)


def load(state=UP, part_load=0.3, take=0.25, seconds=0.01, size=5000, **facts):
    """Return the NodeLoad of a backend about which all is known; `facts` replace its fields.

    `seconds` is the answer's expected time, `size` the backend's traffic in bytes.
    """
    facts_of_all = {'in_flight': 2, 'choices': 30, 'last_turn': 7, 'successes': 28, 'evidence': {
        NodeInstruction: NodeInstruction(
            'proxy', '10.0.0.1:8080', state, part_load, 1.0, 0.25, 0.75, take),
        Forecast: Forecast(seconds, 0.001), Traffic: Traffic(size)}}
    return NodeLoad(**facts_of_all | facts)


WORSE = load(CRITICAL, 0.9, 0.0, 0.5, 900000, in_flight=9, choices=40, last_turn=9, errors=5)
FAILING = NodeLoad(in_flight=5, choices=30, last_turn=7, errors=20)
FAILURE_IS_NO_TRAFFIC = {'traffic_counting': 'Apache counts bytes, and a failing backend has none'}


def some_snapshots():
    """Return Snapshots of every kind: loads none, half known, alike, unlike; a request or not."""
    a, b, c = BACKENDS
    asked = RequestFacts('GET', '/v1/a/c/o', '192.0.2.7', 'light')
    loads = [{}, {a: load()}, {a: load(), b: WORSE, c: load(REJECTED)},
             dict.fromkeys(BACKENDS, load()), dict.fromkeys(BACKENDS, WORSE),
             {a: NodeLoad(in_flight=1), b: load(), c: load(part_load=None)}]
    commons = [{}, {RequestFacts: asked}, {RequestFacts: asked, Backend: a},
               {Backend: Backend('10.0.0.9', 8080, 'elsewhere')}]
    return [Snapshot(each, common=common) for each in loads for common in commons]


def requests():
    """Return a list of ROUNDS RequestFacts, each with a path and a client of its own."""
    return [RequestFacts('GET', f'/v1/AUTH_test/c/{i}', f'192.0.{i // 250}.{i % 250}', 'light')
            for i in range(ROUNDS)]


REQUESTS = requests()


@every_policy
class TestLaws(Laws):
    """The laws for each policy of backends; each of the ROUNDS orders has another request."""

    candidates, snapshots, good, bad = BACKENDS, some_snapshots(), load(), WORSE
    every = 4

    def rounds(self, snapshot):
        if snapshot is EMPTY:
            return super().rounds(snapshot)
        return (snapshot._replace(common={**snapshot.common, RequestFacts: each})
                for each in REQUESTS)

    @pytest.mark.parametrize('place', [0, 1, 2])
    def test_law_6_a_failing_backend_is_not_first_more_often(self, policy, place):
        name = next(name for name, made in MADE.items() if made is policy)
        share = self.shares(policy, self.with_one(BACKENDS[place], FAILING))[BACKENDS[place]]
        if name in FAILURE_IS_NO_TRAFFIC:
            assert share == 1.0
        else:
            assert share <= 1 / 3 + TOLERANCE


def test_an_unknown_policy_name_is_refused_with_a_list_of_names():
    with pytest.raises(ValueError, match="unknown policy 'nearest': the policies are random, "
                                         'round_robin, weighted_round_robin, least_loaded'):
        make_backend_policy('nearest')
