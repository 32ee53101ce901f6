"""Laws of a plan with any rule set: the same from the same reports, bounded, never absurd."""
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.reports import clusters

from swift_lb.model import DISABLED, DRAINING, GONE, LATE, REJECTED, UP, Heard, Report
from swift_lb.plan.decision import MEMORY
from swift_lb.plan.flows import HANDED_ON
from swift_lb.plan.options import DEFAULTS
from swift_lb.plan.plan import MIN_VALID, RULES, digest_of, plan
from swift_lb.plan.reason import reasons
from swift_lb.plan.shares import PARTS
from swift_lb.wire.instruction import encode

OPTIONS = {rules: DEFAULTS._replace(rules=rules) for rules in RULES}
ONE_PART = 1.5 / PARTS
ALL = {'in_flight', 'response_time', 'requests', 'cpu', 'memory', 'network'}
by_each = pytest.mark.parametrize('options', OPTIONS.values(), ids=OPTIONS)
balanced = OPTIONS['balanced']


def nodes_of(cluster, options, previous=None):
    """Return {name: NodeInstruction} that plan() makes of {name: Heard} at 0 s; {} if none."""
    result = plan(cluster, previous, 0.0, options)
    return {node.node: node for node in result.nodes} if result else {}


def changed(cluster, name, **fields):
    report, at = cluster[name]
    return cluster | {name: Heard(report._replace(**fields), at)}


def whole(share):
    """Return `share`, a fraction, in millionths; fail unless it is a whole number of them."""
    count = round(share * PARTS)
    assert share == count / PARTS
    return count


@by_each
@given(clusters(), st.randoms())
def test_the_instruction_does_not_depend_on_the_reports_order(options, cluster, chance):
    mixed = list(cluster.items())
    chance.shuffle(mixed)
    one, other = plan(cluster, None, 0.0, options), plan(dict(mixed), None, 0.0, options)
    assert one == other
    assert one is None or encode(one, 'boot') == encode(other, 'boot')


@by_each
@given(clusters(), st.randoms())
def test_only_the_rules_balanced_use_reported_delegation(options, cluster, chance):
    flows = {name: Heard(report._replace(flows=tuple(
        (other, 100 * chance.random()) for other in cluster)), at)
        for name, (report, at) in cluster.items()}
    one, other = plan(cluster, None, 0.0, options), plan(flows, None, 0.0, options)
    assert one == other or options.rules == 'balanced'
    if one:
        assert [node._replace(weight=0.0, dns=0.0) for node in one.nodes] == [
            node._replace(weight=0.0, dns=0.0) for node in other.nodes]
        assert reasons(one, cluster, 0.0, options) == reasons(other, flows, 0.0, options)


@given(clusters(least=2, ages=(0.0,), states=(UP,), known=1.0), st.floats(0.05, 1e9), st.data())
def test_a_node_that_delegates_more_gets_no_more_clients(cluster, rate, data):
    name, taker = data.draw(st.permutations(sorted(cluster)))[:2]
    cluster = {one: Heard(report._replace(metrics={**report.metrics, HANDED_ON: 0.0}), at)
               for one, (report, at) in cluster.items()}
    before = nodes_of(cluster, balanced)
    after = nodes_of(changed(cluster, name, flows=((taker, rate),)), balanced)
    assert after[name].weight <= before[name].weight + ONE_PART
    assert after[taker].weight >= before[taker].weight - ONE_PART


@given(clusters(least=2), st.data())
def test_requests_delegated_by_a_late_node_do_not_count(cluster, data):
    silent = [name for name, heard in cluster.items() if -heard.at > 3]
    assume(silent)
    name = data.draw(st.sampled_from(silent))
    flows = tuple((other, 100.0) for other in sorted(cluster))
    assert nodes_of(cluster, balanced) == nodes_of(changed(cluster, name, flows=flows), balanced)


