"""Fetch status pages by HTTP, or from the file of the book that the workers of a host share.

Each HTTP request has a new connection, so that any worker may answer it.
"""
import errno
import ipaddress
import json
import os
from collections.abc import Mapping
from http.client import HTTPException
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from swift_lb.clock import monotonic
from swift_lb.console.page import DEFAULT, Book, DeviceFacts, Facts, Page, Policy, parse
from swift_lb.drawing.text import printable
from swift_lb.errors import SharedMemoryError, StatusError
from swift_lb.load import table
from swift_lb.load.shared_record import loads
from swift_lb.shared_memory import read_only

TIMEOUT = 5.0           # seconds


class NoRedirect(HTTPRedirectHandler):
    """Refuses every redirection, which could send the key to another server."""

    def redirect_request(self, *_args):
        """Make urllib raise the 3xx response as an error."""
        return None


class Subject(NamedTuple):
    """A document that a process serves, and the words that say why it cannot be fetched."""

    path: str
    header: str         # of the key
    name: str           # of the document, in a sentence
    own: str            # what to call the URL of the process
    refusals: Mapping   # HTTP status -> what follows the URL; {key}: what is wrong with the key


NO_KEY = 'we are not on its loopback interface and need its key (--key-file)'
IN_FRONT = ('requires authentication ({status}): in its pipeline lb_status must stand before the '
            'authentication filters')
NO_FILTER = 'has no status page ({status}): its pipeline lacks lb_status'
STATUS_PAGE = Subject('/lb/status', 'X-Lb-Status-Key', 'its status page', "the proxy's own URL", {
    400: NO_FILTER, 412: NO_FILTER,     # Swift's answers to an unknown path
    404: 'has no status page for us (404): its pipeline lacks lb_status, or {key}',
    401: IN_FRONT, 403: IN_FRONT})


def of_daemon(path, program, own):
    """Return the Subject (path and error words) for the document at `path` of a `program`.

    `own` is what error messages call the URL of the daemon.
    """
    refused = f'does not answer us ({{status}}): it is not a {program}, or {{its_key}}'
    return Subject(path, 'X-Lb-Key', path, own, {
        401: refused, 403: refused, 404: f'has no {path} (404): it is not a {program}'})


def refusal(subject, url, status, message, keyed):
    """Return the sentence for an HTTP error with which `url` answers a request for the Subject.

    `message` is the server's message or None; `keyed` tells whether a key was sent. Pure.
    """
    if message:
        return f'{url}: {message}'
    if 300 <= status < 400:
        return f'{url} redirects ({status}), which is not followed: give {subject.own}'
    sentence = subject.refusals.get(status, f'answers {status} to a request for {subject.name}')
    return f'{url} ' + sentence.format(
        status=status, key='the key is another' if keyed else NO_KEY,
        its_key='its key is another' if keyed else NO_KEY)


class PageServer:
    """Fetches one document from one server, with the key that the server requires."""

    def __init__(self, url, subject, key=None):
        """Take a `url`, http[s]://HOST[:PORT], the Subject, and the `key` that it requires."""
        self.url, self._subject = url, subject
        # A WSGI server decodes the header as latin-1; the filter compares it with the key's UTF-8.
        self._headers = {subject.header: key.encode().decode('latin-1')} if key else {}
        handlers = [NoRedirect()]
        if loopback(urlsplit(url).hostname):
            handlers.append(ProxyHandler({}))
        self._opener = build_opener(*handlers)

    def get(self, query=''):
        """Return the bytes of the document; raises StatusError, with one sentence, if that fails.

        `query` is the query string, with its `?`.
        """
        request = Request(self.url + self._subject.path + query, headers=self._headers)
        try:
            with self._opener.open(request, timeout=TIMEOUT) as response:
                return response.read()
        except HTTPError as err:
            with err:
                raise StatusError(refusal(self._subject, self.url, err.code, _message(err),
                                          bool(self._headers))) from None
        except (OSError, HTTPException) as err:
            raise StatusError(f'{self.url} does not answer: {_reason(err)}') from None


class Source:
    """The /lb/status page of one proxy, and the URL and key with which it is fetched."""

    def __init__(self, url, key=None):
        """Take the proxy's `url`, http[s]://HOST[:PORT], and the `key` that its filter requires."""
        self.url, self._server = url, PageServer(url, STATUS_PAGE, key)

    def page(self, path=None):
        """Return the Page of the worker that answers; raises StatusError if there is no such page.

        With `path`, /ACCOUNT/CONTAINER/OBJECT, the Page has the order of this object's
        replicas.
        """
        query = f'?object={quote(path, safe="/")}' if path else ''
        return parse(self._server.get(query), self.url)


def loopback(host):
    """Return whether `host`, a name or an address, is a loopback address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == 'localhost'


def _message(err):
    """Return the `error` text in the JSON body of an HTTPError, None for any other body."""
    try:
        return printable(json.loads(err.read())['error'])
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return None


def _reason(err):
    reason = getattr(err, 'reason', None) or err
    if isinstance(reason, TimeoutError):
        return f'nothing came for {TIMEOUT:g} s'
    text = getattr(reason, 'strerror', None) or str(reason) or type(reason).__name__
    if errno.errorcode.get(getattr(reason, 'errno', None)) == text:
        text = os.strerror(reason.errno)    # eventlet's sockets, which Swift gives to http.client
    return printable(text)


class BookFile:
    """Reads the book of a host's counts from its file; has the same interface as Source."""

    def __init__(self, path):
        """Take the `path` of the book's file; the status page of a proxy contains this path."""
        self.url = path

    def page(self, path=None):
        """Return the Page of the book; the object `path` is ignored, as a book has only devices.

        Raises StatusError, with one sentence, if the file is missing or is no book.
        """
        try:
            buffer, alive = read_only(self.url, table.fault, table.SLOTS)
        except SharedMemoryError as err:
            raise StatusError(str(err)) from None
        book, now = table.Table(buffer), monotonic()
        alive = [slot for slot in book.slots_in_use() if slot in alive]
        devices = tuple(DeviceFacts(str(node), load.choices, {}, facts(load, now))
                        for node, load in sorted(loads(book, alive), key=str))
        policies = {DEFAULT: Policy('-', True)}     # only the proxies know them
        return Page(0, None, policies, devices, None, Book(self.url, self.url, len(alive)))


def facts(load, now):
    """Return the Facts of a device's NodeLoad: instants become ages, seconds before `now`."""
    def age(instant):
        return None if instant is None else max(0.0, now - instant)
    return Facts(load.in_flight, load.chunks, load.successes, load.errors, load.timeouts,
                 age(load.waiting_since), load.connect_time, load.first_byte_time,
                 age(load.first_byte_at), load.last_throughput, age(load.last_chunk_at))
