"""What a worker has measured: seconds of reads by ranges, and sizes of results. Pure.

    seconds     batch + bytes / rate. A request for less than LARGE bytes teaches `batch`, a larger
                one `rate`
    size        factor x the size that the index of an image lets expect; a factor for each point
                and form

All are means that forget, with the gain GAIN; of factors, the first results count alike, since what
an index lets expect of the coefficients of an image with noise may be a third too much.
"""
LARGE = 1 << 18         # bytes
GAIN = 0.1
BATCH, RATE = 0.01, 1e8     # seconds, bytes per second, before anything is measured
LEAST, MOST = 0.1, 10.0     # of a factor


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
        rest = max(seconds - self.batch, 0.1 * seconds)
        if rest > 0:
            self.rate = 1 / (1 / self.rate + GAIN * (rest / size - 1 / self.rate))


class SizeFactors:
    """The sizes of results, times those that were expected."""

    def __init__(self):
        self._factors = {}      # (point, form) -> factor, results that were seen

    def of(self, work):
        """Return a Work with the size that its result may be expected to have."""
        return work._replace(size=work.size * self._known(work)[0])

    def add(self, work, size):
        """Learn that the result of a Work, one that of() has returned, had `size` bytes."""
        before, count = self._known(work)
        seen = before * size / max(work.size, 1)
        factor = before + max(GAIN, 1 / (count + 1)) * (seen - before)
        self._factors[work.point, work.form] = min(MOST, max(LEAST, factor)), count + 1

    def _known(self, work):
        return self._factors.get((work.point, work.form), (1.0, 0))
