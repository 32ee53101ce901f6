"""Measure one body part of an answer while Swift reads it."""
from swift_lb.concurrency import Timeout


class MeasuredPart:
    """Stand for a body part and tell the ReplicaOrder of every chunk read from it.

    Swift reads parts with `read(amt)` only. `size` is the part's bytes, None where the answer has
    no Content-Length; `last` says that no other part follows, so that the read ends with its last
    byte and not when a slow client has taken it.
    """

    def __init__(self, part, read, size, last, replicas):
        self._part, self._read, self._left, self._last = part, read, size, last
        self._replicas = replicas

    def read(self, amt=None):
        """Read up to `amt` bytes; what the part raises is recorded and raised."""
        self._replicas.wait(self._read)
        try:
            chunk = self._part.read(amt)
        except Timeout:
            self._replicas.blame_read(self._read, True)
            raise
        except Exception:
            self._replicas.blame_read(self._read, False)
            raise
        self._account(len(chunk))
        return chunk

    def _account(self, size):
        if size:
            self._replicas.received(self._read, size)
        if self._left is not None:
            self._left -= size
        if not size and self._left is not None and self._left > 0:
            self._replicas.blame_read(self._read, False)  # a short body
        elif self._left == 0 or not size:
            self._replicas.part_ended(self._read, self._last)
