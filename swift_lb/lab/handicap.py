"""A paste filter that makes a storage node, its devices, or a proxy slow or faulty on purpose.

    [pipeline:main]
    pipeline = healthcheck recon lb_handicap object-server
    [filter:lb_handicap]
    use = egg:swift-lb#lb_handicap
    node = 1                           # the node's number; it also seeds the random delays
    rules = /path/to/rules.json        # see rules.py

In a proxy's pipeline the option is `proxy = 1` instead of `node`.

`GET /lb_handicap` returns the current rules and the counts of requests to each device, which show
the true share of reads of a node. In an object server only GET, HEAD, PUT, POST and DELETE of
objects are delayed, in a proxy only requests to /v1/. A client's request is delayed once:
subrequests of the proxy, such as the segments of an SLO, start after this filter. If the filter
fails, the request passes, and the error is logged once.
"""
import contextlib
import json
import pathlib
import socket

from swift.common.utils import get_logger

from swift_lb.clock import monotonic
from swift_lb.concurrency import sleep
from swift_lb.lab.gate import ClientGoneError, Gate, GateVisit
from swift_lb.lab.network import PROXY, V1
from swift_lb.lab.rules import METHODS, OBJECT_METHODS
from swift_lb.lab.rules_file import WatchedRules

REPORT = '/lb_handicap'
CLIENT_GONE = 499    # as in Swift
TCP_ESTABLISHED = 1


def filter_factory(global_conf, **local_conf):
    """Return the paste filter for the options of `[filter:lb_handicap]`, as egg entry points do."""
    conf = global_conf | local_conf
    return lambda app: Handicap(app, conf, get_logger(conf, log_route='lb_handicap'))


class Handicap:
    """WSGI middleware that delays, refuses or breaks requests to an object server or a proxy."""

    def __init__(self, app, conf, logger):
        """Wrap `app`; `conf` has the number `node` or `proxy`, and `rules`, the path of a file."""
        self.app = app
        self._logger = logger
        self._last_error = None
        in_proxy = 'proxy' in conf
        self._device_of = v1_of if in_proxy else device_of
        self._gate = Gate(f'{PROXY.server}-{conf["proxy"]}' if in_proxy else conf['node'],
                          WatchedRules(pathlib.Path(conf['rules']), logger.error))

    def __call__(self, env, start_response):
        """Answer a WSGI request: delay it, then pass it to the wrapped app or refuse it."""
        if env['PATH_INFO'] == REPORT:
            return _answer(start_response, '200 OK', json.dumps(self._gate.report()))
        device = self._device_of(env['REQUEST_METHOD'], env['PATH_INFO'])
        if device is None:
            return self.app(env, start_response)
        visit = GateVisit(env['REQUEST_METHOD'], device, lambda: _connected(env))
        if status := self._admit(visit):
            return _answer(start_response, f'{status} Handicap', '')
        return self._shaped(visit, env, self.app(env, start_response))

    def _admit(self, visit):
        try:
            # Set by the loader of a proxy after all constructors have run.
            with counted(getattr(self, '_pipeline_final_app', None), visit.method):
                return self._gate.admit(visit)
        except ClientGoneError:
            return CLIENT_GONE
        except Exception as err:
            return self._complain(err)

    def _shaped(self, visit, env, body):
        if visit.method != 'GET':
            return body
        try:
            rate, cut = self._gate.shape(visit)
        except Exception as err:
            return self._complain(err) or body
        if rate is None and cut is None:
            return body
        return ShapedBody(body, rate, cut, lambda: _socket(env).shutdown(socket.SHUT_RDWR))

    def _complain(self, err):
        """Log `err` unless the last logged error was the same; the caller lets the request pass."""
        if repr(err) != self._last_error:
            self._last_error = repr(err)
            self._logger.exception('lb_handicap lets requests through untouched')


def device_of(method, path):
    """Return the device in `path`, /device/partition/account/container/object; else None."""
    parts = path.split('/', 5)
    whole = len(parts) == 6 and all(parts[1:])
    return parts[1] if whole and method in OBJECT_METHODS else None


def v1_of(method, path):
    """Return 'v1', the one "device" of a proxy, for a request to its /v1/; None for any other."""
    return V1 if path.startswith(f'/{V1}/') and method in METHODS else None


def _answer(start_response, status, text):
    start_response(status, [('Content-Type', 'application/json'),
                            ('Content-Length', str(len(text)))])
    return [text.encode()]


def _socket(env):
    """Return the client's socket; it is taken from the request body object of eventlet."""
    return env.get('eventlet.input', env['wsgi.input']).get_socket()


def _connected(env):
    """Return whether the client is still connected, by TCP_INFO of the kernel, without a read."""
    try:
        state = _socket(env).getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
    except OSError:
        return False
    return state[0] == TCP_ESTABLISHED


PIECE_SECONDS = 0.05  # seconds between two pieces of a slow stream


class ShapedBody:
    """The body of a GET, sent at a limited rate and broken off after a number of bytes."""

    def __init__(self, body, rate, cut, break_off):
        """Send `body` at `rate` bytes per second; after `cut` bytes call `break_off()`.

        None for `rate` or `cut` means no limit.
        """
        self._body, self._rate, self._cut, self._break_off = body, rate, cut, break_off

    def __iter__(self):
        sent, due = 0, monotonic()
        for piece in self._pieces():
            if self._cut is not None and sent + len(piece) > self._cut:
                yield piece[:self._cut - sent]
                self._break_off()
                return
            if self._rate is not None:
                due += len(piece) / self._rate
                sleep(max(0, due - monotonic()))
            yield piece
            sent += len(piece)

    def _pieces(self):
        if self._rate is None:
            yield from self._body
            return
        step = max(1, int(self._rate * PIECE_SECONDS))
        for part in self._body:
            for begin in range(0, len(part), step):
                yield part[begin:begin + step]

    def close(self):
        """Close the wrapped body, as WSGI requires even if the body was never read."""
        if hasattr(self._body, 'close'):
            self._body.close()


TIMED = ('GET', 'HEAD')     # methods whose response times are measured, see proxy/requests.py


@contextlib.contextmanager
def counted(app, method):
    """Context that counts a request as in flight in the proxy's `app` while the filter delays it.

    swift-lb's app counts requests for the host's agent when they reach the app, but this filter
    delays them before. If delayed requests were not counted, the agent would report the slowest
    proxy as the idlest. Does nothing if `app` is None or is not swift-lb's.
    """
    book = getattr(app, 'host_book', None)
    if book is None:
        yield
        return
    app.begin()
    counts, began, waited = book.requests, monotonic(), 0.0
    _add(counts, 1, 0.0)
    try:
        yield
        waited = monotonic() - began if method in TIMED else 0.0
    finally:
        _add(counts, -1, waited)


def _add(counts, requests, seconds):
    """Add `requests` in flight and `seconds` of delay to `counts`, which the host's agent reads."""
    counts.in_flight += requests
    counts.seconds += seconds
    counts.publish()
