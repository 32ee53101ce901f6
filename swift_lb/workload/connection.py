"""One persistent HTTP/1.1 connection that notes when each part of a response arrives.

A load generator needs the times at which the headers and the last byte arrive. Client libraries do
not report them, or only with a copy of the body and a dozen calls for each part. So this file uses
only a parser, httptools.
"""
import asyncio

import httptools

from swift_lb.clock import monotonic
from swift_lb.workload.failure import BrokenError, OperationError

PIECE = 65536  # bytes of a request's body that are written at a time
# The least average speed of a body in bytes/s; without one a body could trickle in for ever. It
# leaves room: 700 workers that share a link of 100 Mbit/s have 18 kB/s each, and the slowest
# disk is a hundred times as fast.
SLOWEST = 10_000
TOO_SLOW = f'slower than {SLOWEST // 1000} kB/s'


class Response:
    """A response: status, headers in lower case, number of bytes of the body, and arrival times."""

    __slots__ = ('ended_at', 'headers', 'headers_at', 'sending_time', 'size', 'status')

    def __init__(self):
        self.status, self.size, self.headers = 0, 0, {}
        self.headers_at = self.ended_at = self.sending_time = 0.0


class Connection(asyncio.Protocol):
    """Sends requests, one at a time; `request` waits for the response and returns it."""

    def __init__(self, loop, timeout):
        """Take `timeout`, the seconds for which the server may be silent, as in COSBench.

        The same limit holds for all headers of a response together, so that endless headers count
        as silence. A whole request may take this limit plus the time in which the bytes of bodies
        transferred so far pass at SLOWEST bytes/s, whatever length the headers announce.
        """
        self._loop, self._timeout = loop, timeout
        self._transport = self._parser = self._answer = self._waiter = self._each = None
        self._method, self._watch = '', None
        self._begun_at = self._received_at = self._sent_at = 0.0
        self._sent = 0   # bytes of the body
        self._writable = None
        self._sized = self._reused = False
        self.open = False

    # called by asyncio

    def connection_made(self, transport):
        """Keep the asyncio transport of the connection, which has just been opened."""
        self._transport, self.open = transport, True

    def connection_lost(self, exc):
        """Let the request that is under way, if any, fail with the reason `exc`."""
        self.open = False
        if self._watch:
            self._watch.cancel()
            self._watch = None
        self._let_write()
        if self._answer is None or self._waiter.done():
            return
        if self._answer.headers_at and not self._sized and exc is None:
            self.on_message_complete()  # a body that ends with the connection
        elif self._answer.headers_at:
            self._fail(BrokenError('body cut short'))
        else:
            reason = 'connection reset' if exc else 'connection closed without an answer'
            answering = self._received_at > self._begun_at
            self._fail(BrokenError(reason, stale=self._reused and not answering))

    def data_received(self, data):
        """Give received bytes to the HTTP parser, which calls the on_ methods below."""
        self._received_at = monotonic()
        if self._answer is None:
            self.abort()  # bytes without a request
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as err:
            if self._answer is not None:
                self._fail(err)
            self.abort()

    def pause_writing(self):
        """Stop writing the body of a request while the socket's buffer is full."""
        self._writable = self._loop.create_future()

    def resume_writing(self):
        """Continue to write the body of a request: the socket's buffer has room."""
        self._let_write()

    def _let_write(self):
        if self._writable is not None and not self._writable.done():
            self._writable.set_result(None)
        self._writable = None

    # called by httptools

    def on_header(self, name, value):
        """Keep a header of the response under its name in lower case."""
        self._answer.headers[name.lower()] = value

    def on_headers_complete(self):
        """Note the response's status and arrival time; the response to a HEAD ends here."""
        answer = self._answer
        answer.status = self._parser.get_status_code()
        if answer.status < 200:
            answer.headers.clear()
            return
        answer.headers_at = self._received_at
        self._sized = (b'content-length' in answer.headers or b'transfer-encoding' in answer.headers
                       or answer.status in (204, 304))
        if self._method == 'HEAD':
            self._sized = True
            self.on_message_complete()
            self._parser = None  # it would wait for the body that the headers announce

    def on_body(self, data):
        """Count bytes of the response's body, and pass them to the request's `each`, if any."""
        self._answer.size += len(data)
        if self._each is not None:
            self._each(data)

    def on_message_complete(self):
        """Note when the response was complete, and let `request` return it."""
        answer = self._answer
        if answer is None or answer.status < 200:  # 100 Continue: the response follows
            return
        answer.ended_at = self._received_at
        self._answer = None
        if not self._sized or not self._parser.should_keep_alive():
            self.close()
        if not self._waiter.done():
            self._waiter.set_result(answer)
        self._let_write()  # the server no longer reads the request's body

    def _fail(self, err):
        self._answer = None
        if not self._waiter.done():
            self._waiter.set_exception(err)

    # called by Client

    async def request(self, method, head, body=b'', each=None):
        """Send `head` (bytes, with its blank line) and `body`; return the Response.

        `method` is that of `head`; `body` is bytes, or an iterable of pieces. `each(bytes)` is
        called with each part of the response's body. Raises OperationError; the connection is then
        closed.
        """
        self._reused = self._sent_at > 0
        self._method, self._each, self._answer = method, each, Response()
        answer = self._answer
        self._parser = self._parser or httptools.HttpResponseParser(self)
        self._waiter = waiter = self._loop.create_future()
        self._begun_at = self._sent_at = monotonic()
        if self._watch is None:
            self._watch = self._loop.call_later(self._timeout, self._silent)
        try:
            if type(body) is bytes:
                self._sent = len(body)
                self._transport.write(head + body if body else head)
            else:
                self._sent = 0
                self._transport.write(head)
                await self._send(body, waiter, answer)
            return await waiter
        except BaseException:
            self._answer = None  # the waiting task was cancelled
            self.abort()
            raise

    async def _send(self, pieces, waiter, answer):
        begun = monotonic()
        for piece in pieces:
            if waiter.done() or not self.open:  # a response before the end of the body is an error
                break
            self._transport.write(piece)
            self._sent += len(piece)
            self._sent_at = monotonic()
            await (self._writable or asyncio.sleep(0))  # lets a response or a break be processed
        else:
            answer.sending_time = monotonic() - begun
            return
        if waiter.done() and not waiter.exception():
            self.abort()  # the rest of the body was not sent

    def _silent(self):
        """Close the connection if the server is silent or too slow, else check again later.

        Each connection has one timer, which is renewed here. A timer for each request would cost
        more than all other work for a small read.
        """
        self._watch, rest, why = None, self._timeout, ''
        if self._answer is not None:
            rest, why = self._time_left(monotonic())
        if rest <= 0:
            self._fail(OperationError(why))
            self.abort()
        elif self.open:
            self._watch = self._loop.call_later(max(rest, 0.001), self._silent)

    def _time_left(self, now):
        """Return (seconds until the request fails, reason of that failure) at the instant `now`."""
        answer = self._answer
        last = self._received_at if answer.headers_at else self._sent_at
        begun = 1 + (self._sent + answer.size) // SLOWEST
        return min((last + self._timeout - now, 'timeout'),
                   (self._begun_at + self._timeout + begun - now, TOO_SLOW))

    def close(self):
        """Close the connection once everything written to it has been sent."""
        self.open = False
        if self._transport is not None:
            self._transport.close()

    def abort(self):
        """Close the connection at once; what was written may be lost."""
        self.open = False
        if self._transport is not None:
            self._transport.abort()
