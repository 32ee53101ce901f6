"""Poll some proxies repeatedly."""
from collections import Counter

from swift_lb.console.combine import advance, combine
from swift_lb.console.poll import Meeting, together
from swift_lb.errors import StatusError

KEEP = 6            # polls for which the page of a worker that does not answer is kept
KEEP_LEAST = 5.0    # seconds for which it is kept at least


class ProxyWatch:
    """The results of the last polls of `sources`."""

    def __init__(self, sources, interval, index, clock):
        """Poll every `interval` seconds, for the reasons of storage policy `index` or None."""
        self._sources, self._interval, self._index = sources, interval, index
        self._clock, self._looks, self._answered = clock, {}, False

    def look(self):
        """Poll all proxies at once and return the View.

        Raises StatusError if none answers and none has answered before.
        """
        known = Counter(url for url, _keeper in self._looks)
        meetings = together(lambda source: self._meet(source, known[source.url]), self._sources)
        met = {(one.url, keeper): sighting
               for one in meetings for keeper, sighting in one.met.items()}
        unanswered = {one.url: str(one.error) for one in meetings if not one.met}
        now = self._clock()
        self._looks = advance(self._looks, met, now, max(KEEP * self._interval, KEEP_LEAST))
        self._answered = self._answered or bool(met)
        if not self._answered:
            raise StatusError('; '.join(unanswered.values()))
        return combine(self._looks, unanswered, now, self._index)

    def _meet(self, source, workers):
        meeting = Meeting(source, self._clock)
        return meeting.refresh(workers, self._interval) if workers else meeting.explore()
