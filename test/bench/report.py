"""Measure what egg:swift-lb#lb_report costs an object server, in microseconds a request.

    python test/bench/report.py

Times the same small answer with and without the filter, in interleaved rounds: a GET, a GET within
its limit, and a request that the filter passes on; first with one worker, then with many
workers and devices.
"""
import os
import signal
import statistics
import sys

from swift_lb.clock import monotonic
from swift_lb.storage.device_table import DeviceTable
from swift_lb.storage.load_report import LIMIT_KEY, LoadReport

ROUNDS, CALLS = 15, 5000
LIMIT = 30e-6         # seconds, of the design
WORKERS, DEVICES = 32, 60
GET = {'REQUEST_METHOD': 'GET', 'PATH_INFO': '/sd0/12/AUTH_test/c/o'}
CASES = {
    'a GET': GET,
    'a GET with a limit': GET | {LIMIT_KEY: '9'},
    'REPLICATE': {'REQUEST_METHOD': 'REPLICATE', 'PATH_INFO': '/sd0/12/abc'},
}


class Body:
    """A body of one piece, as the object server reads it from a disk."""

    def __iter__(self):
        yield b'x'

    def close(self):
        pass


def app(_env, start_response):
    start_response('200 OK', [('X-Timestamp', '1')])
    return Body()


def start_response(_status, _headers):
    """Ignore the arguments; it stands in for a WSGI server's start_response."""


def asking(wsgi, env):
    """Return a function that sends one request, the environment `env`, and reads the answer."""
    def ask():
        body = wsgi(env, start_response)
        for _piece in body:
            pass
        if hasattr(body, 'close'):
            body.close()
    return ask


def interleaved(functions):
    """Return {name: median seconds a call}, the functions taking turns round by round."""
    times = {name: [] for name in functions}
    for _round in range(ROUNDS):
        for name, function in functions.items():
            begun = monotonic()
            for _call in range(CALLS):
                function()
            times[name].append((monotonic() - begun) / CALLS)
    return {name: statistics.median(taken) for name, taken in times.items()}


def joined(table):
    """Fork a worker that takes a slot of the DeviceTable and does nothing; return its pid."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        table.place_of('sd0', monotonic())
        os.write(writing, b'.')
        signal.pause()
    os.read(reading, 1)
    return pid


def crowded():
    """Return (LoadReport of a worker with DEVICES devices, [pid of each of WORKERS - 1 others])."""
    table = DeviceTable()
    for number in range(DEVICES):
        table.place_of(f'other{number}', monotonic())
    return LoadReport(app, table, True, None), [joined(table) for _ in range(WORKERS - 1)]


def main():
    """Print the table; exit 1 where the limit of the design is exceeded."""
    plain = LoadReport(app, DeviceTable(), True, None)
    many, pids = crowded()
    try:
        times = interleaved(
            {'none': asking(app, GET)} | {name: asking(plain, env) for name, env in CASES.items()}
            | {f'{name}, {WORKERS} workers': asking(many, env) for name, env in CASES.items()})
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    base = times.pop('none')
    print('lb_report                              us a request')
    for name, taken in times.items():
        print(f'  {name:<36} {(taken - base) * 1e6:10.2f}')
    return int(max(times.values()) - base > LIMIT)


if __name__ == '__main__':
    sys.exit(main())
