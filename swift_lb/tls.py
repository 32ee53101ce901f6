"""TLS on connected sockets, of which it takes the place: the client's side.

The library of TLS gets and gives bytes in memory, and this module waits for the socket: so waits
and their limits are those of connections without TLS, whether eventlet has replaced ssl or not.

    _tls.write(plain) -> _outgoing -> _unsent -> socket.send
    socket.recv -> _incoming -> _tls.read() -> _plain

A session is not resumed: in TLS 1.3 a new one takes one round trip, too, and its certificate is
verified again.
"""
from contextlib import suppress

from swift_lb.concurrency import is_readable, plain_ssl

PIECE = 65536       # bytes that are encrypted, or taken from a socket, at once


class TlsSocket:
    """A connected socket with TLS: of a socket's methods those that a PeerConnection calls."""

    def __init__(self, sock, context, host):
        """Take a connected socket, and shake hands; raises OSError, which ssl.SSLError is.

        `host` is the name or the IP that the server's certificate must be for.
        """
        self._socket, self._plain, self._unsent, self._written = sock, b'', b'', 0
        self._error = None      # of the session, which is over then
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
        if self._error is not None:
            raise self._error
        pieces = []
        try:
            while size > 0 and (piece := self._tls.read(size)):
                pieces.append(piece)
                size -= len(piece)
        except plain_ssl.SSLWantReadError:
            return b''.join(pieces) if pieces else None
        except plain_ssl.SSLZeroReturnError:
            pass
        except OSError as err:
            self._error = err       # after a fatal error OpenSSL may report an end
            if not pieces:
                raise
        return b''.join(pieces)

    def _feed(self):
        data = self._socket.recv(PIECE)
        if data:
            self._incoming.write(data)
        else:
            self._incoming.write_eof()
