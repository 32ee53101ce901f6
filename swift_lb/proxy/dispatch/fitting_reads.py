"""A body that a peer hands on, read in pieces that its client sends in a moment.

Swift reads 64 KiB at once, and says 408 Request Timeout when they take longer than client_timeout,
60 s. So does this proxy for its own clients. A client of a peer is that peer's to wait for, which
hands on what comes (request.py), and has waited for the same bytes a moment before.
"""
from swift_lb.clock import monotonic
from swift_lb.dispatch.content import is_object
from swift_lb.proxy.dispatch.request import LEAST, fitting

FIRST = LEAST * 4       # bytes
V1, S3 = '/v1/', 'AWS'


class FittingReads:
    """Stand for a wsgi.input: read(size) returns at most `size` bytes, and b'' at the end."""

    def __init__(self, body):
        self._body, self._size = body, FIRST

    def read(self, size=None, *args):
        """Return the next bytes, perhaps not all that there will be."""
        if size is None or size < 0:
            return self._body.read(size, *args)
        since = monotonic()
        data = self._body.read(min(size, self._size), *args)
        self._size = fitting(self._size, monotonic() - since)
        return data

    def __getattr__(self, name):
        return getattr(self._body, name)


def is_read_in_pieces(env):
    """Return whether a short read of this request's body is not taken for its end.

    It is for a manifest, for a page of names, and where s3api verifies a body. An object is read
    until nothing comes.
    """
    return (env['REQUEST_METHOD'] == 'PUT' and not env.get('QUERY_STRING')
            and env.get('PATH_INFO', '').startswith(V1) and is_object(env['PATH_INFO'])
            and not env.get('HTTP_AUTHORIZATION', '').startswith(S3))
