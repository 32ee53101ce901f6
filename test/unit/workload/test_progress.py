"""The progress of a workload's run, shown on a terminal or in lines, and the final table."""
import io
from dataclasses import replace
from datetime import timedelta

import pytest
from rich.console import Console
from support import bench_run

from swift_lb.wire.cosbench.model import Operation, Selector, Target, Work, Workload, Workstage
from swift_lb.workload.progress import Live, OpProgress, advance, done, planned, summary_table
from swift_lb.workload.result import Entered, Progress, StageResult, Tick

READ, WRITE = Operation('read', name='read'), Operation('write', name='write')
MAIN = Work('main', workers=4, runtime=300, rampup=30, rampdown=15, operations=(READ, WRITE))
STAGES = (Workstage('init', id='s1-init', works=(Work('init', 'init', operations=(
    Operation('init', name='init'),)),)), Workstage('main', id='s2-main', works=(MAIN,)))
WORKLOAD = Workload('demo', stages=STAGES)


class Terminal(io.StringIO):
    """A stream that is a terminal to rich."""

    def isatty(self):
        return True


class Clock:
    """A clock that tests set."""

    now = 100.0

    def __call__(self):
        return self.now


def tick(result, *ops, seconds=5.0):
    """Add a Tick of `seconds` with the Progress of each operation, `ops`, to a StageResult."""
    result.timeline.append(Tick(bench_run.START, seconds, list(ops)))


def enter(result, state):
    """Let a StageResult enter `state`, a second after it entered its last state."""
    passed = len(result.states)
    result.states.append(Entered(state, bench_run.START + timedelta(seconds=passed), passed))


def play(live, clock):
    """Report the start of STAGES and two ticks of the second to `live`; return its StageResult."""
    for result in map(StageResult, STAGES):
        enter(result, 'waiting')
        live.stage(result)
    for state in ('booting', 'running'):
        enter(result, state)
        live.stage(result)
    clock.now += 5
    tick(result, Progress(3820, 0, 0, 38.2), Progress(10, 0, 0, 1.0))
    live.tick(result)
    clock.now += 5
    tick(result, Progress(1000, 3, 0, 2.0), Progress(0, 0))
    live.tick(result)
    return result


def test_without_a_terminal_progress_is_printed_as_lines(monkeypatch):
    monkeypatch.setenv('FORCE_COLOR', '1')      # a pipe is no terminal all the same
    clock, plain = Clock(), Console(file=io.StringIO(), width=20)
    with Live(WORKLOAD, 'w7', plain, now=clock) as live:
        result = play(live, clock)
        enter(result, 'failed')
        result.faults.append('too many\x1b[2J failed')
        live.stage(result)
    assert plain.file.getvalue() == (
        'w7 demo: s2-main (2 of 2): booting\n'
        'w7 demo: s2-main (2 of 2): running\n'
        'w7 demo: s2-main (2 of 2): 0:05 of 5:45; '
        'read 764 op/s, 10.0 ms, 100 % success, 3,820 done, 0 failed; '
        'write 2.00 op/s, 100 ms, 100 % success, 10 done, 0 failed\n'
        'w7 demo: s2-main (2 of 2): 0:10 of 5:45; '
        'read 200 op/s, 2.00 ms, 99.93 % success, 4,820 done, 3 failed; '
        'write 0 op/s, - ms, 100 % success, 10 done, 0 failed\n'
        'w7 demo: s2-main (2 of 2): failed; too many\N{REPLACEMENT CHARACTER}[2J failed\n')


def test_on_a_terminal_the_elapsed_time_is_redrawn_continually(monkeypatch):
    monkeypatch.setenv('TERM', 'xterm')
    console, clock = Console(file=Terminal(), width=90, height=30, color_system=None), Clock()
    with Live(WORKLOAD, 'w7', console, now=clock) as live:
        result = play(live, clock)
        live._live.refresh()
        clock.now += 2
        live._live.refresh()
        enter(result, 'completed')
        live.stage(result)
    shown = console.file.getvalue()
    for expected in ('running 0:10 of 5:45', 'running 0:12 of 5:45', 'op/s', '4,820', '99.93',
                     'w7 demo: s2-main (2 of 2): completed'):
        assert expected in shown
    assert shown.rindex('\x1b[?25h') > shown.rindex('\x1b[?25l')  # the cursor is back


