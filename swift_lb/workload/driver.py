"""A driver: one process with one event loop, which runs its share of the workers of each stage."""
import asyncio
import contextlib
import random
import resource
from itertools import repeat
from typing import NamedTuple

import uvloop

from swift_lb.clock import monotonic
from swift_lb.errors import SwiftLBError
from swift_lb.wire.cosbench.model import Work
from swift_lb.workload.failure import OperationError
from swift_lb.workload.limits import idle, left, limits, open_loop
from swift_lb.workload.operators import SPECIALS, counters_of
from swift_lb.workload.tally import WorkTally
from swift_lb.workload.worker import Worker, missed

DRAIN = 1.0   # seconds that requests may take to finish after the end of a work
# In a virtual machine, the clock of another processor may be 10 us late, and an operation that
# begins before the window is not counted.
CLOCK_SKEW = 0.0005   # seconds
AGAIN = 0.1   # seconds after which a task that has not ended is cancelled again


class Done(NamedTuple):
    """The results that a driver sends at the end of a stage; lists have one item for each work."""

    at: float       # instant
    progress: list
    counts: list
    faults: list
    ended: list     # the instant at which each work ended


class Share(NamedTuple):
    """The workers of one work that one driver runs."""

    work: Work
    indexes: tuple       # of its workers, counted from 1
    driver: int          # the index of this driver among those that take part, from 0
    drivers: int
    endpoints: tuple     # see worker.storage_url
    seed: str

    @property
    def seats(self):
        """Return a tuple of the indexes of this driver's workers that have operations to do."""
        return tuple(index for index in self.indexes if not idle(self.work, index))


def main(pipe):
    """Run a driver process: carry out commands that arrive through `pipe`, until it is closed."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # a socket or two for each worker
    with contextlib.suppress(EOFError, OSError):
        uvloop.run(_serve(pipe))


async def _serve(pipe):
    orders, stage, task = asyncio.Queue(), None, None
    asyncio.get_running_loop().add_reader(pipe.fileno(), _receive, pipe, orders)
    while True:
        kind, content = await orders.get()
        if kind == 'stage':
            stage = _Stage(content, pipe)
            task = asyncio.create_task(stage.run())
        elif kind == 'start':
            stage.begin(content)
        elif task is not None:  # `stop` or `end`
            task.cancel()
            await asyncio.wait({task})
        if kind == 'end':
            return


def _receive(pipe, orders):
    try:
        orders.put_nowait(pipe.recv())
    except (EOFError, OSError):  # the controller has ended
        asyncio.get_running_loop().remove_reader(pipe.fileno())
        orders.put_nowait(('end', None))


class _Stage:
    """A driver's part of one stage: log in, wait for the start, work, send the counts."""

    def __init__(self, shares, pipe):
        self._start = asyncio.get_running_loop().create_future()
        self._shares, self._pipe, self._tallies, self._faults = shares, pipe, [], []
        self._ended = []   # the instants at which the works ended
        sessions = {}
        self._workers = [[Worker(share, index, slot, random.Random(f'{share.seed} {index}'),
                                 sessions)
                          for slot, index in enumerate(share.seats)] for share in shares]

    def begin(self, at):
        """Let the workers start at the instant `at`, unless the stage has been stopped."""
        if not self._start.done():
            self._start.set_result(at)

    async def run(self):
        """Log in, work and send the counts; if the stage is stopped, send the counts so far."""
        try:
            await self._each(lambda worker: worker.login())
            self._send('ready', self._faults)
            await self._work(await self._start)
        except asyncio.CancelledError:
            pass  # the counts so far are still sent
        except Exception as err:  # not from a worker: those are kept where the worker ends
            self._note(err)
        finally:
            for worker in self._all():
                worker.close()
            self._send('done', Done(monotonic(), self._progress(),
                                    [tally.counts() for tally in self._tallies], self._faults,
                                    self._ended))

    def _send(self, kind, content):
        with contextlib.suppress(OSError):  # the controller has ended; `_receive` notices it
            self._pipe.send((kind, content))

    def _all(self):
        return [worker for workers in self._workers for worker in workers]

    def _progress(self):
        return [tally.progress() for tally in self._tallies]

    async def _each(self, do):
        tasks = [asyncio.ensure_future(do(worker)) for worker in self._all()]
        await self._end(tasks, None)

    async def _end(self, tasks, seconds):
        """Wait until `tasks` end, for at most `seconds`; cancel the rest, and note exceptions.

        A task is cancelled again until it ends: until Python 3.12, asyncio.wait_for loses a
        cancellation that arrives just as it returns, which happens where every request opens a
        connection.
        """
        if not tasks:
            return
        try:
            await asyncio.wait(tasks, timeout=seconds)
        finally:
            going = tasks
            while going := [task for task in going if not task.done()]:
                for task in going:
                    task.cancel()
                await asyncio.wait(going, timeout=AGAIN)
            for ended in await asyncio.gather(*tasks, return_exceptions=True):
                self._note(ended)

    def _note(self, ended):
        if not isinstance(ended, Exception):  # CancelledError is a BaseException
            return
        expected = isinstance(ended, OperationError | SwiftLBError)
        fault = str(ended) if expected else f'{type(ended).__name__}: {ended}'
        if fault not in self._faults:  # once, even if 700 workers cannot log in
            self._faults.append(fault)

    async def _work(self, start):
        bounds = [limits(share.work, start) for share in self._shares]
        self._ended = [start] * len(bounds)
        self._tallies = [
            WorkTally(len(share.work.operations), len(share.seats), bound.begin, bound.end)
            for share, bound in zip(self._shares, bounds, strict=True)]
        await asyncio.sleep(max(0.0, start + CLOCK_SKEW - monotonic()))
        ticking = asyncio.create_task(self._tick(start))
        try:
            await asyncio.gather(*(
                self._work_on(number, *all_of_one, start) for number, all_of_one in
                enumerate(zip(self._shares, self._workers, self._tallies, bounds, strict=True))))
        finally:
            ticking.cancel()

    async def _work_on(self, number, share, workers, tally, bound, start):
        counters = counters_of(share.driver, share.drivers)
        pace = (open_loop(share.work.rate, start, share.driver, share.drivers)
                if share.work.rate else repeat(None))     # as soon as a worker is free
        if share.work.type in SPECIALS:
            tasks = [asyncio.ensure_future(worker.special(tally, counters)) for worker in workers]
        else:
            tasks = [asyncio.ensure_future(worker.normal(tally, pace, counters, bound))
                     for worker in workers if share.work.operations]
        reached = False   # whether the totals were reached before the runtime was over
        try:
            await self._end(tasks,
                            bound.until + DRAIN - start if bound.until < float('inf') else None)
            reached = monotonic() < bound.until
        finally:
            self._ended[number] = ended = monotonic()
            if share.work.rate and workers and not reached:
                missed(share.work, tally, left(pace, share.work.rate / share.drivers, bound.begin,
                                               min(bound.end, ended)), bound.begin)

    async def _tick(self, start):
        """Send the progress of all works to the controller once in each interval after `start`."""
        interval, number = min(share.work.interval for share in self._shares), 0
        while True:
            number += 1
            await asyncio.sleep(max(0.0, start + number * interval - monotonic()))
            self._send('tick', (monotonic(), self._progress()))
