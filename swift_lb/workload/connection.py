"""One HTTP/1.1 connection that is kept open and says when each part of an answer came.

No client library tells when the headers and the last byte came without a copy of the body and a
dozen calls for each part; a load generator lives on just that. The parsing is httptools'.
"""
import asyncio

import httptools

from swift_lb.clock import monotonic
from swift_lb.workload.failure import BrokenError, OperationError

PIECE = 65536  # bytes of a body handed over at a time
# Bytes/s at which a body has to go over on the whole, or it may trickle in for ever. Slow is not
# that slow: 700 workers that share a line of 100 Mbit/s still have 18 kB/s each, and the slowest
# disk has a hundred times as much.
SLOWEST = 10_000
TOO_SLOW = f'slower than {SLOWEST // 1000} kB/s'


class Answer:
    """What came back: status, headers in lower case, bytes of the body, instants and seconds."""

    __slots__ = ('ended_at', 'headers', 'headers_at', 'sending_time', 'size', 'status')

    def __init__(self):
        self.status, self.size, self.headers = 0, 0, {}
        self.headers_at = self.ended_at = self.sending_time = 0.0


class Connection(asyncio.Protocol):
    """Sends one request at a time and resolves one Answer for each."""

    def __init__(self, loop, timeout):
        """`timeout` is in seconds, for which the other side may be silent, as in COSBench.

        It has as long for all of an answer's headers: what never ends them has said nothing. And a
        whole request may take as long and a second for each SLOWEST bytes of its body, the last
        ones begun: of what has gone over by then, not of what a header promises.
        """
        self._loop, self._timeout = loop, timeout
        self._transport = self._parser = self._answer = self._waiter = self._each = None
        self._method, self._watch = '', None
        self._begun_at = self._heard_at = self._sent_at = 0.0
        self._sent = 0   # bytes of the body
        self._writable = None
        self._sized = self._reused = False
        self.open = False

    # asyncio's side

    def connection_made(self, transport):
        """Begin."""
        self._transport, self.open = transport, True

    def connection_lost(self, exc):
        """End, and with it whatever is under way."""
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
            said = self._heard_at > self._begun_at
            self._fail(BrokenError(reason, stale=self._reused and not said))

    def data_received(self, data):
        """Parse what came."""
        self._heard_at = monotonic()
        if self._answer is None:
            self.abort()  # nobody asked
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as err:
            if self._answer is not None:
                self._fail(err)
            self.abort()

    def pause_writing(self):
        """Hold the body back."""
        self._writable = self._loop.create_future()

    def resume_writing(self):
        """Let the body go on."""
        self._let_write()

    def _let_write(self):
        if self._writable is not None and not self._writable.done():
            self._writable.set_result(None)
        self._writable = None

    # httptools' side

    def on_header(self, name, value):
        """Keep a header."""
        self._answer.headers[name.lower()] = value

    def on_headers_complete(self):
        """Note status and instant; an answer to HEAD ends here."""
        answer = self._answer
        answer.status = self._parser.get_status_code()
        if answer.status < 200:
            answer.headers.clear()
            return
        answer.headers_at = self._heard_at
        self._sized = (b'content-length' in answer.headers or b'transfer-encoding' in answer.headers
                       or answer.status in (204, 304))
        if self._method == 'HEAD':
            self._sized = True
            self.on_message_complete()
            self._parser = None  # it waits for the body the headers speak of

    def on_body(self, data):
        """Count, and hand to whoever wants to see the body."""
        self._answer.size += len(data)
        if self._each is not None:
            self._each(data)

    def on_message_complete(self):
        """Resolve the Answer."""
        answer = self._answer
        if answer is None or answer.status < 200:  # 100 Continue: the answer is still to come
            return
        answer.ended_at = self._heard_at
        self._answer = None
        if not self._sized or not self._parser.should_keep_alive():
            self.close()
        if not self._waiter.done():
            self._waiter.set_result(answer)
        self._let_write()  # what is left of a body that nobody reads is not waited for

    def _fail(self, err):
        self._answer = None
        if not self._waiter.done():
            self._waiter.set_exception(err)

    # the client's side

    async def request(self, method, head, body=b'', each=None):
        """Send `head` (bytes, with its blank line) and `body`; return the Answer.

        `body` is bytes, or an iterable of pieces. `each(bytes)` sees the parts of the answer's
        body. Raises OperationError; the connection is then closed.
        """
        self._reused = self._sent_at > 0
        self._method, self._each, self._answer = method, each, Answer()
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
            self._answer = None  # nobody waits any more
            self.abort()
            raise

    async def _send(self, pieces, waiter, answer):
        begun = monotonic()
        for piece in pieces:
            if waiter.done() or not self.open:  # an answer before the end: it says no
                break
            self._transport.write(piece)
            self._sent += len(piece)
            self._sent_at = monotonic()
            await (self._writable or asyncio.sleep(0))  # lets an answer or a break be heard
        else:
            answer.sending_time = monotonic() - begun
            return
        if waiter.done() and not waiter.exception():
            self.abort()  # what is left of the body was never sent

    def _silent(self):
        """Break the connection if it is silent or slow for too long; look again otherwise.

        One timer a connection that looks back, not one a request: those would cost more than the
        rest of a small read.
        """
        self._watch, rest, why = None, self._timeout, ''
        if self._answer is not None:
            rest, why = self._patience(monotonic())
        if rest <= 0:
            self._fail(OperationError(why))
            self.abort()
        elif self.open:
            self._watch = self._loop.call_later(max(rest, 0.001), self._silent)

    def _patience(self, now):
        """Return how many seconds the other side still has, and what it is if it lets them pass."""
        answer = self._answer
        last = self._heard_at if answer.headers_at else self._sent_at
        begun = 1 + (self._sent + answer.size) // SLOWEST
        return min((last + self._timeout - now, 'timeout'),
                   (self._begun_at + self._timeout + begun - now, TOO_SLOW))

    def close(self):
        """Close once what was written has gone."""
        self.open = False
        if self._transport is not None:
            self._transport.close()

    def abort(self):
        """Close now."""
        self.open = False
        if self._transport is not None:
            self._transport.abort()
