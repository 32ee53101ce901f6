"""Routes and points of parts of images together, by numbers that are worked by hand."""
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.chains.chain import D1, D2, D3, D4, PNG, RAW, Work
from swift_lb.dispatch.cost import WARM, Way
from swift_lb.dispatch.gains import FEW
from swift_lb.dispatch.image_routes import cluster_parts, part_routes, route_costs
from swift_lb.dispatch.places import assumed, place_of
from swift_lb.dispatch.points import ClientSide, PointCost, ServerSide
from swift_lb.dispatch.router import ClusterRouter
from swift_lb.dispatch.routes import FarRegion, KnownCluster, PendingRead, routes
from swift_lb.model import (
    FETCH,
    LOCAL,
    REDIRECT,
    ClientPath,
    ClusterLink,
    Clusters,
    ClusterSummary,
    HeardCluster,
    ImageState,
    Route,
    TimeForecast,
)
from swift_lb.policy.clusters import CLUSTER_POLICIES, make_cluster_policy

NETWORK = '198.51.100.0/24'
SUMMARY = ClusterSummary('ucsb', 'n', 1, 1, 0.0, 2.0, '', 1, 1.0, 1.0)
CLUSTERS = Clusters(
    'ksu', {'ucsb': HeardCluster(SUMMARY, 0.0)},
    {'ucsb': ClusterLink('ucsb', 0.08, 0.0, 0.0, 2.5e6, 0.0)}, ('ucsb',),
    {'ucsb': {'small': TimeForecast(0.03, 0.004, 0.001)}},
    {'ucsb': {NETWORK: ClientPath(NETWORK, 0.02, 5e6)}})
THERE = KnownCluster(place_of('ucsb', CLUSTERS, 'small'), window=WARM, trusted=True)
HERE, FETCHED, REDIRECTED = Route('ksu', LOCAL), Route('ucsb', FETCH), Route('ucsb', REDIRECT)


def part(point, size, *seconds):
    """Return the PointCost of a result of `size` bytes, with seconds of data, server and client."""
    data, server, client = seconds
    return PointCost(Work(point, '', 0, 0, size, 0, 0, 0), data, server, 9.0, client)


READ = PendingRead(5e7, 'small', 0.02, client=Way(0.01, 1e7), network=NETWORK, follows=True, parts={
    'ksu': part(D4, 100_000, 0.02, 0.3, 0.01), 'ucsb': part(D2, 250_000, 0.03, 0.0, 0.2)})


def test_each_route_has_the_size_and_the_seconds_of_its_clusters_point():
    known = route_costs(READ, 'ksu', [THERE], paper=True)
    assert {route: dict(cost.terms) for route, cost in known.items()} == {
        HERE: pytest.approx({'head': 0.02, 'data': 0.02, 'server': 0.3, 'body': 0.015,
                             'client': 0.01}),
        FETCHED: pytest.approx({'head': 0.03, 'data': 0.03, 'server': 0.0, 'round trips': 0.08,
                                'body': 0.105, 'client': 0.2}),
        # slow start: 5 rounds send 14,480 x (1.5^5 - 1) / 0.5 = 190,955 bytes
        REDIRECTED: pytest.approx({
            'head': 0.03, 'data': 0.03, 'server': 0.0, 'round trips': 0.045,
            'body': 4 * 0.02 + (250_000 - 190_955) / 5e6, 'client': 0.2}, rel=1e-4)}
    assert [0.34, 0.06, 0.06] == pytest.approx([known[route].head for route in known])
    assert [0.365, 0.445, 0.396809] == pytest.approx([one.seconds for one in known.values()])
    assert [0.355, 0.165, 0.151809] == pytest.approx([one.served for one in known.values()])
    # the paper's: s + S / B, and for a redirect 2 R first; then data, server and client
    assert [0.02 + 0.01 + 0.33, 0.03 + 0.1 + 0.025 + 0.23, 0.04 + 0.03 + 0.05 + 0.23] == (
        pytest.approx([one.paper for one in known.values()]))


def test_without_parts_the_routes_are_those_of_whole_objects():
    whole = READ._replace(parts=None)
    known = route_costs(whole, 'ksu', [THERE])
    assert routes(whole, 'ksu', [THERE]) == known
    assert {'head', 'body'} == {*dict(known[HERE].terms)}
    assert {0.0} == {cost.client for cost in known.values()}


