"""Tasks are cancelled until they end."""
import asyncio

from swift_lb.service.image import ending


def test_a_task_that_loses_a_cancellation_is_cancelled_again(monkeypatch):
    monkeypatch.setattr(ending, 'AGAIN', 0.01)
    lost = []

    async def lose():
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            lost.append(True)
        await asyncio.sleep(3600)

    async def use():
        tasks = [asyncio.create_task(lose()), asyncio.create_task(asyncio.sleep(0))]
        await asyncio.sleep(0)
        await ending.end_tasks(tasks)
        assert all(task.done() for task in tasks)
    asyncio.run(use())
    assert lost == [True]
