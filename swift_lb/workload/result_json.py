"""The JSON file of a run: all figures are in seconds and bytes, with units in their names."""
import json

from swift_lb.workload.figures import (
    figures,
    figures_of_tick,
    op_name,
    operations_of,
    percentiles,
    rate,
)

FORMAT = 1   # increased when a field changes its meaning
CLOSED = ('closed loop: response times are of requests sent; a worker that waits sends nothing '
          '(coordinated omission)')
OPEN = ('open loop: response times count from the instant the request was due; what was due and '
        'did not end in the window is in `unfinished` (no other coordinated omission)')


def result_json(run):
    """Return the text of result.json for a RunResult."""
    return json.dumps({
        'format': FORMAT,
        'id': run.id,
        'name': run.workload.name,
        'description': run.workload.description,
        'state': run.state,
        'states': _states(run.states),
        'submitted_at': run.submitted_at and run.submitted_at.isoformat(),
        'command': run.command,
        'versions': run.versions,
        'drivers': run.processes,
        'stages': [_stage(stage) for stage in run.stages],
    }, indent=1, allow_nan=False) + '\n'


def _states(history):
    return [{'state': entered.state, 'at': entered.at.isoformat()} for entered in history]


def _stage(stage):
    return {
        'id': stage.stage.id,
        'name': stage.stage.name,
        'state': stage.state,
        'states': _states(stage.states),
        'faults': stage.faults,
        'works': [_work(result) for result in stage.works],
        'timeline': [{'at': tick.at.isoformat(), 'seconds': tick.seconds, 'operations': [
            {'work': work.name, 'name': op_name(operation), **_progress(progress, tick.seconds)}
            for (work, operation), progress in zip(operations_of(stage.stage), tick.ops,
                                                   strict=False)]}
            for tick in stage.timeline],
    }


def _work(result):
    work = result.work
    return {
        'index': result.index,
        'name': work.name,
        'type': work.type,
        'workers': work.workers,
        'rate_per_second': work.rate,
        'coordinated_omission': CLOSED if work.rate is None else OPEN,
        'rampup_seconds': work.rampup,
        'runtime_seconds': work.runtime,
        'rampdown_seconds': work.rampdown,
        'acceptable_failures_per_million': work.afr,
        'window_seconds': result.window,
        'operations': [_op(op, result.window) for op in result.ops],
    }


def _op(op, window):
    summed, operation = figures(op), op.operation
    return {
        'name': op_name(operation),
        'type': operation.type,
        'counted_as': operation.sample_type,
        'ratio_percent': operation.ratio,
        'successes': op.successes,
        'failures': op.failures,
        'unfinished': op.unfinished,
        'resent': op.resent,
        'failures_by_reason': dict(op.reasons.most_common()),
        'success_ratio': summed.success_ratio if op.successes or not op.failures else 0.0,
        'bytes': op.bytes,
        'mean_response_seconds': summed.response_time,
        'mean_processing_seconds': summed.processing_time,
        'response_seconds': percentiles(op.histogram),
        'throughput_per_second': rate(op.successes, window),
        'bandwidth_bytes_per_second': rate(op.bytes, window),
        'cosbench_throughput_per_second': op.throughput,
        'cosbench_bandwidth_bytes_per_second': op.bandwidth,
        'histogram_microseconds': op.histogram.encode().decode(),
    }


def _progress(progress, seconds):
    summed = figures_of_tick(progress, seconds)
    return {
        'successes': progress.successes,
        'failures': progress.failures,
        'bytes': progress.bytes,
        'mean_response_seconds': summed.response_time,
        'throughput_per_second': summed.throughput,
        'bandwidth_bytes_per_second': summed.bandwidth,
    }
