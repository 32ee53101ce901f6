"""The daemon's server with clients that are slow, and with too many bytes at a time."""
import asyncio

import pytest

from swift_lb.service.image import server
from swift_lb.service.image.server import ImageServer, NoStore
from swift_lb.wire.image_job import HEAD, lengths, message_of, pack

LARGE = 8 << 20     # bytes, more than the buffers of a socket
RUN = {'do': 'run', 'chain': 'jpeg2000', 'step': 'pixels', 'task': [None] * 4 + [0]}


class ScriptedJobs:
    """Jobs whose result is `result`, an exception to raise, or bytes."""

    def __init__(self, result):
        self.result = result

    async def run(self, _job, _question, _cut, _is_wanted):
        if isinstance(self.result, Exception):
            raise self.result
        return {'ok': True, 'seconds': 0.1}, self.result

    def document(self):
        return {}


def with_server(tmp_path, result, use):
    """Run `use(connect, warnings)`, where `await connect()` returns streams to a server."""
    async def run():
        path, warnings = str(tmp_path / 's'), []
        served = ImageServer(ScriptedJobs(result), NoStore(), warnings.append)
        async with await asyncio.start_unix_server(served.serve, path):
            await use(lambda: asyncio.open_unix_connection(path, limit=1 << 10), warnings)
            await served.end()
    asyncio.run(run())


async def answer(reader):
    """Return the (answer, body) that comes next."""
    text, size = lengths(await reader.readexactly(HEAD.size))
    return message_of(await reader.readexactly(text)), await reader.readexactly(size)


async def status(connect):
    """Return the answer to the question for the status."""
    reader, writer = await connect()
    writer.write(pack({'do': 'status'}))
    found, _body = await answer(reader)
    writer.close()
    return found


def test_a_client_that_stops_in_a_message_is_disconnected(tmp_path, monkeypatch):
    monkeypatch.setattr(server, 'REST', 0.01)

    async def use(connect, _warnings):
        reader, writer = await connect()
        writer.write(pack(RUN, bytes(99))[:-1])
        assert await reader.read() == b''
    with_server(tmp_path, b'', use)


def test_a_client_that_does_not_take_its_answer_is_disconnected(tmp_path, monkeypatch):
    monkeypatch.setattr(server, 'SENDING', 0.01)

    async def use(connect, _warnings):
        reader, writer = await connect()
        writer.write(pack(RUN))
        while (await status(connect))['connections'] > 1:
            await asyncio.sleep(0.01)
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await answer(reader)
        assert (await status(connect))['held'] == 0
    with_server(tmp_path, bytes(LARGE), use)


def test_bytes_beyond_the_limit_of_all_messages_are_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(server, 'MOST_HELD', LARGE)

    async def use(connect, _warnings):
        first, second = await connect(), await connect()
        first[1].write(pack(RUN, bytes(LARGE))[:-1])
        while (await status(connect))['held'] < LARGE:
            await asyncio.sleep(0.01)
        second[1].write(pack(RUN, bytes(9)))
        found, _body = await answer(second[0])
        assert found['status'] == '503 Service Unavailable'
        first[1].write(b'x')
        assert (await answer(first[0]))[1] == b'pixels'
        second[1].write(pack(RUN, bytes(9)))
        assert (await answer(second[0]))[1] == b'pixels'
    with_server(tmp_path, b'pixels', use)


def test_a_bug_is_logged_and_the_connection_goes_on(tmp_path):
    async def use(connect, warnings):
        reader, writer = await connect()
        for _turn in range(2):
            writer.write(pack(RUN))
            found, _body = await answer(reader)
            assert found == {'error': 'the daemon has failed',
                             'status': '500 Internal Server Error'}
        assert warnings == ["run: KeyError('x')"] * 2
    with_server(tmp_path, KeyError('x'), use)
