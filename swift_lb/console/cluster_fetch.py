"""Get an agent's document of the cluster over HTTP."""
from swift_lb.console import cluster_page
from swift_lb.console.daemon_fetch import KEY_HEADER, refusal_of
from swift_lb.console.fetch import Place

DEFAULT_URL = 'http://127.0.0.1:6209'
refusal = refusal_of(cluster_page.PATH, 'swift-lb-agent', "the agent's own URL")


class Agent:
    """One node's agent."""

    def __init__(self, url, key=None):
        """Take the agent's `url`, http[s]://HOST[:PORT], and the `key` it asks for."""
        self.url, self._place = url, Place(url, KEY_HEADER, key, refusal)

    def page(self):
        """Return the ClusterPage; StatusError, with one sentence, where there is none."""
        return cluster_page.parse(self._place.get(cluster_page.PATH), self.url)
