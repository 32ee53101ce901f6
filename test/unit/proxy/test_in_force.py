"""What a proxy says of itself: a line in the log of its parent, /info, and the metric `info`."""
import json
import os
import re
import select
import socket

import pytest
from support.proxy_app import application, swift_dir
from swift.common import registry
from swift.common.swob import Request
from swift.common.wsgi import ConfigFileError, loadapp

from swift_lb.proxy import in_force
from swift_lb.replica_options import replica_options
from swift_lb.version import version

CONF = '''\
[DEFAULT]
swift_dir = {directory}
log_udp_host = 127.0.0.1
log_udp_port = {port}
{default}
[pipeline:main]
pipeline = catch_errors healthcheck proxy-logging lb_status {filters} proxy-server
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:proxy-logging]
use = egg:swift#proxy_logging
[filter:lb_status]
paste.filter_factory = swift_lb.proxy.status:filter_factory
key = a secret of the status page
[filter:here-or-there]
paste.filter_factory = swift_lb.proxy.dispatcher:filter_factory
policy = round_robin
lb_conf = /nowhere
key = a secret of the dispatcher
[app:proxy-server]
paste.app_factory = swift_lb.proxy.application:app_factory
'''


class Syslog:
    """A UDP socket that Swift's loggers send to."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(('127.0.0.1', 0))
        self.port = self.socket.getsockname()[1]

    def lines(self):
        """Return the lines of swift-lb that have come since the last call, without their prefix."""
        lines = []
        while select.select([self.socket], [], [], 0)[0]:
            _head, found, text = self.socket.recv(65536).decode().partition(f'swift-lb {version()}')
            # A logger keeps the transaction of the last request of its thread: another test's.
            lines += [re.sub(r' \(txn: \S+\)$', '', text.rstrip('\0\n'))] if found else []
        return lines


@pytest.fixture
def syslog():
    """Yield a Syslog."""
    made = Syslog()
    yield made
    made.socket.close()


@pytest.fixture
def load(tmp_path, syslog, monkeypatch):
    """Return a function of lines of the app's section that loads a proxy as Swift's servers do."""
    monkeypatch.setattr(registry, '_swift_info', {})

    def make(app='', filters='here-or-there', default=''):
        path = tmp_path / 'proxy-server.conf'
        path.write_text(CONF.format(directory=swift_dir(tmp_path), port=syslog.port,
                                    filters=filters, default=default) + app)
        return loadapp(str(path), global_conf={'log_name': 'proxy-server'})
    return make


@pytest.mark.parametrize(('app', 'filters', 'line'), [
    ('', 'here-or-there', 'lb_policy = adaptive, lb_hedge = auto; lb_book = host; '
                          'lb_dispatcher: policy = round_robin'),
    ('lb_hedge = off\nlb_book = worker\n', '',
     'lb_policy = adaptive, lb_hedge = off; lb_book = worker; no lb_dispatcher'),
    ('lb_enabled = no\n', '',
     "Swift's own order (lb_enabled = false); no lb_book; no lb_dispatcher"),
    ('concurrent_gets = on\n[proxy-server:policy:0]\nconcurrent_gets = off\nlb_policy = c3\n'
     '[proxy-server:policy:1]\nlb_enabled = false\n', '',
     'lb_policy = adaptive, lb_hedge = off; storage policy 0: lb_policy = c3, lb_hedge = auto; '
     "storage policy 1: Swift's own order (lb_enabled = false); lb_book = host; no lb_dispatcher"),
])
def test_the_parent_logs_one_line_and_no_worker_does(app, filters, line, load, syslog):
    load(app, filters)
    assert [f': {line}'] == syslog.lines()
    load(app, filters)          # a proxy without workers loads its app twice, too
    pid = os.fork()
    if not pid:
        try:
            load(app, filters)
        finally:
            os._exit(0)
    assert (pid, 0) == os.waitpid(pid, 0)
    assert [] == syslog.lines()


def info(app):
    """Return the section swift_lb of /info of the WSGI application `app`, and all of it as text."""
    body = Request.blank('/info').get_response(app).body
    return json.loads(body).get(in_force.SECTION), body.decode()


def test_info_shows_what_is_enabled_and_no_secret(load):
    shown, text = info(load('[proxy-server:policy:1]\nlb_policy = shuffle\n'))   # erasure-coded
    assert {'version': version(), 'policies': {'default': 'adaptive', '1': 'shuffle'},
            'hedge': {'default': 'auto', '1': 'off'}, 'status': True,
            'dispatcher': 'round_robin'} == shown
    assert 'secret' not in text


def test_info_lacks_what_is_not_there_or_is_disallowed(load):
    shown, _text = info(load('lb_enabled = false\ndisallowed_sections = swift_lb.version\n', ''))
    assert {'policies': {'default': None}, 'hedge': {'default': 'off'}, 'status': True} == shown


def test_a_conf_that_is_refused_logs_no_line(load, syslog):
    with pytest.raises(ConfigFileError):
        load('lb_policy = nothing\n')
    assert [] == syslog.lines()


@pytest.mark.parametrize(('sections', 'policies'), [
    ({}, ['adaptive']), ({'0': {'lb_policy': 'shuffle'}}, ['adaptive', 'shuffle']),
    ({'0': {'lb_hedge': 'off'}}, ['adaptive']), ({'0': {'lb_enabled': 'no'}}, ['adaptive'])])
def test_the_metric_info_has_each_policy_once(sections, policies):
    assert [(version(), name) for name in policies] == in_force.labels(
        replica_options({}, sections))


def test_the_metric_info_has_the_policy_none_without_one_of_ours(tmp_path):
    app = application(swift_dir(tmp_path), lb_enabled='no')
    assert [(version(), 'none')] == in_force.labels(app.replicas.options)