@pytest.mark.parametrize(('changes', 'left'), [
    ({'head': None}, {FETCHED, REDIRECTED}), ({'follows': False}, {HERE, FETCHED}),
    ({'parts': {'ksu': READ.parts['ksu']}}, {HERE}),
    ({'parts': {'ucsb': READ.parts['ucsb']}}, {FETCHED, REDIRECTED}), ({'parts': {}}, set())])
def test_a_cluster_without_a_part_has_no_route(changes, left):
    assert left == {*part_routes(READ._replace(**changes), 'ksu', [THERE])}


def test_data_in_another_region_come_over_the_link_before_the_part():
    far = READ._replace(far=FarRegion('ucsb', Way(0.08, 2.5e6)))
    known = part_routes(far, 'ksu', [THERE])
    # head + 2 R + R_ch / 2, 3 R in slow start, whose 4th round is the last, and the point's 0.33 s
    assert known[HERE].seconds == pytest.approx(0.02 + 0.16 + 0.005 + 0.24 + 0.33)
    assert known[HERE].same_link
    assert known[FETCHED].same_link


def test_a_read_that_was_measured_has_gained_as_if_the_client_worked_as_predicted():
    router = ClusterRouter(make_cluster_policy('adaptive'), random.Random(1))
    slow = READ._replace(parts=READ.parts | {'ksu': part(D4, 100_000, 0.02, 3.0, 0.01)})
    chosen = router.choose(slow, 'ksu', [THERE], {}, 0.0)[0]
    assert (REDIRECTED, True) == (chosen.route, chosen.here[1] > 3.0)
    router.measured(chosen, chosen.cost.seconds - 0.2 + 0.5, 1.0)      # it took 0.5 s more
    figures = router.part_gains.figures(1.0)[REDIRECTED]
    assert figures.error == pytest.approx(0.5)
    assert figures.gain == pytest.approx(chosen.here[1] - chosen.cost.seconds - 0.5)


STATE = ImageState(0.5, 4, 1e-7, 2e-7, 0.0, 4e-7)
PNG_4 = Work(D4, PNG, 100_000, 50, 400_000, 1_000_000, 0, 500_000)     # 0.2 s of a decoder
RAW_4 = PNG_4._replace(form=RAW, size=500_000)                         # 0.1 s
COEFFICIENTS = PNG_4._replace(point=D3, form='', size=200_000)         # 0.3 s
CUT = Work(D2, '', 100_000, 50, 100_000, 0, 1_000_000, 500_000)
WHOLE = Work(D1, '', 2_000_000, 1, 2_000_000, 0, 8_000_000, 500_000)
WORKS = [WHOLE, CUT, COEFFICIENTS, PNG_4, RAW_4]


def client(*points, pixels=1e7):
    return ClientSide(points, Way(0.02, 1e7), pixels)


def test_a_route_that_loses_with_parts_of_images_is_open_for_whole_objects():
    router = ClusterRouter(make_cluster_policy('adaptive'), random.Random(1))
    slow = READ._replace(parts=READ.parts | {'ksu': part(D4, 100_000, 0.02, 3.0, 0.01)})
    chosen = router.choose(slow, 'ksu', [THERE], {}, 0.0)[0]
    for number in range(FEW):
        router.failed(chosen, 4.0 + number % 2, number)
    assert REDIRECTED not in router.considered(slow, 'ksu', [THERE], {}, FEW)[0]
    assert REDIRECTED in router.considered(
        slow._replace(parts=None), 'ksu', [THERE], {}, FEW)[0]
    assert not router.gains.figures(FEW)


SERVER = ServerSide(9.0, 0.02, 1e7, 9.0, 9.0, 9.0, 9.0)     # of this cluster


@pytest.mark.parametrize(('there', 'more', 'waits'), [
    (0.0, 0.0, 0.5), (0.6, 0.6, 0.5 + 0.6 / 4), (0.0, -1.0, 0.25), (0.0, -12.0, 0.25),
    (0.0, -0.4, 0.4), (8.0, 1.0, 2.0), (8.0, 7.0, 0.5 + 7 / 4)])
def test_the_work_that_was_sent_there_adds_its_share_of_the_decoders_to_the_wait(
        there, more, waits):
    cost = cluster_parts([PNG_4], STATE, client(D4), (there, more), SERVER)
    assert cost[1:] == pytest.approx((0.03, waits + 0.2, 0.05, 0.08 * 500_000 / 1e7, waits))


def test_a_part_that_is_kept_there_needs_no_decoder_and_no_data():
    cost = cluster_parts([WHOLE, PNG_4], STATE, client(D4), (3.0, 3.0), SERVER, {(D4, PNG)})
    assert cost[:3] == (PNG_4, 0.0, 0.0)


