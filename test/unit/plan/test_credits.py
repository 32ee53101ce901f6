"""Credits: the room of a cluster's nodes, and how it is shared by the clusters that ask for it."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.model import CRITICAL, GONE, UP, NodeInstruction, Report
from swift_lb.plan.credits import (
    ASSUMED,
    GROWTH,
    HORIZON,
    NO_ROOM,
    Room,
    credits_of,
    node_room,
    room_of,
)
from swift_lb.plan.decision import make_instruction
from swift_lb.plan.knee import MIN_IN_FLIGHT
from swift_lb.plan.options import DEFAULTS

RATES = st.dictionaries(st.sampled_from('abcdef'), st.floats(0, 1e4), max_size=6)
SENT = st.dictionaries(st.sampled_from('abcdef'), st.none() | st.floats(0, 1e4), max_size=6)


def room(reports, panic=False, options=DEFAULTS, told=None, **states):
    """Return the Room of `reports`, {node: (reject, metrics)}; `states` are of nodes not UP.

    `told` are the seconds that dispatchers tell.
    """
    nodes = tuple(NodeInstruction(name, '', states.get(name, UP), 1.0, 1.0, 1.0, 1.0, 0.0)
                  for name in reports)
    return room_of([Report(name, 1, 1, 0.0, 1.0, metrics, reject=reject)
                    for name, (reject, metrics) in reports.items()],
                   make_instruction(1, 1e9, 'balanced', panic, nodes, ''), options, told)


def load(in_flight, seconds=0.1):
    """Return the metrics of a node."""
    return {'in_flight': in_flight, 'response_time': seconds}


def test_a_node_has_room_up_to_three_quarters_of_its_limit():
    assert room({'a': (40.0, load(8.0))}) == pytest.approx(((30 - 8) / 0.1, 30 / 0.1))
    assert room({'a': (40.0, load(8.0)), 'b': (40.0, load(40.0, 0.2))}) == pytest.approx(
        (220 - 10 / HORIZON, 300 + 200))


def test_a_node_that_was_never_busy_has_room_for_ten_requests_or_half_as_many_again():
    assert room({'a': (None, load(1.0))}) == pytest.approx((9 / 0.1, 10 / 0.1))
    assert room({'a': (None, load(1.0, 0.015))}).most == pytest.approx(MIN_IN_FLIGHT / 0.015)
    assert room({'a': (None, load(40.0))}) == pytest.approx((20 / 0.1, 40 * GROWTH / 0.1))


def test_an_idle_nodes_seconds_are_those_of_other_nodes_or_what_dispatchers_tell():
    idle = {'in_flight': 0.0}
    assert room({'a': (None, idle)}) == pytest.approx((MIN_IN_FLIGHT / ASSUMED,) * 2)
    assert room({'a': (None, idle)}, told=0.02) == pytest.approx((500, 500))
    assert room({'a': (None, idle), 'b': (None, load(10.0, 0.5))}, told=0.02) == pytest.approx(
        (20 + 10, 20 + 30))


@given(st.floats(0, 1e4), st.floats(1e-3, 10), st.none() | st.floats(10, 1e4))
def test_a_node_has_never_more_room_than_it_could_answer_without_other_requests(
        in_flight, seconds, reject):
    one = node_room(Report('a', 1, 1, 0.0, 1.0, load(in_flight, seconds), reject=reject), 1.0,
                    DEFAULTS)
    assert one.room <= one.most
    assert one.most >= in_flight / seconds * (1 - 1e-9)


def test_the_conf_sets_a_limit_only_in_requests_in_flight():
    report = {'a': (40.0, load(8.0))}
    assert room(report, options=DEFAULTS._replace(reject=60.0)).room == pytest.approx(370.0)
    assert room(report, options=DEFAULTS._replace(reject=0.9, metric='cpu')).room == pytest.approx(
        220.0)
    assert room(report, options=DEFAULTS._replace(reject=float('inf'))).room == pytest.approx(40.0)


def test_nodes_that_are_unknown_gone_or_over_a_threshold_add_no_room():
    alone = pytest.approx((220.0, 300.0))
    assert room({'a': (40.0, {'response_time': 0.1}), 'b': (40.0, load(8.0))}) == alone
    assert room({'a': (40.0, load(0.0))}, a=GONE) == NO_ROOM
    assert room({'a': (40.0, load(0.0))}, a=CRITICAL) == NO_ROOM
    assert room({'a': (40.0, load(60.0)), 'b': (40.0, load(8.0))}, a=CRITICAL) == pytest.approx(
        (220 - 30 / HORIZON, 300))


def test_a_cluster_in_a_panic_or_without_an_instruction_has_no_room():
    assert room({'a': (40.0, load(8.0))}, panic=True) == NO_ROOM
    assert room_of([], None, DEFAULTS) == NO_ROOM


def test_credits_follow_what_was_sent_and_leave_a_floor_to_beginners():
    granted = credits_of(Room(60.0, 500.0), {'a': 30.0, 'b': 10.0, 'c': 0.0},
                         {'a': 90.0, 'b': 10.0})
    assert granted == pytest.approx({'a': 100 * (0.25 / 3 + 0.75 * 0.75),
                                     'b': 100 * (0.25 / 3 + 0.75 * 0.25), 'c': 100 * 0.25 / 3})
    assert credits_of(Room(60.0, 500.0), {'a': 0.0, 'b': 0.0}, {'a': 60.0}) == {
        'a': 30.0, 'b': 30.0}
    assert credits_of(Room(60.0, 500.0), {}, {'a': 60.0}) == {}


def test_credits_go_half_of_the_way_to_the_room_that_there_is():
    assert credits_of(Room(10.0, 500.0), {'a': 0.0}, {'a': 90.0}) == {'a': 50.0}
    assert credits_of(Room(90.0, 500.0), {'a': 0.0}, {'a': 10.0}) == {'a': 50.0}
    assert credits_of(Room(-300.0, 500.0), {'a': 0.0}, {'a': 90.0}) == {'a': 0.0}


def test_what_was_used_is_what_was_granted_if_it_is_not_known():
    assert credits_of(Room(20.0, 500.0), {'a': None}, {'a': 90.0}) == {'a': 100.0}
    assert credits_of(Room(20.0, 95.0), {'a': None}, {'a': 90.0}) == {'a': 95.0}
    assert credits_of(Room(20.0, 500.0), {'a': None, 'b': None}, {'a': 60.0, 'b': 30.0}) == {
        'a': 50.0, 'b': 50.0}


@given(st.floats(-1e4, 1e4), st.floats(0, 1e4), SENT, RATES)
def test_all_credits_together_are_at_most_what_idle_nodes_would_answer(room, most, sent, before):
    granted = credits_of(Room(room, most), sent, before)
    assert granted.keys() == sent.keys()
    assert sum(granted.values()) <= most * (1 + 1e-9)
    assert all(rate >= 0.0 for rate in granted.values())


@pytest.mark.parametrize('is_known', [True, False])
@pytest.mark.parametrize('begin', [0.0, 300.0])
def test_requests_that_use_all_credits_come_to_what_there_is_room_for(begin, is_known):
    granted = {'a': begin}
    for _interval in range(30):
        used = granted['a']
        granted = credits_of(Room(100.0 - used, 500.0), {'a': used if is_known else None}, granted)
    assert granted == pytest.approx({'a': 100.0})
