"""Poll proxies, or one agent, again and again; keep the last page of one that stops answering."""
from collections import Counter
from typing import NamedTuple

from swift_lb.console import cluster_page
from swift_lb.console.combine import advance, combine
from swift_lb.console.fetch import PageServer, of_daemon
from swift_lb.console.poll import Meeting, together
from swift_lb.errors import StatusError

KEEP_POLLS = 6            # polls for which the page of a worker that does not answer is kept
KEEP_SECONDS = 5.0    # seconds for which it is kept at least


class ProxyWatch:
    """Polls proxies again and again, and keeps the results of the last polls."""

    def __init__(self, sources, interval, index, clock):
        """Take the Sources of the proxies, the seconds between polls, and a monotonic clock.

        `index` is the storage policy whose reasons for the order are shown, or None.
        """
        self._sources, self._interval, self._index = sources, interval, index
        self._clock, self._looks, self._answered = clock, {}, False

    def refresh(self):
        """Poll all proxies at once and return the View.

        Raises StatusError if no proxy answers and none ever has.
        """
        known = Counter(url for url, _keeper in self._looks)
        meetings = together(lambda source: self._meet(source, known[source.url]), self._sources)
        met = {(one.url, keeper): sighting
               for one in meetings for keeper, sighting in one.met.items()}
        unanswered = {one.url: str(one.error) for one in meetings if not one.met}
        now = self._clock()
        self._looks = advance(self._looks, met, now, max(KEEP_POLLS * self._interval, KEEP_SECONDS))
        self._answered = self._answered or bool(met)
        if not self._answered:
            raise StatusError('; '.join(unanswered.values()))
        return combine(self._looks, unanswered, now, self._index)

    def _meet(self, source, workers):
        meeting = Meeting(source, self._clock)
        return meeting.refresh(workers, self._interval) if workers else meeting.explore()


FORMAT = 1  # of the document; raised when a reader of the old one would go wrong
DEFAULT_URL = 'http://127.0.0.1:6209'
DOCUMENT = of_daemon('/v1/cluster', 'swift-lb-agent', "the agent's own URL")
CLUSTERS = of_daemon('/v1/clusters', 'swift-lb-agent', "the agent's own URL")


class AgentClient:
    """A client of one node's agent."""

    def __init__(self, url, key=None, document=DOCUMENT, parse=cluster_page.parse):
        """Take the agent's `url`, http[s]://HOST[:PORT], and the `key` that it requires.

        `document` is the Subject to fetch, `parse(body, url)` makes a page of it.
        """
        self.url, self._parse = url, parse
        self._server = PageServer(url, document, key)

    def page(self):
        """Return the agent's page; raises StatusError, with one sentence, if that fails."""
        return self._parse(self._server.get(), self.url)


class ClusterView(NamedTuple):
    """The newest page of an agent, and whether it still answers."""

    url: str
    page: NamedTuple            # a ClusterPage, or a ClustersPage
    age: float                  # of the page, seconds
    unanswered: str | None      # why there is no newer page


class ClusterWatch:
    """Polls an agent again and again, and keeps its last page."""

    def __init__(self, agent, clock):
        """Take the AgentClient that fetches the pages, and a monotonic clock."""
        self._agent, self._clock = agent, clock
        self._page, self._at = None, 0.0

    def refresh(self):
        """Fetch the agent's page, return the ClusterView; StatusError if it has never answered."""
        unanswered = None
        try:
            self._page, self._at = self._agent.page(), self._clock()
        except StatusError as err:
            if self._page is None:
                raise
            unanswered = str(err)
        return ClusterView(self._agent.url, self._page, self._clock() - self._at, unanswered)


def cluster_document(view):
    """Return what `top --cluster --json` prints: seconds, fractions, and None for unknown."""
    nodes = [node._asdict() for node in view.page.nodes]
    return {'format': FORMAT, 'url': view.url, 'age': view.age, 'unanswered': view.unanswered,
            'cluster': view.page._asdict() | {'nodes': nodes}}
