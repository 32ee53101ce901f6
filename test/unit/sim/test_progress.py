"""The progress of a comparison in virtual time."""
import io

from rich.console import Console

from swift_lb.sim.campaign import ComparisonProgress
from swift_lb.sim.cells import ComparisonStep


def test_log_has_lines_with_the_time_left():
    pipe, at = Console(file=io.StringIO(), width=120), [0.0]
    with ComparisonProgress(pipe, 4, now=lambda: at[0]) as shown:
        for seed, at[0] in enumerate((6.0, 12.0, 18.0, 24.0), 1):
            shown.ended(ComparisonStep('paper', 'lb_rlt', seed, 1.0))
    assert ('2/4 paper, lb_rlt, seed 2: 12 s left\n'
            '4/4 paper, lb_rlt, seed 4: 0 s left\n') == pipe.file.getvalue()
