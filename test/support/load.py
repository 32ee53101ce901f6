"""A process with clients of several proxies, closed or open loop, that records response times.

Closed loop: a client sends its next request after the response to the last one. By default each
client has one of the addresses, as after a lookup of a DNS name with all of them, and keeps its
connection, so a slow address gets fewer requests. With `turns` each request of any client goes to
the next address. A program of its own may subclass LoadClients to choose addresses in another way.

Open loop: requests start as a Poisson process, each at the next address, and response times count
from when a request was due, so a slow address gets no fewer requests.
"""
import asyncio
import itertools
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

if __name__ == '__main__':
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import uvloop

from swift_lb.clock import monotonic
from swift_lb.workload.connection import Connection
from swift_lb.workload.failure import BrokenError, reason_of

MAX_UNDER_WAY = 1000         # requests under way in an open loop: more are not sent
DRAIN = 5.0         # seconds to wait for the last responses
TIMEOUT = 60.0      # seconds without a byte
REFUSED, AGAIN = 503, b'retry-after'


class Load(NamedTuple):
    """The requests to send; exactly one of `clients` and `rate` is set."""

    addresses: list     # [ip, port]
    targets: list       # paths; each request takes one at random
    headers: dict
    seconds: float      # the time in which requests start
    method: str = 'GET'
    clients: int | None = None
    rate: float | None = None       # requests a second
    turns: bool = False             # see above; an open loop always does so
    seed: int = 1
    thinks: tuple = (0.0,)          # seconds each client waits before a request (closed loop)
    client_timeout: float | None = None     # seconds after which a client abandons a request


class LoadOutcome(NamedTuple):
    """The outcome of a Load; times are seconds since the start of the Load."""

    answers: list       # [due, ended] of each request with a 2xx response
    failures: list      # [due, ended] of the others; ended: when they failed
    reasons: dict       # {reason: failures}
    refused: list = ()  # the failures with a Retry-After header


def run(load, program=(__file__,)):
    """Run `load` in a new process, Python with the arguments `program`; return its LoadOutcome."""
    done = subprocess.run([sys.executable, *program], input=json.dumps(load), text=True, check=True,
                          stdout=subprocess.PIPE, timeout=load.seconds + DRAIN + 30)
    return LoadOutcome(*json.loads(done.stdout))


class LoadClients:
    """All clients of a Load, with the outcomes of their requests."""

    def __init__(self, load, loop):
        self._load, self._loop, self._rng = load, loop, random.Random(load.seed)
        self._heads = {(*address,): [head(load, target, address) for target in load.targets]
                       for address in load.addresses}
        self._idle = {address: [] for address in self._heads}
        self._addresses = list(self._heads)
        self._turns = itertools.cycle(self._addresses)
        self._begun = 0.0
        self.answers, self.failures, self.reasons, self.refused = [], [], Counter(), []

    async def run(self):
        """Send all requests, and wait for the last responses."""
        self._begun = monotonic()
        if self._load.clients:
            tasks = [asyncio.ensure_future(self._closed(number))
                     for number in range(self._load.clients)]
            await asyncio.sleep(self._load.seconds)
        else:
            tasks = await self._open()
        _done, late = await asyncio.wait(tasks, timeout=DRAIN)
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for idle in self._idle.values():
            for connection in idle:
                connection.abort()

    async def address(self, number):
        """Return the (ip, port) for the next request of client `number`, from 0 (closed loop).

        The response time of that request includes the time that this call takes.
        """
        if self._load.turns:
            return next(self._turns)
        return self._addresses[number % len(self._addresses)]

    async def _closed(self, number):
        until = self._begun + self._load.seconds
        think = self._load.thinks[number % len(self._load.thinks)]
        while monotonic() + think < until:
            if think:
                await asyncio.sleep(think)
            due = monotonic()
            await self._one(await self.address(number), due)

    async def _open(self):
        tasks, due = [], self._begun
        until = self._begun + self._load.seconds
        while (due := due + self._rng.expovariate(self._load.rate)) < until:
            if (early := due - monotonic()) > 0:
                await asyncio.sleep(early)
            address = next(self._turns)
            if len(tasks) >= MAX_UNDER_WAY:
                tasks = [task for task in tasks if not task.done()]
            if len(tasks) >= MAX_UNDER_WAY:
                self._failed(due, 'not sent: too many are under way')
            else:
                tasks.append(asyncio.ensure_future(self._one(address, due)))
        return tasks

    async def _one(self, address, due):
        words = self._rng.choice(self._heads[address])
        try:
            answer = await asyncio.wait_for(self._answer(address, words), self._load.client_timeout)
        except asyncio.CancelledError:
            self._failed(due, 'no answer')
            raise
        except Exception as err:
            self._failed(due, reason_of(err))
            await asyncio.sleep(0.01)       # a stopped server refuses at once
        else:
            if answer.status // 100 == 2:
                self.answers.append(self._instants(due, answer.ended_at))
            else:
                self._failed(due, f'status {answer.status}')
                if answer.status == REFUSED and AGAIN in answer.headers:
                    self.refused.append(self.failures[-1])

    async def _answer(self, address, words):
        idle = self._idle[address]
        while idle:
            connection = idle.pop()
            if connection.open:
                try:
                    return await self._asked(connection, words, idle)
                except BrokenError as err:
                    if not err.stale:
                        raise
        _transport, connection = await self._loop.create_connection(
            lambda: Connection(self._loop, TIMEOUT), *address)
        return await self._asked(connection, words, idle)

    async def _asked(self, connection, words, idle):
        answer = await connection.request(self._load.method, words)
        if connection.open:
            idle.append(connection)
        return answer

    def _failed(self, due, reason):
        self.failures.append(self._instants(due, monotonic()))
        self.reasons[reason] += 1

    def _instants(self, due, ended):
        return [round(due - self._begun, 6), round(ended - self._begun, 6)]


def head(load, target, address):
    """Return the head of a request for the path `target` to `address`, (ip, port), as bytes."""
    lines = [f'{load.method} {target} HTTP/1.1', 'Host: {}:{}'.format(*address),
             *(f'{name}: {value}' for name, value in load.headers.items())]
    return '\r\n'.join([*lines, '', '']).encode()


async def main(kind=LoadClients):
    """Read a Load, JSON, from standard input; run it with the class `kind`; print a LoadOutcome."""
    clients = kind(Load(*json.load(sys.stdin)), asyncio.get_running_loop())
    await clients.run()
    json.dump([clients.answers, clients.failures, clients.reasons, clients.refused], sys.stdout)


if __name__ == '__main__':
    uvloop.run(main())
