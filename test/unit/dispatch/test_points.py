"""The predicted seconds of the points of a chain, by numbers worked by hand."""
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.chains.chain import D1, D2, D3, D4, PNG, POINTS, RAW, Work
from swift_lb.dispatch.cost import Way
from swift_lb.dispatch.points import CUT_OF_D3, ClientSide, ServerSide, point_costs

WORKS = [
    Work(D1, '', 2_000_000, 1, 2_000_000, 0, 600_000, 262_144),
    Work(D2, '', 300_000, 3, 300_000, 0, 600_000, 262_144),
    Work(D3, '', 300_000, 3, 200_000, 600_000, 0, 262_144),
    Work(D4, PNG, 300_000, 3, 150_000, 600_000, 0, 262_144),
    Work(D4, RAW, 300_000, 3, 262_160, 600_000, 0, 262_144)]
SERVER = ServerSide(0.5, decode=1e-7, png=2e-7, raw=1e-8, coefficients=3e-7, batch=0.01, rate=1e8)
CLIENT = ClientSide(POINTS, Way(0.04, 1e6), 1e7)


def key_of(work):
    """Return the (point, form) of a Work."""
    return work.point, work.form


def by_point(costs):
    """Return {(point, form): cost} of PointCosts."""
    return {key_of(cost.work): cost for cost in costs}


def test_costs_are_those_worked_by_hand():
    costs = by_point(point_costs(WORKS, SERVER, CLIENT))
    terms = {key: costs[key][1:5] for key in map(key_of, WORKS)}
    assert terms == {
        (D1, ''): pytest.approx((0.01, 0, 2.02, 0.06)),
        (D2, ''): pytest.approx((0.013, 0, 0.32, 0.06)),
        (D3, ''): pytest.approx((0.013, 0.56 + 0.0786432, 0.22, 0.15 * 0.0262144)),
        (D4, PNG): pytest.approx((0.013, 0.56 + 0.0524288, 0.17, 0.08 * 0.0262144)),
        (D4, RAW): pytest.approx((0.013, 0.56 + 0.00262144, 0.28216, 0))}
    assert costs[D2, ''].seconds == pytest.approx(0.393)
    assert [0.0, 0.0, 0.5, 0.5, 0.5] == [costs[key].wait for key in terms]


def test_the_least_is_first():
    costs = point_costs(WORKS, SERVER, CLIENT)
    assert [cost.seconds for cost in costs] == sorted(cost.seconds for cost in costs)
    assert costs[0].work.point == D2


def test_what_is_kept_needs_neither_data_nor_server():
    costs = by_point(point_costs(WORKS, SERVER, CLIENT, {(D4, PNG)}))
    assert costs[D4, PNG][1:3] == (0, 0)
    assert costs[D4, RAW].data == pytest.approx(0.013)


def test_a_kept_cut_needs_no_data():
    costs = by_point(point_costs(WORKS, SERVER, CLIENT, {(D2, '')}))
    data = {key: costs[key].data for key in costs if key[0] != D1}
    assert data == {(D2, ''): 0, (D3, ''): pytest.approx(0.013), (D4, PNG): 0, (D4, RAW): 0}
    assert by_point(point_costs(WORKS, SERVER, CLIENT, {CUT_OF_D3}))[D3, ''].data == 0
    assert costs[D4, PNG].server == pytest.approx(0.6124288)


@pytest.mark.parametrize(('server', 'client', 'kept', 'points'), [
    (SERVER, CLIENT._replace(points=(D4,)), (), {D4}),
    (SERVER, CLIENT._replace(pixels=None), (), {D4}),       # the client's speed is unknown
    (SERVER._replace(wait=None), CLIENT, (), {D1, D2}),     # there is no decoder
    (SERVER._replace(wait=None), CLIENT, {(D3, '')}, {D1, D2, D3})])
def test_points_that_cannot_be_had_are_left_out(server, client, kept, points):
    assert {cost.work.point for cost in point_costs(WORKS, server, client, kept)} == points


@given(st.floats(0, 10), st.floats(0, 10), st.floats(1e3, 1e9), st.floats(1e3, 1e9))
def test_more_load_never_makes_a_point_sooner(wait, more, bandwidth, pixels):
    client = CLIENT._replace(way=Way(0.04, bandwidth), pixels=pixels)
    before = by_point(point_costs(WORKS, SERVER._replace(wait=wait), client))
    after = by_point(point_costs(WORKS, SERVER._replace(wait=wait + more), client))
    assert all(after[key].seconds >= before[key].seconds for key in before)


def test_a_network_without_limits_leaves_only_computing():
    costs = by_point(point_costs(WORKS, SERVER, CLIENT._replace(way=Way(0.0, math.inf))))
    assert costs[D2, ''].net == 0