@by_each
@given(clusters(), clusters(), clusters())
def test_the_previous_instruction_affects_only_the_generation(options, cluster, one, other):
    result = plan(cluster, None, 0.0, options)
    for past in (one, other):
        previous = plan(past, None, -1.0, options)
        again = plan(cluster, previous, 0.0, options)
        assert result is again is None or result._replace(generation=0) == again._replace(
            generation=0)


@by_each
@given(clusters(), st.sampled_from([-1e6, 0.25, 4096.0]))
def test_the_plan_does_not_depend_on_the_clocks_starting_point(options, cluster, begun):
    elsewhere = {name: Heard(report, at + begun) for name, (report, at) in cluster.items()}
    result, other = (plan(reports, None, now, options)
                     for reports, now in ((cluster, 0.0), (elsewhere, begun)))
    assert result is other is None or (result.nodes, result.digest) == (other.nodes, other.digest)


@by_each
@given(clusters())
def test_shares_are_whole_millionths_and_add_up_to_1_or_0(options, cluster):
    nodes = nodes_of(cluster, options).values()
    clients = sum(whole(node.dns) for node in nodes)
    assert clients in ((0, PARTS) if options.rules == 'tllb' else (PARTS,) if nodes else (0,))
    taken = sum(whole(node.take) for node in nodes)
    assert taken in (0, PARTS)
    assert any(node.keep < 1 for node in nodes) == (taken > 0)


@by_each
@given(clusters())
def test_the_fraction_kept_and_the_dns_weight_are_bounded(options, cluster):
    least = {'balanced': (options.floor, 1 / options.ratio), 'tllb': (0.0, 0.0)}[options.rules]
    for node in nodes_of(cluster, options).values():
        assert least[0] <= node.keep <= 1
        assert least[1] - 1e-6 <= node.weight <= 1
        assert node.load is None or node.load > 0


@by_each
@given(clusters())
def test_a_node_delegates_or_takes_but_not_both(options, cluster):
    for node in nodes_of(cluster, options).values():
        assert node.take == 0 or node.keep == 1


@by_each
@given(clusters())
def test_silent_or_drained_nodes_get_no_new_clients_or_requests(options, cluster):
    result = plan(cluster, None, 0.0, options)
    for node in result.nodes if result else ():
        out = node.state in (DRAINING, DISABLED, GONE) or (
            node.state == LATE and options.rules != 'tllb')
        if node.state == GONE:
            assert result.panic
        if out and not result.panic:
            assert node.dns == 0
        if out or (node.state == REJECTED and not result.panic):
            assert node.take == 0


@by_each
@given(clusters(least=2), st.floats(0.0, 1e6), st.data())
def test_metrics_of_a_silent_node_do_not_count(options, cluster, value, data):
    silent = [name for name, heard in cluster.items() if -heard.at > 3]
    assume(silent)
    name = data.draw(st.sampled_from(silent))
    metrics = dict.fromkeys(ALL, value)
    assert nodes_of(cluster, options) == nodes_of(changed(cluster, name, metrics=metrics), options)


@given(clusters(least=2, ages=(0.0,), states=(UP,)), st.data())
def test_a_node_that_becomes_late_loses_its_shares(cluster, data):
    """By the rules `balanced` its `take` is 0; so is its `dns`, unless it causes a panic."""
    name = data.draw(st.sampled_from(sorted(cluster)))
    before = plan(cluster, None, 0.0, balanced)
    late = cluster | {name: Heard(cluster[name].report, -4.0)}
    result = plan(late, None, 0.0, balanced)
    assume(not before.panic)
    assert result.of(name).take == 0
    assert result.panic or result.of(name).dns == 0


def unmarked(cluster):
    """Return {name: Heard} with the same metrics, of nodes which no Instruction told anything."""
    return {name: Heard(report._replace(weight=None, keep=1.0, take=0.0, ramp=1.0, told=UP,
                                        reject=None, critical=None), at)
            for name, (report, at) in cluster.items()}


