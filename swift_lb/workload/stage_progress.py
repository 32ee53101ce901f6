"""How far a stage has come: its state, its time, its operations so far."""
from math import prod
from typing import NamedTuple

from swift_lb.drawing.numbers import clock_time, milliseconds, percent, three_digits
from swift_lb.workload.figures import figures_of_tick
from swift_lb.workload.labels import labels_of
from swift_lb.workload.outcome import success_ratio
from swift_lb.workload.result import Progress


class OpProgress(NamedTuple):
    """One operation: what it does now, and all it has done since the stage began."""

    label: str
    throughput: float             # successes per second since the last look
    response_time: float | None   # mean in seconds since the last look; None: nothing succeeded
    sums: Progress

    def texts(self):
        """Return op/s, response time in ms, success %, successes and failures as texts."""
        return (three_digits(self.throughput),
                '-' if self.response_time is None else milliseconds(self.response_time),
                percent(success_ratio(self.sums)), f'{self.sums.successes:,}',
                f'{self.sums.failures:,}')


def advance(result, so_far):
    """Return the OpProgress of each operation after the last Tick of a StageResult.

    `so_far` are those after the Tick before it, () for the first.
    """
    tick, found = result.timeline[-1], []
    labels = labels_of(result.stage)
    for number, (label, latest) in enumerate(zip(labels, tick.ops, strict=True)):
        sums = Progress(*map(sum, zip(so_far[number].sums, latest, strict=True))
                        ) if so_far else latest
        now = figures_of_tick(latest, tick.seconds)
        found.append(OpProgress(label, now.throughput, now.response_time, sums))
    return tuple(found)


def planned(stage, state):
    """Return how many seconds a Workstage is meant to stay in this state; None if none can tell."""
    if state == 'sleeping':
        return stage.closuredelay
    if state != 'running' or not stage.works or not all(work.runtime for work in stage.works):
        return None
    return max(work.rampup + work.runtime + work.rampdown for work in stage.works)


def done(stage, operations, elapsed, seconds):
    """Return the fraction done: of `seconds`, or of the operations there are to do; None unknown.

    `elapsed` is how long it has gone on, `operations` are its OpProgress.
    """
    if seconds:
        return min(elapsed / seconds, 1.0)
    total = sum(map(_operations, stage.works))
    if not all(map(_operations, stage.works)) or not total:
        return None
    return min(sum(one.sums.successes + one.sums.failures for one in operations) / total, 1.0)


def _operations(work):
    """Return how many operations a Work is to do; 0 if that is not known."""
    if work.type == 'normal':
        return work.total_ops
    return sum(_chosen(operation.type, operation.target) for operation in work.operations)


def _chosen(kind, target):
    """Return how many containers or objects there are; a container may have inherited objects."""
    selectors = [target.containers, *([] if kind in ('init', 'dispose') else [target.objects])]
    return prod(selector.high - selector.low + 1 if selector else 1 for selector in selectors)


def time_of(elapsed, seconds):
    """Write elapsed time, and of how much: `0:15 of 5:00`."""
    return f'{clock_time(elapsed)} of {clock_time(seconds)}' if seconds else clock_time(elapsed)