def test_what_is_kept_there_cannot_be_had_while_no_decoder_answers_there():
    assert cluster_parts([PNG_4], None, client(D4), (3.0, 3.0), SERVER, {(D4, PNG)}) is None


@pytest.mark.parametrize(('points', 'pixels', 'state', 'best'), [
    ((D1, D2, D3, D4), 1e7, STATE, CUT),            # the client decodes in 0.1 s
    ((D1, D2, D3, D4), 1e6, STATE, RAW_4),          # the client would take 1 s
    ((D1, D2, D3, D4), 1e6, None, CUT), ((D3, D4), 1e7, None, None), ((D4,), None, STATE, RAW_4),
    ((D3,), 1e7, STATE, COEFFICIENTS), ((D1, D4), 1e7, None, WHOLE), ((), 1e7, STATE, None)])
def test_the_best_point_of_a_cluster_is_that_of_least_seconds(points, pixels, state, best):
    cost = cluster_parts(WORKS, state, client(*points, pixels=pixels), (0.0, 0.0), SERVER)
    assert best == (cost and cost.work)


def test_the_seconds_until_a_head_are_taken_to_be_as_here_if_none_are_known():
    unknown = place_of('ucsb', CLUSTERS._replace(times={}), 'small')
    assert (unknown.is_known, assumed(THERE.place, 0.02)) == (False, THERE.place)
    cost = part_routes(READ, 'ksu', [THERE._replace(place=assumed(unknown, 0.02))])[FETCHED]
    assert (dict(cost.terms)['head'], cost.error) == pytest.approx((0.02, 0.01))
    no_link = place_of('ucsb', CLUSTERS._replace(times={}, links={}), 'small')
    assert FETCHED not in part_routes(READ, 'ksu', [THERE._replace(place=assumed(no_link, 0.02))])


def test_half_of_the_decoding_at_another_cluster_counts_as_error_and_the_wait_does_not():
    there = part(D4, 100_000, 0.02, 3.0, 0.01)
    for wait, error in ((0.0, 1.5), (2.6, 0.2)):
        known = part_routes(READ._replace(parts=READ.parts | {
            'ucsb': there._replace(wait=wait)}), 'ksu', [THERE])
        assert known[FETCHED].error == pytest.approx(0.004 + error)
        assert known[HERE].error == 0.0


def test_of_a_part_that_was_sent_the_decoders_work_is_there_until_it_ends():
    router = ClusterRouter(make_cluster_policy('adaptive'), random.Random(1))
    slow = READ._replace(follows=False, parts={
        'ksu': part(D4, 100_000, 0.02, 9.0, 0.01),
        'ucsb': part(D4, 100_000, 0.02, 3.0, 0.01)._replace(wait=2.5)})
    chosen = router.choose(slow, 'ksu', [THERE], {}, 0.0)[0]
    assert router.work_away.there_and_more('ucsb', SUMMARY) == (0.0, 0.0)
    router.used(chosen, 0.0)
    assert router.work_away.there_and_more('ucsb', SUMMARY) == (0.5, 0.5)
    assert router.away.more('ucsb', SUMMARY) == 0
    router.ended(chosen)
    assert router.work_away.there_and_more('ucsb', SUMMARY) == (0.0, 0.0)


seconds = st.floats(0.0, 5.0)
parts = st.builds(part, st.sampled_from([D1, D2, D3, D4]), st.floats(0.0, 1e7), seconds, seconds,
                  seconds)


@given(st.fixed_dictionaries({'ksu': parts, 'ucsb': parts}), st.sampled_from(['ksu', 'ucsb']),
       st.sampled_from(['data', 'server', 'client']), seconds)
def test_more_seconds_of_a_part_never_move_its_routes_forward(parts, worse, term, more):
    slower = parts[worse]._replace(**{term: getattr(parts[worse], term) + more})
    for name in CLUSTER_POLICIES:
        policy = make_cluster_policy(name)
        if not policy.needs_gain and not policy.needs_paper:
            continue
        places = []
        for each in (parts, parts | {worse: slower}):
            candidates, known = ClusterRouter(policy, None).considered(
                READ._replace(parts=each), 'ksu', [THERE], {}, 0.0)
            assert [HERE, FETCHED, REDIRECTED] == candidates
            for cost in known.costs.values():
                assert cost.seconds == pytest.approx(sum(one for _name, one in cost.terms))
            order = policy.order(candidates, known, 0.0, random.Random(1))
            places.append(min(order.index(route) for route in order if route.cluster == worse))
        assert places[0] <= places[1], name
