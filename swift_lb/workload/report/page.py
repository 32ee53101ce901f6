"""The page of the report: what ran and how it ended, the results, then each stage."""
from swift_lb.drawing import svg
from swift_lb.drawing.numbers import clock_time, plural
from swift_lb.workload.labels import labels_of
from swift_lb.workload.outcome import outcomes_of
from swift_lb.workload.report import tables, words
from swift_lb.workload.report.latency import response_times
from swift_lb.workload.report.markup import Markup, joined, lines, tag
from swift_lb.workload.report.style import CSS
from swift_lb.workload.report.sweep import series_of, sweep
from swift_lb.workload.report.timeline import timeline
from swift_lb.workload.result import StageResult

MAX_CHART_TEXT = 650_000      # characters of charts, so that the file stays below 1 MB
MAX_UNFOLDED = 3            # up to so many normal stages, their details are unfolded
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
    sentence, faults = words.verdict(run, stages)
    yield tag('h1', run.workload.name, ' ', tables.state(run.state))
    if run.workload.description:
        yield tag('p', run.workload.description, class_='soft')
    yield tag('div', tag('p', sentence), *_faults(faults),
              class_=f'verdict {words.LOOKS.get(run.state, "")}')
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
    series = series_of(stages)
    if series:
        yield tag('h3', 'Against the number of workers')
        yield Markup(sweep(series))


def _details(stages):
    opened = sum(_is_normal(result) for result, _found in stages) <= MAX_UNFOLDED
    room = MAX_CHART_TEXT
    for result, outcomes in stages:
        title = tag('summary', result.stage.id or result.stage.name, ' ',
                    tables.state(result.state))
        pictures = '' if not outcomes else _pictures(result, outcomes) if room > 0 else LEFT_OUT
        room -= len(pictures)
        yield tag('details', title, *_stage(result, outcomes), pictures,
                  **{'open': ''} if opened and _is_normal(result) else {})


def _pictures(result, outcomes):
    return joined([Markup(timeline(result)), Markup(
        response_times(result.stage, outcomes) if _is_normal(result) else '')])


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
    if result.state in words.STAGE_NOTES:
        yield words.STAGE_NOTES[result.state]
    done = sum(one.op.successes for one in outcomes)
    failures = sum(one.op.failures for one in outcomes)
    if outcomes and not done + failures:
        yield 'No operation began and ended in the measured window.'
    elif outcomes and not done:
        yield f'No operation succeeded: all {failures:,} failed.'
    if not outcomes and labels_of(result.stage) and result.state not in words.STAGE_NOTES:
        yield 'There are no figures of this stage.'
    for one in outcomes:
        op = one.op
        if op.unfinished > words.NOTABLE * (op.successes + op.failures + op.unfinished):
            yield words.UNFINISHED.format(plural(op.unfinished, 'operation'), one.label)
        if op.resent:
            yield words.RESENT.format(plural(op.resent, 'request'), one.label)
    if any(one.op.successes and not one.percentiles for one in outcomes):
        yield 'Percentiles were not kept (histogram=false).'


def _notes(stages):
    yield tag('h2', 'How to read this')
    for text in (words.THROUGHPUT, words.TIMES, *words.loops(stages)):
        yield tag('p', text)
