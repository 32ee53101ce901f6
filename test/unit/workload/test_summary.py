"""The figures of a run and their table, worked by hand."""
import math

import pytest

from swift_lb.console.comparison import Run, draw, table
from swift_lb.workload.closed_loop import Sample
from swift_lb.workload.summary import Summary, median_of, percentile, summarize


def test_a_run_of_five_reads():
    # answered at 10.5, 11, 12, 12.5 (failed) and 20; what is answered after 15 is not counted
    samples = [Sample(10.0, 0.5, True), Sample(10.0, 1.0, True), Sample(10.0, 2.0, True),
               Sample(12.0, 0.5, False), Sample(10.0, 10.0, True)]
    assert Summary(throughput=3 / 5, mean=3.5 / 3, p50=1.0, p99=2.0,
                   success_ratio=3 / 4) == summarize(samples, 10.0, 15.0)


def test_a_run_without_answers_has_no_times():
    found = summarize([], 0.0, 5.0)
    assert found.throughput == 0
    assert all(math.isnan(figure) for figure in found[1:])


@pytest.mark.parametrize(('fraction', 'expected'), [
    (0.0, 1), (0.25, 1), (0.26, 2), (0.5, 2), (0.75, 3), (0.99, 4), (1.0, 4)])
def test_the_nearest_rank(fraction, expected):
    assert expected == percentile([1, 2, 3, 4], fraction)


def test_medians_are_of_each_figure():
    assert Summary(2, 2, 5, 5, 0.9) == median_of([
        Summary(1, 2, 5, 6, 0.9), Summary(2, 1, 6, 5, 1.0), Summary(3, 3, 4, 4, 0.8)])


RUNS = {'shuffle': Run('shuffle', Summary(95.0, 0.1, 0.05, 0.4, 1.0), {1: 30, 2: 30, 3: 60}),
        'lb_rlt': Run('lb_rlt', Summary(152.0, 0.1, 0.05, 0.2, 0.995), {1: 0, 2: 10})}
ALONE = {1: 48.0, 2: 72.0, 3: 70.0}


def test_shares_are_of_all_reads():
    assert [0.25, 0.25, 0.5] == [RUNS['shuffle'].share(node) for node in ALONE]
    assert [0.0, 1.0, 0.0] == [RUNS['lb_rlt'].share(node) for node in ALONE]


def test_the_table_holds_each_figure_and_max():
    found = table(RUNS, ALONE)
    columns = {column.header: list(column.cells) for column in found.columns}
    assert columns == {
        'policy': ['LB-R   shuffle', 'LB-RLT lb_rlt'], 'req/s': ['95.0', '152.0'],
        '%MAX': ['50', '80'], 'mean': ['100', '100'], 'p50': ['50', '50'], 'p99 ms': ['400', '200'],
        'SN1-3 %': ['25 25 50', ' 0 100  0'], 'ok %': ['100.0', '99.5']}
    assert found.caption == 'MAX = 190 requests/s, the nodes alone: SN1 48 SN2 72 SN3 70'


def test_the_picture_is_a_png(tmp_path):
    path = draw(RUNS, ALONE, tmp_path / 'deep' / 'policies.png')
    assert path.read_bytes().startswith(b'\x89PNG')
