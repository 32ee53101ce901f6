"""The DNS service of this host, asked over HTTP what it does: the agent's page shows that."""
import json
import os
from http.client import HTTPConnection, HTTPException

from swift_lb.concurrency import Timeout
from swift_lb.conf_file import DNS, read_sections
from swift_lb.errors import ConfigError

FORMAT = 1          # of the document, and of that of the DNS service
WAIT = 0.5          # seconds
MAX_DOCUMENT = 1 << 20      # bytes of a document
DEFAULT_PORT = '6210'
HERE = {'': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1'}


class NameServer:
    """Where it is, as the section [lb-dns] of the agent's own conf file says."""

    def __init__(self, path):
        self._path = path
        self.read()

    def read(self):
        """Read the conf file; without the section, or the file, there is no DNS service here."""
        try:
            given = read_sections(self._path, DNS)
        except ConfigError:
            self._section = None
        else:
            self._section = given.get('DEFAULT', {}) | given[DNS]

    def __call__(self):
        """Return the document of /v1/dns; waits for the DNS service."""
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
        return checked(json.loads(body))


def checked(document):
    """Return a document if it is of the DNS service of this version; ValueError if it is not."""
    if not isinstance(document, dict) or document.get('format') != FORMAT:
        raise ValueError('it is of another version')
    return document


def reason(err):
    """Return why there was no answer."""
    if isinstance(err, Timeout | TimeoutError):
        return f'nothing came for {WAIT:g} s'
    if getattr(err, 'errno', None):
        return os.strerror(err.errno)       # its own text is ECONNREFUSED, of eventlet's sockets
    return str(err) or type(err).__name__
