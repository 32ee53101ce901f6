"""The memory that one worker has for parts of images: what is read for them, and what is sent."""
from contextlib import contextmanager
from weakref import WeakSet

from swift_lb.errors import ChainError
from swift_lb.wire.image_job import UNAVAILABLE

MOST = 1 << 28          # bytes of parts that are made, with what is read for them, and of large
#                         parts that are sent
LARGE = 1 << 20         # bytes of a part that counts until it is sent
PIECE = 1 << 18         # bytes that are sent at a time: of smaller ones each costs more


class SentBody:
    """The body of an answer, in pieces: of a whole one, eventlet copies the rest at each send."""

    def __init__(self, data):
        """Take the bytes."""
        self._data = data

    def __len__(self):
        """Return the number of bytes."""
        return len(self._data)

    def __iter__(self):
        """Yield the pieces."""
        return (self._data[at:at + PIECE] for at in range(0, len(self._data), PIECE))


class PartRoom:
    """What a worker has in memory for the parts that it makes, and for slow clients."""

    def __init__(self):
        self._making, self._sending = 0, WeakSet()

    @contextmanager
    def making(self, size):
        """Return a context in which `size` bytes count; raises ChainError if that is too much.

        While nothing else counts, no size is too much.
        """
        size, held = round(size), self._making + sum(map(len, self._sending))
        if held and held + size > MOST:
            raise ChainError('too much of other images is being read or sent', UNAVAILABLE)
        self._making += size
        try:
            yield
        finally:
            self._making -= size

    def sent(self, body):
        """Return the body of an answer; a large SentBody counts until the server has freed it."""
        if isinstance(body, SentBody) and len(body) > LARGE:
            self._sending.add(body)
        return body
