"""The page of the report: what ran and how it ended, the results, then details of each stage."""
from swift_lb.drawing import svg
from swift_lb.drawing.numbers import clock_time, plural
from swift_lb.workload.figures import labels_of, outcomes_of
from swift_lb.workload.report import tables
from swift_lb.workload.report.latency import response_times
from swift_lb.workload.report.style import CSS
from swift_lb.workload.report.sweep import series_of, sweep
from swift_lb.workload.report.tables import Markup, joined, lines, tag
from swift_lb.workload.report.timeline import timeline
from swift_lb.workload.result import StageResult

STAGE_NOTES = {
    'waiting': 'This stage has not begun.',
    'aborted': 'This stage was not run: one before it did not come to its end.',
    'terminated': 'This stage was stopped before its end; what follows is what was measured.',
}
THROUGHPUT = (
    'Throughput (op/s) is the number of operations that succeeded in the measured window, divided '
    "by the window's length. COSBench, and the CSV files beside this report, divide the successes "
    'of each worker by the time between the first and the last of them and add that up over the '
    'workers; this comes out higher, the more so the shorter a stage is.')
TIMES = (
    'Response times are of the operations that succeeded, from a histogram with three digits, in '
    'ms; p99 is the time that 99 % of them did not exceed. An operation counts if it began and '
    'ended in the measured window; one under way at its end is unfinished, and in no other figure. '
    '1 MB is 10^6 bytes.')
UNFINISHED = (
    '{} of {} not finished when the measured window ended, and in no other figure. The slowest are '
    'among them: the response times below are too good.')
RESENT = (
    '{} of {} sent once more: the kept connection was closed or reset under it, before a byte of '
    'an answer came. The time of both attempts is in its response time.')
UNFINISHED_SHARE = 0.01   # fraction of unfinished operations from which a sentence mentions them
CLOSED_LOOP = (
    'Closed loop: a worker begins its next operation when the last one has been answered. While '
    'the storage stalls, next to nothing is asked of it, so a stall shows in few of the response '
    'times: the percentiles are of the operations sent, and lower than what clients would see that '
    'do not wait for each other (coordinated omission). The attribute rate of a work makes it an '
    'open loop.')
OPEN_LOOP = (
    'Open loop (work.rate): operations are due by the clock, however fast the storage answers. The '
    'response time of one that is due while all workers are busy counts from when it was due, so '
    'stalls are seen, but for what had not ended when the window did (unfinished).')


def verdict(run, stages):
    """Return (a sentence that says how a RunResult ended, a list of texts `stage: fault`).

    `stages` are the StageResults of all its stages.
    """
    faults = [f'{stage.stage.id or stage.stage.name}: {fault}'
              for stage in stages for fault in stage.faults]
    failed, stopped, missing = (sum(stage.state in states for stage in stages) for states in (
        {'failed'}, {'terminated'}, {'aborted', 'waiting'}))
    sentence = {
        'finished': f'The workload came to its end: {plural(len(stages), "stage")}, all completed.',
        'failed': f'The workload came to its end, but {failed} of {plural(len(stages), "stage")} '
                  'failed.',
        'terminated': 'The workload was terminated before its end: '
                      f'{len(stages) - missing - stopped} of {plural(len(stages), "stage")} had '
                      f'ended by then, {missing} did not run.',
    }.get(run.state, f'The workload has not ended: it is {run.state}.')
    return sentence, faults


def loops(stages):
    """Return the sentences about coordinated omission that apply to works of these StageResults.

    If there are works with closed and with open loops, each sentence names its works.
    """
    normal = [work for stage in stages for work in stage.stage.works if work.type == 'normal']
    kinds = ((CLOSED_LOOP, [work.name for work in normal if work.rate is None]),
             (OPEN_LOOP, [work.name for work in normal if work.rate is not None]))
    both = all(names for _text, names in kinds)
    return [f'{text} This holds for: {", ".join(sorted(set(names)))}.' if both else text
            for text, names in kinds if names]


CHARTS_SIZE = 650_000      # characters of charts, so that the file stays below 1 MB
MAX_UNFOLDED = 3    # the details of normal stages are unfolded if there are at most so many
MAX_FAULTS = 20
LEFT_OUT = tag('p', 'This stage is not drawn, to keep the file small.', class_='soft')