def test_workload_names_are_printed_safely_to_an_ascii_stream():
    stream = io.TextIOWrapper(io.BytesIO(), encoding='ascii')
    console = Console(file=stream, width=40)
    workload = replace(WORKLOAD, name='[red]é[/nonsense] \x1b[2J')
    with Live(workload, 'w7', console) as live:
        play(live, Clock())
    stream.seek(0)
    assert 'w7 [red]?[/nonsense] ?[2J: s2-main' in stream.read()


def test_progress_has_rates_of_last_interval_and_total_counts():
    result = StageResult(STAGES[1])
    tick(result, Progress(50, 0, 0, 1.0), Progress(0, 5))
    first = advance(result, ())
    tick(result, Progress(100, 1, 0, 1.0), Progress(0, 5), seconds=4.0)
    assert advance(result, first) == (
        OpProgress('read', 25.0, 0.01, Progress(150, 1, 0, 2.0)),
        OpProgress('write', 0.0, None, Progress(0, 10, 0, 0.0)))
    assert first[0] == OpProgress('read', 10.0, 0.02, Progress(50, 0, 0, 1.0))
    assert advance(result, first)[1].texts() == ('0', '-', '0.00', '0', '10')


PREPARE, INIT = (Work(kind, kind, operations=(Operation(kind, target=Target(
    containers=Selector('range', 1, many), objects=Selector('range', 1, 25))),))
    for kind, many in (('prepare', 4), ('init', 200)))      # the objects of init are inherited


@pytest.mark.parametrize(('works', 'state', 'seconds', 'fraction'), [
    ((MAIN,), 'running', 345, 69 / 345),
    ((MAIN, replace(MAIN, runtime=600)), 'running', 645, 69 / 645),
    ((replace(MAIN, runtime=10),), 'running', 55, 1.0),            # it ends late
    ((MAIN,), 'booting', None, None),
    ((MAIN,), 'sleeping', 7, 1.0),                                 # the closure delay
    ((replace(MAIN, runtime=0, total_ops=200),), 'running', None, 0.5),
    ((replace(MAIN, runtime=0, total_bytes=200),), 'running', None, None),
    ((PREPARE,), 'running', None, 1.0),
    ((INIT,), 'running', None, 0.5),
    ((PREPARE, PREPARE), 'running', None, 0.5),
    ((PREPARE, replace(MAIN, runtime=0, total_bytes=9)), 'running', None, None),
    ((), 'running', None, None)])
def test_a_stages_progress_is_by_planned_time_or_by_operations(works, state, seconds, fraction):
    stage = Workstage('main', closuredelay=7, works=works)
    operations = (OpProgress('read', 1.0, 1.0, Progress(90, 10)),)
    assert seconds == planned(stage, state)
    assert fraction == done(stage, operations, 69.0, seconds)


def cells(run):
    """Return the rows of the summary table as lists of texts."""
    columns = [[cell.plain for cell in column.cells] for column in summary_table(run).columns]
    return [list(row) for row in zip(*columns, strict=True)]


def test_the_summary_table_equals_one_worked_by_hand():
    assert [['s1-main', 'read', '10', '1.00', '55.0', '50.0', '100', '100', '83.33']] == cells(
        bench_run.worked_by_hand({'HTTP 503': 2}))


def test_the_summary_table_of_a_terminated_run_has_all_stages():
    rows = cells(bench_run.terminated_run())
    assert ['s1-init', 's2-main', 's2-main', 's3-cleanup'] == [row[0] for row in rows]
    assert ['s3-cleanup', 'aborted', *'-------'] == rows[-1]


def test_the_summary_table_fits_80_columns_even_with_resent_counts():
    run, shown = bench_run.whole_run(), []
    for resent in (0, 1234):
        run.stages[2].works[0].ops[1].resent = resent
        console = Console(file=io.StringIO(), width=80)
        console.print(summary_table(run))
        shown.append(console.file.getvalue())
    assert max(len(line) for text in shown for line in text.splitlines()) <= 80
    assert ['resent' in text for text in shown] == [False, True]
    assert [row[-1] for row in cells(run)] == ['0', '0', '0', '1,234', '0', '0']
    run.stages[-1].works = []
    assert cells(run)[-1][-1] == '-'
