"""The policy `adaptive` of clusters: numbers worked by hand."""
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.model import FETCH, LOCAL, REDIRECT, KnownRoutes, Route, RouteCost
from swift_lb.policy.clusters import ClusterPolicyOptions, make_cluster_policy

HERE, B, C, TO_C = Route('a', LOCAL), Route('b', FETCH), Route('c', FETCH), Route('c', REDIRECT)


def view(**costs):
    """Return KnownRoutes with the routes' (seconds, error); None is unknown."""
    names = {'here': HERE, 'b': B, 'c': C, 'to_c': TO_C}
    return KnownRoutes(HERE, {names[name]: RouteCost(*cost, 0.0, cost[0] / 2)
                              for name, cost in costs.items() if cost})


def firsts(known, candidates=(HERE, B, C, TO_C), **options):
    policy = make_cluster_policy('adaptive', ClusterPolicyOptions(**options))
    return Counter(policy.order(candidates, known, 0.0, random.Random(seed))[0]
                   for seed in range(50))


def order(known, candidates=(HERE, B, C, TO_C)):
    return make_cluster_policy('adaptive').order(candidates, known, 0.0, random.Random(1))


@pytest.mark.parametrize(('here', 'other', 'leaves', 'options'), [
    # 1.1 x 0.4 = 0.44
    ((0.44, 0.0), (0.4, 0.0), False, {}), ((0.441, 0.0), (0.4, 0.0), True, {}),
    # 1.1 x 0.4 + 0.1 = 0.54
    ((0.54, 0.0), (0.4, 0.1), False, {}), ((0.541, 0.0), (0.4, 0.1), True, {}),
    # 1.1 x 0.4 + 0.1 + 0.2 = 0.74: the error of the local prediction counts, too
    ((0.74, 0.2), (0.4, 0.1), False, {}), ((0.741, 0.2), (0.4, 0.1), True, {}),
    # 1.0 x 0.5 = 0.5
    ((0.5, 0.0), (0.5, 0.0), False, {'band': 0.0}),
    ((0.501, 0.0), (0.5, 0.0), True, {'band': 0.0})])
def test_a_read_leaves_only_for_more_than_the_band_and_both_errors(here, other, leaves, options):
    assert {B if leaves else HERE} == set(firsts(view(here=here, b=other), **options))


@pytest.mark.parametrize(('here', 'leaves'), [(0.4, False), (0.401, True)])
def test_a_read_leaves_for_any_gain_over_a_read_here_that_takes_the_same_link(here, leaves):
    known = {HERE: RouteCost(here, 5.1, 0.0, same_link=True),
             B: RouteCost(0.4, 5.0, 0.0, same_link=True), C: RouteCost(0.39, 6.0, 0.0),
             TO_C: RouteCost(0.9, 0.0, 0.0)}        # a surer sum, but later than here
    assert {B if leaves else HERE} == set(firsts(KnownRoutes(HERE, known)))


@pytest.mark.parametrize(('here', 'leaves'), [(0.54, False), (0.541, True)])
def test_the_error_of_a_read_here_over_a_link_keeps_nothing_from_another_way(here, leaves):
    # 1.1 x 0.4 + 0.1 = 0.54
    known = {HERE: RouteCost(here, 5.1, 0.0, same_link=True), TO_C: RouteCost(0.4, 0.1, 0.0)}
    assert {TO_C if leaves else HERE} == set(firsts(KnownRoutes(HERE, known), (HERE, TO_C)))


COSTS = st.builds(RouteCost, st.floats(0.0, 2.0), st.floats(0.0, 1.0), st.just(0.0),
                  same_link=st.booleans())


@given(st.dictionaries(st.sampled_from([B, C, TO_C]), COSTS), COSTS)
def test_each_route_before_the_one_here_is_sooner_by_its_own_condition(others, here):
    known = KnownRoutes(HERE, {HERE: here, **others})
    first = order(known)
    before = set(first[:first.index(HERE)])
    assert before == {route for route in others if order(known, (HERE, route))[0] == route}


def test_other_clusters_are_ordered_by_seconds_and_error():
    # b 0.3 + 0.3 = 0.6; c 0.4 + 0.1 = 0.5; to_c 0.45 + 0 = 0.45; here 0.8 > 1.1 x 0.45 = 0.495
    known = view(here=(0.8, 0.0), b=(0.3, 0.3), c=(0.4, 0.1), to_c=(0.45, 0.0))
    assert [TO_C, C, B, HERE] == order(known)
    # 0.49 is less than 0.495: stays
    known = view(here=(0.49, 0.0), b=(0.3, 0.3), c=(0.4, 0.1), to_c=(0.45, 0.0))
    assert [HERE, TO_C, C, B] == order(known)


def test_of_two_equal_sums_the_one_with_less_error_decides_nothing_by_chance():
    # both 0.5; b: 1.1 x 0.3 + 0.2 = 0.53, c: 1.1 x 0.4 + 0.1 = 0.54
    known = view(here=(0.535, 0.0), b=(0.3, 0.2), c=(0.4, 0.1))
    assert {B: 50} == firsts(known)


def test_unknown_routes_are_last_and_an_unknown_here_stays():
    assert [HERE, C] == order(view(here=(9.0, 0.0)), (HERE, C))
    assert [B, HERE, C] == order(view(here=(9.0, 0.0), b=(1.0, 0.0)), (HERE, C, B))
    assert {HERE: 50} == firsts(view(b=(0.001, 0.0)))


def test_an_absent_object_is_read_where_it_arrives_first():
    assert [TO_C, B, C] == order(view(b=(0.3, 0.1), to_c=(0.3, 0.0)), (C, B, TO_C))


def test_explanations_have_the_terms_and_the_limit_of_staying():
    policy = make_cluster_policy('adaptive')
    known = view(here=(0.8, 0.0), b=(0.4, 0.1))
    assert ('expected 800 ms +- 0 ms = head 400 ms + body 400 ms, first up to 540 ms'
            == policy.explain(HERE, [HERE, B, C], known, 0.0))
    assert ('expected 400 ms +- 100 ms = head 200 ms + body 200 ms'
            == policy.explain(B, [HERE, B, C], known, 0.0))
    assert ('nothing known: after all that are known'
            == policy.explain(C, [HERE, B, C], known, 0.0))
    assert ('expected 800 ms +- 0 ms = head 400 ms + body 400 ms, and nothing is known of another '
            'route' == policy.explain(HERE, [HERE, C], known, 0.0))
    assert 'nothing known of this cluster: read here' == policy.explain(HERE, [HERE], view(), 0.0)
