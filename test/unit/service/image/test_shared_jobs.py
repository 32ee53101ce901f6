"""Jobs with the same key run once, and all that wait get the result, or the error."""
import asyncio
from types import SimpleNamespace

import pytest

from swift_lb.errors import ChainError
from swift_lb.service.image.shared_jobs import SharedJobs

KEYED, OTHER, UNKEYED = (SimpleNamespace(key=key) for key in ('a', 'b', None))


class HeldJobs:
    """Jobs that end when `open` is set: the result is the number of the job, or an error."""

    def __init__(self):
        self.wanted, self.open, self.fails = [], None, False

    async def run(self, _job, _question, _cut, is_wanted):
        self.wanted.append(is_wanted)
        number = len(self.wanted)
        await self.open.wait()
        if self.fails:
            raise ChainError('it cannot be decoded')
        return {'ok': True}, number

    def document(self):
        return {'done': 0}


def run(held, shared, jobs, meanwhile=lambda tasks: None):
    """Return the results, or errors, of jobs that are given to SharedJobs together.

    `meanwhile` is called with their tasks while they run.
    """
    async def ran():
        held.open = asyncio.Event()
        tasks = [asyncio.create_task(shared.run(job, {}, b'', lambda job=job: job is KEYED))
                 for job in jobs]
        while len(held.wanted) < len({job.key or id(job) for job in jobs}):
            await asyncio.sleep(0)
        meanwhile(tasks)
        held.open.set()
        return await asyncio.gather(*tasks, return_exceptions=True)
    return asyncio.run(ran())


@pytest.fixture
def held():
    return HeldJobs()


@pytest.fixture
def shared(held):
    """Return the SharedJobs of `held`."""
    return SharedJobs(held)


def test_jobs_with_the_same_key_run_once(held, shared):
    results = [number for _answer, number in run(held, shared, [KEYED, OTHER, KEYED, KEYED])]
    assert [1, 2, 1, 1] == results
    assert {'done': 0, 'joined': 2} == shared.document()
    assert [5] == [number for _answer, number in run(
        held, shared, [UNKEYED, UNKEYED, KEYED])][2:]       # it has ended: it runs once more


def test_each_gets_the_error(held, shared):
    held.fails = True
    assert ['it cannot be decoded'] * 2 == [str(error) for error in run(
        held, shared, [KEYED, KEYED])]
    assert not shared._running


def test_a_job_that_is_cancelled_takes_the_result_from_no_other(held, shared):
    gone, got = run(held, shared, [KEYED, KEYED], lambda tasks: tasks[0].cancel())
    assert isinstance(gone, asyncio.CancelledError)
    assert got == ({'ok': True}, 1)


def test_no_job_waits_for_one_that_was_given_up():
    async def ran():
        late = asyncio.Event()

        class Jobs:
            async def run(self, _job, _question, _cut, is_wanted):
                if not is_wanted():
                    late.set()      # its task goes on before the callbacks of this one
                    raise ChainError('the client has gone')
                return {'ok': True}, 2
        shared = SharedJobs(Jobs())

        async def come():
            await late.wait()
            return await shared.run(KEYED, {}, b'', lambda: True)
        return await asyncio.gather(come(), shared.run(KEYED, {}, b'', lambda: False),
                                    return_exceptions=True)
    assert asyncio.run(ran())[0] == ({'ok': True}, 2)


def test_a_job_is_wanted_as_long_as_a_request_waits(held, shared):
    run(held, shared, [KEYED, SimpleNamespace(key=KEYED.key)])
    run(held, shared, [OTHER])
    assert [True, False] == [wanted() for wanted in held.wanted]


def test_jobs_are_cancelled_at_the_end(held, shared):
    results = run(held, shared, [KEYED, KEYED, OTHER],
                  lambda _tasks: asyncio.ensure_future(shared.end()))
    assert [asyncio.CancelledError] * 3 == [type(one) for one in results]
    assert not shared._running