def document(run):
    """Return the whole HTML document of a RunResult."""
    stages = [*run.stages, *map(StageResult, run.workload.stages[len(run.stages):])]
    head = tag('head', Markup('<meta charset="utf-8">'), Markup(
        '<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag('title', f'{run.id} {run.workload.name}'.strip()), tag('style', Markup(CSS + svg.CSS)))
    measured = [(result, outcomes_of(result)) for result in stages]
    body = tag('body', *_head(run, stages), *_results(measured),
               tag('h2', 'Stages'), tables.stages(stages), *_details(measured), *_notes(stages))
    return f'<!DOCTYPE html>\n<html lang="en">{head}{body}</html>\n'


def _head(run, stages):
    sentence, faults = verdict(run, stages)
    yield tag('h1', run.workload.name, ' ', tables.state(run.state))
    if run.workload.description:
        yield tag('p', run.workload.description, class_='soft')
    yield tag('div', tag('p', sentence), *_faults(faults),
              class_=f'verdict {tables.STATE_CLASSES.get(run.state, "")}')
    facts = [(name, value) for name, value in _facts(run) if value]
    yield tag('dl', *(part for name, value in facts
                      for part in (tag('dt', name), tag('dd', value))))


def _faults(faults):
    if faults:
        more = len(faults) - MAX_FAULTS
        yield lines([*faults[:MAX_FAULTS], *([f'and {more:,} more'] if more > 0 else [])])


def _facts(run):
    yield 'Run', run.id
    yield 'Submitted', f'{run.submitted_at:%Y-%m-%d %H:%M:%S}' if run.submitted_at else ''
    if len(run.states) > 1:
        begun, ended = run.states[0], run.states[-1]
        yield ended.state.capitalize(), (f'{ended.at:%Y-%m-%d %H:%M:%S}, after '
                                         f'{clock_time(ended.instant - begun.instant)}')
    yield 'Drivers', f'{run.processes}' if run.processes else ''
    yield 'Command', tag('code', run.command) if run.command else ''
    yield 'Versions', ', '.join(f'{name} {version}' for name, version in run.versions.items())


def _results(stages):
    yield tag('h2', 'Results')
    yield tables.results(stages)
    if series := series_of(stages):
        yield tag('h3', 'Against the number of workers')
        yield Markup(sweep(series))


def _details(stages):
    opened = sum(_is_normal(result) for result, _outcomes in stages) <= MAX_UNFOLDED
    room = CHARTS_SIZE
    for result, outcomes in stages:
        title = tag('summary', result.stage.id or result.stage.name, ' ',
                    tables.state(result.state))
        pictures = '' if room > 0 or not outcomes else LEFT_OUT
        if room > 0 and outcomes:
            pictures = Markup(timeline(result) + (
                response_times(result.stage, outcomes) if _is_normal(result) else ''))
        room -= len(pictures)
        yield tag('details', title, *_stage(result, outcomes), pictures,
                  **{'open': ''} if opened and _is_normal(result) else {})


def _is_normal(result):
    return any(work.type == 'normal' for work in result.stage.works)


def _stage(result, outcomes):
    yield from (tag('p', note) for note in _stage_notes(result, outcomes))
    yield from _faults(result.faults)
    if outcomes:
        yield tables.operations(outcomes)
    if why := tables.reasons(outcomes):
        yield joined([tag('h3', 'Failures'), why])


def _stage_notes(result, outcomes):
    if result.state in STAGE_NOTES:
        yield STAGE_NOTES[result.state]
    done = sum(one.op.successes for one in outcomes)
    failures = sum(one.op.failures for one in outcomes)
    if outcomes and not done + failures:
        yield 'No operation began and ended in the measured window.'
    elif outcomes and not done:
        yield f'No operation succeeded: all {failures:,} failed.'
    if not outcomes and labels_of(result.stage) and result.state not in STAGE_NOTES:
        yield 'There are no figures of this stage.'
    for one in outcomes:
        op = one.op
        if op.unfinished > UNFINISHED_SHARE * (op.successes + op.failures + op.unfinished):
            yield UNFINISHED.format(plural(op.unfinished, 'operation'), one.label)
        if op.resent:
            yield RESENT.format(plural(op.resent, 'request'), one.label)
    if any(one.op.successes and not one.percentiles for one in outcomes):
        yield 'Percentiles were not kept (histogram=false).'


def _notes(stages):
    yield tag('h2', 'How to read this')
    for text in (THROUGHPUT, TIMES, *loops(stages)):
        yield tag('p', text)
