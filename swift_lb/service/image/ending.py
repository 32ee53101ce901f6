"""Ends tasks of the daemon."""
import asyncio

AGAIN = 0.1     # seconds


async def end_tasks(tasks):
    """Cancel tasks until all have ended.

    Once is not enough: wait_for() of Python 3.11 loses a cancellation that comes with its result.
    """
    while tasks := [task for task in tasks if not task.done()]:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=AGAIN)
