"""`egg:swift-lb#lb_dispatcher`: serve a request here, or have a less loaded peer serve it.

    [filter:lb_dispatcher]
    use = egg:swift-lb#lb_dispatcher

Put it right of catch_errors, gatekeeper, healthcheck and the first proxy-logging, and left of all
the rest: what authenticates, limits or rewrites a request is to do so where it is served, once. The
transaction id must be there already (catch_errors), a balancer's health checks are about this proxy
and nobody else (healthcheck), and the log tells who has asked whom (proxy-logging).

It needs the agent of the host (etc/lb-server.conf-sample): its Instruction, name and key. Without
one that holds, every request is served here, as by plain Swift.
"""
import os
import random
from contextlib import suppress
from math import inf
from urllib.parse import parse_qsl

from swift.common.utils import get_logger
from swift.common.wsgi import ConfigFileError

from swift_lb import clock
from swift_lb.access import allowed
from swift_lb.book_path import of_dispatchers, path_of
from swift_lb.concurrency import sleep, spawn
from swift_lb.config import read_options
from swift_lb.dispatch.budget import RetryBudget
from swift_lb.dispatch.content import content_class
from swift_lb.dispatch.curve import Curve
from swift_lb.dispatch.shedding import Shedder, retry_after, wanted
from swift_lb.errors import SwiftLBError, WireError
from swift_lb.model import Asked
from swift_lb.policy.backends import BackendOptions, make_backend_policy
from swift_lb.proxy.dispatch.chooser import Chooser
from swift_lb.proxy.dispatch.delegation import UNAVAILABLE, Delegations, FailedError
from swift_lb.proxy.dispatch.describe import asked_of, describe, describe_choice
from swift_lb.proxy.dispatch.header import body_size, range_size
from swift_lb.proxy.dispatch.identity import IdentityFile
from swift_lb.proxy.dispatch.incoming import REFUSED, Incoming, RefusedError
from swift_lb.proxy.dispatch.ledger import Ledger
from swift_lb.proxy.dispatch.local import Served
from swift_lb.proxy.dispatch.options import DispatchOptions, server_faults
from swift_lb.proxy.dispatch.place import misplaced
from swift_lb.proxy.dispatch.pool import Pool
from swift_lb.proxy.dispatch.relay import Relay
from swift_lb.proxy.dispatch.request import ClientRequest, fault_status, target_of
from swift_lb.proxy.dispatch.tally import Tally
from swift_lb.proxy.host_book import HostBook
from swift_lb.proxy.replicas import fails_open
from swift_lb.proxy.status import reply

PATH = '/lb/dispatch'
KEY = 'HTTP_X_LB_STATUS_KEY'
HERE = '/lb/', '/lb_handicap', '/recon/'     # what is about this host, and no other can answer
ATTEND_EVERY = 1.0  # seconds
WHY = {'key': 'it is signed with no key of ours', 'address': 'it is for another address',
       'stale': 'one of the two clocks is wrong by more than a minute',
       'replayed': 'it has been here before'}
SOURCE = 'LB'       # in proxy-logging's lines of what a peer has served