@pytest.mark.parametrize(('rules', 'metric', 'lost'), [
    ('balanced', 'auto', {'in_flight'}), ('balanced', 'auto', {'in_flight', 'response_time'}),
    ('balanced', 'auto', ALL), ('balanced', 'cpu', {'cpu'}), ('balanced', 'cpu', ALL),
    ('tllb', 'auto', {'cpu', 'memory', 'network'}), ('tllb', 'auto', ALL)])
@given(clusters(least=3, ages=(0.0,), states=(UP,), known=1.0), st.data())
def test_a_node_of_unknown_load_gets_at_most_an_equal_share(rules, metric, lost, cluster, data):
    cluster = unmarked(cluster)
    name = data.draw(st.sampled_from(sorted(cluster)))
    metrics = {key: value for key, value in cluster[name].report.metrics.items()
               if key not in lost}
    node = nodes_of(changed(cluster, name, metrics=metrics),
                    OPTIONS[rules]._replace(metric=metric))[name]
    assert node.dns <= 1 / len(cluster) + ONE_PART
    assert node.take <= max(1 / len(cluster), node.dns) + ONE_PART or rules == 'tllb'


def with_each(cluster, name, options, metric, *values):
    """Return the NodeInstructions of a node in a list: one for each of its metric's `values`.

    None stands for no Instruction. Values that differ in whether they cause a panic are discarded.
    """
    results = [plan(changed(cluster, name, metrics=dict(cluster[name].report.metrics,
                                                        **{metric: value})), None, 0.0, options)
             for value in values]
    assume(len({instruction and instruction.panic for instruction in results}) == 1)
    return [instruction and instruction.of(name) for instruction in results]


def most_of(cluster, name, lighter):
    """Return the largest DNS share that a node may get with more load than in `lighter`.

    `lighter` is its NodeInstruction at less load. The least weight that a node may have follows
    the largest weight, by 1 % of it a second.
    """
    bound = lighter.weight * cluster[name].report.ramp <= 1.02 / balanced.ratio
    return (1.01 if bound else 1.0) * lighter.dns + ONE_PART


@pytest.mark.parametrize(('options', 'metric', 'loads'), [
    (balanced, 'in_flight', st.integers(0, 5000).map(float)),
    *((OPTIONS['tllb'], metric, st.floats(0, 1)) for metric in ('cpu', 'memory', 'network')),
    (balanced._replace(metric='memory'), 'memory', st.floats(0, 1)),
    (balanced._replace(metric='memory', higher=('memory',)), 'memory',
     st.floats(0.001, 1))])     # a better metric of 0 is no load
@given(clusters(least=2, known=1.0), st.data())
def test_more_load_never_gives_a_node_a_larger_share(options, metric, loads, cluster, data):
    name = data.draw(st.sampled_from(sorted(cluster)))
    values = sorted((data.draw(loads), data.draw(loads)), reverse=bool(options.higher))
    lighter, heavier = with_each(cluster, name, options, metric, *values)
    if lighter is not None:
        assert heavier.dns <= most_of(cluster, name, lighter)
        assert heavier.take <= lighter.take + ONE_PART
    if lighter is not None and options.metric == 'auto':
        assert heavier.weight <= lighter.weight + ONE_PART
        assert heavier.keep <= lighter.keep + 0.001 or options.rules == 'tllb'


# -- panic


def heard(name, at=0.0, **fields):
    """Return {name: Heard} of a node with 5 requests in flight, which reported at `at` seconds."""
    metrics = {'in_flight': 5.0, 'response_time': 0.1, 'requests': 50.0}
    return {name: Heard(Report(name, 1, 1, 1e9, 1.0, metrics, **fields), at)}


