"""Proxies of a lab that delegate requests to each other, and clients that send them requests."""
import http.client
import io
import json
import os
import re
import select
import socket
from typing import NamedTuple

from support.cluster import eventually
from swift_lb.lab.lab import ACCOUNT, Lab
from swift_lb.lab.spec import LabSpec
from swift_lb.model import DISABLED, DRAINING, GONE, LATE

DELEGATES, SERVES = 1, 2    # the proxies, by number
CLIENT = '127.0.0.77'       # the clients' address, which is not a proxy's
HOST = 'swift.lab.test'
READ = '/read/'      # path of the objects that are read in both ways
TIMEOUT = 60.0
VOLATILE = ('date', 'x-trans-id', 'x-openstack-request-id', 'x-amz-request-id', 'x-amz-id-2')
# They differ between two uploads, and between replicas of containers.
OF_OWN = ('last-modified', 'x-copied-from-last-modified', 'x-timestamp', 'x-manifest-etag')
BOUNDARY = re.compile('boundary=([0-9a-f]+)')
FIELDS, NO_CLIENT = 21, '-'     # of a line, at least; '-': a subrequest of Swift's
FILTERS = 'bulk', 'tempurl', 'formpost', 's3api', 'staticweb'


class LabAnswer(NamedTuple):
    status: int
    headers: dict       # the names in lower case
    body: bytes


class LogLine(NamedTuple):
    """One line of a proxy's access log."""

    client: str
    method: str
    path: str
    status: str
    trans_id: str
    source: str         # LB: a peer has served it


class Wire:
    """A connection on which a client sends raw bytes."""

    def __init__(self, address, room=None):
        self._socket = socket.create_connection(address, TIMEOUT, (CLIENT, 0))
        if room:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        self._got = b''

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        self._socket.close()

    def send(self, *parts):
        self._socket.sendall(b''.join(parts))

    def finish(self):
        self._socket.shutdown(socket.SHUT_WR)

    def is_quiet(self, seconds):
        """Return whether no byte is unread, and none arrives within `seconds`."""
        return not self._got and not select.select([self._socket], [], [], seconds)[0]

    def head(self):
        """Return (status, headers) of the next answer, which may be an interim one such as 100."""
        while b'\r\n\r\n' not in self._got:
            self._receive()
        head, _, self._got = self._got.partition(b'\r\n\r\n')
        first, *lines = head.decode('latin-1').split('\r\n')
        headers = {name.lower(): value.strip() for name, _, value in
                   (line.partition(':') for line in lines)}
        return int(first.split()[1]), headers

    def answer(self):
        """Return the next LabAnswer that is not interim (1xx); the request must not be a HEAD."""
        while True:
            status, headers = self.head()
            if status >= 200:
                break
        length = int(headers.get('content-length', 0))
        while len(self._got) < length:
            self._receive()
        body, self._got = self._got[:length], self._got[length:]
        return LabAnswer(status, headers, body)

    def some(self, most):
        """Return the next bytes that arrive, `most` at most; b'' at the end of the connection."""
        if not self._got:
            return self._socket.recv(most)
        data, self._got = self._got[:most], self._got[most:]
        return data

    def rest(self):
        """Return all bytes that arrive until the connection ends."""
        try:
            while True:
                self._receive()
        except ConnectionError:
            data, self._got = self._got, b''
            return data

    def _receive(self):
        data = self._socket.recv(65536)
        if not data:
            raise ConnectionResetError('closed')
        self._got += data


