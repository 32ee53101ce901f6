"""The runs that an evaluation makes, their order, and the seconds that each takes."""
from collections import Counter

import pytest
from support.evaluation_runs import PLACE, plan

from swift_lb.evaluation.design import AROUND, START, estimate, steps
from swift_lb.evaluation.plan import ClusterPlace, EvaluationStep, lengths_of, rate_of


def blocks(result):
    """Return the steps `result`, without those of single nodes, in lists of one per policy."""
    runs = [step for step in result if not step.node]
    size = len({step.policy for step in runs})
    return [runs[at:at + size] for at in range(0, len(runs), size)]


def test_each_policy_size_and_load_is_run_once_in_each_repeat():
    a_plan = plan()
    counts = Counter(step for step in steps(a_plan))
    assert set(counts.values()) == {1}
    grid = [step for step in counts if not step.node and step.proxy_workers == 2]
    assert len(grid) == 3 * 3 * 2 * 2     # policies, workers, sizes, repeats


def test_all_policies_are_run_at_a_load_before_the_next_load():
    for block in blocks(steps(plan())):
        assert len({step.policy for step in block}) == len(block)
        assert len({step[1:] for step in block}) == 1


def test_in_each_repeat_another_policy_is_run_first():
    a_plan = plan(sizes=('4KB',), workers=(8,), repeats=3, proxy_workers=(2,))
    assert [block[0].policy for block in blocks(steps(a_plan))] == [
        'lb_rlt', 'shuffle', 'swift:timing']


def test_other_numbers_of_proxy_workers_are_run_at_one_load_only():
    results = {step[2:4] for step in steps(plan()) if step.proxy_workers == 1 and not step.node}
    assert results == {('4KB', 8)}


def test_each_node_is_measured_alone_both_idle_and_saturated():
    alone = [step for step in steps(plan()) if step.node]
    assert [(step.node, step.workers) for step in alone] == [
        (1, 1), (1, 16), (2, 1), (2, 16), (3, 1), (3, 16)]


def test_nodes_of_an_existing_cluster_are_not_measured_alone():
    a_plan = plan(place=ClusterPlace('mine', endpoints=('http://x/v1/a',)), policies=('mine',))
    assert not [step for step in steps(a_plan) if step.node]


def test_the_expected_rate_counts_a_write_once_per_replica():
    # 190/s of the nodes; of 10 operations 8 reads and 2 writes of 3 replicas are 14 requests
    assert rate_of(plan(), EvaluationStep('shuffle', 2, '4KB', 8, 1)) == pytest.approx(190 / 1.4)
    assert rate_of(plan(), EvaluationStep('node:2', 2, '4KB', 16, 1)) == 72
    known = plan(place=ClusterPlace('mine', capacity=(190,), replicas=4), policies=('mine',))
    assert rate_of(known, EvaluationStep('mine', 1, '4KB', 8, 1)) == pytest.approx(190 / 1.6)


@pytest.mark.parametrize(('workers', 'expected'), [
    (1, (2, 10)),
    (256, (4, 16)),      # 1.9 s for all to have a turn
    (700, (11, 42)),     # 5.2 s
])
def test_runs_take_longer_the_more_workers_they_have(workers, expected):
    assert lengths_of(plan(), EvaluationStep('shuffle', 2, '4KB', workers, 1)) == expected


def test_runs_on_nodes_of_unknown_capacity_are_not_prolonged():
    a_plan = plan(place=PLACE.__class__('even', capacity=(None, 72.0), slots=(None, 1)))
    assert lengths_of(a_plan, EvaluationStep('shuffle', 2, '4KB', 700, 1)) == (2, 10)


def test_the_estimated_duration_includes_start_and_all_runs():
    two = [EvaluationStep('shuffle', 2, '4KB', 1, 1), EvaluationStep('shuffle', 2, '4KB', 700, 1)]
    assert estimate(plan(), two) == START + (2 + 10 + AROUND) + (11 + 42 + AROUND)
