"""The storage that operations use: a Swift account over HTTP, or a mock without a server.

All methods raise OperationError if an operation fails. Paths are quoted already and begin with "/".
Reads and writes return (bytes of the object, seconds of the transfer).
"""
import asyncio
import json
from urllib.parse import quote

from swift_lb.workload.client import Client, ServerUrl, header
from swift_lb.workload.failure import OperationError

USER_AGENT = 'swift-lb-bench'
EMPTY_ATTEMPTS = 5    # to delete a container that looks empty and is not: listings lag behind
UNAUTHORIZED = 'HTTP 401'
ANY, SUCCESS = range(1000), range(200, 300)   # statuses
DELETED = {404, *SUCCESS}


class SwiftStorage:
    """A Swift account at a storage URL, over HTTP; `token` and the settings' policy may be None.

    `settings` are those of an Access to storage of type swift, `tls` is that of Client.
    """

    def __init__(self, url, token, settings, tls=None):
        self._server = ServerUrl(url)
        policy = settings['policy']
        self._policy = header('X-Storage-Policy', policy) if policy else ''
        self._client = Client(settings['timeout'], tls)
        self._base = self._server.path.rstrip('/')
        token = header('X-Auth-Token', token) if token else ''
        self._common = (f' HTTP/1.1\r\nHost: {self._server.name}\r\n'
                        f'User-Agent: {USER_AGENT}\r\n{token}')
        self._plain = f'{self._common}\r\n'

    async def read(self, path, each=None):
        """GET an object; return (its size in bytes, seconds from the headers to its end).

        `each(bytes)`, if given, is called with each part of its content.
        """
        answer = await self._ask('GET', path, (200,), each)
        return answer.size, answer.ended_at - answer.headers_at

    async def write(self, path, size, body, chunked=False):
        """PUT an object of `size` bytes from `body()`; return (`size`, seconds spent on sending).

        If `chunked`, no size is announced; otherwise a body that is bytes counts as sent in 0 s.
        """
        length = 'Transfer-Encoding: chunked' if chunked else f'Content-Length: {size}'
        head = (f'PUT {self._base}{path}{self._common}Content-Type: application/octet-stream\r\n'
                f'{length}\r\n\r\n').encode()
        answer = await self._client.request(
            self._server, 'PUT', head, (lambda: chunks(body())) if chunked else body)
        if answer.status not in (201, 202):
            raise OperationError(f'HTTP {answer.status}')
        return size, answer.sending_time

    async def delete(self, path, good=SUCCESS):
        """DELETE an object; return (0, 0.0) for a status in `good`: 2xx, with DELETED also 404."""
        await self._ask('DELETE', path, good)
        return 0, 0.0

    async def list(self, path):
        """GET the listing of a container or, with path '', of the account; 204 means empty.

        Return (bytes of the listing, seconds from the headers to its end).
        """
        answer = await self._ask('GET', path, (200, 204))
        return answer.size, answer.ended_at - answer.headers_at

    async def head(self, path):
        """HEAD an object, return (0, 0.0); raises OperationError if it does not exist."""
        await self._ask('HEAD', path)
        return 0, 0.0

    async def create_container(self, path):
        """PUT a container unless one exists, whatever its storage policy; return (0, 0.0)."""
        if (await self._ask('HEAD', path, ANY)).status in SUCCESS:
            return 0, 0.0
        head = f'PUT {self._base}{path}{self._common}{self._policy}Content-Length: 0\r\n\r\n'
        answer = await self._client.request(self._server, 'PUT', head.encode())
        if answer.status not in (201, 202):
            raise OperationError(f'HTTP {answer.status}')
        return 0, 0.0

    async def delete_container(self, path):
        """DELETE a container and its objects; return (0, 0.0), also if there is no container."""
        attempts, before = EMPTY_ATTEMPTS, set()
        while attempts:
            status = (await self._ask('DELETE', path, ANY)).status
            if status in DELETED:
                return 0, 0.0
            if status != 409:
                break
            deleted = await self._empty(path)  # at most 10,000 names; a container may have more
            attempts -= deleted <= before
            before = deleted
        raise OperationError(f'HTTP {status}')

    async def _empty(self, path):
        """Delete the objects in a container's listing; return the names of those that existed."""
        listing = []
        await self._ask('GET', f'{path}?format=json', ANY, listing.append)
        try:   # as JSON: in a plain listing a name with a line end would look like two
            names = [str(entry['name']) for entry in json.loads(b''.join(listing) or b'[]')]
        except (ValueError, KeyError, TypeError, RecursionError):
            return set()   # an error page
        return {name for name in names
                if (await self._ask('DELETE', f'{path}/{quote(name)}', ANY)).status in SUCCESS}

    async def _ask(self, method, path, good=SUCCESS, each=None):
        """Send a request; return its Response. Raises OperationError for a status not in `good`."""
        head = f'{method} {self._base}{path}{self._plain}'.encode()
        answer = await self._client.request(self._server, method, head, None, each)
        if answer.status not in good:
            raise OperationError(f'HTTP {answer.status}')
        return answer

    def take_resent(self):
        """Return the number of requests sent twice since the last call of this method."""
        return self._client.take_resent()

    def close(self):
        """Close the connections to the server."""
        self._client.close()


NONE = {'size': 0, 'delay': 0.0, 'errors': 0.0}   # settings of COSBench's storage `none`


class MockStorage:
    """Responds to every operation after a delay, and fails at random, as COSBench's `mock` does.

    The settings are size (bytes of an object), delay (seconds) and errors (a probability).
    """

    def __init__(self, settings, rng):
        self._size, self._delay, self._errors = (settings[key] for key in
                                                 ('size', 'delay', 'errors'))
        self._rng = rng

    async def _answer(self, size=0):
        await asyncio.sleep(self._delay)
        if self._errors and self._rng.random() < self._errors:
            raise OperationError('mock error')
        return size, 0.0

    async def read(self, _path, each=None):
        """Wait for the delay; return (the configured size in bytes, 0 seconds of transfer)."""
        return await self._answer(self._size)

    async def write(self, _path, size, _body, chunked=False):
        """Wait for the delay; return (`size`, 0 seconds of transfer)."""
        return await self._answer(size)

    async def delete(self, _path, good=SUCCESS):
        """Wait for the delay; return (0, 0.0), as list, head and the methods for containers do."""
        return await self._answer()

    list = head = create_container = delete_container = delete

    def take_resent(self):
        """Return 0, as this storage sends no requests over a network."""
        return 0

    def close(self):
        """Do nothing: a mock has no connections."""


def chunks(body):
    """Yield `body`, bytes or an iterable of pieces, in HTTP's chunked transfer coding."""
    for piece in (body,) if type(body) is bytes else body:
        if len(piece):
            yield b'%x\r\n%b\r\n' % (len(piece), piece)
    yield b'0\r\n\r\n'
