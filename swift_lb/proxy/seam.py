"""The seam to Swift: the only file that names the internals of Swift's proxy.

Every method it overrides or calls is listed in EXPECTED, which `verify` compares with the running
Swift; test/unit/proxy/test_seam.py exercises each against a real Application. Tested with 2.33
(Caracal) to 2.38. Nothing is monkeypatched: a subclass of Application routes to subclasses of the
controllers, whose getters are subclasses of Swift's. What those getters do is in getters.py.
"""
import inspect
import sys
from contextvars import ContextVar
from urllib.parse import unquote

from swift.common.error_limiter import ErrorLimiter
from swift.common.http import is_success
from swift.common.storage_policy import EC_POLICY, POLICIES, REPL_POLICY
from swift.common.swob import str_to_wsgi, wsgi_to_str
from swift.common.utils import GreenAsyncPile, config_true_value, split_path
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
from swift_lb.config import words
from swift_lb.dispatch.containers import ContainerFacts
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
    (Application, 'modify_wsgi_pipeline', ('pipe',)),
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
    (ECObjectController, '_get_or_head_response', ('req', 'node_iter', 'partition', 'policy')),
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
        'node_iter', 'newest', 'server_type', 'policy', 'backend_headers',
        'latest_404_timestamp', 'rebalance_missing_suppression_count')),
    *((ECFragGetter, name) for name in (
        'source', 'node_iter', 'policy', 'backend_headers', 'status', 'last_headers')),
    (GetterSource, 'node'), (GetterSource, 'resp'),
    (NodeIter, 'primary_nodes'), (NodeIter, 'nodes_left'),
    (NodeIter, 'num_primary_nodes'), (Application, 'error_limiter'),
)

per_policy_conf = parse_per_policy_config       # a conf -> {storage policy index: its section}

ABSENT = 'swift_lb.absent'      # in the environment: all primaries said 404, none had a tombstone

# sort_nodes has no request argument, and only reads are ordered here. The greenthread that builds a
# NodeIter is the one that handles the request, so a context variable has the request's method.
_method = ContextVar('swift_lb_request_method', default=None)


def verify():
    """Raise SeamError, a sentence with every difference, if Swift lacks what EXPECTED lists."""
    faults = []
    for owner, name, expected in EXPECTED:
        method = getattr(owner, name, None)
        if method is None:
            faults.append(f'{owner.__name__}.{name} is gone')
            continue
        parameters = tuple(inspect.signature(method).parameters)[1:]
        if parameters != expected:
            faults.append(f'{owner.__name__}.{name} takes ({", ".join(parameters)}), '
                          f'not ({", ".join(expected)})')
    faults += [f'{owner.__name__} has no {name}' for owner, name in CARRIED
               if not carries(owner, name)]
    if faults:
        raise SeamError('this Swift is not one swift-lb knows (2.33 to 2.38): ' + '; '.join(faults)
                        + '; use egg:swift#proxy until swift-lb has been adapted')


def carries(owner, name):
    """Return whether the class `owner`, or a base class, defines or uses the attribute `name`."""
    return any(name in each.__dict__ or any(name in method.__code__.co_names for method in filter(
        inspect.isfunction, vars(each).values())) for each in owner.__mro__)


def container_facts(env, app, cache_only=True):
    """Return the ContainerFacts of the request's container, None if Swift's caches lack it.

    The caches know it after a request for one of its objects. `app` is the next WSGI app; unless
    `cache_only`, the container's servers are asked by way of it for what the caches lack.
    """
    info = get_container_info(env, app, swift_source='LB', cache_only=cache_only)
    if not is_success(info['status']):
        return None
    meta = info.get('meta') or {}
    return ContainerFacts(
        (*words(meta.get('lb-clusters', '')), *synced_to(info.get('sync_to'), env['PATH_INFO'])),
        int(info.get('storage_policy') or 0), config_true_value(meta.get('lb-immutable')),
        config_true_value(meta.get('lb-redirect')))


def synced_to(sync_to, path):
    """Return (the cluster,) of an X-Container-Sync-To, () unless that keeps account and container.

    `sync_to` is //REALM/CLUSTER/ACCOUNT/CONTAINER, quoted as in a URL and perhaps with a slash at
    the end, None, or another text; `path` is an object's WSGI path.
    """
    parts = unquote(sync_to or '').rstrip('/').split('/')
    same = len(parts) == 6 and parts[:2] == ['', ''] and (
        parts[4:] == wsgi_to_str(path).split('/')[2:4])
    return (parts[3].lower(),) if same else ()


