"""Reads one object by ranges, with the authorisation of the client's own request.

The ranges of one call go into one request, whose answer is multipart. Each request has the ETag of
the first HEAD in If-Match, so that no two versions are mixed. Each also has what the client's query
asks for besides the part, since that may name another version: version-id.
"""
from http import HTTPStatus

from swift.common.swob import Request
from swift.common.utils import (
    FileLikeIter,
    close_if_possible,
    multipart_byteranges_to_document_iters,
)
from swift.common.wsgi import make_subrequest

from swift_lb.chains.cache.keys import request_key
from swift_lb.chains.chain import run
from swift_lb.concurrency import sleep
from swift_lb.errors import ChainError
from swift_lb.proxy.dispatch.answers import SOURCE

SPARE = 1 << 16         # bytes by which an answer may be longer than what was asked for: the heads
#                         of its parts
OF_HEAD = 'X-Newest', 'If-Unmodified-Since'     # headers of the client's that hold for its HEAD
MULTIPART = 'multipart/byteranges'
CHUNK = 65536           # bytes


class UnreadError(Exception):
    """The object cannot be read now, or not by ranges; the message has the reason."""


class ObjectHead:
    """What the headers of an object tell."""

    def __init__(self, headers):
        """Take the headers of the answer to a HEAD."""
        self.headers = list(headers.items())
        self.etag = headers.get('Etag', '').strip('"')
        self.timestamp = headers.get('X-Timestamp', '')
        self.content_type = headers.get('Content-Type', '')
        self.size = int(headers.get('Content-Length') or 0)


class ObjectReader:
    """Reads the object of one request."""

    def __init__(self, app, env, query, times):
        """Take the next WSGI app, the environment of the client's request, and ReadTimes.

        `query` is its query string without the parameters of the part.
        """
        self._app, self._env, self._query, self._times = app, env, query, times
        self.path = env['PATH_INFO'].split('/', 4)[2:]      # account, container, object
        self.request = request_key(env['PATH_INFO'], env.get('QUERY_STRING', ''))
        self.object = None      # ObjectHead

    def head(self):
        """Return the ObjectHead, None if the client gets no object: by its rights, for example."""
        asked = Request(self._env).headers
        response = self._request('HEAD', {name: asked[name] for name in OF_HEAD if name in asked}
                                 ).get_response(self._app)
        if response.status_int == HTTPStatus.OK:
            self.object = ObjectHead(response.headers)
        return self.object if self.object and self.object.etag else None

    def run(self, step):
        """Return the result of a generator of a chain, which yields lists of ranges.

        Raises ChainError if the chain refuses the object, UnreadError if that cannot be read.
        """
        return run(step, self._ranges)

    def _ranges(self, wanted):
        """Return the bytes of each range in `wanted`, a list of (first, last)."""
        if not wanted:
            sleep(0)
            return []
        since = self._times.clock()
        asked = sum(last - first + 1 for first, last in wanted)
        header = 'bytes=' + ','.join(f'{first}-{last}' for first, last in wanted)
        response = self._request('GET', {'Range': header, 'If-Match': self.object.etag}
                                 ).get_response(self._app)
        try:
            if response.status_int == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                raise ChainError('the image ends before its index says so')
            if response.status_int != HTTPStatus.PARTIAL_CONTENT:
                raise UnreadError(f'ranges of it were answered {response.status}')
            if (response.content_length or 0) > 2 * asked + SPARE:
                raise UnreadError('more was answered than was asked for')
            parts = list(parts_of(response))
        finally:
            close_if_possible(response.app_iter)
        self._times.add(asked, self._times.clock() - since)
        return [piece(parts, first, last) for first, last in wanted]

    def _request(self, method, headers):
        path = self._env['PATH_INFO']
        request = make_subrequest(self._env, method=method, headers=headers, swift_source=SOURCE,
                                  agent='%(orig)s')
        request.environ['PATH_INFO'], request.environ['QUERY_STRING'] = path, self._query
        return request


def parts_of(response):
    """Yield (first byte, bytes) of each part of a 206 answer."""
    if not response.headers.get('Content-Type', '').startswith(MULTIPART):
        begin = response.headers.get('Content-Range', '').removeprefix('bytes ').split('-')[0]
        yield int(begin), response.body
        return
    boundary = response.headers['Content-Type'].partition('boundary=')[2].strip('"')
    for first, _last, _length, _headers, body in multipart_byteranges_to_document_iters(
            FileLikeIter(response.app_iter), boundary.encode(), CHUNK):
        yield first, b''.join(iter(lambda body=body: body.read(CHUNK), b''))


def piece(parts, first, last):
    """Return the bytes from `first` to `last` of `parts`, which may have been joined."""
    for begin, data in parts:
        if begin <= first and last < begin + len(data):
            return data[first - begin:last - begin + 1]
    raise UnreadError(f'bytes {first} to {last} of it were not answered')
