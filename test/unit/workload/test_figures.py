"""Rates, means, percentiles and faults of a run, computed from its counts."""
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.counted_run import main_stage, prepare_stage

from swift_lb.wire.cosbench.model import Operation, Work
from swift_lb.workload.figures import (
    figures,
    figures_of_tick,
    nearest_rank,
    op_name,
    percentiles,
    stage_fault,
    times,
)
from swift_lb.workload.result import OpResult, Progress, StageResult, WorkResult
from swift_lb.workload.tally import new_histogram


def test_figures_of_an_operation_equal_ones_worked_by_hand():
    read, write = (figures(op) for op in main_stage().works[0].ops)
    assert (read.successes, read.bytes) == (3, 12000)
    assert read.response_time == pytest.approx(0.045 / 3)
    assert read.processing_time == pytest.approx(0.042 / 3)
    assert read.percentiles == (10, 20, 20, 20, 20, 30)
    assert read.throughput == pytest.approx(2 / 4 + 1 / 2.5)
    assert read.bandwidth == pytest.approx(8000 / 4 + 4000 / 2.5)
    assert read.success_ratio == 1
    assert write.processing_time == pytest.approx(0.475)
    assert write.success_ratio == 0.5


def test_an_intervals_rates_are_its_sums_divided_by_its_length():
    rates = figures_of_tick(Progress(30, 10, 6000, 0.6, 0.3), 4.0)
    assert rates[:4] == (30, 6000, pytest.approx(0.02), pytest.approx(0.01))
    assert (rates.throughput, rates.bandwidth, rates.success_ratio) == (7.5, 1500, 0.75)
    assert figures_of_tick(Progress(), 0.0).throughput == 0
    assert figures_of_tick(Progress(1, 0, 5, 0.2, 0.2000001), 1.0).processing_time == 0


@pytest.mark.parametrize(('operation', 'name'), [
    (Operation('read', name='read'), 'read'), (Operation('read', name='1-read'), '1-read-read'),
    (Operation('read', name='hot'), 'hot-read'), (Operation('init', name='init'), 'init-write'),
    (Operation('prepare', name='prepare'), 'prepare-write'),
    (Operation('cleanup', name='cleanup'), 'cleanup-delete'),
    (Operation('dispose'), 'dispose-delete'), (Operation('list'), 'list')])
def test_operations_are_named_as_in_cosbenchs_files(operation, name):
    assert op_name(operation) == name


@pytest.mark.parametrize(('fraction', 'rank'), [
    (0.0, 1), (0.999, 2997), (1 - 1 / 1000, 2997), (0.9990001, 2998), (1.0, 3000)])
def test_the_rank_of_a_percentile_tolerates_rounding_errors(fraction, rank):
    assert nearest_rank([(float(number), number) for number in range(1, 3001)], fraction) == rank


def test_a_histogram_yields_cumulative_counts_by_time():
    histogram = new_histogram()
    histogram.record_value(100, count=3)
    histogram.record_value(1_000_000, count=2)
    assert percentiles(new_histogram()) == {}
    assert list(times(histogram)) == [(0.0001, 3), (pytest.approx(1.0, rel=1e-3), 5)]


@settings(deadline=None, max_examples=40)  # a histogram is 23,552 counters long
@given(st.lists(st.integers(1, 3_600_000_000), min_size=1, max_size=200))
def test_percentiles_are_at_most_a_thousandth_too_great(microseconds):
    histogram = new_histogram()
    for value in microseconds:
        histogram.record_value(value)
    computed, ordered = percentiles(histogram), sorted(microseconds)
    permilles = {'p50': 500, 'p75': 750, 'p90': 900, 'p95': 950, 'p99': 990, 'p99.9': 999,
                 'max': 1000}
    assert computed.keys() == permilles.keys()
    for name, permille in permilles.items():
        true = ordered[-(-len(ordered) * permille // 1000) - 1] / 1e6     # the nearest rank
        assert true <= computed[name] <= true * 1.001


@pytest.mark.parametrize(('afr', 'ops', 'fault'), [
    (200_000, [(8, 2)], ''),
    (200_000, [(79, 21)], 'work main: 21 of 100 operations failed, acceptable are 200,000 in a '
                          'million (afr)'),
    (0, [(999, 0)], ''),
    (0, [(1_000_000, 1)], 'work main: 1 of 1,000,001 operations failed, acceptable are 0 in a '
                          'million (afr)'),
    (200_000, [(1000, 0), (0, 5)], 'work main: none of 5 read succeeded'),
    (1_000_000, [(0, 1)], 'work main: none of 1 read succeeded'),
    (0, [(0, 0)], ''),
    (10, [], ''),
])
def test_a_stage_fails_with_more_failures_than_afr_permits(afr, ops, fault):
    work = Work('main', afr=afr)
    results = [OpResult(Operation('read'), successes, failures) for successes, failures in ops]
    assert stage_fault(StageResult(None, works=[WorkResult(work, 1, results)])) == fault


@pytest.mark.parametrize(('limits', 'size', 'fault'), [
    ({'total_bytes': 1003}, 1000, ''),                   # four times 250, as COSBench divides
    ({'total_bytes': 1003}, 999, 'work main: given up after 999 of 1,003 bytes (totalBytes)'),
    ({'total_bytes': 1003, 'runtime': 9}, 0, ''),        # the time was over
    ({'total_bytes': 1003, 'total_ops': 9}, 0, ''),
    ({'type': 'prepare'}, 0, '')])
def test_a_work_fails_if_it_moved_fewer_than_totalbytes(limits, size, fault):
    work = WorkResult(Work('main', workers=4, **limits), 1, [
        OpResult(Operation('read'), successes=5, bytes=size)])
    assert stage_fault(StageResult(None, works=[work])) == fault


def test_the_limit_of_failures_afr_holds_for_each_work_of_a_stage():
    assert stage_fault(prepare_stage()) == ''
    assert stage_fault(main_stage()).split('; ') == [
        'work bulk: 2 of 2 operations failed, acceptable are 200,000 in a million (afr)',
        'work bulk: none of 2 1-read-read succeeded']
