"""`balanced`, step by step: what dispatchers are told, and what DNS makes of it."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.model import CRITICAL, DISABLED, DRAINING, REJECTED, UP, Heard, Report
from swift_lb.plan.delegation import PACE, delegation, flows, need, needs, served
from swift_lb.plan.flows import HANDED_ON, measured
from swift_lb.plan.load import loads
from swift_lb.plan.options import DEFAULTS
from swift_lb.plan.plan import plan
from swift_lb.plan.weights import followed


def report(node, in_flight=5.0, seconds=0.1, requests=50.0, **more):
    """Return a Report."""
    return Report(node, 1, 1, 0.0, 1.0, {'in_flight': in_flight, 'response_time': seconds,
                                         'requests': requests}, **more)


def planned(*reports, **options):
    """Return the Instruction of reports that have just come."""
    return plan({one.node: Heard(one, 10.0) for one in reports}, None, 10.0,
                DEFAULTS._replace(**options))


def steps(reports, options=DEFAULTS):
    """Return ({name: keep}, {name: take}) of one plan for all, who are takers all."""
    rates = served(reports)
    return delegation(reports, rates, needs(reports, loads(reports, options), options),
                      {one.node for one in reports}, options)


def test_equal_nodes_keep_all_and_have_equal_shares():
    found = planned(*(report(name) for name in 'abcd'))
    assert {(0.25, 1.0, 0.0)} == {(part.dns, part.keep, part.take) for part in found.parts}


def test_within_the_band_nobody_delegates():
    assert ({}, {}) == steps([report('a', 5.8), report('b', 5.0), report('c', 5.0)])


@pytest.mark.parametrize('in_flight', [20.0, 200.0, 1e6])
def test_nobody_keeps_less_by_more_than_the_pace_however_wrong_a_load_is(in_flight):
    keep, take = steps([report('a', in_flight), report('b'), report('c')])
    assert 1 - PACE <= keep['a'] < 1
    assert (1.0, 1.0, 0.5, 0.5) == (keep['b'], keep['c'], take['b'], take['c'])
    assert 'a' not in take


def test_who_is_loaded_by_what_it_is_delegated_is_delegated_less():
    def taken(in_flight):
        return steps([report('a', 40.0, keep=0.5), report('b', in_flight, take=0.5),
                      report('c', take=0.5)])[1].get('b', 0.0)
    assert 0.5 == pytest.approx(taken(5.0), abs=1e-6)
    assert taken(5.0) > taken(60.0)


def test_who_delegates_takes_it_back_when_others_have_more_to_do():
    keep, _take = steps([report('a', 2.0, keep=0.5), report('b', 30.0, take=0.5),
                         report('c', 30.0, take=0.5)])
    assert keep['a'] > 0.5


def test_what_is_delegated_is_what_is_taken():
    reports = [report('a', keep=0.5), report('b', take=0.75), report('c', take=0.25)]
    assert {'a': -50.0, 'b': 37.5, 'c': 12.5} == flows(reports, served(reports))


@pytest.mark.parametrize(('root', 'after', 'sign'), [
    (2.0, 2.0, -1), (1.1, 1.1, 0), (1.0, 1.0, 0), (0.8, 1.05, 0), (0.5, 0.5, 1)])
def test_need_is_by_the_band_and_the_debit(root, after, sign):
    found = need(root, after, 1.0, 0.25)
    assert sign == (found > 0) - (found < 0)
    assert -1 < found < 1


def weights(*reports):
    """Return {name: weight} of a step in which nobody has a need."""
    rates = served(reports)
    return followed(reports, rates, measured(reports, rates), dict.fromkeys(rates, 0.0), DEFAULTS)


def test_weights_follow_what_was_handed_on_slowly():
    def after(*flows):
        return weights(report('a', weight=1.0, flows=flows), report('b', weight=1.0))
    assert {'a': 1.0, 'b': 1.0} == after()
    assert 0.985 < after(('b', 25.0))['a'] < 1.0 == after(('b', 25.0))['b']
    assert after(('b', 1e9))['a'] < after(('b', 25.0))['a']


def test_what_dispatchers_were_told_to_hand_on_is_nothing_to_weights():
    told = [report('a', keep=0.1, weight=1.0), report('b', take=1.0, weight=1.0)]
    assert {'a': 1.0, 'b': 1.0} == weights(*told)


def test_what_who_is_drained_hands_on_is_nothing_that_clients_sent_there():
    def served_by(state):
        return planned(report('a', state=state, weight=1.0, flows=(('b', 40.0),)),
                       report('b', weight=1.0), report('c', weight=0.9))
    for state in (UP, DRAINING, DISABLED):
        assert served_by(state).of('b').weight == 1.0 > 0.9 > served_by(state).of('c').weight


def test_where_no_dispatchers_are_counted_what_they_were_told_is_a_memory():
    def weight(**metrics):
        told = [report('a', keep=0.1, weight=1.0), report('b', take=1.0, weight=1.0)]
        told[1].metrics.update(metrics)
        return planned(*told).of('a').weight
    assert weight() < 1.0 == weight(**{HANDED_ON: 0.0})


def test_a_flow_to_who_is_not_there_was_received_all_the_same():
    reports = [report('a', flows=(('nobody', 10.0),)), report('b')]
    assert {'a': -10.0, 'b': 0.0} == measured(reports, 'ab')


def test_flows_that_there_was_no_room_for_are_shared_by_those_who_are_not_named():
    reports = [report('a', flows=(('b', 12.0),)), *map(report, 'bcd')]
    reports[0].metrics[HANDED_ON] = 20.0
    assert {'a': -20.0, 'b': 12.0, 'c': 4.0, 'd': 4.0} == measured(reports, 'abcd')
    assert {'a': -20.0, 'b': 12.0} == measured(reports, 'ab')       # and nobody else is there
    reports[0].metrics[HANDED_ON] = 1.0         # less than it tells of: it counts for nothing
    assert {'a': -12.0, 'b': 12.0, 'c': 0.0, 'd': 0.0} == measured(reports, 'abcd')


@given(st.lists(st.dictionaries(st.sampled_from('abcdefx'), st.floats(0.05, 1e9), max_size=4),
                min_size=6, max_size=6), st.lists(st.floats(0.0, 1e9), min_size=6, max_size=6))
def test_flows_are_what_each_would_count_one_by_one(flows, rests):
    reports, found = [], dict.fromkeys('abcdef', 0.0)
    for name, told, rest in zip(found, flows, rests, strict=True):
        reports.append(report(name, flows=tuple(told.items())))
        reports[-1].metrics[HANDED_ON] = sum(told.values()) + rest
        found[name] -= sum(told.values()) + rest
        others = [other for other in found if other not in told and other != name]
        for other in found:
            found[other] += told.get(other, 0.0) + (rest / len(others) if other in others else 0.0)
    assert found == pytest.approx(measured(reports, 'abcdef'), rel=1e-9, abs=1e-3)


def test_weights_that_nothing_calls_for_are_forgotten():
    reports = [report('a', weight=0.3), report('b', weight=1.0)]
    assert 0.3 < weights(*reports)['a'] < 0.301


def test_who_is_over_a_threshold_gets_nothing_delegated_but_keeps_its_clients():
    found = planned(report('a', 40.0), report('b', reject=5.0), report('c'), report('d'))
    assert (REJECTED, 0.0) == (found.of('b').state, found.of('b').take)
    assert 0.25 == pytest.approx(found.of('b').dns, abs=0.001)
    assert {'c', 'd'} == {part.node for part in found.parts if part.take}


def test_who_is_critical_delegates_even_within_the_band():
    names = 'bcd'
    assert 1.0 == planned(report('a', 5.5), *map(report, names)).of('a').keep
    found = planned(report('a', 5.5, critical=5.0), *map(report, names), report('e', 4.0))
    assert CRITICAL == found.of('a').state
    assert found.of('a').keep < 1.0


def test_who_is_critical_and_has_less_to_do_than_others_keeps_it():
    found = planned(report('a', 4.0, critical=3.0), *map(report, 'bcd'))
    assert CRITICAL == found.of('a').state
    assert {1.0} == {part.keep for part in found.parts}


def test_thresholds_that_most_are_over_count_for_nothing():
    many = [report(name, 5.0, critical=0.1) for name in 'ab'] + [report('c', 5.0)]
    found = planned(*many)
    assert found.panic
    assert {1.0} == {part.keep for part in found.parts}
    assert UP == found.of('c').state
    loaded = planned(report('a', 60.0, critical=0.1), report('b', critical=0.1), report('c'))
    assert loaded.panic
    assert loaded.of('a').keep < 1.0       # loads are as good as they were


def test_a_node_that_says_nothing_of_requests_is_planned_for():
    bare = Report('a', 1, 1, 0.0, 1.0, {'in_flight': 50.0})
    found = planned(bare, report('b'), report('c', requests=0.0, in_flight=0.0))
    assert found.of('a').keep < 1.0


def test_a_nodes_own_thresholds_are_of_requests_and_hold_for_no_other_metric():
    busy = report('b', reject=5.0, critical=5.0)
    busy = busy._replace(metrics={**busy.metrics, 'cpu': 50.0})
    others = [report(name)._replace(metrics={**busy.metrics, 'cpu': 1.0}) for name in 'acd']
    assert CRITICAL == planned(busy, *others).of('b').state
    assert UP == planned(busy, *others, metric='cpu').of('b').state
    assert CRITICAL == planned(busy, *others, metric='cpu', critical=50.0).of('b').state


def test_weights_that_are_all_0_as_tllb_leaves_them_when_all_are_drained_are_alike():
    reports = [report('a', weight=0.0), report('b', weight=0.0)]
    found = planned(*reports)
    assert [0.5, 0.5] == [part.dns for part in found.parts]


def test_a_cold_node_of_little_weight_begins_with_a_tenth_of_that():
    found = planned(report('a', weight=0.3, ramp=0.1), report('b', weight=1.0))
    assert found.of('a').dns < 0.05
