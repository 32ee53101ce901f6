"""The comparison of replica policies: its table, worked by hand, its PNG chart, and the demo."""
import runpy
from pathlib import Path

import pytest
from support.evaluation_runs import run_result

from swift_lb.console.comparison import Run, draw, table
from swift_lb.evaluation.plan import EvaluationStep
from swift_lb.evaluation.results import RepeatedRuns

STEP = EvaluationStep('adaptive', 2, '4KB', 8, 1)
DEMO = Path(__file__).resolve().parents[3] / 'tools' / 'demo.py'

RUNS = {'shuffle': Run(95.0, 0.1, 0.05, 0.4, 1.0, {1: 0.25, 2: 0.25, 3: 0.5}),
        'lb_rlt': Run(152.0, 0.1, 0.05, 0.2, 0.995, {2: 1.0}),
        'swift:timing': Run(76.0, 0.2, 0.1, 0.3, 1.0, {3: 1.0}),
        'adaptive': Run(190.0, 0.08, 0.04, 0.1, 1.0, {1: 0.25, 2: 0.38, 3: 0.37})}
ALONE = {1: 48.0, 2: 72.0, 3: 70.0}


def test_the_table_has_a_row_per_policy_and_the_maximum_rate():
    result = table(RUNS, ALONE)
    columns = {column.header: list(column.cells) for column in result.columns}
    assert columns == {
        'policy': ['LB-R   shuffle', 'LB-RLT lb_rlt', 'Swift  timing', 'ours   adaptive'],
        'req/s': ['95.0', '152.0', '76.0', '190.0'], '%MAX': ['50', '80', '40', '100'],
        'mean': ['100', '100', '200', '80'], 'p50': ['50', '50', '100', '40'],
        'p99 ms': ['400', '200', '300', '100'],
        'SN1-3 %': ['25 25 50', ' 0 100  0', ' 0  0 100', '25 38 37'],
        'ok %': ['100.0', '99.5', '100.0', '100.0']}
    assert result.caption == 'MAX = 190 requests/s, the nodes alone: SN1 48 SN2 72 SN3 70'


def test_the_comparison_is_drawn_as_a_png_file(tmp_path):
    path = draw(RUNS, ALONE, tmp_path / 'deep' / 'policies.png')
    assert path.read_bytes().startswith(b'\x89PNG')


def test_the_demo_computes_a_policys_row_from_its_runs():
    repeats = RepeatedRuns([run_result(STEP, 0.1, shares=(1, 1, 2)) for _repeat in range(2)])
    run = runpy.run_path(str(DEMO))['run_of'](repeats)
    assert run.shares == {1: 0.25, 2: 0.25, 3: 0.5}
    assert (run.throughput, *run[1:5]) == pytest.approx((12.5, 0.1, 0.1, 0.1, 1.0), rel=0.01)
