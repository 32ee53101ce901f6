"""One HTTP/1.1 connection to a peer's proxy: one request at a time, bodies in constant memory.

http.client parses each head as an e-mail, which takes longer than all the rest of a hop, hides 100
Continue from who waits for it, and has no way to look up from a body that is being sent to an
answer that is already there.

Nothing here waits for longer than WAKE without asking `patience(seconds)`, which raises PeerError
when there is nothing more to wait for; `seconds` have passed without a byte.
"""
import errno
import socket

from swift_lb.clock import monotonic
from swift_lb.concurrency import plain_poll
from swift_lb.errors import PeerError, WireError
from swift_lb.wire.chunked import ChunkDecoder
from swift_lb.wire.http_head import answer_head

PIECE = 65536           # bytes taken from a socket at once: Swift's own client_chunk_size
MOST_HEAD = 65536       # bytes of an answer's head
WAKE = 1.0              # seconds
END = b'\r\n\r\n'


class UnreadableError(PeerError):
    """A peer has answered with headers that can not be handed on, and it need not be to blame.

    Swift stores names and values of metadata that no reader is sure of, and says them again.
    """


class SilentError(PeerError):
    """A peer has said nothing for so long that it is not waited for any more."""


class PeerConnection:
    """A connection that was made, to be asked, and perhaps to be asked again."""

    def __init__(self, address, source, timeout):
        """Connect to `address`, an (ip, port), from the ip `source`, '' for any.

        Raises PeerError where that fails or takes longer than `timeout` seconds.
        """
        self._data = b''
        self.reusable = False       # once the last answer has been read to its end
        try:
            self._socket = connected(address, source, timeout)
        except OSError as err:
            raise PeerError(f'{address[0]}:{address[1]}: {err.strerror or err}') from None
        self._socket.settimeout(WAKE)

    def close(self):
        """Close it; a second time is harmless."""
        self.reusable = False
        self._socket.close()

    @property
    def is_quiet(self):
        """Whether nothing has come that nobody has read: not even its end."""
        return not self._data and not has_news(self._socket)

    @property
    def has_news(self):
        """Whether something has come, or the connection has ended."""
        return bool(self._data) or has_news(self._socket)

    def send(self, data, patience):
        """Send all of `data`."""
        view, since = memoryview(data), monotonic()
        while view:
            try:
                sent = self._socket.send(view)
            except TimeoutError:
                if self.has_news:
                    raise PeerError('it answers and reads no more') from None
                patience(monotonic() - since)
            except OSError as err:
                raise PeerError(f'connection lost while sending: {err.strerror or err}') from None
            else:
                view, since = view[sent:], monotonic()

    def head(self, method, patience):
        """Return the AnswerHead of the next answer, an interim one too."""
        while (end := self._data.find(END)) < 0:
            if len(self._data) > MOST_HEAD:
                raise PeerError(f'a head of more than {MOST_HEAD} bytes')
            self._data += self._received(patience)
        raw, self._data = self._data[:end], self._data[end + len(END):]
        try:
            return answer_head(raw, method)
        except WireError as err:
            kind = UnreadableError if raw.startswith(b'HTTP/1.') else PeerError
            raise kind(str(err)) from None

    def body(self, head, patience):
        """Yield the pieces of the body that `head` speaks of; `reusable` is set at its end."""
        if head.chunked:
            yield from self._chunks(patience)
        elif head.length is None:
            yield from self._rest(patience)
        else:
            yield from self._counted(head.length, patience)
        self.reusable = head.keep and not self._data

    def _counted(self, left, patience):
        while left:
            data = self._data or self._received(patience)
            piece, self._data = (data, b'') if len(data) <= left else (data[:left], data[left:])
            left -= len(piece)
            yield piece

    def _chunks(self, patience):
        decoder, data = ChunkDecoder(), self._data
        self._data = b''
        try:
            while True:
                yield from decoder.feed(data)
                if decoder.done:
                    break
                data = self._received(patience)
        except WireError as err:
            raise PeerError(str(err)) from None
        self._data = decoder.rest

    def _rest(self, patience):
        piece, self._data = self._data, b''
        while True:
            if piece:
                yield piece
            piece = self._received(patience, may_end=True)
            if not piece:
                return

    def _received(self, patience, may_end=False):
        """Return what comes next, b'' for the end of what may end."""
        since = monotonic()
        while True:
            try:
                data = self._socket.recv(PIECE)
            except TimeoutError:
                patience(monotonic() - since)
            except OSError as err:
                raise PeerError(f'connection lost: {err.strerror or err}') from None
            else:
                if data or may_end:
                    return data
                raise PeerError('connection closed before the end of the answer')


def connected(address, source, timeout):
    """Return a socket connected to `address`; from any ip, where `source` is not this host's."""
    try:
        found = socket.create_connection(address, timeout, (source, 0) if source else None)
    except OSError as err:
        if not source or err.errno != errno.EADDRNOTAVAIL:
            raise
        found = socket.create_connection(address, timeout)
    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return found


def has_news(of):
    """Return whether a socket has something to be read, its end included, without waiting."""
    poll = plain_poll()
    poll.register(of.fileno(), 1)       # POLLIN
    return bool(poll.poll(0))
