"""Get an agent's document of the cluster over HTTP."""
from swift_lb.console import cluster_page
from swift_lb.console.fetch import Place

DEFAULT_URL = 'http://127.0.0.1:6209'
KEY_HEADER = 'X-Lb-Key'


class Agent:
    """One node's agent."""

    def __init__(self, url, key=None):
        """Take the agent's `url`, http[s]://HOST[:PORT], and the `key` it asks for."""
        self.url, self._place = url, Place(url, KEY_HEADER, key, refusal)

    def page(self):
        """Return the ClusterPage; StatusError, with one sentence, where there is none."""
        return cluster_page.parse(self._place.get(cluster_page.PATH), self.url)


def refusal(url, status, said, keyed):
    """Return the sentence for an HTTP error: `said` is the agent's own, `keyed` if we sent a key.

    Pure.
    """
    if said:
        return f'{url}: {said}'
    if status in (401, 403):
        return f'{url} does not answer us ({status}): ' + (
            'its key is another' if keyed else
            'we are not on its loopback interface and need its key (--key-file)')
    if status == 404:
        return f'{url} has no {cluster_page.PATH} (404): it is not a swift-lb-agent'
    if 300 <= status < 400:
        return f'{url} redirects ({status}), which is not followed: give the agent\'s own URL'
    return f'{url} answers {status} to a request for {cluster_page.PATH}'