class Dispatcher:
    """The filter."""

    def __init__(self, app, options, conf, logger):
        """`conf` is what the filter's section and [DEFAULT] say."""
        self.app = app
        self._options, self._conf, self._logger = options, conf, logger
        self._begun = False
        self._tally = Tally(clock.monotonic, logger)
        self._identity = IdentityFile(options.lb_conf, clock.monotonic)
        self._policy = make_backend_policy(
            options.policy, BackendOptions(options.weights, options.band))
        self._rng, self._shedder = random.Random(), Shedder()
        curve, who = Curve(), self._identity.current
        self.served = Served(curve, self._shedder, clock.monotonic, self.fall_back)
        self._book = HostBook(self._book_path, (), clock.monotonic)
        self.chooser = Chooser(
            self._policy, who, Ledger(lambda: self._book.book), curve, clock.monotonic, self._rng)
        self._incoming = Incoming(clock.wall)
        self._pool = Pool(clock.monotonic, options.connect_timeout)
        self._delegations = Delegations(self.chooser, Relay(self._pool), who, RetryBudget(),
                                        clock.monotonic, clock.wall, self._tally)

    def __call__(self, env, start_response):
        """Serve a request here, or hand it over."""
        if not self._begun:
            self._begin(env)
        if env.get('PATH_INFO') == PATH and env['REQUEST_METHOD'] == 'GET':
            return self._status(env, start_response)
        accepted = self._accepted(env)
        if accepted is None:        # it may be a peer's: no second hop
            return self.served.serve(self.app, env, start_response)
        hop, why = accepted
        if why is not None:
            return refused(env, start_response, why)
        if hop is not None:
            self._logger.txn_id = hop.trans_id
            self._tally.local('peer')
            return self.served.serve(self.app, env, start_response, load_told=True)
        if self._shedder.level and self._is_shed(env):
            return shed(env, start_response, retry_after(self._rng))
        order, why = self._order(env) or ([], None)
        if order:
            try:
                request = ClientRequest(env)
            except WireError as err:
                return said(env, start_response, fault_status(env), str(err))
            answered = self._delegated(order, request, env, start_response)
            if answered is not None:
                return answered
            why = 'unanswered'
        if why is not None:
            self._tally.local(why)
        return self.served.serve(self.app, env, start_response)

    @fails_open('hop')
    def _accepted(self, env):
        """Return (the Hop of a peer's request or None, why it is refused or None)."""
        try:
            return self._incoming.accept(env, self._identity.current().keys,
                                         self.chooser.view.addresses), None
        except RefusedError as err:
            why = str(err)
            self._tally.count('hops_refused', why)
            self._tally.warn('hop', f'a request of {env.get("REMOTE_ADDR")} is marked as a '
                             f"peer's and is not taken: {WHY[why]}")
            return None, why

    @fails_open('begin')
    def _begin(self, env):
        """Begin to serve, in a worker: constructors run in the parent of the workers, too."""
        self._begun = True
        if fault := misplaced(env):
            self._tally.warn('place', fault)
        proxy = getattr(self, '_pipeline_final_app', None)
        book = getattr(proxy, 'host_book', None)
        self.served.elsewhere = book and book.in_flight
        self._tally.emit_through(proxy, self._conf)
        self._attend()
        spawn(self._attend_for_ever)

    def _book_path(self):
        return of_dispatchers(path_of(self._options.book, self._conf.get('__file__'),
                                      os.geteuid()))

    @fails_open('book')
    def _attend(self):
        fault = self._book.attend()
        if fault is not None:
            self._tally.warn('book', fault)

    def _attend_for_ever(self):
        while True:
            sleep(ATTEND_EVERY)
            with suppress(Exception):
                self._attend()
            with suppress(Exception):
                if not self._shedding():
                    self._shedder.level = 0.0       # it has failed: nothing is refused
            with suppress(Exception):
                self._tidy()

    @fails_open('shedding')
    def _shedding(self):
        """Bring the share that is refused up to date; return True, None if that fails."""
        now = clock.monotonic()
        self._shedder.update(self._wanted(now, self.chooser.elsewhere(now)), now)
        return True

    @fails_open('tidying')
    def _tidy(self):
        self._tally.flush()
        for fault in filter(None, (self._identity.fault, self.chooser.fault)):
            self._tally.warn('instruction', f'{fault}; every request is served here')
        self._pool.tidy()

    def _status(self, env, start_response):
        if not allowed(env, KEY, self._options.key.encode()):
            return reply(start_response, '404 Not Found', None)
        now, asks = clock.monotonic(), dict(parse_qsl(env.get('QUERY_STRING', '')))
        page = describe(self.chooser, self.served, self._options.policy, dict(self._tally.counts),
                        now)
        asked = asked_of(asks, env.get('REMOTE_ADDR', ''), content_class)
        if asked is not None:
            page['choice'] = describe_choice(self.chooser, self.served, self._policy, asked, now)
        return reply(start_response, '200 OK', page)

    def fall_back(self, part):
        """Say that `part` has failed: what fails_open() calls."""
        self._tally.fall_back(part)

    @fails_open('shedding')
    def _is_shed(self, env):
        if env.get('PATH_INFO', '').startswith(HERE):
            return False
        content = asked_by(env).content
        if not self._shedder.sheds(content, self._wanted(clock.monotonic()), self._rng):
            return False
        self._tally.count('shed', content)
        return True

    def _wanted(self, now, elsewhere=inf):
        """Return the level of refusal that is called for, if others take so many seconds."""
        curve = self.served.curve
        expected = curve.expected(self.served.in_flight(), now)
        return 0.0 if expected is None else wanted(min(expected, elsewhere), curve.expected(0, now))

    @fails_open('dispatch')
    def _order(self, env):
        """Return (peers to ask, why it is served here if none is)."""
        in_flight, now = self.served.in_flight(), clock.monotonic()
        why = self.chooser.stays(in_flight, now)
        if why is not None:
            return [], why
        if env.get('PATH_INFO', '').startswith(HERE):
            return [], 'host'
        return self.chooser.order(asked_by(env), in_flight, now)

    def _due(self):
        """Return the instant when a request would be answered here, None if that is not known."""
        now = clock.monotonic()
        expected = self.served.curve.expected(self.served.in_flight(), now)
        return None if expected is None else now + expected

    def _delegated(self, order, request, env, start_response):
        """Return the body of a peer's answer, None if this proxy is to serve the request."""
        try:
            answer = self._delegations.ask(order, request, env, self._due())
        except FailedError as err:
            self._logger.warning('swift-lb: %s', err)
            env['swift.source'] = SOURCE        # the peer has a line of it, too
            return said(env, start_response, err.status, 'The request could not be answered.')
        except Exception:
            self.fall_back('delegation')
            if not request.may_go_elsewhere:
                return said(env, start_response, UNAVAILABLE, 'The request could not be answered.')
            return None
        if answer is None:
            return None
        env['swift.source'] = SOURCE
        env['eventlet.minimum_write_chunk_size'] = 0    # what comes slowly keeps the client awake
        headers = answer.headers()
        if request.begun and not (request.ended or answer.head.keep):
            headers.append(('Connection', 'close'))     # the client's, too, has a body on it
        start_response(f'{answer.head.status} {answer.head.reason}', headers)
        return answer


