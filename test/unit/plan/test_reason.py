"""Why a node has its shares: a sentence that says what it was."""
import pytest

from swift_lb.model import DRAINING, Heard, Report
from swift_lb.plan.options import PlanOptions
from swift_lb.plan.plan import plan
from swift_lb.plan.reason import reasons


def heard(node, age=0.0, cpu=0.5, **fields):
    """Return a Heard of `age` seconds at the instant 0."""
    return Heard(Report(node, 1, 1, 0.0, 1.0, {'cpu': cpu, 'memory': cpu, 'network': cpu},
                        **fields), -age)


def why(*those, **options):
    """Return {node: sentence} of the plan of these."""
    chosen, reports = PlanOptions(**options), {one.report.node: one for one in those}
    return reasons(plan(reports, None, 0.0, chosen), reports, 0.0, chosen)


def test_a_load_is_told_beside_the_mean():
    said = why(heard('a', cpu=0.2), heard('b', cpu=0.6))
    assert said == {'a': 'load 0.2, 50% of the mean', 'b': 'load 0.6, 150% of the mean; '
                    'delegates 1%'}


def test_tllb_tells_both_loads():
    said = why(heard('a', cpu=0.2), heard('b', cpu=0.6), rules='tllb')
    assert said['b'].startswith('DNS load 60 %, dispatcher load 60 %, 3 of the least; delegates')


@pytest.mark.parametrize(('one', 'words'), [
    (heard('b', age=3.5), 'late'), (heard('b', state=DRAINING), 'drained by hand'),
    (heard('b', ramp=0.25), 'cold: 25% of its weight'), (heard('b', cpu=0.9), 'critical: ')])
def test_what_is_remarkable_is_told(one, words):
    assert words in why(heard('a'), one, heard('c'), heard('d'), critical=0.8)['b']


def test_a_panic_is_told_of_each():
    said = why(heard('a'), heard('b', age=4.0), heard('c', age=4.0))
    assert all('panic' in sentence for sentence in said.values())


def test_tllb_knows_no_cold_nodes():
    assert 'cold' not in why(heard('a', ramp=0.1), heard('b'), rules='tllb')['a']
