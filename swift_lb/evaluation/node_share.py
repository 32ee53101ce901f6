"""The reads of each node, second by second, as the nodes themselves count them."""
import contextlib
import itertools
import threading

from swift_lb.clock import monotonic

EVERY = 1.0     # seconds


class Poll:
    """Polls the nodes' counts in a thread while the context lasts."""

    def __init__(self, counts, every=EVERY):
        """Take `counts()`, which returns {node: reads since its start}, or None: nothing is known.

        `every` is in seconds.
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
        """Return [(end of a second, {node: reads it served in that second}), ...].

        Ends are seconds since the context was entered.
        """
        return differences(self.seen)

    def _run(self):
        while True:
            with contextlib.suppress(OSError):  # a dead node: the cell reports it
                self.seen.append((self.now, self._counts()))
            if self._stop.wait(self._every):
                return


def differences(seen):
    """Return the increase between each two entries of `seen`, (second, {node: count}).

    A node that did not answer, or that has restarted in between, is omitted.
    """
    return tuple(
        (round(second, 3), {node: count - before[node] for node, count in after.items()
                            if node in before and count >= before[node]})
        for (_earlier, before), (second, after) in itertools.pairwise(seen))


def reads_of(served):
    """Return {node: GETs served} of Lab.served()."""
    reads = {}
    for (node, _device), counts in served.items():
        reads[node] = reads.get(node, 0) + counts['by_method'].get('GET', 0)
    return reads


def inside(reads, window):
    """Return those of `reads` that were made within the seconds of `window`, (begin, end)."""
    first, last = window
    return [(second, counts) for second, counts in reads if first + EVERY <= second <= last]


def shares(counts):
    """Return {node: its fraction of `counts`}; {} without reads."""
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
    """Return the mean over seconds of the busiest node's share; 1: one node at a time has all.

    None without reads. The busiest node may change from second to second; over a whole run such
    herding looks like an even load. Seconds are weighted by their reads.
    """
    most = sum(max(counts.values(), default=0) for _second, counts in reads)
    every = sum(sum(counts.values()) for _second, counts in reads)
    return most / every if every else None
