"""The laws that every policy of clusters obeys, run over the registry.

All policies meet each example that is drawn: to draw one takes longer than to order by it.
"""
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
    KnownRoutes,
    Route,
    RouteCost,
)
from swift_lb.policy.clusters import CLUSTER_POLICIES, make_cluster_policy

HERE = Route('a', LOCAL)
OTHERS = [Route(name, kind) for name in 'bc' for kind in (FETCH, REDIRECT)]
ROUTES = [HERE, *OTHERS]
MADE = {name: make_cluster_policy(name) for name in CLUSTER_POLICIES}

seconds = st.sampled_from([0.0, 0.01, 0.02, 0.1, 0.5, 3.0]) | st.floats(0.0, 10.0)
costs = st.builds(RouteCost, seconds, seconds, seconds)
states = st.builds(ClusterState, st.integers(0, 9), st.integers(1, 9), st.none() | seconds,
                   st.none() | seconds, seconds, st.none() | seconds)


routes = st.builds(
    KnownRoutes, st.just(HERE), st.dictionaries(st.sampled_from(ROUTES), costs),
    st.dictionaries(st.sampled_from('abc'), states),
    st.dictionaries(st.sampled_from('abc'), st.integers(0, 9)))
some = st.lists(st.sampled_from(ROUTES), unique=True)


def order(policy, known, candidates=ROUTES, seed=1):
    return policy.order(candidates, known, 0.0, random.Random(seed))


def without(known, cluster):
    """Return the KnownRoutes `known` without what they know of a cluster, but for choices."""
    return known._replace(
        costs={route: cost for route, cost in known.costs.items() if route.cluster != cluster},
        states={name: state for name, state in known.states.items() if name != cluster})


@pytest.mark.parametrize('name', MADE)
def test_each_policy_has_a_file_of_its_name(name):
    assert f'swift_lb.policy.clusters.{name}' == CLUSTER_POLICIES[name].__module__


@given(known=routes, candidates=some, seed=st.integers(0, 9))
def test_an_order_has_each_candidate_once_and_one_seed_gives_one(known, candidates, seed):
    given = list(candidates)
    for name, policy in MADE.items():
        ordered = order(policy, known, candidates, seed)
        assert sorted(given) == sorted(ordered), name
        assert given == candidates, name
        assert ordered == order(policy, known, candidates, seed), name


@given(candidates=some.filter(lambda candidates: HERE in candidates), seed=st.integers(0, 9))
def test_a_read_stays_here_if_nothing_is_known(candidates, seed):
    for name, policy in MADE.items():
        assert HERE == order(policy, KnownRoutes(HERE), candidates, seed)[0], name


@given(known=routes, unknown=st.sampled_from('bc'), seed=st.integers(0, 9))
def test_no_route_of_which_nothing_is_known_is_before_here(known, unknown, seed):
    for name, policy in MADE.items():
        ordered = order(policy, without(known, unknown), seed=seed)
        assert all(route.cluster != unknown for route in ordered[:ordered.index(HERE)]), name


@given(known=routes, seed=st.integers(0, 9))
def test_a_read_stays_if_what_the_policy_needs_of_here_is_unknown(known, seed):
    unknown = without(known, 'a')
    for name, policy in MADE.items():
        if not policy.knows(HERE, unknown, 0.0):
            assert HERE == order(policy, unknown, seed=seed)[0], name


@given(known=routes, seed=st.integers(0, 9))
def test_a_read_stays_here_if_no_other_cluster_is_a_candidate(known, seed):
    for name, policy in MADE.items():
        assert [HERE] == order(policy, known, [HERE], seed), name


@given(known=routes, worse=st.sampled_from(ROUTES), candidates=some, more=seconds,
       seed=st.integers(0, 9))
def test_more_predicted_seconds_never_move_a_route_forward(known, worse, candidates, more, seed):
    cost = known.costs.get(worse)
    if cost is None or worse not in candidates:
        return
    slower = cost._replace(seconds=cost.seconds + more, paper=cost.paper + more)
    raised = known._replace(costs={**known.costs, worse: slower})
    for name, policy in MADE.items():
        assert (order(policy, known, candidates, seed).index(worse)
                <= order(policy, raised, candidates, seed).index(worse)), name


@given(known=routes, candidates=some)
def test_each_routes_place_is_explained_in_one_line(known, candidates):
    for name, policy in MADE.items():
        for route in candidates:
            for each in (known, KnownRoutes(HERE)):
                reason = policy.explain(route, candidates, each, 0.0)
                assert reason.strip(), name
                assert '\n' not in reason, name


def test_a_route_with_both_kinds_of_evidence_is_known():
    state, cost = ClusterState(3, 3, 0.5, 0.1, 0.08, None), RouteCost(0.1, 0.0, 0.1)
    known = KnownRoutes(HERE, dict.fromkeys(ROUTES, cost), dict.fromkeys('abc', state))
    for name, policy in MADE.items():
        assert all(policy.knows(route, known, 0.0) for route in ROUTES), name


def test_an_unknown_policy_name_is_refused_with_a_list_of_names():
    with pytest.raises(ConfigError, match="unknown policy of clusters 'fair': the policies are "
                                          'local, '):
        make_cluster_policy('fair')
