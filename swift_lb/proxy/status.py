"""`egg:swift-lb#lb_status`: GET /lb/status tells what this host knows of each device, and why.

    [filter:lb_status]
    use = egg:swift-lb#lb_status
    # key = SECRET

Put it before the authentication filters. It answers clients on the loopback interface, and those
that send the configured key in X-Lb-Status-Key; to all others it is not there (404). A request that
a local TLS terminator or balancer has forwarded comes from the loopback interface too, but not from
a client there: with a forwarding header, only the key counts.

`?object=/ACCOUNT/CONTAINER/OBJECT` adds the order in which that object would be read.
"""
import json
import os
from dataclasses import dataclass
from urllib.parse import parse_qs

from swift.common.wsgi import ConfigFileError

from swift_lb.access import allowed
from swift_lb.config import option, read_options
from swift_lb.errors import ConfigError, QueryError
from swift_lb.proxy.describe import describe, describe_order, last_orders

PATH = '/lb/status'
KEY = 'HTTP_X_LB_STATUS_KEY'


@dataclass(frozen=True)
class StatusOptions:
    """The options of [filter:lb_status]; `etc/proxy-server.conf-sample` explains each."""

    key: str = option('', str, '', 'secret of clients outside the loopback interface')


class Status:
    """The filter."""

    def __init__(self, app, key):
        self.app = app
        self._key = key.encode()

    def __call__(self, env, start_response):
        """Answer PATH, hand on everything else."""
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
            return reply(start_response, '200 OK', self.document(proxy, env))
        except QueryError as err:
            return reply(start_response, '400 Bad Request', {'error': str(err)})
        except Exception:
            proxy.replicas.fall_back('status')
            return reply(start_response, '500 Internal Error', {'error': 'see the log'})

    def document(self, proxy, env):
        """Return the JSON-ready answer; raises QueryError for a bad `object`."""
        replicas = proxy.replicas
        page = describe(replicas, proxy.begin(), os.getpid(), proxy.host_book.describe())
        page['last_orders'] = last_orders(replicas)
        wanted = parse_qs(env.get('QUERY_STRING', '')).get('object')
        if wanted:
            index, partition, ordered = proxy.read_order(wanted[0], env)
            page['object'] = {
                'path': wanted[0], 'storage_policy': index, 'partition': partition,
                'order': describe_order(replicas, ordered, index, proxy.error_limiter.is_limited)}
        return page


def reply(start_response, status, document):
    """Answer with `document` as JSON, or with nothing."""
    body = b'' if document is None else json.dumps(document).encode()
    start_response(status, [('Content-Type', 'application/json'),
                            ('Content-Length', str(len(body))), ('Cache-Control', 'no-store')])
    return [body]


def filter_factory(global_conf, **local_conf):
    """paste.deploy's factory; raises ConfigFileError for an unknown option."""
    where = f'{global_conf.get("__file__", "conf")}, [filter:lb_status]'
    try:
        options = read_options(StatusOptions, local_conf, where)
    except ConfigError as err:
        raise ConfigFileError(str(err)) from None
    return lambda app: Status(app, options.key)
