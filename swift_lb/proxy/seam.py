"""The seam to Swift: the one file that names the internals of its proxy.

Everything touched is listed in EXPECTED, which `verify` holds against the Swift that is running;
test/unit/proxy/test_seam.py exercises each against a real Application. Tried from 2.33 (Caracal)
to 2.38. Nothing is monkeypatched: a subclass of Application routes to subclasses of the
controllers, whose getters are subclasses of Swift's.

getters.py has what is done to getters: how a read is followed, declined and hedged.
"""
import inspect
import sys
from contextvars import ContextVar

from swift.common.error_limiter import ErrorLimiter
from swift.common.http import is_success
from swift.common.storage_policy import EC_POLICY, POLICIES, REPL_POLICY
from swift.common.swob import str_to_wsgi
from swift.common.utils import GreenAsyncPile, split_path
from swift.proxy.controllers import AccountController, ContainerController
from swift.proxy.controllers.base import (
    Controller,
    GetOrHeadHandler,
    GetterBase,
    GetterSource,
    NodeIter,
    get_container_info,
)
from swift.proxy.controllers.obj import (
    ECFragGetter,
    ECObjectController,
    ObjectControllerRouter,
    ReplicatedObjectController,
)
from swift.proxy.server import Application, parse_per_policy_config

from swift_lb.concurrency import Timeout
from swift_lb.errors import QueryError, SeamError
from swift_lb.proxy.getters import FragmentGetter, ReplicaGetter, in_a_race
from swift_lb.proxy.nodes import MeasuredNode
from swift_lb.wire.report import LOAD

try:
    from swift.common.statsd_client import get_labeled_statsd_client
except ImportError:  # before 2.36 there is none
    get_labeled_statsd_client = None

# What the seam overrides or calls: (owner, attribute, its parameters after self).
EXPECTED = (
    (Application, '__call__', ('env', 'start_response')),
    (Application, 'sort_nodes', ('nodes', 'policy')),
    (Application, 'set_node_timing', ('node', 'timing')),
    (Application, 'handle_request', ('req',)),
    (Application, 'get_controller', ('req',)),
    (Application, 'get_policy_options', ('policy',)),
    (Application, 'error_limit', ('node', 'msg')),
    (Application, 'error_occurred', ('node', 'msg')),
    (Application, 'check_response', ('node', 'server_type', 'response', 'method', 'path', 'body')),
    (Application, 'exception_occurred', ('node', 'typ', 'additional_info', 'kwargs')),
    (GetterBase, '_get_next_response_part', ()),
    (GetOrHeadHandler, '_make_node_request', ('node', 'logger_thread_locals')),
    (GetOrHeadHandler, '_find_source', ()),
    (GetOrHeadHandler, '_iter_parts_from_response', ()),
    (GetOrHeadHandler, '__init__', ('app', 'req', 'server_type', 'node_iter', 'partition', 'path',
                                    'backend_headers', 'concurrency', 'policy', 'logger')),
    (ECFragGetter, '_make_node_request', ('node',)),
    (ECFragGetter, '_iter_parts_from_response', ()),
    (ECFragGetter, 'response_parts_iter', ()),
    (ECFragGetter, '__init__', ('app', 'req', 'node_iter', 'partition', 'policy', 'path',
                                'backend_headers', 'header_provider', 'logger_thread_locals',
                                'logger')),
    (Controller, 'GETorHEAD_base', ('req', 'server_type', 'node_iter', 'partition', 'path',
                                    'concurrency', 'policy')),
    (ECObjectController, '_fragment_GET_request', ('req', 'node_iter', 'partition', 'policy',
                                                   'header_provider', 'logger_thread_locals')),
    (GetterSource, '__init__', ('app', 'resp', 'node')),
    (NodeIter, '__next__', ()),
    (GreenAsyncPile, 'waitfirst', ('timeout',)),
    (ErrorLimiter, 'is_limited', ('node',)),
    (GetOrHeadHandler, 'get_working_response', ()),
    (Controller, 'generate_request_headers', ('orig_req', 'additional', 'transfer')),
    (Controller, 'best_response', ('req', 'statuses', 'reasons', 'bodies', 'server_type', 'etag',
                                   'headers', 'overrides', 'quorum_size')),
    (GetterSource, 'close', ()),
    (ObjectControllerRouter, '__init__', ()),
)

# What their objects carry that we read or change: (owner, attribute).
CARRIED = (
    *((GetOrHeadHandler, name) for name in (
        'sources', 'statuses', 'reasons', 'bodies', 'source_headers', 'concurrency', 'source',
        'node_iter', 'newest', 'server_type', 'policy', 'backend_headers')),
    *((ECFragGetter, name) for name in ('source', 'node_iter', 'policy', 'backend_headers')),
    (GetterSource, 'node'), (GetterSource, 'resp'),
    (NodeIter, 'primary_nodes'), (NodeIter, 'nodes_left'), (Application, 'error_limiter'),
)

