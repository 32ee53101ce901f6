"""Ranges of bytes, joined where the bytes between them are few. Pure."""
from bisect import bisect_right
from itertools import pairwise

SLACK = 0.1             # bytes that may be read in vain, as a part of those that are needed


def joined(spans, slack=SLACK):
    """Return the ranges (first, last) that have all bytes of `spans`.

    `spans` are (first, end), in any order; they do not overlap. The smallest gaps between them are
    read too, as long as all of these have at most `slack` times the bytes of the spans.
    """
    spans = sorted(span for span in spans if span[0] < span[1])
    if not spans:
        return []
    gaps = sorted(after[0] - before[1] for before, after in pairwise(spans))
    left, widest = slack * sum(end - first for first, end in spans), 0
    for gap in gaps:
        left -= gap
        if left < 0:
            widest = min(widest, gap - 1)       # other gaps are as wide, and not all fit
            break
        widest = gap
    return _joined(spans, widest)


def _joined(spans, widest):
    """Return (first, last) of spans in order, joined over gaps of at most `widest` bytes."""
    found, (start, stop) = [], spans[0]
    for first, end in spans[1:]:
        if first - stop > widest:
            found.append((start, stop - 1))
            start = first
        stop = max(stop, end)
    return [*found, (start, stop - 1)]


class Fetched:
    """Bytes of an object by their offset."""

    def __init__(self, ranges, blocks):
        """Take ranges (first, last) in order, and the bytes of each."""
        self._starts = [first for first, _ in ranges]
        self._blocks = [memoryview(block) for block in blocks]

    def bytes_of(self, first, end):
        """Return the bytes from `first` to before `end`, which are in one of the ranges."""
        at = bisect_right(self._starts, first) - 1
        return self._blocks[at][first - self._starts[at]:end - self._starts[at]]
