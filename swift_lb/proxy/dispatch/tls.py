"""Connections to other clusters by TLS.

The library of TLS gets and gives bytes in memory, and this module waits for the socket: so waits
and their limits are those of connections without TLS, whether eventlet has replaced ssl or not.

    _tls.write(plain) -> _outgoing -> _unsent -> socket.send
    socket.recv -> _incoming -> _tls.read() -> _plain

A session is not resumed: in TLS 1.3 a new one takes one round trip, too, and its certificate is
verified again.
"""
from contextlib import suppress
from typing import NamedTuple

from swift_lb.concurrency import Timeout, plain_ssl
from swift_lb.errors import PeerError
from swift_lb.proxy.dispatch.connection import PIECE, PeerConnection, connected, is_readable

# Connect timeouts until a connection must be ready: name, TCP, and two waits for the handshake.
MOST_WAITS = 4


class TlsAddress(NamedTuple):
    """The address of a server that must show a certificate for `host`; a key of a Pool."""

    host: str               # IP or name
    port: int
    context: object         # the ssl.SSLContext with the authorities; None: there are none


class TlsSocket:
    """A connected socket with TLS: of a socket's methods those that a PeerConnection calls."""

    def __init__(self, sock, context, host):
        """Take a connected socket, and shake hands; raises OSError, which ssl.SSLError is.

        `host` is the name or the IP that the server's certificate must be for.
        """
        self._socket, self._plain, self._unsent, self._written = sock, b'', b'', 0
        self._incoming, self._outgoing = plain_ssl.MemoryBIO(), plain_ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)
        self.settimeout, self.close = sock.settimeout, sock.close
        while not self._shaken():
            self._feed()

    def _shaken(self):
        """Return whether the handshake has ended; send what it has to say, an alert, too."""
        try:
            self._tls.do_handshake()
            done = True
        except plain_ssl.SSLWantReadError:
            done = False
        except OSError:
            with suppress(OSError):
                self._socket.sendall(self._outgoing.read())
            raise
        self._socket.sendall(self._outgoing.read())
        return done

    def send(self, data):
        """Return how many bytes of `data` were sent, 0 if only some bytes of their ciphertext were.

        Raises OSError; after 0 or TimeoutError, the next call must be with the same `data`.
        """
        if not self._unsent:
            self._written = self._tls.write(data[:PIECE])
            self._unsent = self._outgoing.read()
        sent = self._socket.send(self._unsent)
        self._unsent = self._unsent[sent:]
        return 0 if self._unsent else self._written

    def recv(self, size):
        """Return at most `size` bytes, b'' if the server has ended the session; raises OSError.

        Without an end of the session that of the connection is an error: anyone can cut that.
        """
        if self._plain:
            data, self._plain = self._plain[:size], self._plain[size:]
            return data
        while (data := self._decrypted(size)) is None:
            self._feed()
        return data

    def has_news(self):
        """Return, without waiting, whether recv() would return or raise at once.

        Session tickets, which servers send after the handshake, are no news.
        """
        try:
            while not self._plain:
                data = self._decrypted(PIECE)
                if data is None:
                    if not is_readable(self._socket):
                        return False
                    self._feed()
                elif data:
                    self._plain = data
                else:
                    break       # the end
        except OSError:
            pass        # recv() raises it
        return True

    def _decrypted(self, size):
        """Return at most `size` bytes that have come, b'' at the end, None if more must come."""
        pieces = []
        try:
            while size > 0 and (piece := self._tls.read(size)):
                pieces.append(piece)
                size -= len(piece)
        except plain_ssl.SSLWantReadError:
            return b''.join(pieces) if pieces else None
        except plain_ssl.SSLZeroReturnError:
            pass
        except OSError:
            if not pieces:      # the next call raises it again
                raise
        return b''.join(pieces)

    def _feed(self):
        data = self._socket.recv(PIECE)
        if data:
            self._incoming.write(data)
        else:
            self._incoming.write_eof()


class TlsConnection(PeerConnection):
    """A connection to a TlsAddress, opened by the constructor."""

    @property
    def has_news(self):
        """Whether unread data has come from the peer, or the peer has closed the connection."""
        return bool(self._data) or self._socket.has_news()

    def _opened(self, address, source, timeout):
        """Return a TlsSocket; each wait for the server ends after `timeout` seconds."""
        if address.context is None:
            raise PeerError(f'{address.host}:{address.port}: there are no authorities (ca_file) '
                            'to verify its certificate')
        with Timeout(MOST_WAITS * timeout, TimeoutError('timed out')):
            sock = connected(address[:2], source, timeout)
            try:
                return TlsSocket(sock, address.context, address.host)
            except BaseException as err:
                sock.close()
                if isinstance(err, plain_ssl.SSLError):
                    why = getattr(err, 'verify_message', None) or err.reason or err
                    raise OSError(f'TLS: {why}') from None
                raise