class Proxies:
    """Sends clients' requests to the proxies of a lab, which are numbered from 1."""

    def __init__(self, lab):
        self.lab, self.token = lab, lab.token()
        self.base = f'/v1/{ACCOUNT}'

    def address(self, proxy):
        """Return the (ip, port) of the proxy number `proxy`, counted from 1."""
        host, port = self.lab.endpoints[proxy - 1].removeprefix('http://').split(':')
        return host, int(port)

    def wire(self, proxy=DELEGATES, room=None):
        """Return a Wire to a proxy; `room` is the size of the client's receive buffer in bytes."""
        return Wire(self.address(proxy), room)

    def ask(self, method, path, body=None, headers=(), proxy=DELEGATES, token=True):
        made = http.client.HTTPConnection(*self.address(proxy), timeout=TIMEOUT,
                                          source_address=(CLIENT, 0))
        try:
            own = {'X-Auth-Token': self.token} if token and self.token else {}
            made.request(method, path, body, own | dict(headers))
            response = made.getresponse()
            return LabAnswer(response.status, {name.lower(): value for name, value
                                            in response.getheaders()}, response.read())
        finally:
            made.close()

    def put(self, path, body=b'', headers=()):
        """PUT to `path` below the account; return the LabAnswer, which must be 201 or 202."""
        answer = self.ask('PUT', self.base + path, body, headers)
        assert answer.status in (201, 202), answer
        return answer

    def page(self, proxy=DELEGATES):
        """Return the status page of a proxy's dispatcher, the JSON document as a dict."""
        return json.loads(self.ask('GET', '/lb/dispatch', proxy=proxy, token=False).body)

    def dispatched(self, proxy=DELEGATES):
        """Return the counters of a proxy's dispatcher, {name: count}."""
        return self.page(proxy)['counts']

    def delegated(self, proxy=DELEGATES):
        """Return how many requests a proxy has delegated to all its peers, since its start."""
        return sum(count for name, count in self.dispatched(proxy).items()
                   if name.startswith('delegated '))

    def can_delegate(self):
        """Return whether the proxy DELEGATES has peers and may delegate to each; falsy if not.

        At the start of a lab an agent may find that its proxy does not answer yet.
        """
        peers = self.page()['backends']
        return peers and not any(
            peer['ejected_for'] or peer['state'] in (DISABLED, DRAINING, GONE, LATE)
            for peer in peers)

    def both(self, method, path, body=None, headers=(), token=True):
        """Send a request to DELEGATES, then to SERVES; return the LabAnswer of the second.

        The two answers must be equal, except for ids and dates (see alike()), and only the first
        may be delegated. `{}` in path, headers and body becomes `far` for DELEGATES and `near` for
        SERVES.
        """
        assert eventually(self.can_delegate), self.page()
        answers, before = [], self.delegated()
        for word, proxy in (('far', DELEGATES), ('near', SERVES)):
            own = {name: value.replace('{}', word)
                   for name, value in {'Host': HOST, **dict(headers)}.items()}
            sent = body.replace(b'{}', word.encode()) if isinstance(body, bytes) else body
            answer = self.ask(method, path.replace('{}', word), sent, own, proxy, token)
            answers.append(alike(answer, word, READ not in path))
        assert answers[0][:2] == answers[1][:2], answers
        assert answers[0].body == answers[1].body
        assert self.delegated() == before + 1, self.dispatched()
        assert not self.delegated(SERVES)
        return answer

    def lines(self, proxy, text=''):
        """Return the LogLines in a proxy's log, of clients' requests, that contain `text`."""
        return lines(self.lab.log(f'proxy-{proxy}').read_text(errors='replace'), text)

    def seen(self, proxy, text, count=1):
        """Wait until a proxy's log has `count` lines with `text`; return all these LogLines."""
        eventually(lambda: len(self.lines(proxy, text)) >= count)
        return self.lines(proxy, text)


def lines(log, text=''):
    rows = [row.split(' ')[2:] for row in log.splitlines() if text in row]
    return [LogLine(row[0], row[3], row[4], row[6], row[13], row[16]) for row in rows
            if len(row) >= FIELDS and row[5].startswith('HTTP/') and row[0] != NO_CLIENT]


def alike(answer, word, own):
    """Return a LabAnswer without ids and dates: the same for both answers that both() compares.

    `word`, `far` or `near`, becomes `{}` again; `own`: each answer is about an object of its own.
    """
    gone = VOLATILE + OF_OWN if own else VOLATILE
    ids = [answer.headers[name] for name in VOLATILE[1:4] if name in answer.headers]
    body, headers = answer.body, {}
    for text in ids:
        body = body.replace(text.encode(), b'ID')
    boundary = BOUNDARY.search(answer.headers.get('content-type', ''))
    for name, value in answer.headers.items():
        if name not in gone:
            value = value.replace(boundary[1], 'BOUNDARY') if boundary else value
            headers[name] = value.replace(word, '{}')
    if boundary:
        body = body.replace(boundary[1].encode(), b'BOUNDARY')
    return LabAnswer(answer.status, headers, body.replace(word.encode(), b'{}'))


def many_proxies(name, proxies, options=(), **spec):
    """Return the Proxies of a new Lab with `proxies` proxies; DELEGATES delegates every request.

    `options` are proxy options, {'SECTION:OPTION': value}; `spec`: more fields of the LabSpec.
    """
    options = {'filter:lb_dispatcher:policy': 'weighted_round_robin',
               'filter:lb_dispatcher:weights': f'proxy-{DELEGATES}=0', **dict(options)}
    lab = Lab.up(LabSpec(name=f'{name}-{os.getpid()}', nodes=1, replicas=1, proxies=proxies,
                         dispatch=True, proxy_options=options, **spec))
    try:
        return delegating(Proxies(lab))
    except BaseException:
        lab.down()
        raise


def two_proxies(name, options=(), **spec):
    """Return many_proxies() with two: DELEGATES delegates every request, SERVES serves them."""
    return many_proxies(name, 2, options, handicap_proxies=True, **spec)


def delegating(proxies):
    """Wait until the proxy DELEGATES has delegated a request; return `proxies`."""
    before = proxies.delegated()
    assert eventually(lambda: proxies.ask('GET', proxies.base).status and
                      proxies.delegated() > before), proxies.dispatched()
    assert eventually(proxies.can_delegate), proxies.page()
    return proxies


def head(method, path, *lines):
    return '\r\n'.join([f'{method} {path} HTTP/1.1', 'Host: swift', *lines, '', '']).encode(
        'latin-1')


def chunks(body, size):
    stream = io.BytesIO(body)
    yield from iter(lambda: stream.read(size), b'')
