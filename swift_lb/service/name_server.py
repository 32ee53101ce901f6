"""Fetch the status of this host's DNS service over HTTP, for the agent's web page."""
import json
import os
from http.client import HTTPConnection, HTTPException

from swift_lb.concurrency import Timeout
from swift_lb.conf_file import DNS, read_sections
from swift_lb.errors import ConfigError

FORMAT = 1          # of this document, and of that of the DNS service
WAIT = 0.5          # seconds for a request
MAX_DOCUMENT = 1 << 20      # bytes
DEFAULT_PORT = '6210'
HERE = {'': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1'}


class NameServer:
    """A client of the DNS service that the agent's conf file describes in [lb-dns], if it does."""

    def __init__(self, path):
        self._path = path
        self.read()

    def read(self):
        """Read the conf file again; without the file or [lb-dns] this host has no DNS service."""
        try:
            given = read_sections(self._path, DNS)
        except ConfigError:
            self._section = None
        else:
            self._section = given.get('DEFAULT', {}) | given[DNS]

    def __call__(self):
        """Return {format, configured, fault, dns}, where `dns` is the document of /v1/dns or None.

        `configured` is whether the conf has [lb-dns]; `fault` says why `dns` is None.
        """
        if self._section is None:
            return {'format': FORMAT, 'configured': False, 'fault': None, 'dns': None}
        ip = self._section.get('http_ip', '').strip()
        port = self._section.get('http_port', '').strip() or DEFAULT_PORT
        try:
            document, fault = self._ask(HERE.get(ip, ip), port), None
        except (OSError, HTTPException, ValueError, Timeout) as err:
            document, fault = None, (f'the DNS service of this node, at {HERE.get(ip, ip)}, port '
                                     f'{port}, does not answer: {reason(err)}')
        return {'format': FORMAT, 'configured': True, 'fault': fault, 'dns': document}

    def _ask(self, ip, port):
        key = self._section.get('http_key', '').strip()
        connection = HTTPConnection(ip, int(port), timeout=WAIT)
        try:
            with Timeout(WAIT):
                connection.request('GET', '/v1/dns',
                                   headers={'X-Lb-Key': key.encode()} if key else {})
                answer = connection.getresponse()
                body = answer.read(MAX_DOCUMENT)
        finally:
            connection.close()
        if answer.status != 200:
            raise ValueError(f'its status is {answer.status}')
        document = json.loads(body)
        if not isinstance(document, dict) or document.get('format') != FORMAT:
            raise ValueError(f'its document is not of format {FORMAT}')
        return document


def reason(err):
    """Return a sentence that says why an HTTP request raised `err`."""
    if isinstance(err, Timeout | TimeoutError):
        return f'nothing came for {WAIT:g} s'
    if getattr(err, 'errno', None):
        return os.strerror(err.errno)       # eventlet's sockets have 'ECONNREFUSED' as text
    return str(err) or type(err).__name__
