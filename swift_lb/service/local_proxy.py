"""The proxy of this host: options of its conf, whether it answers, and its counts of requests."""
import configparser
import contextlib
import dataclasses
import os
import pwd
import socket

from swift_lb.book_path import of_dispatchers, path_of
from swift_lb.config import endpoint
from swift_lb.errors import SharedMemoryError
from swift_lb.load import request_table, table
from swift_lb.regular_file import open_regular
from swift_lb.shared_memory import read_only
from swift_lb.wire.node_report import PROXY

FACTS = {       # of a proxy-server.conf: section and option
    'bind_ip': ('DEFAULT', 'bind_ip'), 'bind_port': ('DEFAULT', 'bind_port'),
    'cert_file': ('DEFAULT', 'cert_file'),
    'user': ('DEFAULT', 'user'), 'swift_dir': ('DEFAULT', 'swift_dir'),
    'disable_path': ('filter:healthcheck', 'disable_path'),
    'book': ('app:proxy-server', 'lb_book'), 'dispatch_book': ('filter:lb_dispatcher', 'book'),
}
USER = 'swift'          # that Swift's servers run as unless their conf sets another
REOPEN_INTERVAL = 1.0   # seconds between two times that the book's file is opened
CHECK_TIMEOUT = 2.0     # seconds for an answer
MAX_FAILURES = 2        # in a row; from then on the proxy is not in service
REQUEST = b'GET /healthcheck HTTP/1.0\r\nHost: localhost\r\n\r\n'
DISABLED = b' 503 '


def proxy_facts(path):
    """Return {name in FACTS: text of that option, or None} of the proxy-server.conf at `path`.

    All texts are None if the file cannot be read.
    """
    parser = configparser.RawConfigParser(strict=False)
    with (contextlib.suppress(OSError, configparser.Error, UnicodeDecodeError),
          open_regular(path, encoding='utf-8') as lines):
        parser.read_file(lines)
    return {name: parser.get(section, option, fallback=None) if parser.has_section(section)
            else parser.defaults().get(option) for name, (section, option) in FACTS.items()}


def with_proxy(options, facts):
    """Return AgentOptions; if `proxy` is not set, it becomes the IP:PORT in the proxy's conf.

    `facts` is the result of proxy_facts() for that conf. `proxy` stays empty if there is no such
    address in it, or a wildcard address.
    """
    ip, port = facts['bind_ip'], facts['bind_port']
    if options.proxy or not port or ip in (None, '0.0.0.0', '::'):
        return options
    proxy = endpoint(ip, port)
    return dataclasses.replace(options, proxy=proxy) if PROXY.fullmatch(proxy) else options


def book_of(proxy_conf, facts):
    """Return the path of the file in which the proxy's workers share their counts of requests.

    None if each worker keeps its own. `facts` is the result of proxy_facts(`proxy_conf`).
    """
    return path_of(facts['book'] or 'host', proxy_conf, uid_of(facts))


def dispatch_book_of(proxy_conf, facts):
    """Return the path of the file of counts that the proxy's dispatchers share.

    None if each worker keeps its own. `facts` is the result of proxy_facts(`proxy_conf`).
    """
    return of_dispatchers(path_of(facts['dispatch_book'] or 'host', proxy_conf, uid_of(facts)))


def uid_of(facts):
    """Return the user id of the proxy's `user`; this process' own if there is no such user."""
    try:
        return pwd.getpwnam(facts['user'] or USER).pw_uid
    except KeyError:
        return os.geteuid()


class ProxyBook:
    """Reader of a file of counts that proxy workers share; it may appear, change, and disappear."""

    def __init__(self, path, clock, read=request_table.totals):
        """Take the file's path (None: no file), clock(), and read(buffer, slots), which parses it.

        `slots` are the slot numbers of live workers. By default `read` returns Totals of requests.
        """
        self.fault = None
        self._path, self._clock, self._read = path, clock, read
        self._buffer, self._alive, self._reopen_at = None, (), 0.0

    def __call__(self):
        """Return the result of `read`, or None if the file is unreadable; `fault` says why."""
        now = self._clock()
        if now >= self._reopen_at:
            self._reopen_at = now + REOPEN_INTERVAL
            self._reopen()
        if self._buffer is None:
            return None
        try:
            return self._read(self._buffer, self._alive)
        except (ValueError, IndexError) as err:
            self._buffer, self.fault = None, f'{self._path}: {err}'
            return None

    def _reopen(self):
        """Open the file again, as it may have been replaced, and note which workers are alive."""
        if self._path is None:
            self.fault = 'the workers of the proxy keep books of their own (lb_book = worker)'
            return
        try:
            self._buffer, self._alive = read_only(self._path, table.fault, table.SLOTS)
            self.fault = None
        except SharedMemoryError as err:
            self._buffer, self.fault = None, str(err)


class ProxyCheck:
    """Asks the proxy's healthcheck: a dead proxy has no requests, and would look idle.

    Any HTTP answer but 503 is good: 404 comes from a pipeline without the filter `healthcheck`.
    """

    def __init__(self, address):
        """Take the (ip, port) of the proxy, or None to check nothing."""
        self.address = address
        self._failures, self._failure = 0, None

    @property
    def fault(self):
        """A sentence that says why the proxy is not in service, or None if it is in service."""
        return self._failure if self._failures >= MAX_FAILURES else None

    def check(self):
        """Request the proxy's /healthcheck and keep the outcome; wait at most CHECK_TIMEOUT."""
        if self.address is None:
            self._failures, self._failure = 0, None
            return
        self._failure = self._ask()
        self._failures = 0 if self._failure is None else self._failures + 1

    def _ask(self):
        where = f'the proxy at {self.address[0]}, port {self.address[1]}'
        try:
            with socket.create_connection(self.address, CHECK_TIMEOUT) as connection:
                connection.sendall(REQUEST)
                first = connection.recv(64)
        except (OSError, ValueError, OverflowError) as err:     # the latter two of a bad address
            number = getattr(err, 'errno', None) or 0   # negative if a name is not found
            why = os.strerror(number) if number > 0 else getattr(err, 'strerror', None) or err
            return f'{where} does not answer: {why}'    # eventlet's strerror is ECONNREFUSED
        if not first.startswith(b'HTTP/'):
            return f'{where} does not answer as HTTP servers do'
        return f'{where} answers 503' if DISABLED in first[:16] else None


def address_of(options, facts):
    """Return the (ip, port) of the proxy that ProxyCheck is to check, or None to check nothing.

    `facts` is the result of proxy_facts().
    """
    if not options.check or facts['cert_file']:     # ProxyCheck does not speak TLS
        return None
    if facts['bind_port'] and facts['bind_port'].isdecimal():
        ip = facts['bind_ip'] or ''
        return {'': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1'}.get(ip, ip), int(
            facts['bind_port'])
    ip, _colon, port = options.proxy.rpartition(':')
    return (ip.strip('[]'), int(port)) if ip else None


def is_disabled(disable_path):
    """Return whether the operator has disabled the proxy: the file `disable_path` exists.

    `disable_path` is that option of Swift's healthcheck filter, or None. The result is False if it
    is None, or if the file cannot be examined.
    """
    if disable_path is None:
        return False
    try:
        os.stat(disable_path)
    except (OSError, ValueError):
        return False
    return True