# sort_nodes has no request argument, and only the order of reads is ours to choose. The greenthread
# that builds a NodeIter is the one that handles the request, so a context variable finds it.
_method = ContextVar('swift_lb_request_method', default=None)


def verify():
    """Check that this Swift's internals are the ones the seam was written against.

    Raises SeamError, one sentence naming every difference.
    """
    faults = []
    for owner, name, expected in EXPECTED:
        found = getattr(owner, name, None)
        if found is None:
            faults.append(f'{owner.__name__}.{name} is gone')
            continue
        parameters = tuple(inspect.signature(found).parameters)[1:]
        if parameters != expected:
            faults.append(f'{owner.__name__}.{name} takes ({", ".join(parameters)}), '
                          f'not ({", ".join(expected)})')
    faults += [f'{owner.__name__} has no {name}' for owner, name in CARRIED
               if not carries(owner, name)]
    if faults:
        raise SeamError('this Swift is not one swift-lb knows (2.33 to 2.38): ' + '; '.join(faults)
                        + '; use egg:swift#proxy until swift-lb has been adapted')


def carries(owner, name):
    """Return whether an object of the class `owner` may have an attribute: its code names it."""
    return any(name in of.__dict__ or any(name in method.__code__.co_names for method in filter(
        inspect.isfunction, vars(of).values())) for of in owner.__mro__)


class MeasuredReplicaGetter(ReplicaGetter, GetOrHeadHandler):
    """Read a replica, an account or a container."""


class MeasuredFragmentGetter(FragmentGetter, ECFragGetter):
    """Read one fragment archive of an erasure-coded object."""


class MeasuredReads:
    """A controller whose reads go through the measured getters."""

    def GETorHEAD_base(self, req, server_type, node_iter, partition, path, concurrency=1,
                       policy=None):
        """Do as Swift's, with our getter: Swift names its getter inside and has no smaller hook."""
        if not self.app.replicas.measures(policy and policy.idx):
            return super().GETorHEAD_base(req, server_type, node_iter, partition, path,
                                          concurrency, policy)
        getter = MeasuredReplicaGetter(
            self.app, req, self.server_type, node_iter, partition, path,
            self.generate_request_headers(req, additional=req.headers),
            concurrency, policy=policy, logger=self.logger)
        res = getter.get_working_response() or self.best_response(
            req, getter.statuses, getter.reasons, getter.bodies, f'{server_type} {req.method}',
            headers=getter.source_headers)
        index = res.headers.get('X-Backend-Storage-Policy-Index')
        if index is not None and is_success(res.status_int):
            named = POLICIES.get_by_index(index)
            if named:
                res.headers['X-Storage-Policy'] = named.name
            else:
                self.logger.error('Could not translate X-Backend-Storage-Policy-Index (%r) from '
                                  '%r to policy', index, path)
        return res


class MeasuredAccount(MeasuredReads, AccountController):
    """Account reads, where lb_account_container is true."""


class MeasuredContainer(MeasuredReads, ContainerController):
    """Container reads, where lb_account_container is true."""


class MeasuredReplicas(MeasuredReads, ReplicatedObjectController):
    """Reads of replicated objects."""


class MeasuredFragments(MeasuredReads, ECObjectController):
    """Reads of erasure-coded objects; a HEAD is one plain request, as for replicas."""

    def _fragment_GET_request(self, req, node_iter, partition, policy, header_provider,
                              logger_thread_locals):
        if not self.app.replicas.measures(policy.idx):
            return super()._fragment_GET_request(req, node_iter, partition, policy,
                                                 header_provider, logger_thread_locals)
        self.logger.thread_locals = logger_thread_locals
        getter = MeasuredFragmentGetter(
            self.app, req, node_iter, partition, policy, req.swift_entity_path,
            self.generate_request_headers(req, additional=req.headers),
            header_provider, logger_thread_locals, self.logger)
        return getter, getter.response_parts_iter()


class MeasuredRouter(ObjectControllerRouter):
    """Route objects to the measured controllers; Swift's own registry stays as it is."""

    policy_type_to_controller_map = {REPL_POLICY: MeasuredReplicas, EC_POLICY: MeasuredFragments}


