"""A small run in real tallies: two workers that read and write for ten seconds."""
from datetime import datetime, timedelta

from swift_lb.wire.cosbench.model import Operation, Work, Workload, Workstage
from swift_lb.workload.result import Entered, Progress, RunResult, StageResult, Tick
from swift_lb.workload.tally import WorkTally, merge

AT = datetime(2026, 11, 21, 2, 12, 6)
CONFIG = 'cprefix=c;containers=u(1,2);objects=u(1,9);sizes=c(4)KB'


def states(*names, at=AT):
    """Return [Entered] for the states `names`, a second apart, from the instant `at`."""
    return [Entered(name, at + timedelta(seconds=number), float(number))
            for number, name in enumerate(names)]


def main_stage():
    """Return the StageResult s2-main: work main, 3 reads and 1 write in 10 s, and bulk, failing.

    Reads of worker 0: 5 ms at 100 s, 15 ms until 104 s; of worker 1: 25 ms until 102.5 s.
    """
    read, write = Operation('read', 80, name='read', config=CONFIG), Operation(
        'write', 20, name='write', config=CONFIG)
    bulk = Operation('read', 100, name='1-read', config=CONFIG)
    works = (Work('main', workers=2, runtime=10, operations=(read, write), rate=None),
             Work('bulk', workers=1, runtime=10, operations=(bulk,), rate=40.0, histogram=False))
    tally = WorkTally(2, 2, 100.0, 110.0)
    tally.success(0, 0, 100.0, 100.005, 0.001, 4000)
    tally.success(0, 0, 103.985, 104.0, 0.001, 4000)     # worker 0: 4 s, 2 reads
    tally.success(0, 1, 102.475, 102.5, 0.001, 4000)     # worker 1 to 104.975: 2.5 s, 1 read
    tally.success(1, 1, 104.0, 104.975, 0.5, 8000)       # and 1 write
    tally.failure(1, 0, 101.0, 102.0, 'HTTP 503')
    other = WorkTally(1, 1, 100.0, 110.0)
    other.failure(0, 0, 101.0, 102.0, 'connection reset')
    other.failure(0, 0, 102.0, 103.0, 'connection reset')
    stage = Workstage('main', works=works, id='s2-main')
    result = StageResult(stage, states('waiting', 'running', 'failed'), works=[
        merge(works[0], 1, [tally.counts()]), merge(works[1], 2, [other.counts()])])
    for work in result.works:
        work.window = 10.0
    result.timeline = [
        Tick(AT + timedelta(seconds=5), 5.0, [
            Progress(3, 0, 12000, 0.045, 0.003), Progress(1, 1, 8000, 0.975, 0.5), Progress(0, 2)]),
        Tick(AT + timedelta(seconds=10), 4.0, [Progress(), Progress(1, 0, 0, 0.00001, 0.0),
                                               Progress()])]
    return result


def prepare_stage():
    """Return the StageResult s1-prepare: 2 objects of 1,000 bytes, put in 10 ms each."""
    operation = Operation('prepare', name='prepare', config=CONFIG)
    work = Work('prepare', 'prepare', afr=0, operations=(operation,))
    tally = WorkTally(1, 1, 50.0, float('inf'))
    tally.success(0, 0, 50.0, 50.010, 0.002, 1000)
    tally.success(0, 0, 50.010, 50.020, 0.002, 1000)
    stage = Workstage('prepare', works=(work,), id='s1-prepare')
    result = merge(work, 1, [tally.counts()])
    result.window = 0.02
    return StageResult(stage, states('waiting', 'running', 'completed'), works=[result])


def aborted_stage():
    """Return the StageResult of s3-cleanup, a stage that never ran."""
    work = Work('cleanup', 'cleanup', operations=(Operation('cleanup', name='cleanup'),))
    return StageResult(Workstage('cleanup', works=(work,), id='s3-cleanup'),
                       states('waiting', 'aborted'))


def counted_run(name='demo', run_id='w7'):
    stages = [prepare_stage(), main_stage(), aborted_stage()]
    return RunResult(
        Workload(name, 'worked by hand', stages=tuple(stage.stage for stage in stages)), run_id,
        AT, states('queuing', 'processing', 'failed'), stages, ['first line', 'second line'], 2,
        'swift-lb bench run demo.xml', {'swift-lb': '0.1.0'})
