"""The seconds that a request with a slow body may take, on a clock that the tests set."""
import asyncio
from itertools import repeat

import pytest

from swift_lb.workload import connection as connections
from swift_lb.workload.connection import PIECE, Connection
from swift_lb.workload.failure import OperationError

TIMEOUT = 30.0
OK = b'HTTP/1.1 200 OK\r\n'
SIZED = OK + b'Content-Length: 1000000000000\r\n\r\n'
CHUNKED = OK + b'Transfer-Encoding: chunked\r\n\r\n'


class Time:
    """A clock that only `advance` moves, and an event loop with a single timer."""

    def __init__(self):
        self.now, self._timer = 100.0, None

    def create_future(self):
        return asyncio.get_running_loop().create_future()

    def call_later(self, seconds, call):
        self._timer = self.now + seconds, call
        return self

    def cancel(self):
        self._timer = None

    def advance(self, seconds):
        """Advance the clock by `seconds`; call the timers that become due."""
        until = self.now + seconds
        while self._timer and self._timer[0] <= until:
            (self.now, call), self._timer = self._timer, None
            call()
        self.now = until


class Transport:
    """A transport that drops what is written and pauses its connection after each write."""

    def __init__(self, connection):
        self._connection = connection

    def write(self, _data):
        self._connection.pause_writing()

    def abort(self):
        self._connection.connection_lost(None)

    close = abort


@pytest.fixture
def time(monkeypatch):
    clock = Time()
    monkeypatch.setattr(connections, 'monotonic', lambda: clock.now)
    return clock


def failure(time, steps, begin=b'', more=b'', body=b''):
    """Return (reason of a request's failure or '', seconds until then).

    After each of `steps`, in seconds, a piece of `body` is sent and the bytes `more` are received.
    """
    async def asking():
        connection, start = Connection(time, TIMEOUT), time.now
        connection.connection_made(Transport(connection))
        request = asyncio.ensure_future(connection.request('GET', b'', body))
        await asyncio.sleep(0)
        if begin:
            connection.data_received(begin)
        for step in steps:
            time.advance(step)
            await asyncio.sleep(0)
            if request.done():
                break
            connection.resume_writing()
            if more:
                connection.data_received(more)
            await asyncio.sleep(0)
        if not request.done():
            request.cancel()
            await asyncio.wait({request})
            return '', time.now - start
        with pytest.raises(OperationError) as caught:
            await request
        return str(caught.value), time.now - start
    return asyncio.run(asking())


@pytest.mark.parametrize(('step', 'begin', 'more', 'body', 'seconds'), [
    (1.0, SIZED, b'x', b'', TIMEOUT + 1), (1.0, CHUNKED, b'1\r\nx\r\n', b'', TIMEOUT + 1),
    # 64 KiB in 16 s are 4 kB/s: of 48 s there are four pieces, which are good for 57 s
    (16.0, b'', b'', repeat(bytes(PIECE)), 64.0)])
def test_a_request_whose_body_trickles_fails(time, step, begin, more, body, seconds):
    assert failure(time, [step] * 100, begin, more, body) == ('slower than 10 kB/s', seconds)


@pytest.mark.parametrize('steps', [
    [5.0] * 1000,                          # 64 MiB at 13 kB/s, in an hour and a half
    ([0.1] * 20 + [29.0]) * 48,            # in bursts
    [29.0] + [5.0] * 1000])                # after a long wait for the first byte
def test_a_slow_download_and_a_slow_upload_may_take_hours(time, steps):
    assert failure(time, steps, SIZED, bytes(PIECE)) == ('', pytest.approx(sum(steps)))
    assert failure(time, steps, body=repeat(bytes(PIECE))) == ('', pytest.approx(sum(steps)))


def test_a_transfer_that_becomes_too_slow_fails(time):
    steps = [0.1] * 100 + [20.0] * 1000    # 6.5 MB in 10 s, and then 3 kB/s
    why, seconds = failure(time, steps, SIZED, bytes(PIECE))
    assert why == 'slower than 10 kB/s'
    # 31 + (6.5536 MB + 3.2768 kB/s * (t - 10 s)) / 10 kB/s = t
    assert seconds == pytest.approx((31 + 655.36 - 3.2768) / (1 - 0.32768), abs=20)


@pytest.mark.parametrize(('begin', 'more'), [
    (b'', b''), (SIZED, b''), (OK + b'X: ', b'x'), (b'HTTP/1.1 2', b''),
    (b'', b'HTTP/1.1 100 Continue\r\n\r\n')])
def test_a_server_that_is_silent_or_never_ends_headers_times_out(time, begin, more):
    assert failure(time, [1.0] * 100, begin, more) == ('timeout', TIMEOUT)


def test_a_slow_request_fails_even_after_a_fast_one(time):
    async def asking():
        connection = Connection(time, TIMEOUT)
        connection.connection_made(Transport(connection))
        head = b'HTTP/1.1 200 OK\r\nContent-Length: '
        first = asyncio.ensure_future(connection.request('PUT', b'', bytes(PIECE)))
        await asyncio.sleep(0)
        connection.data_received(head + b'%d\r\n\r\n' % (PIECE * 99) + bytes(PIECE * 99))
        await first
        time.advance(1000.0)
        second, start = asyncio.ensure_future(connection.request('GET', b'')), time.now
        await asyncio.sleep(0)
        connection.data_received(head + b'1000000\r\n\r\n')
        while not second.done():
            time.advance(1.0)
            if connection.open:
                connection.data_received(b'x')
            await asyncio.sleep(0)
        return str(second.exception()), time.now - start
    assert asyncio.run(asking()) == ('slower than 10 kB/s', TIMEOUT + 1)