class SeamApplication(Application):
    """Swift's proxy: `replicas` (a ReplicaOrder) orders reads, `recorder` (a ReadRecorder) records.
    """

    replicas = recorder = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.obj_controller_router = MeasuredRouter()
        self._tiers = {}        # storage policy index -> Swift's read affinity key, None without

    def handle_request(self, req):
        """Remember the request's method for sort_nodes; sub-requests nest."""
        token = _method.set(req.method)
        try:
            return super().handle_request(req)
        finally:
            _method.reset(token)

    def get_controller(self, req):
        """Route accounts and containers to the measured controllers if they are to be ordered."""
        controller, path = super().get_controller(req)
        if self.replicas.measures(None):
            controller = {AccountController: MeasuredAccount,
                          ContainerController: MeasuredContainer}.get(controller, controller)
        return controller, path

    def get_policy_options(self, policy):
        """Let a race's loop wait for as long as the race says."""
        return in_a_race(super().get_policy_options(policy))

    def sort_nodes(self, nodes, policy=None):
        """Order the primaries of a read, best first; of a write, as Swift does."""
        nodes = super().sort_nodes(nodes, policy=policy)
        if _method.get() in (None, 'GET', 'HEAD'):
            index = policy and policy.idx
            if index not in self._tiers:
                self._tiers[index] = self._tier_of(policy)
            ordered = self.replicas.order(nodes, index, self._tiers[index])
            if ordered is not None:
                return ordered
        return nodes

    def _tier_of(self, policy):
        options = self.get_policy_options(policy)
        return options.read_affinity_sort_key if options.sorting_method == 'affinity' else None

    def set_node_timing(self, node, timing):
        """Swift calls this when it has connected and sent the head of any request."""
        self.recorder.connected(node, getattr(node, 'read', None), timing)
        super().set_node_timing(node, timing)

    def error_limit(self, node, msg):
        """Swift calls this for 507."""
        self._blame(node, False)
        super().error_limit(node, msg)

    def error_occurred(self, node, msg):
        """Swift calls this for other 5xx, and for an answer that broke before it looks elsewhere.

        Looking elsewhere happens while the timeout of the node before is being handled, so only a
        node that had begun to answer can have caused what exc_info shows.
        """
        read = getattr(node, 'read', None)
        self._blame(node, read is not None and read.answering and timing_out())
        super().error_occurred(node, msg)

    def check_response(self, node, server_type, response, method, path, body=None):
        """Swift calls this with every answer it makes no use of."""
        if getattr(node, 'read', None) is not None:
            self.recorder.reported(node.read, response.getheader(LOAD))
        if isinstance(node, MeasuredNode):
            node.note_answer(response.status, response.getheader)
        return super().check_response(node, server_type, response, method, path, body)

    def exception_occurred(self, node, typ, additional_info, **kwargs):
        """Swift calls this, inside an except clause, when a request could not be made."""
        self._blame(node, timing_out())
        super().exception_occurred(node, typ, additional_info, **kwargs)

    def _blame(self, node, timed_out):
        read = getattr(node, 'read', None)
        if read is not None:
            self.recorder.blame_read(read, timed_out)
        else:
            self.recorder.blame_node(node, timed_out)

    def labeled_statsd(self, conf):
        """Return Swift's labeled StatsD client: since 2.37 the app's, in 2.36 a new one."""
        if hasattr(self, 'statsd'):
            return self.statsd
        return get_labeled_statsd_client and get_labeled_statsd_client(conf, self.logger.logger)

    def read_order(self, path, env):
        """Return (storage policy index, partition, node dicts in the order of a read now).

        `path` is /account/container/object. Raises QueryError, with a sentence, for another path or
        a container that is not there. Chooses nothing and counts nothing.
        """
        try:
            account, container, obj = split_path(path, 3, 3, True)
        except ValueError:
            raise QueryError(f'object={path}: must be /ACCOUNT/CONTAINER/OBJECT') from None
        info_env = dict(env, PATH_INFO=str_to_wsgi(f'/v1/{account}/{container}'))
        info = get_container_info(info_env, self, swift_source='LB')
        if not is_success(info['status']):
            said = f'the container answers {info["status"]}'
            raise QueryError(f'object={path}: ' + (
                said if info['status'] else 'its account is not there, or can not be asked'))
        policy = POLICIES.get_by_index(info['storage_policy'])
        partition, nodes = self.get_object_ring(policy.idx).get_nodes(account, container, obj)
        tier_of = self._tier_of(policy)
        if tier_of is not None:
            nodes.sort(key=tier_of)
        return policy.idx, partition, self.replicas.preview(nodes, policy.idx, tier_of)


def timing_out():
    """Return whether a timeout is being handled."""
    return isinstance(sys.exc_info()[1], Timeout)


def per_policy_conf(conf):
    """Return {storage policy index: its section}, as Swift parses `[proxy-server:policy:N]`."""
    return parse_per_policy_config(conf)
