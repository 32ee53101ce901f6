"""`egg:swift-lb#lb_dispatcher`: serve a request here, or have a less loaded peer serve it.

    [filter:lb_dispatcher]
    use = egg:swift-lb#lb_dispatcher

Put it right of catch_errors, gatekeeper, healthcheck and the first proxy-logging, and left of all
other filters: those which authenticate, limit or rewrite a request should do so once, where it is
served. The transaction id must exist already (catch_errors), a balancer's health checks are about
this proxy alone (healthcheck), and the log shows to which proxy a client came (proxy-logging).

It needs the agent of the host (etc/lb-server.conf-sample): its Instruction, name and key. Without a
valid Instruction every request is served here, as by plain Swift.
"""
import os
import random
from math import inf
from urllib.parse import parse_qsl

from swift.common.utils import get_logger

from swift_lb import clock
from swift_lb.access import allowed
from swift_lb.book_path import of_dispatchers, path_of
from swift_lb.concurrency import sleep, spawn
from swift_lb.dispatch.budget import RetryBudget
from swift_lb.dispatch.chooser import Chooser
from swift_lb.dispatch.cooperation import NONE, Cooperation
from swift_lb.dispatch.curve import Curve
from swift_lb.dispatch.ledger import Ledger
from swift_lb.dispatch.shedding import Shedder, retry_after, wanted
from swift_lb.errors import WireError
from swift_lb.policy.backends import BackendOptions, make_backend_policy
from swift_lb.proxy.dispatch import clusters, kept_elsewhere, place
from swift_lb.proxy.dispatch.acceptance import Acceptance
from swift_lb.proxy.dispatch.answers import (
    SOURCE,
    UNAVAILABLE,
    answer,
    answer_probe,
    pass_on,
    refuse_hop,
    refuse_load,
)
from swift_lb.proxy.dispatch.cluster_choice import ClusterChoice
from swift_lb.proxy.dispatch.cluster_hedges import ClusterHedges
from swift_lb.proxy.dispatch.cluster_reads import ClusterReads
from swift_lb.proxy.dispatch.cluster_requests import CONNECT, ClusterRequests
from swift_lb.proxy.dispatch.cluster_status import describe_clusters
from swift_lb.proxy.dispatch.cluster_why import ClusterWhy
from swift_lb.proxy.dispatch.clusters import OtherClusters
from swift_lb.proxy.dispatch.delegation import Delegations, FailedError
from swift_lb.proxy.dispatch.elsewhere import Elsewhere
from swift_lb.proxy.dispatch.facts import facts_of, facts_of_query, image_key
from swift_lb.proxy.dispatch.identity import CurrentInstruction, IdentityFile
from swift_lb.proxy.dispatch.incoming import LACKS
from swift_lb.proxy.dispatch.kept_parts import KeptParts
from swift_lb.proxy.dispatch.local import Served
from swift_lb.proxy.dispatch.observer import Observer
from swift_lb.proxy.dispatch.options import DispatchOptions, server_faults, workers_of
from swift_lb.proxy.dispatch.pool import Pool
from swift_lb.proxy.dispatch.redirects import take_out
from swift_lb.proxy.dispatch.relay import Relay
from swift_lb.proxy.dispatch.request import ClientRequest, fault_status
from swift_lb.proxy.dispatch.status import DispatchCounts, describe, describe_choice
from swift_lb.proxy.filter_options import conf_path, filter_options
from swift_lb.proxy.guard import Guard, fails_open
from swift_lb.proxy.host_book import HostBook
from swift_lb.proxy.in_force import publish
from swift_lb.proxy.paste_conf import conf_around
from swift_lb.proxy.seam import regions_of
from swift_lb.proxy.status import KEY, reply
from swift_lb.wire.observations import PROBE
from swift_lb.wire.redirect import PARAMETER

PATH = '/lb/dispatch'
HERE = '/lb/', '/lb_handicap', '/recon/'     # paths about this host, which no other can answer
ATTEND_EVERY = 1.0  # seconds


