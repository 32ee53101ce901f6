"""Gains and efficiencies of the LB-RLT paper's own numbers equal those that it prints."""
import pytest

from swift_lb.evaluation.comparison import compare, efficiency, summary

LABELS = ('LB-RLT', 'LB-RL', 'LB-RCT', 'LB-R', 'LB-RW')
TABLE_8 = {   # 4 KB: workers: response times in the order of LABELS, best others, gain in per cent
    1: ((20.53, 20.97, 20.78, 20.72, 20.88), 20.72, 0.93),
    2: ((20.33, 20.08, 21, 20.09, 20.22), 20.08, -1.23),
    4: ((21.71, 21.29, 23.01, 25.38, 21.5), 21.29, -1.93),
    8: ((28.62, 32.67, 32.45, 36.48, 31.08), 31.08, 8.6),
    16: ((38.74, 40.36, 53.99, 61.74, 47.06), 40.36, 4.18),
    32: ((63.46, 64.04, 108.48, 120.28, 82.83), 64.04, 0.91),
    64: ((88.81, 117.44, 247.5, 231.19, 153.72), 117.44, 32.24),
    128: ((145.79, 198.43, 553.5, 491.46, 292.49), 198.43, 36.11),
    256: ((309.73, 404.59, 946.49, 1036.82, 567.81), 404.59, 30.63),
    512: ((781.11, 910.85, 823.13, 1084.23, 1040.42), 823.13, 5.38),
}
TIMES = {label: {workers: times[number] for workers, (times, _best, _gain) in TABLE_8.items()}
         for number, label in enumerate(LABELS)}
ROWS = compare(TIMES, 'LB-RLT', LABELS[1:], set(TABLE_8))


@pytest.mark.parametrize('row', ROWS, ids=lambda row: f'{row.workers} workers')
def test_gains_from_the_papers_times_equal_the_papers_table_8(row):
    _times, best, gain = TABLE_8[row.workers]
    assert row.best == best
    assert row.gain * 100 == pytest.approx(gain, abs=0.006)


def test_mean_best_and_worst_gain_equal_the_papers_table_8():
    assert [round(gain * 100, 2) for gain in summary(ROWS)] == [11.58, 36.11, -1.93]


def test_only_rows_marked_to_count_enter_the_mean_gain():
    rows = compare(TIMES, 'LB-RLT', LABELS[1:], {1, 2})
    assert len(rows) == 10
    assert summary(rows).mean * 100 == pytest.approx((0.93 - 1.23) / 2, abs=0.01)


def test_a_policy_without_answers_is_not_taken_for_the_best():
    [row] = compare({'LB-RLT': {8: 2.0}, 'LB-R': {8: None}, 'LB-RL': {8: 3.0}}, 'LB-RLT',
                    ('LB-R', 'LB-RL'), {8})
    assert (row.best, row.gain) == (3.0, 0.5)


@pytest.mark.parametrize('times', [{'LB-RLT': {8: None}, 'LB-R': {8: 1.0}}, {'LB-RLT': {8: 1.0}}])
def test_a_gain_is_unknown_without_both_response_times(times):
    rows = compare(times, 'LB-RLT', ('LB-R',), {8})
    assert rows[0].gain is None
    assert summary(rows) is None


@pytest.mark.parametrize(('t_min', 'throughput', 'expected'), [
    (0.193, 33.1, 0.799),    # table 1, Linux, s1, G0: 8 cores
    (0.203, 38.5, 0.977),    # G1
    (0.760, 10.0, 0.950),    # G4
    (0.137, 48.2, 0.825),    # Windows, s2, G1
])
def test_the_efficiency_equals_that_of_the_papers_table_1(t_min, throughput, expected):
    assert efficiency(t_min, throughput, 8) == pytest.approx(expected, abs=0.0015)
