"""Bytes of an object, of which a step keeps one window. Pure: a generator yields what it lacks."""
from swift_lb.chains.chain import BATCH
from swift_lb.errors import ChainError

GONE = 'the object is not as long as its size says'


def fetched(ranges):
    """Yield (first, last) in batches; return the list of their bytes."""
    blocks = []
    for at in range(0, len(ranges), BATCH):
        batch = ranges[at:at + BATCH]
        got = yield batch
        if [len(block) for block in got] != [last - first + 1 for first, last in batch]:
            raise ChainError(GONE)
        blocks += got
    return blocks


class ByteWindow:
    """The bytes of an object from `start` on that have been read last."""

    def __init__(self, size):
        """Take the size of the object."""
        self.size, self.start, self.data = size, 0, b''

    @property
    def end(self):
        """The offset of the first byte after the window."""
        return self.start + len(self.data)

    def have(self, first, end, ahead=0):
        """Read until the window has the bytes from `first` to before `end`: a generator.

        If it must read, it reads `ahead` bytes at least. Returns the position of `first` in `data`.
        """
        if end > self.size:
            raise ChainError('the image is truncated')
        if first < self.start or end > self.end:
            end = min(self.size, max(end, first + ahead))
            self.data, = yield from fetched([(first, end - 1)])
            self.start = first
        return first - self.start
