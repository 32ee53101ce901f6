"""The formulas of the policies of clusters: orders, shares and reasons worked by hand."""
import random
from collections import Counter

import pytest

from swift_lb.model import (
    FETCH,
    LOCAL,
    REDIRECT,
    ClusterState,
    KnownRoutes,
    Route,
    RouteCost,
)
from swift_lb.policy.clusters import ClusterPolicyOptions, make_cluster_policy

HERE, B, TO_B, C, TO_C = ROUTES = [
    Route('a', LOCAL), Route('b', FETCH), Route('b', REDIRECT), Route('c', FETCH),
    Route('c', REDIRECT)]
ROUNDS = 3000


def cluster(nodes=3, known=None, load=1.0, rtt=0.0, client=None, choices=0):
    """Return (ClusterState, choices) of a cluster."""
    return ClusterState(nodes, nodes if known is None else known, load, load, rtt, client), choices


def view(**clusters):
    """Return KnownRoutes of clusters a (this one), b and c; those left out are unknown."""
    return KnownRoutes(
        HERE, {}, {name: state for name, (state, _choices) in clusters.items() if state},
        {name: choices for name, (_state, choices) in clusters.items()})


def papers(*seconds):
    """Return KnownRoutes with seconds by the paper; others would say the contrary."""
    return KnownRoutes(HERE, {route: RouteCost(9.0 - paper, 0.0, paper) for route, paper in zip(
        ROUTES, seconds, strict=True) if paper is not None})


def order(name, known, candidates=ROUTES, **options):
    policy = make_cluster_policy(name, ClusterPolicyOptions(**options))
    return policy.order(candidates, known, 0.0, random.Random(1))


def shares(name, known, candidates=ROUTES, **options):
    """Return {cluster: fraction of ROUNDS orders in which it was first}."""
    policy, rng = make_cluster_policy(name, ClusterPolicyOptions(**options)), random.Random(5)
    first = Counter(policy.order(candidates, known, 0.0, rng)[0].cluster
                    for _round in range(ROUNDS))
    return {each: count / ROUNDS for each, count in first.items()}


def near(**expected):
    # 3000 draws: the standard deviation of a share is at most 0.0091, five of them 0.046
    return pytest.approx(expected, abs=0.046)


def why(name, known, route, candidates=ROUTES, **options):
    policy = make_cluster_policy(name, ClusterPolicyOptions(**options))
    return policy.explain(route, candidates, known, 0.0)


FAR = view(a=cluster(), b=cluster(rtt=0.08), c=cluster(rtt=0.03))


@pytest.mark.parametrize(('name', 'known', 'expected', 'reason'), [
    ('round_robin', view(a=cluster(choices=5), b=cluster(choices=3), c=cluster(choices=4)),
     [TO_B, B, TO_C, C, HERE], '3 reads were sent to this cluster'),
    # by way of here: 0 + 80 ms, 0 + 30 ms
    ('nearest', FAR, [HERE, TO_C, C, TO_B, B], '80 ms from the client'),
    # 50 + 80 = 130 ms by way of here, as b has not measured the client; c has, 20 ms
    ('nearest', view(a=cluster(client=0.05), b=cluster(rtt=0.08),
                     c=cluster(rtt=0.03, client=0.02)),
     [TO_C, C, HERE, TO_B, B], '130 ms from the client'),
    # a's round trip to the client is unknown, so that b's 1 ms cannot be compared with it
    ('nearest', view(a=cluster(), b=cluster(rtt=0.08, client=0.001), c=cluster(rtt=0.03)),
     [HERE, TO_C, C, TO_B, B], '80 ms from the client'),
    # these need no state of this cluster
    ('round_robin', view(a=(None, 5), b=cluster(choices=3), c=cluster(choices=4)),
     [TO_B, B, TO_C, C, HERE], '3 reads were sent to this cluster'),
    ('always_fetch', view(a=(None, 0), b=cluster(rtt=0.08)), [B, HERE, TO_B, C, TO_C],
     'a round trip takes 80 ms'),
    ('always_fetch', FAR, [C, B, HERE, TO_C, TO_B], 'a round trip takes 80 ms'),
    ('always_redirect', FAR, [TO_C, TO_B, HERE, C, B],
     'after reading here: a round trip takes 80 ms'),
    # the client is nearer to b than this cluster is
    ('always_redirect', view(a=cluster(client=0.05), b=cluster(rtt=0.08, client=0.01),
                             c=cluster(rtt=0.03)),
     [TO_B, TO_C, HERE, C, B], 'after reading here: a round trip takes 80 ms'),
    ('on_absent', FAR, [HERE, B, C, TO_B, TO_C], 'if it is not here: clusters by name'),
    ('hsweb', papers(0.5, 0.4, 0.3, 0.45, 0.6), [TO_B, B, C, HERE, TO_C],
     '400 ms by the terms of the paper')])
