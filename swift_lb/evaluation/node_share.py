"""Which node answers the reads, second by second: asked of the nodes themselves."""
import contextlib
import itertools
import threading
from collections import Counter

from swift_lb.clock import monotonic

EVERY = 1.0     # seconds


class Poll:
    """Ask for the nodes' counts again and again, in a thread, while the context lasts."""

    def __init__(self, counts, every=EVERY):
        """`counts` returns {node: reads served since it started}; without it, nothing is known.

        `every` is in seconds; what was told, and when, is in `seen`.
        """
        self._counts, self._every, self._stop = counts, every, threading.Event()
        self.seen = []          # (second, counts)
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
        """Seconds since the context began."""
        return monotonic() - self._began

    @property
    def reads(self):
        """The reads of each second: (second at its end, {node: reads served in it}), ..."""
        return differences(self.seen)

    def _run(self):
        while True:
            with contextlib.suppress(OSError):  # a node that dies: the cell will tell
                self.seen.append((self.now, self._counts()))
            if self._stop.wait(self._every):
                return


def differences(seen):
    """Return what was added between each two of `seen`, (second, {node: count}).

    A node that did not answer, or that has started anew in between, is left out there.
    """
    return tuple(
        (round(second, 3), {node: count - before[node] for node, count in after.items()
                            if node in before and count >= before[node]})
        for (_earlier, before), (second, after) in itertools.pairwise(seen))


def reads_of(served):
    """Return {node: GETs served} of Lab.served()."""
    found = {}
    for (node, _device), counts in served.items():
        found[node] = found.get(node, 0) + counts['by_method'].get('GET', 0)
    return found


def inside(reads, window):
    """Return those of `reads` whose second lies in the `window` (from, to)."""
    first, last = window
    return [(second, counts) for second, counts in reads if first + EVERY <= second <= last]


def shares(counts):
    """Return {node: its fraction of `counts`}; empty where nothing was read."""
    total = sum(counts.values())
    return {node: count / total for node, count in counts.items()} if total else {}


def total(reads):
    """Return {node: reads} of all seconds of `reads` together."""
    found = {}
    for _second, counts in reads:
        for node, count in counts.items():
            found[node] = found.get(node, 0) + count
    return found


def dealt(reads, nodes, rng, times=20):
    """Return as many `reads` in each second, each at any of `nodes`, all of it `times` over."""
    nodes = list(nodes)
    return [(second, Counter(rng.choices(nodes, k=sum(counts.values()))))
            for _ in range(times) for second, counts in reads]


def crowding(reads):
    """Return the mean share of the most-read node of each second: 1 is one node at a time.

    None where nothing was read. Which node it is may change from second to second; over a whole run
    such a herd looks like an even load. A second counts by its reads.
    """
    most = sum(max(counts.values(), default=0) for _second, counts in reads)
    every = sum(sum(counts.values()) for _second, counts in reads)
    return most / every if every else None