class Dispatcher:
    """The WSGI filter in one worker: serves a request in this proxy, or delegates it to a peer."""

    def __init__(self, app, options, conf, logger):
        """Take the next WSGI app, DispatchOptions, {name: text} of their section and [DEFAULT]."""
        self.app = app
        self._options, self._conf, self._logger = options, conf, logger
        self._begun = False
        self._counts = DispatchCounts()
        self._guard = Guard(self._counts, logger, clock.monotonic)
        self.fall_back = self._guard.fall_back      # for fails_open
        self._identity = IdentityFile(options.lb_conf, clock.monotonic)
        identity = self._identity.current
        self._current = CurrentInstruction(identity, clock.monotonic)
        self._policy = make_backend_policy(
            options.policy, BackendOptions(options.weights, options.band))
        self._rng, self._shedder, curve = random.Random(), Shedder(), Curve()
        self.served = Served(curve, self._shedder, clock.monotonic, self.fall_back)
        self._book = HostBook(self._book_path, (), clock.monotonic)
        self.chooser = Chooser(self._policy, self._current.current, self._current.view,
                               Ledger(lambda: self._book.book), curve, self._rng)
        self._kept = KeptParts(identity)
        self._cooperation = Cooperation(options.cooperation, self.chooser, options.weights,
                                        self._kept.where)
        self._acceptance = Acceptance(identity, clock.wall, self._counts, self._guard.warn)
        self._pool = Pool(clock.monotonic, options.connect_timeout)
        self._far_pool = Pool(clock.monotonic, max(options.connect_timeout, CONNECT))
        self._delegations = Delegations(self.chooser, Relay(self._pool), identity, RetryBudget(),
                                        clock.monotonic, clock.wall, self._counts,
                                        self.fall_back, self._cooperation.lacks)
        self._observer = Observer(identity, self.served, clock.monotonic, clock.wall,
                                  self.fall_back)
        self._clusters = OtherClusters(identity, clock.monotonic)
        requests = ClusterRequests(self._clusters, self._far_pool, clock.monotonic, clock.wall,
                                   self._counts, self._observer.note_body, self._guard.warn)
        self._choice = ClusterChoice(options, self._clusters, requests, self.served, self.chooser,
                                     self._counts, self._regions_of, clock.monotonic, self._rng)
        hedges = ClusterHedges(options.cluster_policy, self._clusters, self._choice, self._counts,
                               self._observer.note_sent, clock.monotonic, logger, self.fall_back)
        self._why = ClusterWhy(self._choice, self._clusters, options, self.served, hedges)
        elsewhere = Elsewhere(self._clusters, requests, self._choice, self._observer, self._counts,
                              clock.monotonic, clock.wall, self.fall_back)
        self._reads = ClusterReads(app, self._clusters, self._choice, hedges, elsewhere,
                                   self.fall_back, clock.monotonic)

    def __call__(self, env, start_response):
        """Answer a request as a WSGI application: serve it here, let a peer do it, or refuse it."""
        if not self._begun:
            self._begin(env)
        if env.get('PATH_INFO') == PATH and env['REQUEST_METHOD'] == 'GET':
            return self._status(env, start_response)
        accepted = self._accepted(env)
        if accepted is None:        # it failed: the request may be a peer's, so no second hop
            return self.served.serve(self.app, env, start_response)
        hop, why = accepted
        if why is not None:
            return refuse_hop(env, start_response, why)
        if hop is not None:
            self._logger.txn_id = hop.trans_id
            if clusters.FROM in env and env.get('PATH_INFO') == PROBE:
                return answer_probe(env, start_response)
            if clusters.FROM in env and env.get('PATH_INFO') == kept_elsewhere.PATH:
                return self._kept.answer_digest(env, start_response)
            return self._serve(env, start_response, for_peer=True)
        source = env['wsgi.input']      # filters may replace it
        body = self._client_served(env, start_response)
        return self._watched(source, env, body) or body

    def _client_served(self, env, start_response):
        """Return the body of the answer to a client's request."""
        if self._choice.has_cluster and self._is_redirected(env):
            return self._serve(env, start_response)
        clusters_of_read = self._clusters_of(env) if self._choice.may_leave else None
        if clusters_of_read:
            body = self._early(env, start_response, clusters_of_read)
            if body is not None:
                return body
        if self._shedder.level and self._is_shed(env):
            return refuse_load(env, start_response, retry_after(self._rng))
        order, why = self._order(env) or ([], None)
        if order:
            try:
                request = ClientRequest(env)
            except WireError as err:
                return answer(env, start_response, fault_status(env), str(err))
            body = self._delegated(order, request, env, start_response)
            if body is not None:
                return body
            why = 'unanswered'
        if why is not None:
            self._counts.local(why)
        if clusters_of_read is None:
            return self.served.serve(self.app, env, start_response)
        return self._reads.serve(dict(env), env, start_response, self._server(env))

    @fails_open('client paths')
    def _watched(self, source, env, body):
        return self._observer.clients.watched(source, env, body)

    def _serve(self, env, start_response, for_peer=False):
        """Serve what a peer or another cluster has sent here, unless yet another one answers it."""
        self._counts.local('peer' if for_peer and clusters.FROM not in env else 'cluster')
        self._observer.note_taken(env)
        if self._choice.may_leave and self._clusters_of(env) is not None:
            return self._reads.serve(dict(env), env, start_response, self._server(env, for_peer))
        return self.served.serve(self.app, env, start_response, for_peer)

    def _server(self, env, for_peer=False):
        return lambda start: self.served.serve(self.app, env, start, for_peer)

    @fails_open('clusters')
    def _clusters_of(self, env):
        return self._reads.clusters_of(env)

    @fails_open('clusters')
    def _early(self, env, start_response, names):
        """Return the body of another cluster's answer before the request is served, or None."""
        return self._reads.early(env, start_response, names)

    @fails_open('clusters')
    def _is_redirected(self, env):
        """Return whether another cluster has redirected a read here; take out its parameter."""
        if PARAMETER not in env.get('QUERY_STRING', ''):
            return False
        cluster = self._identity.current().cluster
        return cluster and take_out(env, cluster.keys, clock.wall())

    @fails_open('hop')
    def _accepted(self, env):
        """Return what Acceptance.accepted() does, None if it has failed."""
        return self._acceptance.accepted(env, self.chooser.view.addresses)

    @fails_open('shedding')
    def _is_shed(self, env):
        if env.get('PATH_INFO', '').startswith(HERE):
            return False
        content = facts_of(env).content
        if not self._shedder.sheds(content, self._wanted(clock.monotonic()), self._rng):
            return False
        self._counts.count('shed', content)
        return True

    def _wanted(self, now, elsewhere=inf):
        """Return the level of refusal (dispatch/shedding.py), 0 to 1.8, that the queue calls for.

        It rises with the seconds in which this proxy would answer, or with `elsewhere`, those of a
        peer, if that is less.
        """
        curve = self.served.curve
        expected = curve.expected(self.served.in_flight(), now)
        return 0.0 if expected is None else wanted(min(expected, elsewhere), curve.expected(0, now))

    @fails_open('dispatch')
    def _order(self, env):
        """Return (peers to ask, the reason why this proxy serves the request if there are none)."""
        in_flight, now = self.served.in_flight(), clock.monotonic()
        image = image_key(env)
        if image is not None and self._cooperation.rule != NONE:
            env[LACKS] = self._lacks_decoder
            return self._cooperation.order(image, now)
        why = self.chooser.stays(in_flight, now)
        if why is not None:
            return [], why
        if env.get('PATH_INFO', '').startswith(HERE):
            return [], 'host'
        return self.chooser.order(facts_of(env), in_flight, now)

    def _lacks_decoder(self):
        if self.chooser.view.here is not None:
            self._cooperation.lacks(self.chooser.view.here, clock.monotonic())

    def _due(self, env):
        """Return the instant at which this proxy would answer a request, None if unknown."""
        if image_key(env) is not None:      # what it takes depends on who keeps which results
            return None
        now = clock.monotonic()
        expected = self.served.curve.expected(self.served.in_flight(), now)
        return None if expected is None else now + expected

    def _delegated(self, order, request, env, start_response):
        """Return the body of the answer of a peer in `order`; None: this proxy is to serve it."""
        try:
            reply_of_peer = self._delegations.delegate(order, request, env, self._due(env))
        except FailedError as err:
            self._logger.warning('swift-lb: %s', err)
            env['swift.source'] = SOURCE        # the peer has a line of it, too
            return answer(env, start_response, err.status, 'The request could not be answered.')
        except Exception:
            self.fall_back('delegation')
            if not request.may_go_elsewhere:
                return answer(env, start_response, UNAVAILABLE,
                              'The request could not be answered.')
            return None
        if reply_of_peer is None:
            return None
        closes = request.begun and not (request.ended or reply_of_peer.head.keep)
        return pass_on(reply_of_peer, env, start_response, closes)

    def _status(self, env, start_response):
        if not allowed(env, KEY, self._options.key.encode()):
            return reply(start_response, '404 Not Found', None)
        now, query = clock.monotonic(), dict(parse_qsl(env.get('QUERY_STRING', '')))
        page = describe(self.chooser, self.served, self._options.policy, self._current.fault,
                        dict(self._counts.counts), now)
        facts = facts_of_query(query, env.get('REMOTE_ADDR', ''))
        if facts is not None:
            page['choice'] = describe_choice(self.chooser, self.served, self._policy,
                                             self._cooperation, self._current.fault, facts, now)
        return reply(start_response, '200 OK', page | (self._described(facts, query, now) or {}))

    @fails_open('clusters')
    def _described(self, facts, query, now):
        """Return what the status page tells of clusters, a dict; of a read if `facts` are given."""
        if self._identity.current().cluster is None:
            return {'clusters': None}
        clusters = describe_clusters(self._choice, self._clusters, self._options.cluster_policy,
                                     now)
        return {'clusters': clusters,
                'cluster_choice': facts and self._why.describe(facts, query, now)}

    # Once a second.

    @fails_open('begin')
    def _begin(self, env):
        """Prepare a worker at its first request; constructors also run in the workers' parent."""
        self._begun = True
        if fault := place.misplaced(env):
            self._guard.warn('place', fault)
        proxy = getattr(self, '_pipeline_final_app', None)
        book = getattr(proxy, 'host_book', None)
        self.served.elsewhere = book and book.in_flight
        self.served.begin_part = self._cooperation.begin_part
        self._counts.emit_through(proxy, self._conf)
        self._attend()
        self._attend_clusters()
        spawn(self._attend_for_ever)

    def _regions_of(self, policy):
        proxy = getattr(self, '_pipeline_final_app', None)
        return regions_of(proxy, policy) if proxy is not None else frozenset()

    def _book_path(self):
        return of_dispatchers(path_of(self._options.book, self._conf.get('__file__'), os.geteuid()))

    @fails_open('book')
    def _attend(self):
        fault = self._book.attend()
        if fault is not None:
            self._guard.warn('book', fault)

    def _attend_for_ever(self):
        while True:
            sleep(ATTEND_EVERY)
            self._attend()
            self._attend_clusters()
            if not self._shedding():
                self._shedder.level = 0.0       # it has failed: nothing is refused
            self._tidy()
            self._observe()

    @fails_open('clusters')
    def _attend_clusters(self):
        self._choice.attend(self._book.workers or workers_of(self._conf))

    @fails_open('shedding')
    def _shedding(self):
        """Update the share of new requests that is refused; return True, or None after a fault."""
        now = clock.monotonic()
        self._shedder.update(self._wanted(now, self.chooser.elsewhere(now)), now)
        return True

    @fails_open('tidying')
    def _tidy(self):
        self._counts.flush()
        for fault in filter(None, (self._identity.fault, self._current.fault)):
            self._guard.warn('instruction', f'{fault}; every request is served here')
        if self._clusters.fault:
            self._guard.warn('clusters', self._clusters.fault)
        self._pool.tidy()
        self._far_pool.tidy()

    @fails_open('observations')
    def _observe(self):
        self._observer.tell()


def filter_factory(global_conf, **local_conf):
    """Return a function that wraps an app in a Dispatcher, for PasteDeploy.

    Raises ConfigFileError with every fault of the conf.
    """
    around = conf_around(global_conf)
    earlier = (place.faults(around.pipeline, around.where, around.foreign)
               + server_faults(global_conf | around.options, conf_path(global_conf)))
    options = filter_options(DispatchOptions, 'lb_dispatcher', global_conf, local_conf, earlier)
    publish(dispatcher=options.policy)
    conf = {**global_conf, **local_conf}
    logger = get_logger(conf, log_route='lb_dispatcher')
    return lambda app: Dispatcher(app, options, conf, logger)
