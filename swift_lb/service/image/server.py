"""Answers the questions of proxies on the daemon's unix socket."""
import asyncio

from swift_lb.errors import BAD_REQUEST, TOO_LARGE, ChainError, WireError
from swift_lb.service.image.answered import AnsweredParts
from swift_lb.service.image.ending import end_tasks
from swift_lb.service.image.sending import send
from swift_lb.wire.image_job import (
    HEAD,
    MOST_BODY,
    MOST_JSON,
    MOST_KEYS,
    UNAVAILABLE,
    failure,
    is_key,
    job_of,
    message_of,
)

BUFFER = 1 << 20        # bytes that are read ahead
REST = 30.0             # seconds in which the rest of a message must come
SENDING = 60.0          # seconds in which a client must take an answer
MOST_HELD = 1 << 30     # bytes of all messages that are in memory
NOT_FOUND = '404 Not Found'
INTERNAL = '500 Internal Server Error'


class ImageServer:
    """The answers to all questions, on any number of connections."""

    def __init__(self, jobs, store, warn, telling=None):
        """Take Jobs, a Store or NoStore of results, and `warn(sentence)`, which logs.

        `telling` is a Telling, None if there are no peers.
        """
        self._jobs, self._store, self._warn, self._held = jobs, store, warn, 0
        self._telling, self._answered_parts = telling, AnsweredParts()
        self._connections = set()

    async def serve(self, reader, writer):
        """Answer the questions of one connection, until the client closes it or is too slow."""
        self._connections.add(asyncio.current_task())
        try:
            while await self._answer_one(reader, writer):
                pass
        except (OSError, EOFError, asyncio.TimeoutError, WireError, asyncio.CancelledError):
            pass        # the client has gone, or speaks something else, or the daemon ends
        finally:
            self._connections.discard(asyncio.current_task())
            writer.transport.abort()

    async def _answer_one(self, reader, writer):
        """Answer one question; return whether there may be another."""
        text, size = HEAD.unpack(await reader.readexactly(HEAD.size))
        if text > MOST_JSON:
            return False
        self._held += size
        try:
            question, body = await asyncio.wait_for(self._rest(reader, text, size), REST)
            answer, result = await self._answered(question, body, size, reader)
            del body
            self._held += len(result) - size
            size = len(result)
            await asyncio.wait_for(send(writer, answer, result), SENDING)
        finally:
            self._held -= size
        return True

    async def _rest(self, reader, text, size):
        return message_of(await reader.readexactly(text)), await self._body(reader, size)

    async def _body(self, reader, size):
        """Return the body of a question, None if it is too large now: then it is not kept."""
        if size <= MOST_BODY and self._held <= MOST_HELD:
            return await reader.readexactly(size)
        while size > 0:
            piece = await reader.read(min(size, BUFFER))
            if not piece:
                raise EOFError
            size -= len(piece)
        return None

    async def _answered(self, question, body, size, reader):
        """Return (answer, body of the answer) of a question."""
        try:
            if body is None:
                raise ChainError(f'the cut has {size} bytes', TOO_LARGE if size > MOST_BODY
                                 else UNAVAILABLE)
            do = question.get('do')
            if not isinstance(do, str) or do not in ACTIONS:
                raise ChainError(f'do must be one of {", ".join(ACTIONS)}', BAD_REQUEST)
            return await ACTIONS[do](self, question, body, lambda: not reader.at_eof())
        except ChainError as err:
            return failure(err), b''
        except Exception as err:        # a bug: the daemon goes on
            self._warn(f'{question.get("do")}: {err!r}')
            return failure(ChainError('the daemon has failed', INTERNAL)), b''

    async def _quote(self, question, _body, _is_wanted):
        keys = question.get('keys') or []
        if not isinstance(keys, list) or len(keys) > MOST_KEYS:
            raise ChainError(f'keys must be a list of keys, {MOST_KEYS} at most', BAD_REQUEST)
        self._answered_parts.add(question)
        return {'have': self._store.have(keys), **self._jobs.document()}, b''

    async def _run(self, question, body, is_wanted):
        job = job_of(question)
        answer, result = await self._jobs.run(job, question, body, is_wanted)
        if job.key and answer.get('ok') and not self._store.have([job.key]):
            self._store.keep(job.key, result, job.spent + answer['seconds'],
                             question.get('request'))
        return answer, result

    async def _status(self, _question, _body, _is_wanted):
        return {**self._jobs.document(), **self._answered_parts.document(), 'held': self._held,
                'connections': len(self._connections), 'cache': self._store.document(),
                'told': self._telling and self._telling.document()}, b''

    async def _get(self, question, _body, _is_wanted):
        data = self._store.get(question.get('key'))
        if data is None:
            raise ChainError('nothing is kept under this key', NOT_FOUND)
        return {'ok': True}, data

    async def _keep(self, question, body, _is_wanted):
        return {'kept': self._store.keep(question.get('key'), body, question.get('seconds'),
                                         question.get('request'))}, b''

    async def _where(self, question, _body, _is_wanted):
        key = question.get('request')
        if not is_key(key):
            raise ChainError('request must be a SHA-256 in hexadecimal', BAD_REQUEST)
        return {'nodes': self._telling.where(key) if self._telling else ()}, b''

    async def _digest(self, _question, _body, _is_wanted):
        digest = self._store.digest()
        if digest is None:
            raise ChainError('nothing is kept here', NOT_FOUND)
        return {'ok': True}, digest

    async def end(self):
        """Close all connections."""
        await end_tasks(self._connections)


ACTIONS = {'quote': ImageServer._quote, 'run': ImageServer._run, 'status': ImageServer._status,
           'get': ImageServer._get, 'keep': ImageServer._keep, 'where': ImageServer._where,
           'digest': ImageServer._digest}


class NoStore:
    """Stands for a Store where no results are kept."""

    def have(self, _keys):
        """Return {}: no key is kept."""
        return {}

    def get(self, _key):
        """Return None."""

    def keep(self, _key, _data, _seconds, _request=None):
        """Return False."""
        return False

    def digest(self):
        """Return None."""

    def document(self):
        """Return None: there is nothing to tell."""
