"""Sentences of the report: how a run ended and why, and what its figures mean."""
from swift_lb.drawing.numbers import plural

LOOKS = {'finished': 'good', 'completed': 'good', 'failed': 'bad', 'terminated': 'stopped',
         'aborted': 'stopped'}
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
NOTABLE = 0.01         # fraction of unfinished operations from which a sentence mentions them
CLOSED = (
    'Closed loop: a worker begins its next operation when the last one has been answered. While '
    'the storage stalls, next to nothing is asked of it, so a stall shows in few of the response '
    'times: the percentiles are of the operations sent, and lower than what clients would see that '
    'do not wait for each other (coordinated omission). The attribute rate of a work makes it an '
    'open loop.')
OPEN = (
    'Open loop (work.rate): operations are due by the clock, however fast the storage answers. The '
    'response time of one that is due while all workers are busy counts from when it was due, so '
    'stalls are seen, but for what had not ended when the window did (unfinished).')


def verdict(run, stages):
    """Return (sentence, faults) about the end of a RunResult; `stages` are its StageResults."""
    faults = [f'{stage.stage.id or stage.stage.name}: {fault}'
              for stage in stages for fault in stage.faults]
    return _sentence(run.state, stages), faults


def _sentence(state, stages):
    failed, stopped, missing = (sum(stage.state in states for stage in stages) for states in (
        {'failed'}, {'terminated'}, {'aborted', 'waiting'}))
    if state == 'finished':
        return f'The workload came to its end: {plural(len(stages), "stage")}, all completed.'
    if state == 'failed':
        return (f'The workload came to its end, but {failed} of {plural(len(stages), "stage")} '
                'failed.')
    if state == 'terminated':
        return (f'The workload was terminated before its end: {len(stages) - missing - stopped} of '
                f'{plural(len(stages), "stage")} had ended by then, {missing} did not run.')
    return f'The workload has not ended: it is {state}.'


def loops(stages):
    """Return the sentences about coordinated omission that apply to these StageResults.

    Each names its works if the stages have both closed and open loops.
    """
    normal = [work for stage in stages for work in stage.stage.works if work.type == 'normal']
    kinds = ((CLOSED, [work.name for work in normal if work.rate is None]),
             (OPEN, [work.name for work in normal if work.rate is not None]))
    both = all(names for _text, names in kinds)
    return [f'{text} This holds for: {", ".join(sorted(set(names)))}.' if both else text
            for text, names in kinds if names]
