"""`egg:swift-lb#lb_status`: GET /lb/status shows what this host has measured of each device.

    [filter:lb_status]
    use = egg:swift-lb#lb_status
    # key = SECRET

Put it before the authentication filters. It answers clients on the loopback interface, and clients
that send the configured key in X-Lb-Status-Key; all others get 404. A request that a local TLS
terminator or balancer forwards comes from the loopback interface, but its client may be anywhere:
with a forwarding header, only the key counts.

`?object=/ACCOUNT/CONTAINER/OBJECT` adds the order in which that object would be read.
"""
import json
import os
from dataclasses import dataclass
from urllib.parse import parse_qs

from swift_lb.access import allowed
from swift_lb.config import option
from swift_lb.errors import QueryError
from swift_lb.proxy.filter_options import filter_options
from swift_lb.proxy.in_force import publish
from swift_lb.proxy.replicas import key_of
from swift_lb.version import version

PATH = '/lb/status'
KEY = 'HTTP_X_LB_STATUS_KEY'
FORMAT = 2  # of the document; raised when a reader of the old one would misread the new
SHOWN = ('policy', 'enabled', 'chunk_clock', 'max_age', 'unmeasured', 'hedge', 'account_container')


@dataclass(frozen=True)
class StatusOptions:
    """The options of [filter:lb_status]; `etc/proxy-server.conf-sample` explains each."""

    key: str = option('', str, '', 'secret of clients outside the loopback interface')


class StatusFilter:
    """The WSGI filter that answers GET /lb/status, and passes every other request on."""

    def __init__(self, app, key):
        self.app = app
        self._key = key.encode()

    def __call__(self, env, start_response):
        """Answer with the status page at its path, 404 to clients without access; else call app."""
        if env.get('PATH_INFO') != PATH:
            return self.app(env, start_response)
        if env['REQUEST_METHOD'] != 'GET' or not allowed(env, KEY, self._key):
            return reply(start_response, '404 Not Found', None)
        # Set by Swift's loader after all constructors have run.
        proxy = getattr(self, '_pipeline_final_app', None)
        if getattr(proxy, 'replicas', None) is None:
            return reply(start_response, '404 Not Found',
                         {'error': "this proxy's app is not egg:swift-lb#proxy"})
        try:
            return reply(start_response, '200 OK', document(proxy, env))
        except QueryError as err:
            return reply(start_response, '400 Bad Request', {'error': str(err)})
        except Exception:
            proxy.guard.fall_back('status')
            return reply(start_response, '500 Internal Error', {'error': 'see the log'})


def reply(start_response, status, document):
    """Call start_response, and return the body: `document` as JSON, or nothing for None."""
    body = b'' if document is None else json.dumps(document).encode()
    start_response(status, [('Content-Type', 'application/json'),
                            ('Content-Length', str(len(body))), ('Cache-Control', 'no-store')])
    return [body]


def document(proxy, env):
    """Return the status page as a dict, ages in seconds; raises QueryError for a wrong `object`.

    `proxy` is the SeamApplication; `env` is the request's WSGI environment, whose query string may
    have `object`, the path of an object.
    """
    worker, replicas = proxy.begin(), proxy.replicas    # begin() may replace the book
    now, snapshot = replicas.clock(), replicas.book.snapshot()
    page = {
        'format': FORMAT, 'version': version(), 'pid': os.getpid(), 'worker': worker,
        'book': proxy.host_book.describe(),
        'policies': {_name(index): {name: getattr(options, name) for name in SHOWN}
                     for index, options in replicas.options.items()},
        'nodes': [_node(replicas, node, snapshot, now)
                  for node in sorted(snapshot.loads, key=str)],
        'last_orders': {_name(index): _last_order(replicas, index, decision)
                        for index, decision in list(replicas.last_decisions.items())}}
    path = parse_qs(env.get('QUERY_STRING', '')).get('object')
    if path:
        index, partition, nodes = proxy.read_order(path[0], env)
        page['object'] = {
            'path': path[0], 'storage_policy': index, 'partition': partition,
            'order': _order(replicas, nodes, index, proxy.error_limiter.is_limited)}
    return page


def _name(index):
    return 'default' if index is None else str(index)


def _node(replicas, node, snapshot, now):
    load = snapshot.of(node)
    return {'node': str(node), 'ip': node.ip, 'port': node.port, 'device': node.device,
            'choices': load.choices,
            'why': {_name(index): _why(replicas, index, node, [node], snapshot, now)
                    for index in replicas.options}} | _facts(load, now)


def _last_order(replicas, index, decision):
    explain = replicas.policy_of(index).explain
    return {'age': replicas.clock() - decision.at,
            'order': [{'node': str(node),
                       'why': explain(node, tier, decision.snapshot, decision.at)}
                      for tier in decision.tiers for node in tier]}


def _order(replicas, nodes, index, is_limited):
    """Return a dict for each of `nodes`, in this order: its measurements, and why it stands there.

    `is_limited(node)` returns whether Swift has error limited a node.
    """
    now = replicas.clock()
    keys = [key_of(node) for node in nodes]
    snapshot = replicas.book.snapshot(keys)
    return [_facts(snapshot.of(key), now)
            | {'node': str(key), 'error_limited': is_limited(node),
               'why': _why(replicas, index, key, keys, snapshot, now)}
            for key, node in zip(keys, nodes, strict=True)]


def _why(replicas, index, node, candidates, snapshot, now):
    if not replicas.options_of(index).enabled:
        return "Swift's own order"
    return replicas.policy_of(index).explain(node, candidates, snapshot, now)


def _facts(load, now):
    return {
        'in_flight': load.in_flight, 'oldest_wait': _age(load.waiting_since, now),
        'last_throughput': load.last_throughput, 'last_chunk_age': _age(load.last_chunk_at, now),
        'chunks': load.chunks, 'connect_time': load.connect_time,
        'first_byte_time': load.first_byte_time,
        'first_byte_age': _age(load.first_byte_at, now),
        'successes': load.successes, 'errors': load.errors, 'timeouts': load.timeouts,
        'reported_in_flight': load.report and load.report.in_flight,
        'reported_service_time': load.report and load.report.service_time,
        'report_age': _age(load.reported_at, now),
    }


def _age(instant, now):
    return None if instant is None else now - instant


def filter_factory(global_conf, **local_conf):
    """Return a function that wraps an app in a StatusFilter, for PasteDeploy.

    Raises ConfigFileError for an unknown option.
    """
    options = filter_options(StatusOptions, 'lb_status', global_conf, local_conf)
    publish(status=True)
    return lambda app: StatusFilter(app, options.key)
