"""Drivers that are stopped, or whose controller has ended."""
import asyncio
import contextlib

import pytest

from swift_lb.workload.driver import _Stage


class Pipe:
    """Keeps what is sent; raises BrokenPipeError if `broken`."""

    def __init__(self, broken=False):
        self._broken, self.sent = broken, []

    def send(self, message):
        if self._broken:
            raise BrokenPipeError
        self.sent.append(message)


def test_missed_cancellation_is_repeated():
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
def test_stop_before_start_prevents_the_start(broken):
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
