"""A client's request as a peer gets it: the head in bytes, and the body as it comes.

The head is made from the WSGI environment, not from the bytes that came: headers that filters to
the left have removed, as gatekeeper does, stay out, and nothing that two parsers could read in two
ways is passed on. The path is sent as the client wrote it, since signatures cover it.

A request with a body is always sent with Expect: 100-continue, so that no byte of it is taken from
the client before the peer wants it; until then another peer can be asked.
"""
from itertools import chain

from swift_lb.clock import monotonic
from swift_lb.errors import ClientError
from swift_lb.proxy.dispatch.facts import facts_of
from swift_lb.proxy.dispatch.header import client_headers, framing_headers, host_of
from swift_lb.wire import hop
from swift_lb.wire.chunked import LAST, chunk
from swift_lb.wire.http_head import end_to_end, framing, request_head

STOPPED, LEFT = '408 Request Timeout', '499 Client Disconnect'      # as Swift's proxy answers
MIN_READ, MAX_READ = 1024, 65536    # bytes of a body taken from the client at once
READS = ('GET', 'HEAD', 'OPTIONS')
QUICK, SLOW = 0.05, 1.0             # seconds


class ClientRequest:
    """A client's request in the form in which peers get it."""

    def __init__(self, env):
        """Take a WSGI environment; raises WireError if a peer could misread where the body ends."""
        self.framing, facts = framing(framing_headers(env)), facts_of(env)
        self.method, self.target = facts.method, facts.path
        self.expects = env.get('HTTP_EXPECT', '').lower() == '100-continue'
        self.sent = False       # whether its head has gone to a peer
        self.begun = False      # whether a byte of its body has been read from the client
        self.ended = False      # whether all of it has been sent
        self._env, self._body = env, None

    @property
    def has_body(self):
        """Whether the client sends a body with the request."""
        return self.framing.chunked or bool(self.framing.length)

    @property
    def may_go_elsewhere(self):
        """Whether another proxy may serve the request if the peer that got it does not answer.

        That peer may have served it already, unless it waits for a body of which no byte was sent.
        Reads can be repeated. A DELETE cannot: each one removes a version of a versioned object.
        """
        if self.has_body:
            return not self.begun
        return not self.sent or self.method in READS

    def head(self, signed, header=hop.HEADER):
        """Return the bytes of the request line and headers.

        `signed` is the value of the `header` that marks a delegated request.
        """
        headers = [('Host', host_of(self._env)), (header, signed)]
        if self.has_body:
            headers += [('Transfer-Encoding', 'chunked') if self.framing.chunked else
                        ('Content-Length', str(self.framing.length)), ('Expect', '100-continue')]
        elif self.framing.length is not None:
            headers.append(('Content-Length', '0'))
        return request_head(self.method, self.target,
                            headers + end_to_end(client_headers(self._env)))

    def pieces(self):
        """Return an iterator of the rest of the body; it raises ClientError if the client fails."""
        if self._body is None:
            self._body = self._pieces()
        return self._body

    def put_back(self, piece):
        """Let pieces() yield its last piece, `piece`, once more, since it was not sent."""
        self._body = chain((piece,), self._body)

    def _pieces(self):
        self.begun = True
        left, size = self.framing.length, MIN_READ * 4
        read = self._env['wsgi.input'].read
        while left is None or left > 0:
            since = monotonic()
            data = read_client(read, size if left is None else min(size, left))
            if not data:
                break
            size = next_size(size, monotonic() - since)
            if left is not None:
                left -= len(data)
            yield chunk(data) if left is None else data
        if left:
            raise ClientError(LEFT, f'the client left {left} bytes before the end')
        if left is None:
            yield LAST


def next_size(size, seconds):
    """Return how many bytes of a client's body to read next, after `size` bytes took `seconds`.

    A read waits until all its bytes are there: a full buffer of a client that sends 1 kB a second
    would take longer than any timeout of Swift.
    """
    if seconds < QUICK:
        return min(MAX_READ, size * 2)
    return max(MIN_READ, size // 2) if seconds > SLOW else size


def read_client(read, size):
    """Return read(size), bytes of a client's body; raises ClientError if the client fails."""
    try:
        return read(size)
    except TimeoutError:
        raise ClientError(STOPPED, 'the client stopped sending') from None
    except Exception as err:        # eventlet: ChunkReadError, OSError, ValueError
        raise ClientError(LEFT, f'the body broke off: {err}') from None


def fault_status(env):
    """Return Swift's status for a request of ambiguous end: 501 for several codings, else 400."""
    several = ',' in env.get('HTTP_TRANSFER_ENCODING', '')
    return '501 Not Implemented' if several else '400 Bad Request'
