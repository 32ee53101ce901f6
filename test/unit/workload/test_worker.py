"""One worker on a storage that responds at once; drivers that are stopped."""
import asyncio
import contextlib
import random
from itertools import repeat
from math import inf

import pytest

from swift_lb.wire.cosbench.model import Operation, Target, Work
from swift_lb.wire.cosbench.selectors import numbers
from swift_lb.workload import worker as workers
from swift_lb.workload.driver import Share, _Stage
from swift_lb.workload.failure import OperationError
from swift_lb.workload.limits import limits
from swift_lb.workload.operators import counters_of
from swift_lb.workload.tally import WorkTally, merge
from swift_lb.workload.worker import Worker

ONE = numbers('c(1)')
READ = Operation('read', target=Target(containers=ONE, objects=ONE))
FAILS = OperationError('connection refused')


class Storage:
    """Answers each read with the next of `answers`, sizes or errors, `seconds` later."""

    def __init__(self, time, answers, seconds):
        self._time, self._answers, self._seconds = time, iter(answers), seconds

    async def read(self, _path):
        self._time.now += self._seconds
        answer = next(self._answers)
        if isinstance(answer, OperationError):
            raise answer
        return answer, 0.0

    def take_resent(self):
        return 0


class Time:
    now = 100.0


@pytest.fixture
def work_on(monkeypatch):
    """Return a function that lets a Worker do a Work on a Storage and returns its OpResult."""
    def doing(work, answers, seconds):
        time = Time()
        monkeypatch.setattr(workers, 'monotonic', lambda: time.now)
        worker = Worker(Share(work, (1,), 0, 1, (), ''), 1, 0, random.Random(1), {})
        worker.storage = Storage(time, answers, seconds)
        tally, begin = WorkTally(1, 1, 0.0, inf), limits(work, time.now)
        asyncio.run(worker.normal(tally, repeat(None), counters_of(0, 1), begin))
        return merge(work, 1, [tally.counts()]).ops[0]
    return doing


@pytest.mark.parametrize(('answers', 'seconds', 'successes', 'failures'), [
    ([FAILS] * 9999, 0.01, 0, 6000),                           # refused for a minute
    ([FAILS] * 9999, 30.0, 0, 10),                             # timeouts: ten of them
    ([7] + [FAILS] * 9999, 6.0, 1, 10),                        # counted from the last byte
    ([7, *[FAILS] * 900] * 3 + [FAILS] * 9999, 0.05, 3, 3000),
    ([0] * 9999, 1.0, 60, 0),                                  # nothing but empty objects
    ([7, *[FAILS] * 9] * 4 + [1000], 30.0, 5, 36)])            # slow to come, but it comes
def test_a_worker_with_totalbytes_ends_if_no_bytes_arrive(
        work_on, answers, seconds, successes, failures):
    op = work_on(Work('w', total_bytes=1000, operations=(READ,)), answers, seconds)
    assert (op.successes, op.failures) == (successes, pytest.approx(failures, abs=1))


def test_failed_operations_count_towards_totalops(work_on):
    op = work_on(Work('w', total_ops=500, total_bytes=10, operations=(READ,)), [FAILS] * 500, 30.0)
    assert op.failures == 500


class Pipe:
    """A pipe that keeps all messages in `sent`, or raises BrokenPipeError if `broken`."""

    def __init__(self, broken=False):
        self._broken, self.sent = broken, []

    def send(self, message):
        if self._broken:
            raise BrokenPipeError
        self.sent.append(message)


def test_a_task_that_ignores_its_cancellation_is_cancelled_again():
    async def deaf():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        await asyncio.sleep(60)

    async def ending():
        task = asyncio.ensure_future(deaf())
        await asyncio.wait_for(_Stage([], Pipe())._end([task], 0.01), 60)
        return task
    assert asyncio.run(ending()).cancelled()


@pytest.mark.parametrize('broken', [False, True])
def test_a_stage_stopped_before_its_start_does_no_work(broken):
    pipe = Pipe(broken)

    async def stopping():
        stage = _Stage([], pipe)
        task = asyncio.ensure_future(stage.run())
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait({task})
        stage.begin(1.0)
        return task.exception()
    assert asyncio.run(stopping()) is None
    assert [kind for kind, _told in pipe.sent] == ([] if broken else ['ready', 'done'])