def test_orders_of_routes_equal_those_worked_by_hand(name, known, expected, reason):
    assert expected == order(name, known)
    assert reason == why(name, known, B)


def test_local_leaves_the_order_of_others_to_chance():
    policy = make_cluster_policy('local')
    orders = [policy.order([TO_B, C, HERE], FAR, 0.0, random.Random(seed)) for seed in range(50)]
    assert {HERE} == {each[0] for each in orders}
    assert 'always read here' == why('local', FAR, HERE)
    assert 'only if it is not read here' == why('local', FAR, B)


@pytest.mark.parametrize('name', ['round_robin', 'nearest', 'always_fetch', 'hsweb', 'adaptive',
                                  'zone_aware', 'locality_weighted', 'director', 'on_absent'])
def test_of_an_absent_object_an_unknown_cluster_is_read_if_it_is_the_only_one(name):
    assert [C] == order(name, KnownRoutes(HERE), [C])


def test_hsweb_does_not_consider_other_clusters_below_its_threshold():
    assert HERE == order('hsweb', papers(0.09, 0.01, 0.01, 0.01, 0.01))[0]
    assert C == order('hsweb', papers(0.091, 0.03, 0.02, 0.01, None))[0]
    assert HERE == order('hsweb', papers(0.5, 0.4, 0.4, 0.4, 0.4), threshold=1.0)[0]
    assert HERE == order('hsweb', papers(None, 0.4, 0.4, 0.4, 0.4))[0]
    assert HERE == order('hsweb', papers(0.4, 0.4, 0.4, 0.4, 0.4))[0]       # ties stay
    assert ('50 ms by the terms of the paper, up to the threshold of 90 ms'
            == why('hsweb', papers(0.05, 0.4, 0.4, 0.4, 0.4), HERE))
    assert ('500 ms by the terms of the paper, above the threshold of 90 ms'
            == why('hsweb', papers(0.5, 0.4, 0.4, 0.4, 0.4), HERE))


def test_zone_aware_shares_equal_the_example_in_envoys_source():
    # sends 40, 40, 20 %; serves 25, 50, 25 %: keeps 25 / 40; the rest 10 : 5
    known = view(a=cluster(4, 8), b=cluster(8, 8), c=cluster(4, 4))
    assert near(a=0.625, b=0.375 * 10 / 15, c=0.375 * 5 / 15) == shares('zone_aware', known)
    assert '0.625 of all reads: 4 nodes are up of 8' == why('zone_aware', known, HERE)
    assert '0.25 of all reads: 8 nodes are up of 8' == why('zone_aware', known, B)


def test_zone_aware_stays_while_its_share_of_nodes_is_not_less():
    assert {'a': 1.0} == shares('zone_aware', view(a=cluster(3), b=cluster(9), c=cluster(1)))
    # 3 of 10 are more than 3 of 13
    assert {'a': 1.0} == shares('zone_aware', view(a=cluster(3), b=cluster(6, 9), c=cluster(1)))


