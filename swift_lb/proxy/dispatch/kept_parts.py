"""Asks swift-lb-image of this host which hosts keep a part of an image: Swala's directory."""
from swift_lb.proxy.image.decoder import Decoder, DecoderError

PATIENCE = 0.1      # seconds; then the part is taken as one that nobody keeps


class KeptParts:
    """The directory, as the dispatcher of one worker asks it."""

    def __init__(self, identity):
        """`identity()` returns the current Identity, which has the path of the daemon's socket."""
        self._identity, self._path, self._decoder = identity, None, None

    def where(self, key):
        """Return the names of the nodes that keep results of the request with a key, or ()."""
        path = self._identity().image_socket
        if path is None:
            return ()
        if path != self._path:
            self._path, self._decoder = path, Decoder(path, PATIENCE)
        try:
            answer, _body = self._decoder.ask({'do': 'where', 'request': key})
        except DecoderError:
            return ()
        return tuple(name for name in answer.get('nodes', ()) if isinstance(name, str))
