"""Measure the load that the runner makes, in op/s on a stub server, against a minimal client.

    python test/bench/runner.py [--seconds 5] [--rounds 3] [--workers 64] [--size 4096]

The stub and the drivers share this machine's cores. "bare" is the minimum that a Python client can
do: each connection sends the same bytes again after receiving as many bytes as a response has; it
picks, parses and counts nothing. Prints medians of
interleaved runs, their ratio, and the memory of the controller and all drivers.
"""
import argparse
import asyncio
import multiprocessing
import resource
import statistics
import subprocess
import sys
from pathlib import Path

import uvloop

from swift_lb.clock import monotonic
from swift_lb.wire.cosbench.read import read
from swift_lb.workload import controller
from swift_lb.workload.figures import rate

STUB = Path(__file__).resolve().parents[1] / 'support' / 'stub_server.py'
ASK = b'GET /v1/AUTH_test/c/o HTTP/1.1\r\nHost: stub\r\n\r\n'


class Bare(asyncio.Protocol):
    """A connection that sends ASK after each answer, of `answer_size` bytes, until `until`."""

    answers = 0

    def __init__(self, answer_size, until):
        self._size, self._until, self._left = answer_size, until, answer_size

    def connection_made(self, transport):
        self._transport = transport
        transport.write(ASK)

    def data_received(self, data):
        self._left -= len(data)
        if self._left == 0:
            Bare.answers += 1
            self._left = self._size
            if monotonic() < self._until:
                self._transport.write(ASK)


async def bare_process(port, connections, seconds, answer_size):
    """Return the answers per second that this process gets on this many Bare connections."""
    loop, until = asyncio.get_running_loop(), monotonic() + seconds
    for _ in range(connections):
        await loop.create_connection(lambda: Bare(answer_size, until), '127.0.0.1', port)
    await asyncio.sleep(seconds)
    return Bare.answers / seconds


def run_bare(arguments):
    """Return the result of bare_process(*arguments), which runs in this process."""
    return uvloop.run(bare_process(*arguments))


def bare(port, args, processes):
    """Return the answers per second of the minimal clients in `processes` processes."""
    size = len(b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\nEtag: 0\r\n\r\n' % args.size) + args.size
    with multiprocessing.get_context('spawn').Pool(processes) as pool:
        arguments = (port, args.workers // processes, args.seconds, size)
        return sum(pool.map(run_bare, [arguments] * processes))


def workload(port, operation, args):
    """Return a Workload of one operation, such as read, against the stub server at `port`."""
    return read(f'''<workload name="bench"><auth type="none"/>
        <storage type="swift" config="storage_url=http://127.0.0.1:{port}/v1/AUTH_test"/>
        <workflow><workstage name="main"><work name="main" workers="{args.workers}" interval="1"
        rampup="1" runtime="{args.seconds}"><operation type="{operation}"
        config="containers=u(1,10);objects=u(1,1000);sizes=c({args.size})B"/></work></workstage>
        </workflow></workload>'''.encode()).workload


def runner(port, operation, args):
    """Return the operations per second of `bench run` with one operation, read or write."""
    stage = controller.run(workload(port, operation, args)).stages[0]
    op = stage.works[0].ops[0]
    assert not op.failures, op.reasons
    return rate(op.successes, stage.window)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    for name, default in (('seconds', 5), ('rounds', 3), ('workers', 64), ('size', 4096)):
        parser.add_argument(f'--{name}', type=int, default=default)
    args, cores = parser.parse_args(), multiprocessing.cpu_count()
    stub = subprocess.Popen([sys.executable, STUB, '0', str(args.size)], stdout=subprocess.PIPE)
    try:
        port = int(stub.stdout.readline())
        results = {'bare': [], 'read': [], 'write': []}
        for _round in range(args.rounds):
            results['bare'].append(bare(port, args, cores))
            for operation in ('read', 'write'):
                results[operation].append(runner(port, operation, args))
    finally:
        stub.terminate()
        stub.wait()
    middle = {name: statistics.median(rates) for name, rates in results.items()}
    for name, rates in results.items():
        ratio = middle[name] / middle['bare']
        print(f'{name:<6}{middle[name]:>9,.0f} op/s   {ratio:.2f} of bare   '
              f'{min(rates):,.0f} .. {max(rates):,.0f}')
    kib = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
           + cores * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    print(f'memory {kib / 1024:,.0f} MiB: controller and {cores} drivers, {args.workers} workers')


if __name__ == '__main__':
    main()
