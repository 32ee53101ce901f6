"""The reads of each node, second by second, as the nodes themselves count them."""
import contextlib
import itertools
import threading

from swift_lb.clock import monotonic

EVERY = 1.0     # seconds


class Poll:
    """A context in which a thread asks every second how many reads each node has served so far."""

    def __init__(self, counts, every=EVERY):
        """Take a function `counts()` that returns {node: reads since the node's start}.

        If `counts` is None, no reads are known. `every` is the interval of calls in seconds.
        """
        self._counts, self._every, self._stop = counts, every, threading.Event()
        self.seen = []          # [(second, counts), ...]
        self._began = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._began = monotonic()
        if self._counts:
            self._thread.start()
        return self

    def __exit__(self, *_exc):
        self._stop.set()
        if self._counts:
            self._thread.join()

    @property
    def now(self):
        """Return the seconds since the context was entered."""
        return monotonic() - self._began

    @property
    def reads(self):
        """Return ((end of a second, {node: reads it served in that second}), ...).

        Ends are seconds since the context was entered.
        """
        return differences(self.seen)

    def _run(self):
        while True:
            with contextlib.suppress(OSError):  # a dead node: the run reports it
                self.seen.append((self.now, self._counts()))
            if self._stop.wait(self._every):
                return


def differences(seen):
    """Return ((second, {node: increase of its count}), ...) between successive entries of `seen`.

    Entries are (second, {node: count}). A node that did not answer, or that has restarted between
    two entries, is omitted.
    """
    return tuple(
        (round(second, 3), {node: count - before[node] for node, count in after.items()
                            if node in before and count >= before[node]})
        for (_earlier, before), (second, after) in itertools.pairwise(seen))


def reads_of(served):
    """Return {node: GETs served by all its devices} from `served`, which Lab.served() returned."""
    reads = {}
    for (node, _device), counts in served.items():
        reads[node] = reads.get(node, 0) + counts['by_method'].get('GET', 0)
    return reads


def inside(reads, window):
    """Return a list of the entries of `reads` whose whole second is inside `window`.

    An entry is (end of a second, {node: reads}); `window` is (begin, end) in seconds.
    """
    first, last = window
    return [(second, counts) for second, counts in reads if first + EVERY <= second <= last]


def shares(counts):
    """Return {node: its fraction of all reads} of `counts`, {node: reads}; {} without reads."""
    total = sum(counts.values())
    return {node: count / total for node, count in counts.items()} if total else {}


def total(reads):
    """Return {node: reads} summed over all seconds of `reads`."""
    totals = {}
    for _second, counts in reads:
        for node, count in counts.items():
            totals[node] = totals.get(node, 0) + count
    return totals


def crowding(reads):
    """Return the share of a second's reads at that second's busiest node, as the mean over seconds.

    1: in each second one node has all reads. None if there are no reads. The busiest node may
    change from second to second; over a whole run such herding looks like an even load. Seconds are
    weighted by their reads.
    """
    most = sum(max(counts.values(), default=0) for _second, counts in reads)
    every = sum(sum(counts.values()) for _second, counts in reads)
    return most / every if every else None
