"""The worker processes of swift-lb-image: forked from the daemon, and replaced when they end.

The daemon has imported Pillow and NumPy and decoded nothing. So a new worker is ready within
milliseconds, and has nothing of what the last one has decoded.
"""
import asyncio
import os
import signal
from collections import Counter

from swift_lb.errors import WireError
from swift_lb.service.image.sending import send
from swift_lb.service.image.worker import GROWN, MEMORY, pair, work
from swift_lb.wire.image_job import HEAD, lengths, message_of

GRACE = 5.0             # seconds of a job besides its processor time, at least
REAPING = 0.005         # seconds between two looks whether a killed process has disappeared
BUFFER = 1 << 20        # bytes that are read ahead from a worker
FORKING = 1.0           # seconds after a fork that failed
STARTING = 30.0         # seconds until a new worker is ready; it takes milliseconds
CPU, HUNG, CRASH, GARBLED = 'cpu', 'hung', 'crash', 'garbled'     # why a worker is replaced
SENTENCES = {CPU: 'an image took too much processor time', HUNG: 'it did not answer',
             MEMORY: 'an image took too much memory', CRASH: 'it has ended',
             GARBLED: 'its answer is no message'}


class WorkerEndedError(Exception):
    """A worker ended during a job."""

    def __init__(self, why, fault):
        """Take the reason, one of those above, and what is known besides, for the log."""
        self.why, self.fault = why, fault
        super().__init__(why)


class WorkerProcess:
    """A forked worker, as the daemon sees it."""

    def __init__(self, pid, reader, writer):
        self.pid, self._reader, self._writer = pid, reader, writer
        self._status = None     # of waitpid, when it has ended

    @classmethod
    async def fork(cls, options):
        """Return a new worker, which is ready; raises OSError if it can not start."""
        ours, theirs = pair()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            work(theirs, parent, options)
        theirs.close()
        worker = cls(pid, *await asyncio.open_unix_connection(sock=ours, limit=BUFFER))
        try:
            await worker._within(STARTING, worker._answer())
        except WorkerEndedError as err:
            raise OSError(f'it has ended: {err.fault}') from None
        return worker

    def has_ended(self):
        """Return whether the process has ended, while it had no job."""
        return self._reader.at_eof() or os.waitid(
            os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    async def ask(self, question, cut, seconds):
        """Return (answer, body) of a question, for which it has `seconds` of processor time.

        Raises WorkerEndedError, after which the process is no more.
        """
        return await self._within(2 * seconds + GRACE, self._exchange(question, cut))

    async def _exchange(self, question, cut):
        await send(self._writer, question, cut)
        return await self._answer()

    async def _answer(self):
        text, size = lengths(await self._reader.readexactly(HEAD.size))
        answer = message_of(await self._reader.readexactly(text))
        return answer, await self._reader.readexactly(size)

    async def _within(self, seconds, waiting):
        """Return (answer, body), which `waiting` returns in time; else end the process."""
        try:
            answer, body = await asyncio.wait_for(waiting, seconds)
            if 'fault' not in answer:
                return answer, body
            why, fault = CRASH, answer['fault']
        except asyncio.TimeoutError:
            why, fault = HUNG, 'it does not answer'
        except WireError as err:
            why, fault = GARBLED, str(err)
        except (OSError, asyncio.IncompleteReadError):
            why, fault = None, ''
        status = await self.end()
        if why is None:
            number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
            why, fault = CPU if number == signal.SIGPROF else CRASH, f'signal {number}'
        raise WorkerEndedError(why, fault)

    async def end(self):
        """Kill the process, if it has not ended; return its wait status."""
        self._writer.close()
        if not self._is_reaped():
            os.kill(self.pid, signal.SIGKILL)
        while not self._is_reaped():
            await asyncio.sleep(REAPING)
        return self._status

    def _is_reaped(self):
        """Return whether the process has ended, and was waited for; several tasks may ask."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = status if pid else None
        return self._status is not None


class Crew:
    """The workers of a daemon, of which `size` are there, busy or free, unless forks fail."""

    def __init__(self, options, size, warn):
        """Take ImageServiceOptions, the number of workers, and `warn(sentence)`, which logs."""
        self._options, self.size, self._warn = options, size, warn
        self._free, self._tasks, self._all = asyncio.Queue(), set(), set()
        self.replaced = Counter()       # why -> workers

    async def start(self):
        """Fork the workers; raises OSError if there is no room for them."""
        for _number in range(self.size):
            await self._fork()

    @property
    def free(self):
        """The number of workers without a job."""
        return self._free.qsize()

    async def take(self):
        """Wait for a free worker, first come, first served, and return it."""
        while True:
            worker = await self._free.get()
            if not worker.has_ended():
                return worker
            self.replace(worker, CRASH)

    def give_back(self, worker):
        """Let a worker have another job."""
        self._free.put_nowait(worker)

    def replace(self, worker, why, fault=''):
        """Have another worker for one that has ended, or is to end.

        `why` is the reason, and `fault` is what is known besides, for the log.
        """
        self.replaced[why] += 1
        if why != GROWN:
            self._warn(f'a worker is replaced: {SENTENCES[why]}{fault and f" ({fault})"}')
        self._all.discard(worker)
        task = asyncio.get_running_loop().create_task(self._replaced(worker))
        self._tasks.add(task)       # the loop itself keeps no reference
        task.add_done_callback(self._tasks.discard)

    async def _replaced(self, worker):
        await worker.end()
        while True:
            try:
                await self._fork()
                return
            except OSError as err:
                self._warn(f'a worker can not be started: {err.strerror or err}')
                await asyncio.sleep(FORKING)

    async def _fork(self):
        worker = await WorkerProcess.fork(self._options)
        self._all.add(worker)
        self._free.put_nowait(worker)

    async def end(self):
        """End all workers."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*(worker.end() for worker in self._all))
