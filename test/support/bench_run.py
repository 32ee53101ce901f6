"""Complete RunResults, made up, as the controller returns them."""
import random
from collections import Counter
from datetime import datetime, timedelta

from hdrh.histogram import HdrHistogram

from swift_lb.wire.cosbench.model import (
    Operation,
    Selector,
    Target,
    Work,
    Workload,
    Workstage,
)
from swift_lb.workload.result import (
    Entered,
    OpResult,
    Progress,
    RunResult,
    StageResult,
    Tick,
    WorkResult,
)

START = datetime(2026, 11, 21, 2, 12, 6)
HOUR = 3_600_000_000  # microseconds


def op_result(operation, times, reasons=None, size=4096, window=10.0, often=1):
    """Return an OpResult: `often` successes of `size` bytes for each of `times`, in seconds."""
    histogram = HdrHistogram(1, HOUR, 3)
    for seconds in times:
        histogram.record_value(max(1, round(seconds * 1e6)), often)
    reasons = Counter(reasons or {})
    return OpResult(
        operation, successes=len(times) * often, failures=reasons.total(),
        bytes=len(times) * often * size, response_time=sum(times) * often,
        transfer_time=sum(times) * often / 10, throughput=len(times) * often / window,
        bandwidth=len(times) * often * size / window, histogram=histogram,
        buckets=Counter([int(seconds * 100) for seconds in times] * often), reasons=reasons)


def states(*names, begin=START, seconds=1.0):
    """Return [Entered] for the states `names`, `seconds` apart; the state `running:9` lasts 9 s."""
    entered, passed = [], 0.0
    for name in names:
        name, _colon, lasts = name.partition(':')
        entered.append(Entered(name, begin + timedelta(seconds=passed), 50.0 + passed))
        passed += float(lasts or seconds)
    return entered


def timeline(ops, seconds, interval=5.0, begin=START, rng=None):
    """Return [Tick], one each `interval` s: OpResults' counts spread evenly, or by `rng`."""
    ticks, many = [], max(1, round(seconds / interval))
    for tick in range(many):
        shares = [(1 / many) * (rng.uniform(0.8, 1.2) if rng else 1) for _ in ops]
        ticks.append(Tick(begin + timedelta(seconds=(tick + 1) * interval), interval, [
            Progress(round(op.successes * share), round(op.failures * share),
                     round(op.bytes * share), op.response_time * share * (
                         rng.uniform(0.8, 1.3) if rng else 1), op.transfer_time * share)
            for op, share in zip(ops, shares, strict=True)]))
    return ticks


def stage_result(number, name, works, window=10.0, state='completed', faults=(), rng=None,
                 interval=5.0):
    """Return the StageResult of `works`, [(Work, [OpResult]), ...], measured for `window` s."""
    first = works[0][0]
    stage = Workstage(name, works=tuple(work for work, _ops in works), id=f's{number}-{name}')
    whole = first.rampup + window + first.rampdown
    result = StageResult(stage, faults=list(faults), works=[
        WorkResult(work, index, ops, window) for index, (work, ops) in enumerate(works, 1)])
    result.states = states('waiting', 'booting', 'submitting', 'authing', 'launching',
                          f'running:{whole}', 'closing', state)
    result.timeline = timeline([op for _work, ops in works for op in ops], whole, interval,
                              rng=rng)
    return result


def not_run(number, name, state='aborted'):
    """Return the StageResult of a stage that never ran; `number` and `name` make its id."""
    work = Work(name, workers=4, runtime=10, operations=(Operation('read', name='read'),))
    return StageResult(Workstage(name, works=(work,), id=f's{number}-{name}'),
                       states=states('waiting', state))


def run_result(stages, state='finished', name='demo', **fields):
    workload = Workload(name, fields.pop('description', 'reads and writes of 4 KB'),
                        stages=tuple(one.stage for one in stages))
    return RunResult(
        workload, 'w7', START, states('queuing', 'processing:60', state), stages, processes=2,
        command='swift-lb bench run demo.xml',
        versions={'swift-lb': '0.1.0', 'python': '3.11.7'}, **fields)


def worked_by_hand(reasons=None):
    """Return the RunResult of a stage with ten reads of 10, 20 ... 100 ms and 4,000 B in 10 s."""
    read = Operation('read', name='read')
    work = Work('main', workers=2, runtime=10, operations=(read,))
    ops = [op_result(read, [number / 100 for number in range(1, 11)], reasons, size=4000)]
    return run_result([stage_result(1, 'main', [(work, ops)])])


def main_stage(number, name, workers, rng, window=300.0, size=4096):
    """Return the StageResult of 80 % reads and 20 % writes, with a long tail, in `window` s."""
    target = Target(sizes=Selector('constant', size, size))
    read, write = (Operation(type_, ratio, name=type_, target=target)
                   for type_, ratio in (('read', 80), ('write', 20)))
    done = Work('main', workers=workers, runtime=int(window), rampup=30, rampdown=15,
                operations=(read, write))
    slow = (1 + workers / 60) * (1 + size / 30000)
    many = round(min(workers, 64) * 10 / (1 + workers / 2000) / (1 + size / 50000))
    reads = [rng.lognormvariate(-5.5, 0.5) * slow * (20 if rng.random() < 0.01 else 1)
             for _ in range(many)]
    writes = [rng.lognormvariate(-4.6, 0.4) * slow for _ in range(many // 4)]
    return stage_result(number, name, [(done, [
        op_result(read, reads, {'HTTP 503': 120, 'connection reset by peer': 3}, size,
                  window=window, often=400),
        op_result(write, writes, None, size, window=window, often=400)])], window, rng=rng)


def special(number, kind, type_, seconds=20.0, workers=8):
    """Return the StageResult of an init, prepare, cleanup or dispose stage, the `kind`."""
    operation = Operation(type_, name=type_)
    work = Work(kind, kind, workers=workers, total_ops=workers, operations=(operation,))
    times = [] if kind in ('init', 'dispose') else [0.004 + number % 7 / 1000
                                                    for number in range(1000)]
    return stage_result(number, kind, [(work, [op_result(operation, times, window=seconds)])],
                        seconds)


def whole_run(seed=7):
    """Return a RunResult of all kinds of stages; `main` has ramps, failures and a long tail."""
    rng = random.Random(seed)
    return run_result([special(1, 'init', 'init'), special(2, 'prepare', 'prepare'),
                       main_stage(3, 'main', 64, rng),
                       special(4, 'cleanup', 'cleanup'), special(5, 'dispose', 'dispose')])


def sweep_run(seed=7, workers=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 700), sizes=(4096, 16384)):
    """Return a RunResult with a stage for each size, in bytes, and number of workers."""
    rng = random.Random(seed)
    stages = [special(1, 'init', 'init'), special(2, 'prepare', 'prepare')]
    for size in sizes:
        for many in workers:
            stages.append(main_stage(len(stages) + 1, f'{size // 1024}k-{many}', many, rng,
                                     size=size))
    stages.append(special(len(stages) + 1, 'cleanup', 'cleanup'))
    return run_result(stages, name='paper')


def terminated_run(seed=7):
    """Return the RunResult of a run that Ctrl-C stopped in the second of its three stages."""
    rng = random.Random(seed)
    cut = main_stage(2, 'main', 8, rng, window=42.0)
    cut.states[-1] = cut.states[-1]._replace(state='terminated')
    cut.faults = ['stopped by Ctrl-C after 42 s']
    return run_result([special(1, 'init', 'init'), cut, not_run(3, 'cleanup')], 'terminated')
