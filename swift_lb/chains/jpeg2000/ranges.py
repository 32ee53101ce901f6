"""Ranges of bytes, joined where the bytes between them are few. Pure."""
from bisect import bisect_right
from itertools import accumulate
from operator import sub

SLACK = 0.1             # bytes that may be read in vain, as a part of those that are needed


def joined(spans, slack=SLACK):
    """Return the ranges (first, last) that have all bytes of `spans`.

    `spans` are (first, end), in any order; they do not overlap. The smallest gaps between them are
    read too, as long as all of these have at most `slack` times the bytes of the spans.
    """
    spans = sorted(span for span in spans if span[0] < span[1])
    if not spans:
        return []
    starts, ends = zip(*spans, strict=True)
    gaps = [*map(sub, starts[1:], ends)]
    widest = _widest(sorted(gaps), slack * (sum(ends) - sum(starts)))
    breaks = [at for at, gap in enumerate(gaps) if gap > widest]
    return [(starts[first], ends[last] - 1) for first, last in zip(
        [0, *[at + 1 for at in breaks]], [*breaks, len(gaps)], strict=True)]


def _widest(gaps, most):
    """Return the bytes of the widest of `gaps`, in order, that have `most` bytes with all narrower.
    """
    fit = bisect_right([*accumulate(gaps)], most)
    if fit == len(gaps):
        return gaps[-1] if gaps else 0
    # If others are as wide, not all of these fit.
    return min(gaps[fit] - 1, gaps[fit - 1] if fit else 0)


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
