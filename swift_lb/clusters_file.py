"""The file of the Clusters: the agent replaces it whole, the dispatchers of its host read it.

Summaries in it grow old by themselves: a reader judges each by the instant at which it came.
"""
from swift_lb.instruction_file import boot, read_file, replace_file
from swift_lb.regular_file import FileWatch
from swift_lb.wire import clusters as wire

CHECK_INTERVAL = 0.25   # seconds


def write(path, clusters):
    """Replace the file at `path` by one with the Clusters `clusters`; OSError if that fails."""
    replace_file(path, wire.encode(clusters, boot()))


def read(path):
    """Return (Clusters, None), or (None, the reason) if the file at `path` has none."""
    return read_file(path, wire.decode)


class ClustersFile:
    """Reads the Clusters from a file, again whenever the file is replaced."""

    def __init__(self, path, clock):
        self._path, self._clock = path, clock
        self._check_at, self._watch = 0.0, FileWatch(path)
        self._clusters, self.fault = None, None

    def current(self):
        """Return the Clusters in the file, or None; `fault` is the reason why there are none."""
        now = self._clock()
        if now >= self._check_at:
            self._check_at = now + CHECK_INTERVAL
            if self._watch.has_changed():
                self._clusters, self.fault = read(self._path)
        return self._clusters
