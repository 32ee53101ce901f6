"""The HTTP requests of `swift-lb image`: one connection to each server, and redirects followed."""
import os
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from swift_lb.clock import monotonic
from swift_lb.drawing.text import printable
from swift_lb.errors import ImageError
from swift_lb.wire.redirect import PARAMETER

TIMEOUT = 60.0          # seconds
MOST_REDIRECTS = 3
LINE = 300              # characters of a server's message that are shown


class ImageAnswer(NamedTuple):
    """A successful answer."""

    headers: object     # of http.client
    body: bytes
    server: str         # host and port that have answered
    latency: float | None       # seconds of the connect; None on a connection that was open
    seconds: float      # from the head to the last byte
    whole: float        # from the request to the last byte


class ImageServer:
    """A Swift account, by its storage URL and token."""

    def __init__(self, storage_url, token, clock=monotonic):
        """Take the storage URL, a token or None, and `clock()`, which returns monotonic seconds."""
        self.url, self._token, self._clock = storage_url.rstrip('/'), token, clock
        self._open = {}     # (scheme, host and port) -> connection

    def address(self, name, query=''):
        """Return the URL of CONTAINER/OBJECT, a name that is not quoted, with a query."""
        return f'{self.url}/{quote(name)}' + (f'?{query}' if query else '')

    def get(self, url, headers):
        """Return the ImageAnswer to a GET; raises ImageError with a sentence."""
        return self._ask('GET', url, headers, None)

    def put(self, url, data, content_type):
        """Write an object; raises ImageError with a sentence."""
        return self._ask('PUT', url, {'Content-Type': content_type}, data)

    def _ask(self, method, url, headers, data):
        since = self._clock()
        for _redirect in range(MOST_REDIRECTS + 1):
            response, body, server, latency, seconds = self._sent(method, url, headers, data)
            if not 300 <= response.status < 400 or response.status == 304:
                break
            url = urljoin(url, response.headers.get('Location', ''))
            if PARAMETER not in url:        # the token goes only where a cluster sends it
                break
        if not 200 <= response.status < 300:
            sentence = body.decode('utf-8', 'replace').strip().partition('\n')[0][:LINE]
            if sentence.startswith('<html'):        # Swift's own pages say what the status says
                no_container = method == 'PUT' and response.status == 404
                sentence = 'its container must be there before' if no_container else ''
            raise ImageError(f'{method} {url} was answered {response.status} {response.reason}'
                             + (f': {printable(sentence)}' if sentence else ''))
        return ImageAnswer(response.headers, body, server, latency, seconds,
                           self._clock() - since)

    def _sent(self, method, url, headers, data):
        parts = urlsplit(url)
        if parts.scheme not in ('http', 'https') or not parts.netloc:
            raise ImageError(f'{url[:LINE]}: must be a URL that begins with http:// or https://')
        place = parts.scheme, parts.netloc
        latency = None
        try:
            if place not in self._open:
                latency = self._connect(place)
            connection = self._open[place]
            target = parts.path + (f'?{parts.query}' if parts.query else '')
            connection.request(method, target, data, self._headers(headers))
            response = connection.getresponse()
            begun = self._clock()
            body = response.read()
        except (OSError, HTTPException) as err:
            self._open.pop(place, None)
            raise ImageError(f'{parts.netloc} does not answer: {err}') from None
        if response.will_close:
            self._open.pop(place).close()
        return response, body, parts.netloc, latency, self._clock() - begun

    def _connect(self, place):
        kind = HTTPSConnection if place[0] == 'https' else HTTPConnection
        connection, since = kind(place[1], timeout=TIMEOUT), self._clock()
        connection.connect()
        self._open[place] = connection
        return self._clock() - since

    def _headers(self, headers):
        token = {'X-Auth-Token': self._token} if self._token else {}
        return {'X-Lb-Redirect': 'follow', **token, **headers}

    def close(self):
        """Close the connections."""
        for connection in self._open.values():
            connection.close()
        self._open = {}


def checked(name):
    """Return a name that has a container and an object; raises ImageError for another one."""
    container, _slash, rest = name.partition('/')
    if not container or not rest:
        raise ImageError(f'{name}: must be CONTAINER/OBJECT')
    return name


def from_environment():
    """Return the ImageServer of OS_STORAGE_URL and OS_AUTH_TOKEN, as `swift auth` prints them."""
    url = os.environ.get('OS_STORAGE_URL')
    if not url:
        raise ImageError('OS_STORAGE_URL must be set, and OS_AUTH_TOKEN: eval $(swift auth), or '
                         'env $(swift-lb lab env) swift-lb ...')
    return ImageServer(url, os.environ.get('OS_AUTH_TOKEN'))
