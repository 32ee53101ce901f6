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
        self._replicas, self._complete = replicas, False

    def read(self, amt=None):
        """Read up to `amt` bytes; what the part raises is recorded and raised."""
        if self._complete:      # Swift reads on until there is nothing
            return self._part.read(amt)
        replicas, read = self._replicas, self._read
        replicas.wait(read)
        try:
            if read.first_byte_time is None and self._left != 0:
                self._await_first_byte()
            chunk = self._part.read(amt)
        except Timeout:
            replicas.blame_read(read, True)
            raise
        except Exception:
            replicas.blame_read(read, False)
            raise
        self._account(len(chunk))
        return chunk

    def _await_first_byte(self):
        # A chunk of 64 KiB is there long after its first byte where the rest comes slowly. Only a
        # whole response can be peeked into, and an empty one would wait for bytes that never come.
        peek = getattr(self._part, 'peek', None)
        try:
            there = peek is not None and peek(1)
        except Exception:
            return  # Swift does not peek: if anything but that is wrong, read() will meet it
        if there:
            self._replicas.first_byte(self._read)

    def _account(self, size):
        if size:
            self._replicas.received(self._read, size)
        left = self._left
        if left is not None:
            left = self._left = left - size
            if left > 0:
                if not size:
                    self._replicas.blame_read(self._read, False)  # a short body
                return
        if left == 0 or not size:
            if self._read.first_byte_time is None:
                self._replicas.first_byte(self._read)  # no body: the head was all there is
            self._replicas.part_ended(self._read, self._last)
            self._complete = self._last
