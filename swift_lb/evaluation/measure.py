"""Run COSBench workloads; the only file of evaluation/ that does."""
from collections import Counter

from swift_lb.errors import EvaluationError
from swift_lb.evaluation.run_result import figures_of
from swift_lb.wire.cosbench.read import read
from swift_lb.workload.controller import run

NO_RESULT = ('terminated', 'aborted')


def measure(text, watch=None, endpoints=(), processes=None, seed=None):
    """Run the workload in the XML `text`; return {operation: OpFigures} of its last stage.

    `watch` has the methods of a Watch, which are called as stages run; for `endpoints` and
    `processes` see do(); the same `seed` reads the same objects. Failed operations are counted;
    raises EvaluationError if a stage was terminated or aborted.
    """
    result = run(read(text.encode()).workload, endpoints=endpoints, processes=processes,
                 watch=watch, seed=seed)
    unwell = next((stage for stage in result.stages if stage.state in NO_RESULT), None)
    if unwell:
        raise EvaluationError(f'stage {unwell.stage.name} is {unwell.state}: '
                              f'{"; ".join(unwell.faults) or "no reason is known"}')
    return figures_of(result.stages[-1])


def do(text, endpoints=(), processes=None):
    """Run the stages of the XML `text`, which write or remove objects.

    `endpoints` are storage URLs, `processes` is the number of drivers, None for one on each core.
    Raises EvaluationError if a stage fails.
    """
    result = run(read(text.encode()).workload, endpoints=endpoints, processes=processes)
    unwell = next((stage for stage in result.stages if stage.state != 'completed'), None)
    if unwell:
        raise EvaluationError(f'stage {unwell.stage.name} is {unwell.state}: '
                              f'{"; ".join(unwell.faults) or reasons(unwell)}')


def reasons(stage):
    """Return the reasons of failures in the StageResult `stage` as a line: `3 x HTTP 503, ...`."""
    counts = sum((op.reasons for work in stage.works for op in work.ops), start=Counter())
    return ', '.join(f'{count} x {reason}' for reason, count in counts.most_common()) \
        or 'no reason is known'
