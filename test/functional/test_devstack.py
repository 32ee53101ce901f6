"""All phases of the DevStack plug-in on a real Swift, which reads over three devices.

    DEVSTACK_DIR=~/devstack python -m pytest test/functional/test_devstack.py

does it with the functions and lib/swift of a checkout of DevStack.
"""
import contextlib
import os

import dns.message
import dns.query
import pytest
from support.cluster import SwiftCluster
from support.devstack import AFTER, BEFORE, DevStack
from support.free_port import claim, free_port
from support.name_server import path_of, wait_until
from swift_suite import source

from swift_lb.lab import place
from swift_lb.lab.ready import http_get

ZONE = 'lb.example.com'
USER, KEY = 'test:tester', 'testing'     # of the conf sample's [filter:tempauth]
PORTS = (6613, 6623, 6633)      # of the object servers, as in DevStack
MORE_PORTS = (6611, 6612)       # of a container and an account server
AGENT_PORT, DNS_PORT = 6209, 5300


@pytest.fixture
def stack(tmp_path):
    """A DevStack whose services listen on an address of loopback that no other test has."""
    if path_of('memcached') is None:
        pytest.skip('no memcached: TempAuth keeps its tokens there')
    network, held = next((number, held) for number in range(256)
                         if (held := claim(f'devstack 127.129.{number}')))
    ip = f'127.129.{network}.1'
    data = place.root() / f'devstack-{os.getpid()}'
    data.mkdir()
    with held, DevStack(
            tmp_path, data, source.fetch(), ip, SWIFT_DEFAULT_BIND_PORT=str(free_port(ip)),
            SWIFT_LB_DISPATCH='True', SWIFT_LB_KEY='a key of 16 characters', SWIFT_LB_DNS=ZONE,
            DEVSTACK_DIR=os.environ.get('DEVSTACK_DIR', '')) as stack:
        stack.install()
        yield stack


class Account:
    """An account of TempAuth in the Swift at `address`, (ip, port), for a SwiftCluster."""

    def __init__(self, address):
        _status, self.answered, _body = http_get(
            *address, '/auth/v1.0', 30, {'X-Auth-User': USER, 'X-Auth-Key': KEY})

    def token(self):
        """Return a token, which each request must have."""
        return self.answered['X-Auth-Token']

    def storage_url(self):
        """Return the URL of the account."""
        return self.answered['X-Storage-Url']


def answers(ip, port, path):
    """Return whether a GET of `path` is answered with 200."""
    with contextlib.suppress(OSError):
        return http_get(ip, port, path, 5)[0] == 200


def test_stack_unstack_and_clean(stack):
    for words in BEFORE:
        stack.succeed(*words)
    before = stack.confs()
    stack.succeed('run_phase', 'stack', 'post-config')
    for words in AFTER:
        stack.succeed(*words)
    configured = stack.confs()
    proxy = stack.ip, int(stack.localrc['SWIFT_DEFAULT_BIND_PORT'])
    # All servers have read their confs before these are edited again, for a moment.
    wait_until(lambda: all(answers(stack.ip, port, '/healthcheck')
                           for port in (proxy[1], *PORTS, *MORE_PORTS)), stack.logs)
    stack.succeed('run_phase', 'stack', 'post-config')
    assert configured == stack.confs()
    reads_are_spread_and_shown(stack, proxy)
    daemons_serve(stack)
    endpoint_is_that_of_the_proxy(stack, proxy)
    daemons = [f'/proc/{stack.pid(service)}/exe' for service in ('lb-agent', 'lb-dns')]
    assert all(map(os.path.exists, daemons))
    stack.succeed('run_phase', 'unstack')
    assert not any(map(os.path.exists, daemons))
    stack.succeed('stop_swift')
    stack.succeed('run_phase', 'clean')
    assert before == stack.confs()


def reads_are_spread_and_shown(stack, proxy):
    """Read one object until all devices have served it; `top` shows them."""
    cluster = SwiftCluster(Account(proxy))
    cluster.put('/c')
    cluster.put('/c/o', b'x' * 9)

    def all_have_served():
        assert cluster.ask('/c/o').body == b'x' * 9
        return {node['port'] for node in cluster.status()[1]['nodes']
                if node['successes']} == set(PORTS)
    wait_until(all_have_served, stack.logs)
    shown = stack.succeed(f'{stack.dest}/bin/swift-lb', 'top', '--once', '--url',
                          'http://{}:{}'.format(*proxy))
    assert all(f'{stack.ip}:{port}/sdb1' in shown for port in PORTS), shown


def daemons_serve(stack):
    """Wait until the agent is healthy and its instruction is where DNS finds it, which answers."""
    ip = stack.ip
    wait_until(lambda: answers(ip, AGENT_PORT, '/healthz'), stack.logs)
    wait_until((stack.data / 'swift/run/lb-instruction.json').exists, stack.logs)
    question = dns.message.make_query(f'swift.{ZONE}', 'A')

    def addresses():
        with contextlib.suppress(Exception):    # not ready: dnspython has many reasons
            reply = dns.query.udp(question, ip, 0.5, DNS_PORT)
            return [record.address for answer in reply.answer for record in answer]
    wait_until(lambda: addresses() == [ip], stack.logs)


def endpoint_is_that_of_the_proxy(stack, proxy):
    """Read the endpoint file as the comment in it says."""
    shown = stack.succeed('eval', f'. {stack.data}/swift/lb-endpoint; echo at $SWIFT_LB_ENDPOINT')
    assert shown.endswith('at http://{}:{}\n'.format(*proxy)), shown
