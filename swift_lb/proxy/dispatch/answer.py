"""A peer's answer, handed to the client as it comes."""
from swift_lb.errors import PeerError
from swift_lb.wire.hop import HEADER as HOP
from swift_lb.wire.http_head import end_to_end

# catch_errors of this proxy says the transaction's id, which is the peer's too.
SAID_HERE = frozenset(('x-trans-id', 'x-openstack-request-id', 'x-lb-load', HOP.lower()))


class Answer:
    """One answer of a peer: `head`, and the pieces of its body when it is iterated.

    `on_end(error)` is called once, when the last piece has been taken, or nobody wants more, or the
    peer has broken off: error is None unless it has.
    """

    def __init__(self, head, pieces, on_end):
        self.head, self.on_end = head, on_end
        self._pieces = pieces

    def headers(self):
        """Return what the client is to be told, as WSGI wants it."""
        return [(name, value) for name, value in end_to_end(self.head.headers)
                if name.lower() not in SAID_HERE]

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return next(self._pieces)
        except StopIteration:
            self._ended(None)
            raise
        except PeerError as err:
            self._ended(err)
            raise

    def close(self):
        """End it, whatever of it has been taken; a second end is harmless."""
        self._pieces.close()
        self._ended(None)

    def _ended(self, error):
        on_end, self.on_end = self.on_end, None
        if on_end is not None:
            on_end(error)

    def __del__(self):
        self._ended(None)
