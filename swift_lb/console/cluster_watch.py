"""Keep looking at the cluster through one agent."""
from typing import NamedTuple

from swift_lb.console.cluster_page import ClusterPage
from swift_lb.errors import StatusError

FORMAT = 1  # of the document; raised when a reader of the old one would go wrong


class ClusterView(NamedTuple):
    """What is known of the cluster now."""

    url: str
    page: ClusterPage           # the newest there has been
    age: float                  # of it, seconds
    unanswered: str | None      # why there is no newer one


class ClusterWatch:
    """What the last look at an agent has shown."""

    def __init__(self, agent, clock):
        self._agent, self._clock = agent, clock
        self._page, self._at = None, 0.0

    def look(self):
        """Ask the agent and return the ClusterView; StatusError if it has never answered."""
        unanswered = None
        try:
            self._page, self._at = self._agent.page(), self._clock()
        except StatusError as err:
            if self._page is None:
                raise
            unanswered = str(err)
        return ClusterView(self._agent.url, self._page, self._clock() - self._at, unanswered)


def document(view):
    """Return a ClusterView as JSON-ready data: seconds and fractions; None is unknown."""
    nodes = [node._asdict() for node in view.page.nodes]
    return {'format': FORMAT, 'url': view.url, 'age': view.age, 'unanswered': view.unanswered,
            'cluster': view.page._asdict() | {'nodes': nodes}}
