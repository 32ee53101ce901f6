"""The values of the report's plots, before they are drawn."""
import math
from dataclasses import replace

import pytest
from support import bench_run

from swift_lb.wire.cosbench.model import Operation, Work, Workstage
from swift_lb.workload.figures import outcomes_of
from swift_lb.workload.report.latency import bars, by_percentile, edge, per_decade
from swift_lb.workload.report.sweep import means, series_of
from swift_lb.workload.report.timeline import Point, groups, points, ramps
from swift_lb.workload.result import Progress, StageResult, Tick

TEN = [(number / 100, number) for number in range(1, 11)]  # 10, 20 ... 100 ms, one of each


def ticks(*seconds):
    """Return a Tick for each length in `seconds`: 10 reads of 0.1 s each, no other operation."""
    return [Tick(bench_run.START, one, [Progress(10, 0, 0, 1.0), Progress()]) for one in seconds]


def test_a_point_is_drawn_at_the_middle_of_its_interval():
    grouped = groups(ticks(5.0, 5.0))
    assert [Point(2.5, 2.0, 100.0, 100.0), Point(7.5, 2.0, 100.0, 100.0)] == points(grouped, 0)
    assert Point(2.5, 0.0, pytest.approx(math.nan, nan_ok=True),
                 pytest.approx(math.nan, nan_ok=True)) == points(grouped, 1)[0]


def test_a_short_last_interval_is_averaged_into_the_last_point():
    line = points(groups(ticks(5.0, 5.0, 0.01)), 0)
    assert [2.0, 20 / 5.01] == [point.throughput for point in line]
    assert 3 == len(groups(ticks(5.0, 5.0, 3.0)))
    assert 1 == len(groups(ticks(0.01)))


def test_several_intervals_of_a_long_timeline_share_a_point():
    grouped = groups(ticks(*[1.0] * 301))
    assert 100 == len(grouped)  # three in each; the one that is left over joins the last
    assert [10.0] * 100 == [point.throughput for point in points(grouped, 0)]
    assert 299.0 == points(grouped, 0)[-1].at


WORK = Work('main', runtime=60, rampup=20, rampdown=15, operations=(Operation('read'),))


@pytest.mark.parametrize(('works', 'spans'), [
    ((WORK,), [(0.0, 20), (80, 95)]),
    ((replace(WORK, rampup=0, rampdown=0),), []),
    ((replace(WORK, rampdown=500),), [(0.0, 20), (80, 100)]),      # it was stopped
    ((replace(WORK, runtime=300),), [(0.0, 20)]),                  # before its ramp-down
    ((WORK, replace(WORK, rampup=10, runtime=80)), [(0.0, 10), (90, 100)]),
    ((replace(WORK, runtime=0, total_ops=5),), []),
    ((WORK, replace(WORK, runtime=0, total_ops=5)), []),           # it measures all the time
    ((), [])])
def test_ramp_up_and_ramp_down_are_shaded(works, spans):
    assert spans == ramps(StageResult(Workstage('main', works=works), timeline=ticks(*[10.0] * 10)))


def test_the_line_of_percentiles_ends_at_the_longest_time():
    line = by_percentile(TEN)
    assert (1.0, 10.0) == line[0]
    assert [20.0] == [ms for rarity, ms in line if 1.2 < rarity < 1.22]   # 17.5 %: the second
    assert (10, 100.0) == line[-1]
    assert [(1, 10.0)] == by_percentile(TEN[:1])


def test_the_bars_of_a_histogram_cover_all_response_times():
    heights = bars(TEN, 20)
    assert 100 == pytest.approx(sum(heights.values()))
    assert 10 == heights[80]                     # 10**(80/20) microseconds
    assert edge(80, 20) == pytest.approx(10.0)
    assert 10 == heights[98]                     # 79.4 to 89.1 ms
    assert edge(98, 20) < 80 < edge(99, 20)


@pytest.mark.parametrize(('steps', 'many'), [
    ([(0.010, 1), (0.100, 100)], 40),                    # a decade, forty bars
    ([(0.010, 50), (0.0101, 100)], 400),                 # all alike: as fine as it gets
    ([(0.010, 50), (0.0101, 1000), (1.0, 1001)], 100),   # two decades, two hundred bars
    ([(0.0001, 50), (100.0, 100)], 20)])                 # six decades
def test_bars_of_a_histogram_are_narrower_for_similar_times(steps, many):
    assert many == pytest.approx(per_decade([steps]))


def sweep(*names_and_workers, work=WORK):
    """Return [(StageResult, its Outcomes)], for each (name, workers) a stage of the work `work`."""
    results = [bench_run.stage_result(number, name, [(
        replace(work, workers=workers),
        [bench_run.op_result(work.operations[0], [0.1] * workers)])])
        for number, (name, workers) in enumerate(names_and_workers, 1)]
    return [(result, outcomes_of(result)) for result in results]


def test_stages_that_differ_only_in_workers_form_a_series():
    one, = series_of(sweep(('4k-8', 8), ('4k-1', 1), ('4k-16', 16)))
    assert ('4k', [1, 8, 16]) == (one.name, one.workers)
    assert [0.1, 0.8, 1.6] == [outcome[0].throughput for outcome in one.outcomes]


def test_stages_that_differ_otherwise_form_no_series():
    assert not series_of(sweep(('a', 1), ('b', 2)))                        # too few
    assert not series_of(sweep(('a', 1), ('b', 1), ('c', 1)))              # repeats
    special = replace(WORK, type='prepare')
    assert not series_of(sweep(('a', 1), ('b', 2), ('c', 3), work=special))
    other = sweep(('c', 3), work=replace(WORK, runtime=61))
    assert not series_of(sweep(('a', 1), ('b', 2)) + other)
    aborted = (bench_run.not_run(3, 'c'), [])
    assert not series_of([*sweep(('a', 1), ('b', 2)), aborted])


@pytest.mark.parametrize(('names', 'name'), [
    (('w1', 'w2', 'w4'), 'w'), (('read 16k, 1', 'read 16k, 2', 'read 16k, 4'), 'read 16k'),
    (('main', 'main', 'main'), 'main'), (('a', 'b', 'c'), 'main'), (('1', '2', '4'), 'main')])
def test_a_series_is_named_by_what_its_stages_have_in_common(names, name):
    series, = series_of(sweep(*zip(names, (1, 2, 4), strict=True)))
    assert name == series.name


def test_repeats_of_a_stage_are_drawn_as_their_mean():
    assert ([1, 2], [1.5, 4.0]) == means([1, 1, 2], [1.0, 2.0, 4.0])
