"""The laws that every policy of clusters obeys, run over the registry."""
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.errors import ConfigError
from swift_lb.model import (
    FETCH,
    LOCAL,
    REDIRECT,
    ClusterState,
    NodeLoad,
    Route,
    RouteCost,
    Snapshot,
)
from swift_lb.policy.clusters import CLUSTER_POLICIES, make_cluster_policy

HERE = Route('a', LOCAL)
OTHERS = [Route(name, kind) for name in 'bc' for kind in (FETCH, REDIRECT)]
ROUTES = [HERE, *OTHERS]
MADE = {name: make_cluster_policy(name) for name in CLUSTER_POLICIES}
every_policy = pytest.mark.parametrize('policy', MADE.values(), ids=MADE)

seconds = st.sampled_from([0.0, 0.01, 0.02, 0.1, 0.5, 3.0]) | st.floats(0.0, 10.0)
costs = st.builds(RouteCost, seconds, seconds, seconds)
states = st.builds(ClusterState, st.integers(0, 9), st.integers(1, 9), st.none() | seconds,
                   st.none() | seconds, seconds, st.none() | seconds)


@st.composite
def loads(draw):
    """Draw the NodeLoads of ROUTES: each cluster's state and choices, each route's cost or none."""
    result = {}
    for name in 'abc':
        state, choices = draw(st.none() | states), draw(st.integers(0, 9))
        for route in ROUTES:
            if route.cluster == name:
                evidence = {RouteCost: draw(st.none() | costs), ClusterState: state}
                result[route] = NodeLoad(choices=choices, evidence={
                    kind: fact for kind, fact in evidence.items() if fact is not None})
    return result


some = st.lists(st.sampled_from(ROUTES), unique=True)


def order(policy, result, candidates=ROUTES, seed=1):
    return policy.order(candidates, Snapshot(result, common={Route: HERE}), 0.0,
                        random.Random(seed))


@every_policy
@given(result=loads(), candidates=some, seed=st.integers(0, 9))
def test_an_order_has_each_candidate_once_and_one_seed_gives_one(policy, result, candidates, seed):
    given = list(candidates)
    ordered = order(policy, result, candidates, seed)
    assert sorted(given) == sorted(ordered)
    assert given == candidates
    assert ordered == order(policy, result, candidates, seed)


@every_policy
@given(candidates=some, seed=st.integers(0, 9))
def test_a_read_stays_here_if_nothing_is_known(policy, candidates, seed):
    assert HERE == order(policy, {}, [*candidates, HERE] if HERE not in candidates else candidates,
                         seed)[0]


@every_policy
@given(result=loads(), unknown=st.sampled_from('bc'), seed=st.integers(0, 9))
def test_no_route_of_which_nothing_is_known_is_before_here(policy, result, unknown, seed):
    for route in ROUTES:
        if route.cluster == unknown:
            result[route] = NodeLoad(choices=0)
    ordered = order(policy, result, seed=seed)
    assert all(route.cluster != unknown for route in ordered[:ordered.index(HERE)])


@every_policy
@given(result=loads(), seed=st.integers(0, 9))
def test_a_read_stays_if_what_the_policy_needs_of_here_is_unknown(policy, result, seed):
    result[HERE] = NodeLoad(choices=9)
    if not policy.knows(HERE, Snapshot(result), 0.0):
        assert HERE == order(policy, result, seed=seed)[0]


@every_policy
@given(result=loads(), seed=st.integers(0, 9))
def test_a_read_stays_here_if_no_other_cluster_is_a_candidate(policy, result, seed):
    assert [HERE] == order(policy, result, [HERE], seed)


@every_policy
@given(result=loads(), worse=st.sampled_from(ROUTES), candidates=some, more=seconds,
       seed=st.integers(0, 9))
def test_more_predicted_seconds_never_move_a_route_forward(policy, result, worse, candidates, more,
                                                           seed):
    load = result[worse]
    cost = load.evidence.get(RouteCost)
    if cost is None or worse not in candidates:
        return
    slower = cost._replace(seconds=cost.seconds + more, paper=cost.paper + more)
    raised = {**result, worse: load._replace(evidence={**load.evidence, RouteCost: slower})}
    assert (order(policy, result, candidates, seed).index(worse)
            <= order(policy, raised, candidates, seed).index(worse))


@every_policy
@given(result=loads(), candidates=some)
def test_each_routes_place_is_explained_in_one_line(policy, result, candidates):
    snapshot = Snapshot(result, common={Route: HERE})
    for route in candidates:
        for each in (snapshot, Snapshot({})):
            reason = policy.explain(route, candidates, each, 0.0)
            assert reason.strip()
            assert '\n' not in reason


@every_policy
def test_a_route_with_both_kinds_of_evidence_is_known(policy):
    state, cost = ClusterState(3, 3, 0.5, 0.1, 0.08, None), RouteCost(0.1, 0.0, 0.1)
    known = NodeLoad(evidence={ClusterState: state, RouteCost: cost})
    result = Snapshot(dict.fromkeys(ROUTES, known))
    assert all(policy.knows(route, result, 0.0) for route in ROUTES)


def test_an_unknown_policy_name_is_refused_with_a_list_of_names():
    with pytest.raises(ConfigError, match="unknown policy of clusters 'fair': the policies are "
                                          'local, '):
        make_cluster_policy('fair')
