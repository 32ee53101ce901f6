"""The display of a run's progress, live or line by line, and the summary at its end."""
from math import prod
from typing import NamedTuple

import rich.live
from rich import box
from rich.console import Group
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from swift_lb import clock
from swift_lb.drawing.numbers import UNKNOWN, clock_time, milliseconds, percent, three_digits
from swift_lb.drawing.text import printable
from swift_lb.wire.cosbench.model import Workstage
from swift_lb.workload.figures import figures_of_tick, labels_of, outcomes_of, success_ratio
from swift_lb.workload.result import Progress


class OpProgress(NamedTuple):
    """An operation's rate in the last Tick (interval), and its sums since the stage began."""

    label: str
    throughput: float             # successes per second since the last Tick
    response_time: float | None   # mean seconds since the last Tick; None: nothing succeeded
    sums: Progress

    def texts(self):
        """Return a tuple of texts: op/s, response time in ms, success %, successes, failures."""
        return (three_digits(self.throughput),
                '-' if self.response_time is None else milliseconds(self.response_time),
                percent(success_ratio(self.sums)), f'{self.sums.successes:,}',
                f'{self.sums.failures:,}')


def advance(result, so_far):
    """Return each operation's OpProgress, its rate and sums, after the last Tick of a StageResult.

    A Tick is one interval of the timeline. `so_far` is what this function returned for the Tick
    before, () for the first.
    """
    tick, progress = result.timeline[-1], []
    labels = labels_of(result.stage)
    for number, (label, latest) in enumerate(zip(labels, tick.ops, strict=True)):
        sums = Progress(*map(sum, zip(so_far[number].sums, latest, strict=True))
                        ) if so_far else latest
        now = figures_of_tick(latest, tick.seconds)
        progress.append(OpProgress(label, now.throughput, now.response_time, sums))
    return tuple(progress)


def planned(stage, state):
    """Return the planned seconds of a Workstage in the state `state`; None if unknown."""
    if state == 'sleeping':
        return stage.closuredelay
    if state != 'running' or not stage.works or not all(work.runtime for work in stage.works):
        return None
    return max(work.rampup + work.runtime + work.rampdown for work in stage.works)


def done(stage, operations, elapsed, seconds):
    """Return the fraction of a stage that is done, of its time or its operations; None if unknown.

    `seconds` is the planned time in s, or None, `elapsed` the time so far in s; `operations` are
    the stage's OpProgress.
    """
    if seconds:
        return min(elapsed / seconds, 1.0)
    total = sum(map(_operations, stage.works))
    if not all(map(_operations, stage.works)) or not total:
        return None
    return min(sum(one.sums.successes + one.sums.failures for one in operations) / total, 1.0)


def _operations(work):
    """Return the number of operations that a Work is to carry out, 0 if unknown."""
    if work.type == 'normal':
        return work.total_ops
    return sum(_chosen(operation.type, operation.target) for operation in work.operations)


def _chosen(kind, target):
    """Return the number of containers or objects that a special operation of type `kind` visits."""
    selectors = [target.containers, *([] if kind in ('init', 'dispose') else [target.objects])]
    return prod(selector.high - selector.low + 1 if selector else 1 for selector in selectors)


def time_of(elapsed, seconds):
    """Return elapsed and planned seconds as text, `0:15 of 5:00`; `0:15` if the plan is None."""
    return f'{clock_time(elapsed)} of {clock_time(seconds)}' if seconds else clock_time(elapsed)


ENDS = ('completed', 'failed', 'terminated', 'aborted')
BEGINS = ('running', 'sleeping')    # states whose display shows the time since they began
REFRESH = 4                         # times a second
GOING = ('operation', 'op/s', 'ms', 'success %', 'done', 'failed')
SUMMARY = ('stage', 'operation', 'count', 'op/s', 'mean', 'p50', 'p99', 'p99.9 ms', 'success %')
RESENT = 'resent'                   # a column that is shown only if a request was sent twice


class Now(NamedTuple):
    """What a run's progress display shows now; immutable, because another thread draws it."""

    stage: Workstage
    state: str
    since: float              # instant
    operations: tuple = ()    # OpProgress