def regions_of(app, policy):
    """Return the numbers of the regions in which a storage policy's ring has devices.

    `app` is Swift's proxy app, `policy` the policy's index. The result is a frozenset.
    """
    devices = app.get_object_ring(policy).devs
    return frozenset(one['region'] for one in devices if one and one['weight'] > 0)


class MeasuredReplicaGetter(ReplicaGetter, GetOrHeadHandler):
    """Swift's getter of a replica, an account or a container, with each read recorded."""


class MeasuredFragmentGetter(FragmentGetter, ECFragGetter):
    """Swift's getter of a fragment archive of an erasure-coded object, with each read recorded."""


class MeasuredReads:
    """Mix-in for Swift's controllers: they read through a MeasuredReplicaGetter."""

    def GETorHEAD_base(self, req, server_type, node_iter, partition, path, concurrency=1,
                       policy=None):
        """Do as Swift's method, but read by a MeasuredReplicaGetter, not a GetOrHeadHandler."""
        if not self.app.replicas.measures(policy and policy.idx):
            return super().GETorHEAD_base(req, server_type, node_iter, partition, path,
                                          concurrency, policy)
        getter = MeasuredReplicaGetter(
            self.app, req, self.server_type, node_iter, partition, path,
            self.generate_request_headers(req, additional=req.headers),
            concurrency, policy=policy, logger=self.logger)
        unsuppressed = getter.rebalance_missing_suppression_count
        res = getter.get_working_response() or self.best_response(
            req, getter.statuses, getter.reasons, getter.bodies, f'{server_type} {req.method}',
            headers=getter.source_headers)
        if res.status_int == 404 and policy:
            missing = getter.statuses.count(404) + unsuppressed - (
                getter.rebalance_missing_suppression_count)     # Swift drops the first plain 404
            req.environ[ABSENT] = (not getter.latest_404_timestamp and {404} == {*getter.statuses}
                                   and missing >= node_iter.num_primary_nodes)
        index = res.headers.get('X-Backend-Storage-Policy-Index')
        if index is not None and is_success(res.status_int):
            stored_in = POLICIES.get_by_index(index)
            if stored_in:
                res.headers['X-Storage-Policy'] = stored_in.name
            else:
                self.logger.error('Could not translate X-Backend-Storage-Policy-Index (%r) from '
                                  '%r to policy', index, path)
        return res


class MeasuredAccount(MeasuredReads, AccountController):
    """Swift's account controller with measured reads, used if lb_account_container is true."""


class MeasuredContainer(MeasuredReads, ContainerController):
    """Swift's container controller with measured reads, used if lb_account_container is true."""


class MeasuredReplicas(MeasuredReads, ReplicatedObjectController):
    """Swift's controller of replicated objects, with measured reads."""


class MeasuredFragments(MeasuredReads, ECObjectController):
    """Swift's controller of erasure-coded objects, with measured reads; HEAD is as for replicas."""

    def _get_or_head_response(self, req, node_iter, partition, policy):
        self._getters = []      # one for each node that is asked for a fragment
        res = super()._get_or_head_response(req, node_iter, partition, policy)
        if res.status_int == 404 and self._getters:
            req.environ[ABSENT] = are_absent(self._getters, node_iter.num_primary_nodes)
        return res

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
        self._getters.append(getter)
        return getter, getter.response_parts_iter()


def are_absent(getters, primaries):
    """Return whether all of so many primaries have no fragment, by the MeasuredFragmentGetters.

    A getter has no status if its node did not answer, or is a handoff without a tombstone.
    """
    answers = [getter for getter in getters if getter.status]
    return len(answers) >= primaries and all(
        one.status == 404 and 'X-Backend-Timestamp' not in one.last_headers for one in answers)


class MeasuredRouter(ObjectControllerRouter):
    """Routes objects to the measured controllers, and leaves Swift's own registry unchanged."""

    policy_type_to_controller_map = {REPL_POLICY: MeasuredReplicas, EC_POLICY: MeasuredFragments}


