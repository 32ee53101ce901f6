"""A Plan of an evaluation, and EvaluationRuns of its steps with invented figures."""
from dataclasses import replace

from swift_lb.evaluation.design import steps
from swift_lb.evaluation.plan import LabPlace, Plan
from swift_lb.evaluation.run_result import EvaluationRun, OpFigures
from swift_lb.workload.tally import new_histogram

PLACE = LabPlace('paper', capacity=(48.0, 72.0, 70.0), slots=(1, 1, 1))


def plan(**changes):
    """Return a small Plan on a lab of three nodes; `changes` are fields that replace its own."""
    small = Plan(place=PLACE, policies=('lb_rlt', 'shuffle', 'swift:timing'), workers=(1, 8, 64),
                 sizes=('4KB', '16KB'), proxy_workers=(2, 1), repeats=2, seconds=10, ramp_up=2,
                 read=80, objects=100)
    return replace(small, **changes)


def figures(seconds, count=100, failures=0, throughput=10.0):
    """Return OpFigures of `count` successes of `seconds` each; `throughput` is operations/s."""
    histogram = new_histogram()
    if count:
        histogram.record_value(round(seconds * 1e6), count)
    return OpFigures(count, failures, seconds * count, histogram.encode().decode(),
                     {'HTTP 503': failures} if failures else {}, throughput, count,
                     seconds * count, throughput)


def run_result(step, seconds, shares=(1, 1, 1), failures=0, throughput=10.0):
    """Return an EvaluationRun: a read takes `seconds`; nodes serve in proportion to `shares`."""
    counts = dict(enumerate(shares, 1))
    return EvaluationRun(step, {'read': figures(seconds, failures=failures, throughput=throughput),
                                'write': figures(2 * seconds, 25, throughput=throughput / 4)},
                         tuple((float(second), counts) for second in range(1, 15)), (2.0, 12.0),
                         '2026-01-01T00:00:00', 14.0)


def run_results(a_plan, time_of=lambda step: 0.02 * step.workers, **words):
    """Return a run_result() for each step of a plan; `time_of(step)` is its seconds per read."""
    return [run_result(step, time_of(step), **words) for step in steps(a_plan)]
