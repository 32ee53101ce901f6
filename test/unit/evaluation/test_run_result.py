"""The figures of a run, computed from the records of its requests."""
from collections import Counter
from datetime import datetime

import pytest
from support.evaluation_runs import figures, plan, run_result

from swift_lb.evaluation.design import steps
from swift_lb.evaluation.plan import EvaluationStep
from swift_lb.evaluation.results import RepeatedRuns, Results
from swift_lb.evaluation.run_result import (
    EvaluationRun,
    OpFigures,
    by_the_clock,
    figures_of,
    percentile,
)
from swift_lb.wire.cosbench.model import Operation, Work, Workstage
from swift_lb.workload.figures import percentiles
from swift_lb.workload.result import OpResult, Progress, StageResult, Tick, WorkResult
from swift_lb.workload.tally import new_histogram

AT = datetime(2026, 1, 1)


def tick(seconds, *successes):
    """Return a Tick of `seconds` with `successes` of each operation, which took 20 ms each."""
    return Tick(AT, seconds, [Progress(successes=count, response_time=count * 0.02)
                              for count in successes])


@pytest.mark.parametrize(('timeline', 'counts', 'seconds'), [
    ([tick(1, 1000, 1000), tick(1, 30, 10), tick(1, 50, 10), tick(1, 999, 999)], [80, 20], 2),
    ([tick(1.1, 500), tick(0.9, 30), tick(1.1, 52), tick(1.0, 500)], [82], 2),      # a bit late
    ([tick(1, 500), tick(1, 30), tick(1, 50), tick(0.2, 8)], [80], 2),      # the last is cut off
    ([], [], 0), ([tick(1, 5)], [], 0)])
def test_only_intervals_inside_the_measured_window_are_summed(timeline, counts, seconds):
    sums, length = by_the_clock(timeline, 1, 3)
    assert ([count for count, _waited in sums], length) == (counts, pytest.approx(seconds))


def stage(timeline):
    """Return a StageResult with these Ticks, 3 reads of 10, 20 and 30 ms and a failed write."""
    histogram = new_histogram()
    for value in (10000, 20000, 30000):
        histogram.record_value(value)
    work = Work('main', rampup=1, runtime=2)
    ops = [OpResult(Operation('read', 80), 3, 0, 12000, 0.06, 0, 1.4, 0, histogram),
           OpResult(Operation('write', 20), 0, 1, reasons=Counter({'HTTP 503': 1}))]
    return StageResult(Workstage('main', works=(work,)), timeline=timeline,
                       works=[WorkResult(work, 1, ops)])


def test_a_stages_result_yields_figures_of_each_operation():
    result = figures_of(stage([tick(1, 9, 9), tick(1, 2, 0), tick(1, 2, 0)]))
    read, write = result['read'], result['write']
    assert (read.count, read.failures, read.cosbench_throughput) == (3, 0, 1.4)
    assert (read.ended, read.throughput) == (4, 2)
    assert read.mean == pytest.approx(0.02)
    assert percentile([read], 50) == pytest.approx(0.02, rel=1e-3)
    assert percentile([read], 99.9) == pytest.approx(0.03, rel=1e-3)
    assert (write.count, write.failures, write.reasons) == (0, 1, {'HTTP 503': 1})
    assert write.mean is None
    assert percentile([write], 99) is None


def test_without_a_timeline_the_mean_response_time_is_unknown():
    read = figures_of(stage([]))['read']
    assert (read.count, read.mean, read.throughput) == (3, None, 0)


def test_percentiles_of_runs_come_from_their_added_histograms():
    fast, slow = figures(0.010, count=990), figures(1.000, count=10)
    assert percentile([fast, slow], 99) == pytest.approx(0.010, rel=1e-3)
    assert percentile([fast, slow], 99.9) == pytest.approx(1.0, rel=1e-3)
    histogram = new_histogram()
    for number in range(1, 152):
        histogram.record_value(number * 1000)
    op_figures = OpFigures(151, histogram=histogram.encode().decode())
    assert percentile([op_figures], 99) == percentiles(histogram)['p99']
    assert percentile([op_figures], 99) == pytest.approx(0.150, rel=1e-3)   # 149.49: the 150th


STEP = EvaluationStep('lb_rlt', 2, '4KB', 8, 1)


@pytest.mark.parametrize(('count', 'per_cent', 'known'), [
    (99, 99, False), (100, 99, True), (999, 99.9, False), (1000, 99.9, True)])
def test_p99_is_unknown_with_fewer_than_100_successes(count, per_cent, known):
    point = RepeatedRuns([EvaluationRun(STEP, {'read': figures(0.02, count)})])
    assert (point.tail(per_cent) is not None) == known


def test_repeated_runs_yield_median_least_greatest_and_number():
    point = RepeatedRuns([run_result(STEP, 0.02, throughput=10.0),
                          run_result(STEP, 0.04, throughput=30.0)])
    assert point.response_time() == pytest.approx((0.03, 0.02, 0.04, 2))
    assert point.throughput('read') == (20, 10, 30, 2)
    assert point.throughput() == (25, 12.5, 37.5, 2)
    assert point.success_ratio() == 1
    assert point.whole
    point = RepeatedRuns([run_result(STEP, 0.02), run_result(STEP, 0.02, failures=1)])
    assert point.success_ratio() == pytest.approx(200 / 201)
    assert not point.whole


def test_shares_of_reads_are_computed_from_the_nodes_counts():
    point = RepeatedRuns([run_result(STEP, 0.02, shares=(0, 3, 1))])
    assert point.shares() == {1: 0, 2: 0.75, 3: 0.25}
    assert point.crowding().median == 0.75


def test_results_without_a_run_have_no_point_and_an_empty_line():
    results = Results(plan(), [])
    assert results.point('lb_rlt', '4KB', 8) is None
    assert results.line('lb_rlt', '4KB') == {}
    assert results.alone() == {}


def test_a_nodes_capacity_needs_runs_at_minimal_and_full_load():
    runs = [run_result(step, 0.02) for step in steps(plan())[:3]]
    assert list(Results(plan(), runs).alone()) == [1]