class SeamApplication(Application):
    """Swift's proxy app: its ReplicaOrder `replicas` orders reads, and `recorder` records them."""

    replicas = recorder = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.obj_controller_router = MeasuredRouter()
        self._tiers = {}        # storage policy index -> Swift's read affinity key, None without

    def modify_wsgi_pipeline(self, pipe):
        """Let Swift complete the pipeline, then say what it starts; `pipe` is a PipelineWrapper."""
        super().modify_wsgi_pipeline(pipe)
        self.say_start(pipe.context.filter_contexts)

    def handle_request(self, req):
        """Handle a request, with its method kept in a context variable for sort_nodes."""
        token = _method.set(req.method)
        try:
            return super().handle_request(req)
        finally:
            _method.reset(token)

    def get_controller(self, req):
        """Return (controller, path) as Swift does.

        With lb_account_container the controller of an account or a container is a measured one.
        """
        controller, path = super().get_controller(req)
        if self.replicas.measures(None):
            controller = {AccountController: MeasuredAccount,
                          ContainerController: MeasuredContainer}.get(controller, controller)
        return controller, path

    def get_policy_options(self, policy):
        """Return the policy's options; a HedgedRace's delay is concurrency_timeout within it."""
        return in_a_race(super().get_policy_options(policy))

    def sort_nodes(self, nodes, policy=None):
        """Return the primaries `nodes`, for a read in ReplicaOrder's order, else in Swift's."""
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
        """Record the connect time of `node`; Swift calls this after the head of each request."""
        self.recorder.connected(node, getattr(node, 'read', None), timing)
        super().set_node_timing(node, timing)

    def error_limit(self, node, msg):
        """Count an error of the node; Swift calls this for an answer 507."""
        self._blame(node, False)
        super().error_limit(node, msg)

    def error_occurred(self, node, msg):
        """Count an error or timeout of the node; Swift calls this for any 5xx answer but 507.

        Swift also calls it before it resumes a read whose answer broke off by a timeout. Swift
        asks the next nodes while that exception is being handled, so a timeout is blamed only on a
        node that had begun to answer.
        """
        read = getattr(node, 'read', None)
        self._blame(node, read is not None and read.answering and timing_out())
        super().error_occurred(node, msg)

    def check_response(self, node, server_type, response, method, path, body=None):
        """Record the load report in `response`; return what Swift's method does.

        Swift calls this for a read's answer without the object, such as a 404 or 503, and for every
        answer to a write.
        """
        if getattr(node, 'read', None) is not None:
            self.recorder.reported(node.read, response.getheader(LOAD))
        if isinstance(node, MeasuredNode):
            node.note_answer(response.status, response.getheader)
        return super().check_response(node, server_type, response, method, path, body)

    def exception_occurred(self, node, typ, additional_info, **kwargs):
        """Count an error or timeout of the node; Swift calls this when a request to it raises."""
        self._blame(node, timing_out())
        super().exception_occurred(node, typ, additional_info, **kwargs)

    def _blame(self, node, timed_out):
        read = getattr(node, 'read', None)
        if read is not None:
            self.recorder.blame_read(read, timed_out)
        else:
            self.recorder.blame_node(node, timed_out)

    def labeled_statsd(self, conf):
        """Return Swift's labeled StatsD client, None on a Swift older than 2.36."""
        if hasattr(self, 'statsd'):     # since 2.37
            return self.statsd
        return get_labeled_statsd_client and get_labeled_statsd_client(conf, self.logger.logger)

    def read_order(self, path, env):
        """Return (storage policy index, partition, node dicts in the order of a read now).

        `path` is /account/container/object, `env` a WSGI environment. Raises QueryError, with a
        sentence, for any other path or a missing container. No choice is counted in the book.
        """
        try:
            account, container, obj = split_path(path, 3, 3, True)
        except ValueError:
            raise QueryError(f'object={path}: must be /ACCOUNT/CONTAINER/OBJECT') from None
        info_env = dict(env, PATH_INFO=str_to_wsgi(f'/v1/{account}/{container}'))
        info = get_container_info(info_env, self, swift_source='LB')
        if not is_success(info['status']):
            raise QueryError(f'object={path}: ' + (
                f'the container answers {info["status"]}' if info['status']
                else 'its account does not exist, or does not answer'))
        policy = POLICIES.get_by_index(info['storage_policy'])
        partition, nodes = self.get_object_ring(policy.idx).get_nodes(account, container, obj)
        tier_of = self._tier_of(policy)
        if tier_of is not None:
            nodes.sort(key=tier_of)
        return policy.idx, partition, self.replicas.preview(nodes, policy.idx, tier_of)


def timing_out():
    """Return whether the exception being handled is a Timeout."""
    return isinstance(sys.exc_info()[1], Timeout)
