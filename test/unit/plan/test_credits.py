"""Credits: the room of a cluster's nodes, and how it is shared by the clusters that ask for it."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.model import CRITICAL, GONE, UP, NodeInstruction, Report
from swift_lb.plan.credits import credits_of, room_of
from swift_lb.plan.decision import make_instruction
from swift_lb.plan.options import DEFAULTS

RATES = st.dictionaries(st.sampled_from('abcdef'), st.floats(0, 1e4), max_size=6)


def room(reports, panic=False, options=DEFAULTS, **states):
    """Return the room of `reports`, {node: (reject, metrics)}; `states` are of nodes not UP."""
    nodes = tuple(NodeInstruction(name, '', states.get(name, UP), 1.0, 1.0, 1.0, 1.0, 0.0)
                  for name in reports)
    return room_of([Report(name, 1, 1, 0.0, 1.0, metrics, reject=reject)
                    for name, (reject, metrics) in reports.items()],
                   make_instruction(1, 1e9, 'balanced', panic, nodes, ''), options)


def load(in_flight, seconds=0.1):
    """Return the metrics of a node."""
    return {'in_flight': in_flight, 'response_time': seconds}


def test_a_node_has_room_up_to_half_of_its_limit():
    assert room({'a': (40.0, load(8.0))}) == pytest.approx((20 - 8) / 0.1)
    assert room({'a': (40.0, load(8.0)), 'b': (40.0, load(30.0, 0.2))}) == pytest.approx(120 - 50)


def test_a_node_that_was_never_busy_has_room_for_half_of_the_least_limit():
    assert room({'a': (None, load(1.0))}) == pytest.approx(4 / 0.1)
    assert room({'a': (None, {'in_flight': 0.0})}) == pytest.approx(5.0)        # in a second
    assert room({'a': (None, {'in_flight': 0.0}), 'b': (None, load(5.0, 0.5))}) == pytest.approx(
        5 / 0.5)


def test_the_conf_sets_a_limit_only_in_requests_in_flight():
    report = {'a': (40.0, load(8.0))}
    assert room(report, options=DEFAULTS._replace(reject=60.0)) == pytest.approx(220.0)
    assert room(report, options=DEFAULTS._replace(reject=0.9, metric='cpu')) == pytest.approx(120.0)
    assert room(report, options=DEFAULTS._replace(reject=float('inf'))) == pytest.approx(-30.0)


def test_nodes_that_are_unknown_gone_or_over_a_threshold_add_no_room():
    assert room({'a': (40.0, {'response_time': 0.1}), 'b': (40.0, load(8.0))}) == pytest.approx(120)
    assert room({'a': (40.0, load(0.0))}, a=GONE) == 0.0
    assert room({'a': (40.0, load(0.0))}, a=CRITICAL) == 0.0
    assert room({'a': (40.0, load(40.0)), 'b': (40.0, load(8.0))}, a=CRITICAL) == pytest.approx(-80)


def test_a_cluster_in_a_panic_or_without_an_instruction_has_no_room():
    assert room({'a': (40.0, load(8.0))}, panic=True) == 0.0
    assert room_of([], None, DEFAULTS) == 0.0


def test_credits_follow_what_was_sent_and_leave_a_floor_to_beginners():
    granted = credits_of(60.0, {'a': 30.0, 'b': 10.0, 'c': 0.0}, {'a': 90.0, 'b': 10.0})
    assert granted == pytest.approx({'a': 100 * (0.25 / 3 + 0.75 * 0.75),
                                     'b': 100 * (0.25 / 3 + 0.75 * 0.25), 'c': 100 * 0.25 / 3})
    assert credits_of(60.0, {'a': 0.0, 'b': 0.0}, {'a': 60.0}) == {'a': 30.0, 'b': 30.0}
    assert credits_of(60.0, {}, {'a': 60.0}) == {}


def test_credits_fall_at_once_and_rise_by_half_of_the_difference():
    assert credits_of(10.0, {'a': 0.0}, {'a': 90.0}) == {'a': 10.0}
    assert credits_of(90.0, {'a': 0.0}, {'a': 10.0}) == {'a': 50.0}


@given(st.floats(-1e4, 1e4), RATES, RATES)
def test_all_credits_together_are_at_most_the_room_and_what_was_used(room, sent, before):
    granted = credits_of(room, sent, before)
    used = sum(min(rate, before.get(name, 0.0)) for name, rate in sent.items())
    assert granted.keys() == sent.keys()
    assert sum(granted.values()) <= max(0.0, room + used) * (1 + 1e-9)
    assert all(rate >= 0.0 for rate in granted.values())


@pytest.mark.parametrize(('is_known', 'end'), [(True, 100.0), (False, 50.0)])
def test_requests_that_use_all_credits_do_not_swing(is_known, end):
    granted = {'a': 100.0}
    for _interval in range(30):
        used = granted['a']
        granted = credits_of(100.0 - used, {'a': used if is_known else 0.0}, granted)
    assert granted == pytest.approx({'a': end})