class Live:
    """Displays a run's progress: redraws it in place on a terminal, else writes lines.

    It is a context manager; the controller calls `stage` and `tick`.
    """

    def __init__(self, workload, run_id, console, now=clock.monotonic):
        """Take the Workload, the run's id, the rich Console to write to, and a clock in s."""
        self._workload, self._console, self._clock, self._now = workload, console, now, None
        self._name = f'{run_id} {printable(workload.name)}'
        # not console.is_terminal: with FORCE_COLOR it is true for a pipe, which has no cursor
        self._live = rich.live.Live(
            console=console, get_renderable=self._screen, refresh_per_second=REFRESH,
            transient=True) if console.file.isatty() and not console.is_dumb_terminal else None

    def __enter__(self):
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_exc):
        if self._live:
            self._live.stop()

    def stage(self, result):
        """Show that the state of a StageResult has changed."""
        if result.state == 'waiting':
            return
        last, instant = self._now, self._clock()
        if last is None or last.stage is not result.stage:
            last = Now(result.stage, result.state, instant)
        self._now = last._replace(state=result.state, since=(
            instant if result.state in BEGINS else last.since))
        if result.state in ENDS or not self._live:
            faults = result.faults if result.state in ENDS else ()
            self._write('; '.join([f'{self._where()}: {result.state}', *map(printable, faults)]))

    def tick(self, result):
        """Show the figures of the last Tick (interval) of a StageResult."""
        now = self._now = self._now._replace(operations=advance(result, self._now.operations))
        if not self._live:
            line = f'{self._where()}: {self._time(now)}'
            for one in now.operations:
                rate, response_time, success, successes, failures = one.texts()
                line += (f'; {one.label} {rate} op/s, {response_time} ms, {success} % success, '
                         f'{successes} done, {failures} failed')
            self._write(line)

    def _where(self):
        stage = self._now.stage
        place = self._workload.stages.index(stage) + 1
        return (f'{self._name}: {printable(stage.id or stage.name)} '
                f'({place} of {len(self._workload.stages)})')

    def _time(self, now):
        return time_of(self._clock() - now.since, planned(now.stage, now.state))

    def _write(self, line):
        self._console.print(self._text(line), soft_wrap=True)

    def _text(self, line):
        encoding = self._console.encoding  # may lack some characters of a name
        return Text(line.encode(encoding, 'replace').decode(encoding), no_wrap=True,
                    overflow='ellipsis')

    def _screen(self):
        now = self._now
        if now is None:
            return self._text(self._name)
        seconds = planned(now.stage, now.state)
        fraction = done(now.stage, now.operations, self._clock() - now.since, seconds)
        head = self._text(f'{self._where()}: {now.state} {self._time(now)}')
        bar = ProgressBar(total=None if fraction is None else 1.0, completed=fraction or 0.0,
                          pulse=fraction is None, width=60, animation_time=self._clock())
        table = _table(GOING, left=1)
        for one in now.operations:
            table.add_row(Text(one.label), *map(Text, one.texts()))
        return Group(head, bar, table)


def _table(headings, left):
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for number, heading in enumerate(headings):
        if number < left:
            table.add_column(heading, overflow='fold')
        else:
            table.add_column(heading, justify='right', no_wrap=True)
    return table


def summary_table(run):
    """Return a rich Table of a RunResult: a row for each operation of each stage."""
    resent = any(op.resent for stage in run.stages for work in stage.works for op in work.ops)
    headings = (*SUMMARY, RESENT) if resent else SUMMARY
    table = _table(headings, left=2)
    for result in run.stages:
        name, outcomes = printable(result.stage.id or result.stage.name), outcomes_of(result)
        rows = [(name, one.label, f'{one.op.successes:,}', three_digits(one.throughput),
                 milliseconds(one.mean), *(milliseconds(one.percentile(rank)) for rank in (
                     'p50', 'p99', 'p99.9')), percent(one.success_ratio), f'{one.op.resent:,}')
                for one in outcomes] or [(name, result.state, *[UNKNOWN] * (len(SUMMARY) - 1))]
        for row in rows:
            table.add_row(*map(Text, row[:len(headings)]))
    return table