def asked_by(env):
    """Return what is Asked in an environment."""
    method, path, size = env['REQUEST_METHOD'], target_of(env), body_size(env)
    copies = 'HTTP_X_COPY_FROM' in env or 'HTTP_X_AMZ_COPY_SOURCE' in env
    return Asked(method, path, env.get('REMOTE_ADDR', ''), content_class(
        method, env.get('PATH_INFO', ''), size, env.get('QUERY_STRING', ''), copies=copies,
        range_size=range_size(env.get('HTTP_RANGE'))), size)


def said(env, start_response, status, sentence, headers=()):
    """Answer with one sentence; catch_errors makes a 500 of a HEAD that is answered with a body."""
    body = f'{sentence}\n'.encode()
    start_response(status, [('Content-Type', 'text/plain; charset=UTF-8'),
                            ('Content-Length', str(len(body))), *headers])
    return [] if env['REQUEST_METHOD'] == 'HEAD' else [body]


def shed(env, start_response, seconds):
    """Tell a client to come back after some seconds, and that nobody will read its body."""
    headers = [('Retry-After', str(seconds))]
    if body_size(env) != 0:
        headers.append(('Connection', 'close'))
    return said(env, start_response, UNAVAILABLE, 'All proxies have more to do than they can.',
                headers)


def refused(env, start_response, why):
    """Tell a peer that it is to serve its request itself."""
    return said(env, start_response, '421 Misdirected Request', f'not from a peer: {why}',
                [(REFUSED, why)])


def filter_factory(global_conf, **local_conf):
    """paste.deploy's factory; refuses to start, in one clear message, what could not work."""
    path = global_conf.get('__file__', 'conf')
    try:
        options = read_options(DispatchOptions, local_conf, f'{path}, [filter:lb_dispatcher]',
                               server_faults(global_conf, path))
    except SwiftLBError as err:
        raise ConfigFileError(str(err)) from err
    conf = {**global_conf, **local_conf}
    logger = get_logger(conf, log_route='lb_dispatcher')
    return lambda app: Dispatcher(app, options, conf, logger)
