"""Workers that are forked by the test: one that hangs, one that speaks nonsense."""
import asyncio
import os
import signal

import pytest
from support.jpeg2000 import encoded, noise
from support.lb_image import run_question

from swift_lb.chains.chain import Task
from swift_lb.service.image import crew
from swift_lb.service.image.crew import CRASH, GARBLED, HUNG, Crew, WorkerEndedError, WorkerProcess
from swift_lb.service.image.options import ImageServiceOptions
from swift_lb.wire.image_job import pack

OPTIONS = ImageServiceOptions()
QUESTION = run_question(Task(), form='raw')


def test_a_worker_that_hangs_is_ended(monkeypatch):
    monkeypatch.setattr(crew, 'GRACE', 0.01)

    async def use():
        worker = await WorkerProcess.fork(OPTIONS)
        os.kill(worker.pid, signal.SIGSTOP)
        with pytest.raises(WorkerEndedError, match=HUNG):
            await worker.ask(QUESTION, b'', 0)
        assert not os.path.exists(f'/proc/{worker.pid}')
    asyncio.run(use())


@pytest.mark.parametrize(('said', 'why'), [
    (b'\xff' * 99, GARBLED), (b'\0\0\0\3\0\0\0\0[1]', GARBLED), (pack({'fault': 'x'}), CRASH)])
def test_a_worker_whose_answer_is_none_is_ended(monkeypatch, said, why):
    def speak(end, _parent, _options):
        end.sendall(pack({'ready': True}) + said)
        signal.pause()
    monkeypatch.setattr(crew, 'work', speak)

    async def use():
        worker = await WorkerProcess.fork(OPTIONS)
        with pytest.raises(WorkerEndedError, match=why):
            await worker.ask(QUESTION, b'', 20)
        assert not os.path.exists(f'/proc/{worker.pid}')
    asyncio.run(use())


def test_a_worker_may_be_ended_by_two_tasks():
    async def use():
        worker = await WorkerProcess.fork(OPTIONS)
        assert [signal.SIGKILL] * 2 == await asyncio.gather(worker.end(), worker.end())
    asyncio.run(use())


def test_a_worker_that_fails_at_its_start_is_told(monkeypatch):
    monkeypatch.setattr('swift_lb.service.image.worker.used_memory', lambda: 1 // 0)
    with pytest.raises(OSError, match='it has ended: ZeroDivisionError'):
        asyncio.run(WorkerProcess.fork(OPTIONS))


def test_a_worker_that_can_not_be_forked_is_forked_later(monkeypatch):
    monkeypatch.setattr(crew, 'FORKING', 0.01)
    warnings, image = [], encoded(noise('L', 8, 8))

    async def use():
        workers = Crew(OPTIONS, 1, warnings.append)
        await workers.start()
        fork = os.fork
        monkeypatch.setattr(os, 'fork', lambda: os.open('/nowhere', 0))
        workers.replace(await workers.take(), CRASH)
        while len(warnings) < 3:
            await asyncio.sleep(0.01)
        monkeypatch.setattr(os, 'fork', fork)
        worker = await workers.take()
        answer, body = await worker.ask(QUESTION, image, 20)
        assert answer['ok']
        assert body.startswith(b'P5\n8 8\n255\n')
        await workers.end()
    asyncio.run(use())
    assert warnings[:2] == ['a worker is replaced: it has ended',
                            'a worker can not be started: No such file or directory']
