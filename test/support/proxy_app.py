"""A real proxy application, swift-lb's or Swift's, on real rings in a directory."""
import logging
import os
import sys

from swift.common import utils
from swift.common.ring import RingBuilder
from swift.common.storage_policy import POLICIES, reload_storage_policies
from swift.common.swob import Request
from swift.proxy.controllers.base import get_cache_key, headers_to_container_info
from swift.proxy.server import Application

from swift_lb.proxy.application import LBApplication


def keep_green_copies_private():
    """Set the attributes of the packages http and urllib to their own submodules again.

    Importing Swift imports eventlet's green copies of them, which stay behind as attributes:
    `http.client.HTTPConnection` is then eventlet's for every other test of the process.
    """
    for name, module in list(sys.modules.items()):
        package, _dot, child = name.rpartition('.')
        if package in ('http', 'urllib'):
            setattr(sys.modules[package], child, module)


keep_green_copies_private()

SWIFT_CONF = """\
[swift-hash]
swift_hash_path_suffix = test
[storage-policy:0]
name = gold
default = yes
[storage-policy:1]
name = ec21
policy_type = erasure_coding
ec_type = liberasurecode_rs_vand
ec_num_data_fragments = 2
ec_num_parity_fragments = 1
ec_object_segment_size = 65536
"""
FRAGMENTS = 3
NODES = [('127.0.0.1', 16201, 'sd1'), ('127.0.0.1', 16202, 'sd2'), ('127.0.0.1', 16203, 'sd3')]


def swift_dir(directory, nodes=NODES, replicas=None):
    """Write swift.conf and rings of `nodes` to `directory`, have Swift use them; return its path.

    `nodes` are (ip, port, device). Every partition is on every node, unless there are fewer
    `replicas`; in storage policy 1, which is erasure-coded, it is on three nodes.
    """
    directory = str(directory)
    with open(os.path.join(directory, 'swift.conf'), 'w') as conf:
        conf.write(SWIFT_CONF)
    for name in ('account', 'container', 'object', 'object-1'):
        builder = RingBuilder(1, FRAGMENTS if name == 'object-1' else replicas or len(nodes), 0)
        for number, (ip, port, device) in enumerate(nodes):
            builder.add_dev({'id': number, 'region': number + 1, 'zone': 1, 'weight': 1, 'ip': ip,
                             'port': port, 'device': device})
        builder.rebalance(seed=1)
        builder.get_ring().save(os.path.join(directory, f'{name}.ring.gz'))
    utils.set_swift_dir(directory)
    reload_storage_policies()
    return directory


def application(directory, ours=True, maintained=False, **conf):
    """Return swift-lb's application, or Swift's if not `ours`, on the rings of `directory`.

    It logs nothing below CRITICAL. Its background greenthread, which refreshes the book and flushes
    counters, runs only if `maintained`. `conf` are proxy options.
    """
    made = LBApplication if ours else Application
    app = made({'swift_dir': directory, **conf}, logger=logger())
    app._pipeline_request_logging_app = app
    if ours and not maintained:
        app._maintain_for_ever = lambda: None
    return app


def set_clock(app, clock):
    """Let swift-lb's `app` take the time from `clock` for orders, measurements and log limits."""
    app.replicas.clock = app.recorder.clock = app.guard.clock = clock


def logger():
    """Return a Swift logger that writes nothing below CRITICAL."""
    quiet = utils.get_logger({}, log_route='swift-lb-test')
    quiet.logger.setLevel(logging.CRITICAL)
    return quiet


def request(path='/v1/a/c/o', method='GET', policy=0, **headers):
    """Return a swob Request with the container's info cached: the proxy asks object servers only.

    `policy` is the index of the container's storage policy.
    """
    made = Request.blank(path, method=method, headers={
        name.replace('_', '-'): value for name, value in headers.items()})
    info = headers_to_container_info({'x-backend-storage-policy-index': str(policy)}, 200)
    _empty, _version, account, *container = path.partition('?')[0].split('/')[:4]
    if container:
        made.environ['swift.infocache'] = {get_cache_key(account, *container): info}
    return made


def policy_of(index):
    """Return Swift's StoragePolicy object whose index is `index`."""
    return POLICIES[index]
