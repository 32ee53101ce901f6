"""Connections to other clusters by TLS, each to a server whose certificate was verified."""
from typing import NamedTuple

from swift_lb.concurrency import Timeout, plain_ssl
from swift_lb.errors import PeerError
from swift_lb.proxy.dispatch.connection import PeerConnection, connected
from swift_lb.tls import TlsSocket


class TlsAddress(NamedTuple):
    """The address in a Pool of a server that must show a certificate for `host`."""

    host: str               # IP or name
    port: int
    context: object         # the ssl.SSLContext with the authorities; None: there are none


class TlsConnection(PeerConnection):
    """A connection to a TlsAddress, opened by the constructor."""

    @property
    def has_news(self):
        """Whether unread data has come from the peer, or the peer has closed the connection."""
        return bool(self._data) or self._socket.has_news()

    def _opened(self, address, source, timeout):
        """Return a TlsSocket; name, TCP and handshake may take `timeout` seconds together."""
        if address.context is None:
            raise PeerError(f'{address.host}:{address.port}: there are no authorities (ca_file) '
                            'to verify its certificate')
        with Timeout(timeout, TimeoutError('timed out')):
            sock = connected(address[:2], source, timeout)
            try:
                return TlsSocket(sock, address.context, address.host)
            except BaseException as err:
                sock.close()
                if isinstance(err, plain_ssl.SSLError):
                    why = getattr(err, 'verify_message', None) or err.reason or err
                    raise OSError(f'TLS: {why}') from None
                raise
