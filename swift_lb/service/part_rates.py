"""Rates of parts of images on one host, over the last WINDOW seconds, and of several hosts. Pure.

Where counts come seldom, the rates are those since the last ones.

    image_d1..image_d4  parts a second that were answered at each point
    image_hits          fraction of the results needed for them that had been kept; absent if there
                        were none
    image_saved         seconds saved, by points and by results that had been kept, a second
"""
from collections import deque
from math import fsum

from swift_lb.plan.image_states import joined
from swift_lb.wire.image_counts import PART_METRICS
from swift_lb.wire.image_state import of_metrics

WINDOW = 60.0       # seconds, in which a part every few seconds still counts some times
HITS, SAVED = 'image_hits', 'image_saved'
AT_POINTS = PART_METRICS[:-2]


class PartRates:
    """Makes rates of the ImageCounts that a daemon has told."""

    def __init__(self):
        self.counts = None          # the last ImageCounts
        self._recent = deque()      # (instant, ImageCounts), the oldest first

    def add(self, counts, now):
        """Add ImageCounts that were told at `now`, monotonic seconds."""
        if self._recent and counts.since(self._recent[-1][1]) is None:
            self._recent.clear()        # the daemon was restarted
        self.counts = counts
        self._recent.append((now, counts))
        while len(self._recent) > 2 and now - self._recent[0][0] > WINDOW:
            self._recent.popleft()

    def metrics(self):
        """Return {metric: number}; none before there are counts of two instants."""
        if len(self._recent) < 2:
            return {}
        (began, first), (now, last) = self._recent[0], self._recent[-1]
        seconds, new = now - began, last.since(first)
        rates = dict(zip(AT_POINTS, (count / seconds for count in new.parts), strict=True))
        rates[SAVED] = (new.saved_by_points + new.saved_by_kept) / seconds
        if new.hits + new.made:
            rates[HITS] = new.hits / (new.hits + new.made)
        return rates


def together(nodes):
    """Return the metrics of images of several nodes as those of one; None if none has a decoder.

    `nodes` is a list of {metric: number}. The wait is a mean weighted by decoders, hits are one
    weighted by parts a second; the others are sums.
    """
    nodes = [metrics for metrics in nodes if of_metrics(metrics) is not None]
    state = joined(map(of_metrics, nodes))
    if state is None:
        return None
    sums = {name: fsum(metrics.get(name, 0.0) for metrics in nodes) for name in (*AT_POINTS, SAVED)}
    weights = [(metrics[HITS], fsum(metrics.get(name, 0.0) for name in AT_POINTS))
               for metrics in nodes if HITS in metrics]
    parts = fsum(weight for _hits, weight in weights)
    return {'image_workers': state.workers, 'image_wait': state.wait, **sums,
            HITS: fsum(hits * weight for hits, weight in weights) / parts if parts else None}
