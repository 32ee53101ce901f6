"""The rules `balanced`, step by step: what dispatchers are told, and the weights of DNS."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.model import CRITICAL, DISABLED, DRAINING, REJECTED, UP, Heard, Report
from swift_lb.plan.delegation import PACE, delegation, imbalance, imbalances
from swift_lb.plan.flows import HANDED_ON, instructed_flows, measured_flows, served
from swift_lb.plan.load import loads
from swift_lb.plan.options import DEFAULTS
from swift_lb.plan.plan import plan
from swift_lb.plan.weights import next_weights


def report(node, in_flight=5.0, seconds=0.1, requests=50.0, **more):
    return Report(node, 1, 1, 0.0, 1.0, {'in_flight': in_flight, 'response_time': seconds,
                                         'requests': requests}, **more)


def planned(*reports, **options):
    """Return the Instruction that plan() makes of Reports 0 s old; `options` are PlanOptions."""
    return plan({one.node: Heard(one, 10.0) for one in reports}, None, 10.0,
                DEFAULTS._replace(**options))


def steps(reports, options=DEFAULTS):
    """Return ({name: keep}, {name: take}) after one step of delegation(); all nodes may take."""
    rates = served(reports)
    return delegation(reports, rates, imbalances(reports, loads(reports, options), options),
                      {one.node for one in reports}, options)


def test_equal_nodes_keep_all_requests_and_have_equal_dns_shares():
    result = planned(*(report(name) for name in 'abcd'))
    assert {(0.25, 1.0, 0.0)} == {(node.dns, node.keep, node.take) for node in result.nodes}


def test_no_node_with_a_load_near_the_mean_delegates():
    assert ({}, {}) == steps([report('a', 5.8), report('b', 5.0), report('c', 5.0)])


@pytest.mark.parametrize('in_flight', [20.0, 200.0, 1e6])
def test_one_plan_lowers_the_fraction_kept_by_a_bounded_step(in_flight):
    keep, take = steps([report('a', in_flight), report('b'), report('c')])
    assert 1 - PACE <= keep['a'] < 1
    assert (1.0, 1.0, 0.5, 0.5) == (keep['b'], keep['c'], take['b'], take['c'])
    assert 'a' not in take


def test_a_node_loaded_by_delegated_requests_gets_fewer_of_them():
    def taken(in_flight):
        return steps([report('a', 40.0, keep=0.5), report('b', in_flight, take=0.5),
                      report('c', take=0.5)])[1].get('b', 0.0)
    assert 0.5 == pytest.approx(taken(5.0), abs=1e-6)
    assert taken(5.0) > taken(60.0)


def test_a_node_keeps_more_when_the_others_have_more_load():
    keep, _take = steps([report('a', 2.0, keep=0.5), report('b', 30.0, take=0.5),
                         report('c', 30.0, take=0.5)])
    assert keep['a'] > 0.5


def test_instructed_net_delegations_of_all_nodes_add_up_to_0():
    reports = [report('a', keep=0.5), report('b', take=0.75), report('c', take=0.25)]
    assert {'a': -50.0, 'b': 37.5, 'c': 12.5} == instructed_flows(reports, served(reports))


@pytest.mark.parametrize(('root', 'after', 'sign'), [
    (2.0, 2.0, -1), (1.1, 1.1, 0), (1.0, 1.0, 0), (0.8, 1.05, 0), (0.5, 0.5, 1)])
def test_nodes_well_above_mean_load_serve_less_those_below_more(root, after, sign):
    result = imbalance(root, after, 1.0, 0.25)
    assert sign == (result > 0) - (result < 0)
    assert -1 < result < 1


def weights(*reports):
    """Return {name: DNS weight} after one step of next_weights() if all loads are equal."""
    rates = served(reports)
    return next_weights(reports, rates, measured_flows(reports, rates),
                        dict.fromkeys(rates, 0.0), DEFAULTS)


def test_dns_weights_follow_measured_delegation_slowly():
    def after(*flows):
        return weights(report('a', weight=1.0, flows=flows), report('b', weight=1.0))
    assert {'a': 1.0, 'b': 1.0} == after()
    assert 0.985 < after(('b', 25.0))['a'] < 1.0 == after(('b', 25.0))['b']
    assert after(('b', 1e9))['a'] < after(('b', 25.0))['a']


def test_dns_weights_use_measured_not_instructed_delegation():
    reports = [report('a', keep=0.1, weight=1.0), report('b', take=1.0, weight=1.0)]
    assert {'a': 1.0, 'b': 1.0} == weights(*reports)


def test_delegation_by_a_drained_node_raises_the_peers_weight():
    def served_by(state):
        return planned(report('a', state=state, weight=1.0, flows=(('b', 40.0),)),
                       report('b', weight=1.0), report('c', weight=0.9))
    for state in (UP, DRAINING, DISABLED):
        assert served_by(state).of('b').weight == 1.0 > 0.9 > served_by(state).of('c').weight


def test_dns_weights_use_instructed_delegation_if_none_measured():
    def weight(**metrics):
        reports = [report('a', keep=0.1, weight=1.0), report('b', take=1.0, weight=1.0)]
        reports[1].metrics.update(metrics)
        return planned(*reports).of('a').weight
    assert weight() < 1.0 == weight(**{HANDED_ON: 0.0})


def test_delegation_to_an_unknown_node_counts_for_its_sender():
    reports = [report('a', flows=(('unknown', 10.0),)), report('b')]
    assert {'a': -10.0, 'b': 0.0} == measured_flows(reports, 'ab')


def test_delegation_beyond_listed_flows_is_split_among_the_others():
    reports = [report('a', flows=(('b', 12.0),)), *map(report, 'bcd')]
    reports[0].metrics[HANDED_ON] = 20.0
    assert {'a': -20.0, 'b': 12.0, 'c': 4.0, 'd': 4.0} == measured_flows(reports, 'abcd')
    assert {'a': -20.0, 'b': 12.0} == measured_flows(reports, 'ab')       # the only other node
    reports[0].metrics[HANDED_ON] = 1.0         # less than it lists: ignored
    assert {'a': -12.0, 'b': 12.0, 'c': 0.0, 'd': 0.0} == measured_flows(reports, 'abcd')


@given(st.lists(st.dictionaries(st.sampled_from('abcdefx'), st.floats(0.05, 1e9), max_size=4),
                min_size=6, max_size=6), st.lists(st.floats(0.0, 1e9), min_size=6, max_size=6))
def test_a_nodes_net_delegation_is_received_minus_sent_requests(flows, rests):
    reports, result = [], dict.fromkeys('abcdef', 0.0)
    for name, told, rest in zip(result, flows, rests, strict=True):
        reports.append(report(name, flows=tuple(told.items())))
        reports[-1].metrics[HANDED_ON] = sum(told.values()) + rest
        result[name] -= sum(told.values()) + rest
        others = [other for other in result if other not in told and other != name]
        for other in result:
            result[other] += told.get(other, 0.0) + (rest / len(others) if other in others else 0.0)
    assert result == pytest.approx(measured_flows(reports, 'abcdef'), rel=1e-9, abs=1e-3)


def test_dns_weights_become_equal_slowly_when_loads_are_equal():
    reports = [report('a', weight=0.3), report('b', weight=1.0)]
    assert 0.3 < weights(*reports)['a'] < 0.301


def test_a_rejected_node_serves_only_its_own_clients_requests():
    result = planned(report('a', 40.0), report('b', reject=5.0), report('c'), report('d'))
    assert (REJECTED, 0.0) == (result.of('b').state, result.of('b').take)
    assert 0.25 == pytest.approx(result.of('b').dns, abs=0.001)
    assert {'c', 'd'} == {node.node for node in result.nodes if node.take}


def test_a_critical_node_delegates_even_near_the_mean_load():
    names = 'bcd'
    assert 1.0 == planned(report('a', 5.5), *map(report, names)).of('a').keep
    result = planned(report('a', 5.5, critical=5.0), *map(report, names), report('e', 4.0))
    assert CRITICAL == result.of('a').state
    assert result.of('a').keep < 1.0


def test_a_critical_node_below_the_mean_load_keeps_all_requests():
    result = planned(report('a', 4.0, critical=3.0), *map(report, 'bcd'))
    assert CRITICAL == result.of('a').state
    assert {1.0} == {node.keep for node in result.nodes}


def test_thresholds_do_not_count_if_most_nodes_exceed_them():
    many = [report(name, 5.0, critical=0.1) for name in 'ab'] + [report('c', 5.0)]
    result = planned(*many)
    assert result.panic
    assert {1.0} == {node.keep for node in result.nodes}
    assert [1 / 3] * 3 == pytest.approx([node.dns for node in result.nodes], abs=1e-6)
    assert UP == result.of('c').state
    loaded = planned(report('a', 60.0, critical=0.1), report('b', critical=0.1), report('c'))
    assert loaded.panic
    assert loaded.of('a').keep < 1.0       # loads still count


def test_a_proxy_that_reports_no_request_rate_can_delegate():
    bare = Report('a', 1, 1, 0.0, 1.0, {'in_flight': 50.0})
    result = planned(bare, report('b'), report('c', requests=0.0, in_flight=0.0))
    assert result.of('a').keep < 1.0


def test_thresholds_found_by_agents_apply_to_in_flight_only():
    busy = report('b', reject=5.0, critical=5.0)
    busy = busy._replace(metrics={**busy.metrics, 'cpu': 50.0})
    others = [report(name)._replace(metrics={**busy.metrics, 'cpu': 1.0}) for name in 'acd']
    assert CRITICAL == planned(busy, *others).of('b').state
    assert UP == planned(busy, *others, metric='cpu').of('b').state
    assert CRITICAL == planned(busy, *others, metric='cpu', critical=50.0).of('b').state


def test_dns_weights_that_are_all_0_count_as_equal():
    reports = [report('a', weight=0.0), report('b', weight=0.0)]
    result = planned(*reports)
    assert [0.5, 0.5] == [node.dns for node in result.nodes]


def test_a_node_just_started_has_a_tenth_of_its_dns_weight():
    result = planned(report('a', weight=0.3, ramp=0.1), report('b', weight=1.0))
    assert result.of('a').dns < 0.05