def test_zone_aware_shares_by_nodes_if_there_are_fewer_than_six():
    assert near(a=0.6, b=0.4) == shares('zone_aware', view(a=cluster(3), b=cluster(2)))
    assert {'a': 1.0} == shares('zone_aware', view(a=cluster(3), b=cluster(3)))


def test_zone_aware_spreads_absent_objects_by_the_nodes_that_are_left():
    # sends 1/2, 1/4, 1/4; serves 0, 2/3, 1/3: residuals 5/12, 1/12
    known = view(a=cluster(8), b=cluster(4), c=cluster(2, 4))
    assert near(b=5 / 6, c=1 / 6) == shares('zone_aware', known, ROUTES[1:])


@pytest.mark.parametrize(('up', 'share'), [
    (100, 0.33), (70, 0.33), (69, 0.32), (50, 0.26), (25, 0.15), (0, 0.0)])
def test_locality_weights_equal_the_table_in_envoys_manual(up, share):
    policy = make_cluster_policy('locality_weighted', ClusterPolicyOptions(weights={'b': 2}))
    weights = policy.shares([HERE, B], view(a=cluster(up, 100), b=cluster(100)))
    # the manual's percentages are cut off or rounded: 0.966 / 2.966 = 32.6 % stands there as 32 %
    assert share == pytest.approx(weights['a'] / sum(weights.values()), abs=0.0075)


def test_locality_weighted_draws_clusters_not_routes_by_weight():
    # a has one route and the others two; of c, half of the nodes are up: 1.4 x 1/2 = 0.7
    known = view(a=cluster(), b=cluster(), c=cluster(2, 4))
    weights = {'a': 1, 'b': 2, 'c': 1}
    assert near(a=1 / 3.7, b=2 / 3.7, c=0.7 / 3.7) == shares(
        'locality_weighted', known, weights=weights)
    assert ('effective weight 0.7 = 1 x min(1, 1.4 x 2 / 4 nodes)'
            == why('locality_weighted', known, C, weights=weights))
    assert {'b': 1.0} == shares('locality_weighted', known, weights={'a': 0, 'c': 0})


def test_director_weights_halve_by_miles_and_by_load():
    # 200 miles are 200 / 62000 s: 1/2; a load of 10 + 2 x 4: 1/4; 2 of 4 nodes: 1/2
    known = view(a=cluster(load=18.0), b=cluster(load=10.0, rtt=200 / 62000),
                    c=cluster(2, 4, load=None))
    # c's load weight is the median of 1/4 and 1: 0.625 x 1/2 = 0.3125; a 1/4; b 1/2
    total = 0.25 + 0.5 + 0.3125
    assert near(a=0.25 / total, b=0.5 / total, c=0.3125 / total) == shares('director', known)
    assert ('weight 0.25 = distance 1 x load 0.25 x nodes 1' == why('director', known, HERE))
    assert ('weight 0.5 = distance 0.5 x load 1 x nodes 1' == why('director', known, TO_B))
    assert ('weight 0.312 = distance 1 x load 0.625 x nodes 0.5' == why('director', known, C))


def test_director_hardly_ever_goes_80_ms_however_great_the_load_here():
    # 2^-24.8 against 2^-((50 - 10) / 4) = 2^-10
    assert {'a': 1.0} == shares('director', view(a=cluster(load=50.0), b=cluster(rtt=0.08)))
    # without any known load, all weigh the same
    assert near(a=0.5, b=0.5) == shares('director', view(a=cluster(load=None),
                                                         b=cluster(load=None)))


def test_director_redirects_and_envoy_fetches():
    only_b = view(b=cluster())
    assert [TO_B, B] == order('director', only_b, [B, TO_B])
    assert [B, TO_B] == order('locality_weighted', only_b, [TO_B, B])
