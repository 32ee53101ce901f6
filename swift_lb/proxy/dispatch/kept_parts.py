"""Asks swift-lb-image of this host which hosts keep a part of an image, and what this one keeps."""
from swift_lb import clock
from swift_lb.proxy.dispatch.answers import answer
from swift_lb.proxy.image.decoder import Decoder, DecoderError

PATIENCE = 0.1      # seconds; then the part counts as one that no host keeps


class KeptParts:
    """What results are kept, as the dispatcher of one worker asks it."""

    def __init__(self, identity):
        """`identity()` returns the current Identity, which has the path of the daemon's socket."""
        self._identity, self._path, self._decoder = identity, None, None

    def where(self, key):
        """Return the names of the nodes that keep results of the request with a key, or ()."""
        reply, _body = self._asked({'do': 'where', 'request': key})
        return tuple(name for name in reply.get('nodes', ()) if isinstance(name, str))

    def answer_digest(self, env, start_response):
        """Answer another cluster, which pulls the digest of what this host keeps."""
        reply, body = self._asked({'do': 'digest'})
        if not reply.get('ok'):
            return answer(env, start_response, '404 Not Found', 'Nothing is kept here.')
        start_response('200 OK', [('Content-Type', 'application/octet-stream'),
                                  ('Content-Length', str(len(body)))])
        return [body]

    def _asked(self, question):
        """Return (answer, body) of the daemon to a question, ({}, b'') without one."""
        path = self._identity().image_socket
        if path is None:
            return {}, b''
        if path != self._path:
            self._path, self._decoder = path, Decoder(path, PATIENCE, clock.monotonic)
        try:
            return self._decoder.ask(question)
        except DecoderError:
            return {}, b''
