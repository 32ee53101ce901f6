"""The parts of images that the proxies of this host have answered, and the seconds so saved."""
from collections import Counter

from swift_lb.chains.chain import POINTS
from swift_lb.wire.image_counts import parts_of_quote


class AnsweredParts:
    """Sums of what proxies tell with their quotes."""

    def __init__(self):
        self._points, self._saved = Counter(), 0.0

    def add(self, question):
        """Add the parts and seconds in a quote, a dict; raises ChainError if it is not valid."""
        parts, saved = parts_of_quote(question)
        self._points.update(parts)
        self._saved += saved

    def document(self):
        """Return a dict for pages and metrics: parts by their points, and seconds saved by these.
        """
        return {'points': {point: self._points[point] for point in POINTS},
                'saved_by_points': self._saved}
