"""How long it takes to read ranges of objects: what a worker has measured. Pure.

    seconds = batch + bytes / rate

A request for less than LARGE bytes teaches `batch`, a larger one `rate`; both are means that forget,
with the gain GAIN.
"""
LARGE = 1 << 18         # bytes
GAIN = 0.1
BATCH, RATE = 0.01, 1e8     # seconds, bytes per second, before anything is measured


class ReadTimes:
    """The seconds of one worker's requests for ranges."""

    def __init__(self, clock):
        """Take `clock()`, which returns monotonic seconds."""
        self.clock, self.batch, self.rate = clock, BATCH, RATE

    def add(self, size, seconds):
        """Learn that a request for `size` bytes took `seconds`."""
        if size < LARGE:
            self.batch += GAIN * (max(0.0, seconds - size / self.rate) - self.batch)
            return
        rest = seconds - self.batch
        if rest > 0:
            self.rate = 1 / (1 / self.rate + GAIN * (rest / size - 1 / self.rate))
