"""Jobs on real workers, of which some end, or have memory in use, for no fault of the image."""
import asyncio
import os
import signal

import pytest
from support.jpeg2000 import encoded, noise
from support.lb_image import run_question

from swift_lb.chains.chain import Task
from swift_lb.clock import monotonic
from swift_lb.errors import ChainError
from swift_lb.image_codec import ImageCodec
from swift_lb.service.image import crew
from swift_lb.service.image.crew import Crew
from swift_lb.service.image.jobs import Jobs
from swift_lb.service.image.options import ImageServiceOptions
from swift_lb.wire.image_job import job_of

IMAGE, QUESTION = encoded(noise('L', 8, 8)), run_question(Task(), form='raw')
MiB = 1 << 20


def answers(turns=1, seconds=20):
    """Return the results of as many jobs, one after the other, and the document of the Jobs."""
    async def run():
        options = ImageServiceOptions(memory=64 * MiB, seconds=seconds)
        workers = Crew(options, 1, lambda sentence: None)
        await workers.start()
        jobs, found = Jobs(options, workers, monotonic), []
        try:
            for _turn in range(turns):
                found.append(await jobs.run(job_of(QUESTION), QUESTION, IMAGE, lambda: True))
        except ChainError as err:
            found.append((str(err), err.status))
        finally:
            await workers.end()
        return found, jobs.document()
    return asyncio.run(run())


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Let a job wait for a processor for as long as a busy machine takes."""
    monkeypatch.setattr(crew, 'GRACE', 600.0)


@pytest.fixture
def before(monkeypatch):
    """Return a function that has the workers call `action` before they decode."""
    def have(action):
        pixels = ImageCodec.pixels

        def changed(*args):
            action()
            return pixels(*args)
        monkeypatch.setattr(ImageCodec, 'pixels', changed)
    return have


def once(path, action):
    """Return a function that calls `action` if it is the first one to create a file."""
    def call():
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        action()
    return call


def end():
    """Kill this process."""
    os.kill(os.getpid(), signal.SIGKILL)


def fail():
    """Raise what a worker does not expect."""
    raise OSError('encoder error -9')


@pytest.mark.parametrize('action', [end, fail])
def test_a_job_whose_worker_ends_is_done_by_another_one(before, tmp_path, action):
    before(once(tmp_path / 'ended', action))
    [(answer, body)], document = answers()
    assert answer['ok']
    assert body.startswith(b'P5\n8 8\n255\n')
    assert (document['replaced'], document['done'], document['failed']) == ({'crash': 1}, 1, 0)


def test_a_job_with_which_two_workers_end_is_refused(before):
    before(end)
    found, document = answers()
    assert found == [('the decoder failed on the image', '422 Unprocessable Entity')]
    assert (document['replaced'], document['running'], document['failed']) == ({'crash': 2}, 0, 1)


def test_a_job_whose_worker_gets_no_processor_time_is_not_for_the_image_to_answer(
        before, monkeypatch):
    monkeypatch.setattr(crew, 'GRACE', 0.01)
    before(lambda: os.kill(os.getpid(), signal.SIGSTOP))
    found, document = answers(seconds=0)
    assert found == [('the decoder has not answered in time', '503 Service Unavailable')]
    assert document['replaced'] == {'hung': 1}


def test_a_job_has_all_its_memory_whatever_others_have_left_in_use(before):
    left = []

    def use():
        bytearray(40 * MiB)
        left.append(bytearray(25 * MiB))
    before(use)
    found, document = answers(turns=2)
    assert all(answer['ok'] for answer, _body in found)
    assert document['replaced'] == {'grown': 1}     # after the second: it has left 50 of 64 MiB


def test_a_job_has_all_its_processor_time_whatever_others_have_used(before):
    def use():
        while signal.getitimer(signal.ITIMER_PROF)[0] > 0.6:
            pass
    before(use)
    found, document = answers(turns=3, seconds=1)       # 1.2 s in all
    assert all(answer['ok'] for answer, _body in found)
    assert document['replaced'] == {}


def test_a_job_that_takes_too_much_processor_time_is_refused(before):
    def use():
        while True:
            pass
    before(use)
    found, document = answers(seconds=1)
    assert found == [('the image takes more than 1 s to decode', '422 Unprocessable Entity')]
    assert document['replaced'] == {'cpu': 1}
