"""swift-lb-image and its store: what is computed with a key is kept, and got again."""
import asyncio

from swift_lb.chains.cache.digest import Digest
from swift_lb.chains.cache.keys import key_of
from swift_lb.service.image.server import NOT_FOUND, ImageServer, NoStore
from swift_lb.service.image.store import Store
from swift_lb.wire.image_job import HEAD, lengths, message_of, pack

A, B, C = (key_of(name) for name in 'abc')
RUN = {'do': 'run', 'chain': 'jpeg2000', 'step': 'pixels', 'task': [None] * 4 + [0], 'form': 'raw'}


class EchoJobs:
    """Jobs whose result is the cut, after 0.1 s of computing."""

    async def run(self, _job, _question, cut, _is_wanted):
        return {'ok': True, 'seconds': 0.1}, cut

    def document(self):
        return {}

    def wait(self):
        return 0.0


def answers(store, questions):
    """Return the (answer, body) of each (question, body), in turn, on one connection."""
    async def asked():
        server = await asyncio.start_server(ImageServer(EchoJobs(), store, print).serve,
                                            '127.0.0.1', 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        for question, body in questions:
            writer.write(pack(question, body))
            text, size = lengths(await reader.readexactly(HEAD.size))
            yield message_of(await reader.readexactly(text)), await reader.readexactly(size)
        writer.close()
        server.close()

    async def listed():
        return [each async for each in asked()]
    return asyncio.run(listed())


def test_a_result_with_a_key_is_kept(tmp_path):
    store = Store(str(tmp_path), 1 << 20, 0.005, print)
    got = answers(store, [
        (RUN | {'key': A, 'spent': 0.2}, b'pixels'), (RUN, b'others'),
        ({'do': 'keep', 'key': B, 'seconds': 0.5}, b'a cut'),
        ({'do': 'keep', 'key': C, 'seconds': 'much'}, b'a cut'), ({'do': 'keep'}, b'x'),
        ({'do': 'get', 'key': A}, b''), ({'do': 'get', 'key': C}, b''), ({'do': 'get'}, b''),
        ({'do': 'quote', 'keys': [A, B, C, None, {}]}, b''), ({'do': 'quote'}, b''),
        ({'do': 'status'}, b''), ({'do': 'digest'}, b'')])
    assert [True, False, False] == [answer['kept'] for answer, _body in got[2:5]]
    assert ({'ok': True}, b'pixels') == got[5]
    assert [NOT_FOUND] * 2 == [answer['status'] for answer, _body in got[6:8]]
    assert [{A: 6, B: 5}, {}] == [answer['have'] for answer, _body in got[8:10]]
    cache = got[10][0]['cache']
    assert (2, 2, 0.3) == (cache['kept'], cache['entries'], round(cache['saved'], 9))
    digest = Digest.loads(got[11][1])
    assert [True, True, False] == [key in digest for key in (A, B, C)]


def test_quotes_tell_what_proxies_have_answered():
    got = answers(NoStore(), [
        ({'do': 'quote', 'keys': [], 'parts': {'D1': 2, 'D4': 5}, 'saved': 1.25}, b''),
        ({'do': 'quote', 'keys': [], 'parts': {'D4': 1}, 'saved': 0}, b''),
        ({'do': 'quote', 'keys': [], 'parts': {'D9': 1}}, b''), ({'do': 'status'}, b'')])
    assert [True, True, False] == ['have' in answer for answer, _body in got[:3]]
    assert got[2][0]['status'].startswith('400')
    assert ({'D1': 2, 'D2': 0, 'D3': 0, 'D4': 6}, 1.25) == (
        got[3][0]['points'], got[3][0]['saved_by_points'])


def test_without_a_store_there_is_no_digest():
    assert NOT_FOUND == answers(NoStore(), [({'do': 'digest'}, b'')])[0][0]['status']
