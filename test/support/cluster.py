"""A lab's cluster as a client sees it: requests, and the proxies' status pages."""
import http.client
import json
import urllib.parse
from contextlib import contextmanager
from typing import NamedTuple

from swift_lb.clock import monotonic, sleep

TIMEOUT = 30.0


class ProxyAnswer(NamedTuple):
    """The response to a request: status, headers, body."""

    status: int
    headers: dict
    body: bytes


class SwiftCluster:
    """A client of the first proxy of a Lab, with a token if the lab has memcached."""

    def __init__(self, lab):
        self.lab = lab
        self._token = lab.token()
        self._at = urllib.parse.urlsplit(lab.storage_url())

    @contextmanager
    def connection(self, path, method='GET', body=None, **headers):
        """Send a request for `path` (/container/object) and yield its http.client response."""
        made = http.client.HTTPConnection(self._at.hostname, self._at.port, timeout=TIMEOUT)
        try:
            send = {name.replace('_', '-'): value for name, value in headers.items()}
            if self._token:
                send['X-Auth-Token'] = self._token
            made.request(method, urllib.parse.quote(self._at.path + path, safe='/?=&'), body, send)
            yield made.getresponse()
        finally:
            made.close()

    def ask(self, path, method='GET', body=None, **headers):
        """Return the ProxyAnswer to one request."""
        with self.connection(path, method, body, **headers) as response:
            return ProxyAnswer(response.status, {name.lower(): value for name, value
                                                 in response.getheaders()}, response.read())

    def put(self, path, body=b'', **headers):
        """PUT a container or an object, whose status must be 201 or 202; return the ProxyAnswer."""
        answer = self.ask(path, 'PUT', body, **headers)
        assert answer.status in (201, 202), answer
        return answer

    def status(self, query='', **headers):
        """Return (status, JSON of GET /lb/status) of whichever worker of the proxy answers."""
        url = f'/lb/status{query}'
        made = http.client.HTTPConnection(self._at.hostname, self._at.port, timeout=TIMEOUT)
        try:
            made.request('GET', url, headers={n.replace('_', '-'): v for n, v in headers.items()})
            response = made.getresponse()
            return response.status, json.loads(response.read() or 'null')
        finally:
            made.close()

    def nodes(self):
        """Return {storage node number: the measurements of its one device} from the status page."""
        numbers = {self.lab.node_address(number): number
                   for number in range(1, self.lab.spec.nodes + 1)}
        _status, page = self.status()
        return {numbers[facts['ip'], facts['port']]: facts for facts in page['nodes']
                if (facts['ip'], facts['port']) in numbers}

    def restart(self, **options):
        """Restart the proxies with these proxy options; what they have measured is forgotten."""
        self.lab.restart_proxies(options)

    def prefer(self, number, **options):
        """Restart the proxies so that node `number` is always tried first."""
        weights = ', '.join(f'{self.lab.node_address(other)[0]}=0'
                            for other in range(1, self.lab.spec.nodes + 1) if other != number)
        self.restart(lb_policy='weighted', lb_weights=weights, **options)


def eventually(condition, seconds=60.0):
    """Call `condition()` until it is true or `seconds` have passed; return its last value."""
    until = monotonic() + seconds
    while not (result := condition()) and monotonic() < until:
        sleep(0.05)
    return result
