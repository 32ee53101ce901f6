"""The text of COSBench's result files, with its names, headers and columns, made from a RunResult.

COSBench and tools made for it read these files; they split lines at commas and know no quotes.
"""
import re

from swift_lb.wire.cosbench import buckets
from swift_lb.wire.cosbench.cells import (
    NO_VALUE,
    line,
    name,
    number,
    percent,
    stamp,
    states,
    text,
)
from swift_lb.workload.figures import figures, figures_of_tick, op_name, operations_of

PERCENTILES = [f'{share}%-ResTime' for share in (60, 80, 90, 95, 99, 100)]
TIMES, RATES = ['Avg-ResTime', 'Avg-ProcTime'], ['Throughput', 'Bandwidth', 'Succ-Ratio']
HISTORY = line(['Id', 'Name', 'Submitted-At', 'Started-At', 'Stopped-At', 'Op-Info', 'State',
                'Detailed State'])
WORKLOADS = line(['Id', 'Op-Name', 'Op-Count', 'Byte-Count', 'Worker-Count', *TIMES,
                  *PERCENTILES, *RATES, 'Config-Info'])
OVERALL = line(['Stage', 'Op-Name', 'Op-Type', 'Op-Count', 'Byte-Count', *TIMES, *PERCENTILES,
                *RATES, 'Status', 'Detailed Status'])
TIMELINE = ['Op-Count', 'Byte-Count', *TIMES, *RATES]
MISSING = [NO_VALUE] * 15
UNFINISHED = ('queuing', 'processing')


def folder_name(run):
    """Return the name of a run's folder, such as w7-demo; two of its files' names begin with it."""
    return f'{run.id}-{name(run.workload.name)}'


def history(run):
    """Return the line of a run for run-history.csv, the list of all runs."""
    started = next((one.at for one in run.states if one.state == 'processing'), None)
    stopped = run.states[-1].at if run.states and run.state not in UNFINISHED else None
    kinds = dict.fromkeys(operation.type for stage in run.workload.stages
                          for work in stage.works for operation in work.operations)
    return line([run.id, name(run.workload.name), stamp(run.submitted_at), stamp(started),
                 stamp(stopped), ' '.join(kinds), run.state, *_states(run)])


def _states(result):
    return states((entered.state, entered.at) for entered in result.states)


def workloads(run):
    """Return the lines of a run for workloads.csv, one for each operation of each stage."""
    return ''.join(
        line([f'{run.id}-{name(stage.stage.id)}-{count}', name(op_name(op.operation)),
              op.successes, op.bytes, work.workers, *_times(op, work), *_rates(figures(op)),
              text(f'{op.operation.ratio}% {op.operation.config}')])
        for stage in run.stages for count, (work, op) in enumerate(_ops(stage), 1))


def overall(run):
    """Return the text of w<id>-<name>.csv: the figures of each operation of each stage of a run."""
    return OVERALL + ''.join(row for stage in run.stages for row in _overall(stage))


def _overall(stage):
    ended = [stage.state, *_states(stage)]
    for work, op in _ops(stage):
        yield line([name(stage.stage.id), name(op_name(op.operation)), op.operation.type,
                    op.successes, op.bytes, *_times(op, work), *_rates(figures(op)), *ended])
    if not any(_ops(stage)):
        yield line([name(stage.stage.name), *MISSING, *ended])


def _ops(stage):
    return ((result.work, op) for result in stage.works for op in result.ops)


def _times(op, work):
    summed = figures(op, percentiles=work.histogram)
    return [*_means(summed), *(NO_VALUE if edge is None else edge for edge in summed.percentiles)]


def _means(summed):
    return [number(seconds * 1000 if seconds else None)  # COSBench writes 0 as N/A, too
            for seconds in (summed.response_time, summed.processing_time)]


def _rates(summed):
    return [number(summed.throughput), number(summed.bandwidth), percent(summed.success_ratio)]


def timeline(stage):
    """Return the text of s<k>-<stage>.csv, a line for each interval; '' without intervals.

    Each figure has a column for each operation of all works of the stage. The three version columns
    hold the number of the line, as COSBench's drivers number their snapshots.
    """
    names = [name(op_name(operation)) for _work, operation in operations_of(stage.stage)]
    if not (names and stage.timeline):
        return ''
    blanks = [''] * (len(names) - 1)
    return (line(['Timestamp', *(cell for title in TIMELINE for cell in (title, *blanks)),
                  'Version-Info', '', ''])
            + line(['', *(names * len(TIMELINE)), 'Min-Version', 'Version', 'Max-Version'])
            + ''.join(_tick(tick, count) for count, tick in enumerate(stage.timeline)))


def _tick(tick, count):
    rows = [[summed.successes, summed.bytes, *_means(summed), *_rates(summed)]
            for summed in (figures_of_tick(op, tick.seconds) for op in tick.ops)]
    return line([tick.at.strftime('%H:%M:%S'),
                 *(cell for column in zip(*rows, strict=True) for cell in column), *[count] * 3])


def histogram(run):
    """Return the text of w<id>-<name>-rt-histogram.csv, the histogram of response times of a run.

    As in COSBench it holds only operations whose name is their type: no prepare, whose type here is
    write, and no read that the workload file names 1-read.
    """
    return ''.join(buckets.table([
        (f'{name(stage.stage.id)}-w{result.index}-{name(result.work.name)}-{op_name(op.operation)}',
         op.buckets if result.work.histogram else None)
        for stage in run.stages for result in stage.works for op in result.ops
        if op_name(op.operation) == op.operation.sample_type]))


def log(run):
    """Return the text of workload.log: the run's log lines, then its failures by reason."""
    return ''.join(f'{words}\n' for words in (*run.log, *_failures(run)))


def _failures(run):
    for stage in run.stages:
        for result in stage.works:
            for op in result.ops:
                where = f'{stage.stage.id}-w{result.index}-{result.work.name}-'
                for reason, times in op.reasons.most_common():
                    code = re.search(r'\b[1-5]\d\d\b', reason)
                    yield (f'error code: {code[0] if code else NO_VALUE} occurred {times} times, '
                           f'fail to operate: {where}{op_name(op.operation)}: {reason}')
