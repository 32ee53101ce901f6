"""HTTP/1.1 connections to peers' proxies.

A connection has one request at a time, and bodies go through in constant memory. http.client is not
used: it parses each head as an e-mail, which takes longer than all the rest of a hop, hides 100
Continue from its caller, and cannot notice an answer that comes while it sends a body.

A method that waits for the peer calls its argument `on_wait(seconds)` every WAKE seconds, with the
seconds that have passed without a byte; on_wait raises PeerError to end the wait.
"""
import errno
import socket

from swift_lb.clock import monotonic
from swift_lb.concurrency import is_readable
from swift_lb.dispatch.cost import WINDOW, window_after
from swift_lb.errors import PeerError, WireError
from swift_lb.wire.chunked import ChunkDecoder
from swift_lb.wire.http_head import answer_head

PIECE = 65536           # bytes taken from a socket at once: Swift's own client_chunk_size
MAX_HEAD = 65536        # bytes of an answer's head
WAKE = 1.0              # seconds
END = b'\r\n\r\n'


class UnreadableAnswerError(PeerError):
    """A peer has sent headers that cannot be passed on, which is no sign of a broken peer.

    Swift stores, and returns in headers, metadata that two parsers could read in two ways.
    """


class SilentError(PeerError):
    """The dispatcher has stopped waiting for a peer that has sent no byte for too long."""


class PeerConnection:
    """A connection to a peer, opened by the constructor; it carries several requests in turn."""

    def __init__(self, address, source, timeout):
        """Connect to `address`, an (ip, port), from the ip `source`, or '' for any ip of this host.

        Raises PeerError if that fails; SilentError if it takes longer than `timeout` seconds.
        """
        self._data = b''
        self.window = WINDOW        # bytes that the peer sends at once, by what it has sent
        self.reusable = False       # once the last answer has been read to its end
        try:
            self._socket = self._opened(address, source, timeout)
        except OSError as err:
            kind = SilentError if isinstance(err, TimeoutError) else PeerError
            raise kind(f'{address[0]}:{address[1]}: {err.strerror or err}') from None
        self._socket.settimeout(WAKE)

    def _opened(self, address, source, timeout):
        """Return a connected socket; raises OSError."""
        return connected(address, source, timeout)

    def close(self):
        """Close the connection; further calls have no effect."""
        self.reusable = False
        self._socket.close()

    @property
    def has_news(self):
        """Whether unread data has come from the peer, or the peer has closed the connection."""
        return bool(self._data) or is_readable(self._socket)

    def send(self, data, on_wait):
        """Send all bytes of `data`; raises PeerError if the connection is lost.

        Or if the peer answers and reads no more. `on_wait(seconds)` is called each second with the
        seconds for which no byte could be sent, and may raise PeerError to end the wait.
        """
        view, since = memoryview(data), monotonic()
        while view:
            try:
                sent = self._socket.send(view)
            except TimeoutError:
                if self.has_news:
                    raise PeerError('it answers and reads no more') from None
                on_wait(monotonic() - since)
            except OSError as err:
                raise PeerError(f'connection lost while sending: {err.strerror or err}') from None
            else:
                view, since = view[sent:], monotonic()

    def head(self, method, on_wait):
        """Return the AnswerHead of the next answer, 1xx included, to a request of this `method`.

        `on_wait(seconds)` is called each second with the seconds for which no byte has come, and
        may raise PeerError to end the wait.
        """
        while (end := self._data.find(END)) < 0:
            if len(self._data) > MAX_HEAD:
                raise PeerError(f'a head of more than {MAX_HEAD} bytes')
            self._data += self._received(on_wait)
        raw, self._data = self._data[:end], self._data[end + len(END):]
        try:
            return answer_head(raw, method)
        except WireError as err:
            kind = UnreadableAnswerError if raw.startswith(b'HTTP/1.') else PeerError
            raise kind(str(err)) from None

    def body(self, head, on_wait):
        """Yield the pieces of the body that follows the AnswerHead `head`.

        `on_wait(seconds)` is called now and then while no byte comes, and may raise PeerError. At
        the end `reusable` says whether another request may be sent on the connection.
        """
        if head.chunked:
            yield from self._chunks(on_wait)
        elif head.length is None:
            yield from self._rest(on_wait)
        else:
            yield from self._counted(head.length, on_wait)
            self.window = window_after(self.window, head.length)
        self.reusable = head.keep and not self._data

    def _counted(self, left, on_wait):
        while left:
            data = self._data or self._received(on_wait)
            piece, self._data = (data, b'') if len(data) <= left else (data[:left], data[left:])
            left -= len(piece)
            yield piece

    def _chunks(self, on_wait):
        decoder, data = ChunkDecoder(), self._data
        self._data = b''
        try:
            while True:
                yield from decoder.feed(data)
                if decoder.done:
                    break
                data = self._received(on_wait)
        except WireError as err:
            raise PeerError(str(err)) from None
        self._data = decoder.rest

    def _rest(self, on_wait):
        piece, self._data = self._data, b''
        while True:
            if piece:
                yield piece
            piece = self._received(on_wait, may_end=True)
            if not piece:
                return

    def _received(self, on_wait, may_end=False):
        """Return the next bytes that the peer sends, `on_wait(seconds)` being called each second.

        If the peer has closed the connection, return b'' with `may_end`, else raise PeerError.
        """
        since = monotonic()
        while True:
            try:
                data = self._socket.recv(PIECE)
            except TimeoutError:
                on_wait(monotonic() - since)
            except OSError as err:
                raise PeerError(f'connection lost: {err.strerror or err}') from None
            else:
                if data or may_end:
                    return data
                raise PeerError('connection closed before the end of the answer')


def connected(address, source, timeout):
    """Return a socket connected to `address` from the ip `source`, if this host has that ip.

    Otherwise the kernel chooses the source ip. Raises OSError, also after `timeout` seconds.
    """
    try:
        made = socket.create_connection(address, timeout, (source, 0) if source else None)
    except OSError as err:
        if not source or err.errno != errno.EADDRNOTAVAIL:
            raise
        made = socket.create_connection(address, timeout)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return made
