"""A client's request as a peer gets it: the head in bytes, and the body as it comes.

The head is made of the WSGI environment, not of the bytes that came: what filters to the left have
taken out, as gatekeeper does, stays out, and nothing that two parsers could read in two ways goes
on. The path alone is sent as the client wrote it, for signatures cover that.

A request with a body is always sent with Expect: 100-continue, so that no byte of it is taken from
the client before the peer has said that it wants it; until then another can be asked.
"""
from itertools import chain
from urllib.parse import quote, unquote

from swift_lb.clock import monotonic
from swift_lb.errors import ClientError
from swift_lb.proxy.dispatch.header import given, host_of, in_question
from swift_lb.wire import hop
from swift_lb.wire.chunked import LAST, chunk
from swift_lb.wire.http_head import end_to_end, framing, request_head

UNREAD = '408 Request Timeout', '499 Client Disconnect'      # as Swift's proxy says it
PRINTED = ''.join(map(chr, range(0x21, 0x7f)))
LEAST, MOST = 1024, 65536       # bytes of a body taken from the client at once
READS = ('GET', 'HEAD', 'OPTIONS')
QUICK, SLOW = 0.05, 1.0         # seconds


class ClientRequest:
    """What a client asks, ready to be sent."""

    def __init__(self, env):
        """Take a WSGI environment; raises WireError, one sentence, for what must be a 400."""
        self.framing = framing(in_question(env))
        self.method = env['REQUEST_METHOD']
        self.target = target_of(env)
        self.expects = env.get('HTTP_EXPECT', '').lower() == '100-continue'
        self.sent = False       # whether its head has gone to a peer
        self.begun = False      # whether a byte of its body has been asked of the client
        self.ended = False      # whether all of it has been sent
        self._env, self._body = env, None

    @property
    def has_body(self):
        """Whether a body comes with it."""
        return self.framing.chunked or bool(self.framing.length)

    @property
    def may_go_elsewhere(self):
        """Whether another may be asked, if the peer that it has gone to does not answer.

        That may have done all it was asked, but for a body it had nothing of. Reads can be done
        twice; not so a DELETE, which of a versioned object takes away another version each time.
        """
        if self.has_body:
            return not self.begun
        return not self.sent or self.method in READS

    def head(self, signed):
        """Return the bytes of its head, with the signed marker in it."""
        headers = [('Host', host_of(self._env)), (hop.HEADER, signed)]
        if self.has_body:
            headers += [('Transfer-Encoding', 'chunked') if self.framing.chunked else
                        ('Content-Length', str(self.framing.length)), ('Expect', '100-continue')]
        elif self.framing.length is not None:
            headers.append(('Content-Length', '0'))
        return request_head(self.method, self.target, headers + end_to_end(given(self._env)))

    def pieces(self):
        """Return what is to be sent of the body, from where that has been left.

        Raises ClientError where it does not come whole.
        """
        if self._body is None:
            self._body = self._pieces()
        return self._body

    def put_back(self, piece):
        """Take back the last of the pieces, which has not been sent."""
        self._body = chain((piece,), self._body)

    def _pieces(self):
        self.begun = True
        left, size = self.framing.length, LEAST * 4
        read = self._env['wsgi.input'].read
        while left is None or left > 0:
            since = monotonic()
            data = taken(read, size if left is None else min(size, left))
            if not data:
                break
            size = fitting(size, monotonic() - since)
            if left is not None:
                left -= len(data)
            yield chunk(data) if left is None else data
        if left:
            raise ClientError(UNREAD[1], f'the client left {left} bytes before the end')
        if left is None:
            yield LAST


def fitting(size, seconds):
    """Return how many bytes to ask for next: as many as a client sends in a moment.

    A server's read waits until all are there, and a whole buffer of a client that sends 1 kB a
    second takes it longer than Swift waits for anything.
    """
    if seconds < QUICK:
        return min(MOST, size * 2)
    return max(LEAST, size // 2) if seconds > SLOW else size


def taken(read, size):
    """Return what read(size) does; raises ClientError."""
    try:
        return read(size)
    except TimeoutError:
        raise ClientError(UNREAD[0], 'the client stopped sending') from None
    except Exception as err:        # eventlet: ChunkReadError, OSError, ValueError
        raise ClientError(UNREAD[1], f'the body broke off: {err}') from None


def target_of(env):
    """Return path and query as the client sent them, unless a filter has changed the path."""
    path, raw = env.get('PATH_INFO', '/'), env.get('RAW_PATH_INFO', '')
    if unquote(raw, encoding='latin-1') != path:
        raw = quote(path, safe="/~!$&'()*+,;=:@", encoding='latin-1')
    elif not raw.isascii():
        raw = quote(raw, safe=PRINTED, encoding='latin-1')
    query = env.get('QUERY_STRING')
    return f'{raw}?{query}' if query else raw


def fault_status(env):
    """Return how a request is refused of which nobody can say where it ends: as Swift says it."""
    several = ',' in env.get('HTTP_TRANSFER_ENCODING', '')
    return '501 Not Implemented' if several else '400 Bad Request'
