"""The indexes of images that one worker remembers, and the images that have none.

It may take hundreds of reads until an image turns out to be damaged. So the next requests for parts
of it get the same answer without a read, for some seconds only: a replica may be damaged, and not
the image.
"""
from swift_lb.errors import ChainError

MOST = 200              # indexes, and as many refusals
MOST_BYTES = 1 << 24    # of indexes, as they are kept; the memory is up to 22 times as much
REFUSED = 10.0          # seconds


class KnownIndexes:
    """Indexes by their keys, the newest ones, and refusals."""

    def __init__(self, clock):
        """Take a monotonic clock."""
        self._clock, self._indexes, self._refused = clock, {}, {}

    def find(self, key):
        """Return the index with a key, None if it is not known; raises ChainError if refused."""
        sentence, status, until = self._refused.get(key, ('', '', 0.0))
        if status and self._clock() < until:
            raise ChainError(sentence, status)
        return self._indexes.get(key, (None, 0))[0]

    def remember(self, key, index, size):
        """Remember an index, which has `size` bytes where it is kept; forget the oldest ones."""
        while self._indexes and (len(self._indexes) >= MOST or size + sum(
                other for _index, other in self._indexes.values()) > MOST_BYTES):
            del self._indexes[next(iter(self._indexes))]
        self._indexes[key] = index, size

    def refuse(self, key, err):
        """Remember the ChainError by which the image with a key has no index."""
        self._refused.pop(key, None)
        if len(self._refused) >= MOST:
            del self._refused[next(iter(self._refused))]
        self._refused[key] = str(err), err.status, self._clock() + REFUSED