@pytest.mark.parametrize(('ages', 'panic', 'clients'), [
    ((0, 0, 0), False, 'abc'), ((0, 0, -4), False, 'ab'), ((0, -4, -4), True, 'abc'),
    ((0, -5, -5), True, 'abc'), ((0, 0, -5), False, 'ab'), ((-5, -5, -5), True, 'abc'),
    ((0, -61, -61), False, 'a')])
def test_if_most_nodes_are_silent_all_count_as_up_for_a_minute(ages, panic, clients):
    result = plan({**heard('a', ages[0]), **heard('b', ages[1]), **heard('c', ages[2])}, None, 0.0,
                  balanced)
    assert result.panic is panic
    assert ''.join(node.node for node in result.nodes if node.dns > 0) == clients
    if panic:
        assert {node.keep for node in result.nodes} == {1.0}


def test_a_drained_node_gets_clients_only_without_other_nodes():
    drained = heard('a', state=DRAINING)
    result = plan({**drained, **heard('b', -4.0), **heard('c', -4.0)}, None, 0.0, balanced)
    assert result.panic
    assert [node.dns for node in result.nodes] == [0.0, 0.5, 0.5]
    alone = plan(drained, None, 0.0, balanced)
    assert [node.dns for node in alone.nodes] == [1.0]


# -- validity and number


@by_each
@pytest.mark.parametrize('reports', [{}, heard('a', -MEMORY - 1)], ids=['none', 'forgotten'])
def test_there_is_no_instruction_without_nodes(options, reports):
    assert plan(reports, None, 0.0, options) is None


@by_each
@pytest.mark.parametrize(('interval', 'seconds'), [(0.1, MIN_VALID), (1.0, 5.0), (8.0, 40.0)])
def test_an_instruction_expires_after_five_report_intervals(options, interval, seconds):
    cluster = {name: Heard(report._replace(interval=interval), at)
               for name, (report, at) in heard('a').items()}
    assert plan(cluster, None, 100.0, options) is None or plan(
        {'a': Heard(cluster['a'].report, 100.0)}, None, 100.0, options).expires_at == 100 + seconds


def numbered(*told, previous=None):
    """Return the Instruction that plan() makes if nodes report these (digest, generation) pairs."""
    cluster = {}
    for number, (digest, generation) in enumerate(told):
        cluster |= heard(f'node-{number}', digest=digest, generation=generation)
    return plan(cluster, previous, 0.0, balanced)


def test_a_changed_instruction_has_the_next_generation():
    first = numbered(('', 0), ('', 0))
    assert first.generation == 1
    for one, other, generation in [
            ((first.digest, 7), (first.digest, 7), 7), ((first.digest, 7), (first.digest, 6), 7),
            (('0' * 16, 7), (first.digest, 7), 7), (('0' * 16, 8), (first.digest, 7), 9),
            (('0' * 16, 7), ('1' * 16, 7), 8)]:
        assert numbered(one, other).generation == generation


def test_generations_never_fall_even_if_all_other_nodes_restart():
    last = numbered(('', 0), ('', 0))
    assert numbered(('', 0), ('', 0), previous=last._replace(generation=40)).generation == 40
    assert numbered(('', 0), ('', 0), previous=last._replace(
        generation=40, digest='0' * 16)).generation == 41


@by_each
@given(clusters(), st.data())
def test_an_instructions_digest_leaves_out_the_loads_of_nodes(options, cluster, data):
    result = plan(cluster, None, 0.0, options)
    if result is None or not result.nodes:
        return
    node = data.draw(st.sampled_from(result.nodes))
    rest = [other for other in result.nodes if other is not node]
    assert digest_of(result.nodes) == result.digest
    assert digest_of([node._replace(load=1.0), *rest]) == digest_of([node, *rest])
    for field in ('node', 'proxy', 'state', 'dns', 'keep', 'take'):
        other = node._replace(**{field: 'another'})
        assert digest_of([other, *rest]) != digest_of([node, *rest])
