"""The sentences that say why a node has its shares of DNS answers and delegated requests."""
import pytest

from swift_lb.model import DRAINING, Heard, Report
from swift_lb.plan.options import PlanOptions
from swift_lb.plan.plan import plan
from swift_lb.plan.reason import reasons


def heard(node, age=0.0, cpu=0.5, **fields):
    """Return a Heard of `age` seconds at 0 s; `cpu` is the fraction used of all three metrics."""
    return Heard(Report(node, 1, 1, 0.0, 1.0, {'cpu': cpu, 'memory': cpu, 'network': cpu},
                        **fields), -age)


def why(*those, **options):
    """Return {node: sentence} that explains the plan, at 0 s, of these Heard and PlanOptions."""
    chosen, reports = PlanOptions(**options), {one.report.node: one for one in those}
    return reasons(plan(reports, None, 0.0, chosen), reports, 0.0, chosen)


def test_the_reason_compares_a_nodes_load_with_the_mean():
    result = why(heard('a', cpu=0.2), heard('b', cpu=0.6))
    assert result == {'a': 'load 0.2, 50% of the mean', 'b': 'load 0.6, 150% of the mean; '
                    'delegates 1%'}


def test_tllb_reasons_name_the_dns_load_and_the_dispatcher_load():
    result = why(heard('a', cpu=0.2), heard('b', cpu=0.6), rules='tllb')
    assert result['b'].startswith('DNS load 60 %, dispatcher load 60 %, 3 of the least; delegates')


@pytest.mark.parametrize(('one', 'words'), [
    (heard('b', age=3.5), 'late'), (heard('b', state=DRAINING), 'drained by hand'),
    (heard('b', ramp=0.25), 'cold: 25% of its weight'), (heard('b', cpu=0.9), 'critical: ')])
def test_the_reason_names_a_nodes_state_and_its_ramp(one, words):
    assert words in why(heard('a'), one, heard('c'), heard('d'), critical=0.8)['b']


def test_in_a_panic_the_reason_of_every_node_says_so():
    result = why(heard('a'), heard('b', age=4.0), heard('c', age=4.0))
    assert all('panic' in sentence for sentence in result.values())


def test_reasons_of_the_rules_tllb_never_mention_the_ramp():
    assert 'cold' not in why(heard('a', ramp=0.1), heard('b'), rules='tllb')['a']
