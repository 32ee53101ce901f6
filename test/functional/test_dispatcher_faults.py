"""Peers that die, hang or are cut off, and keys that differ: clients hardly notice.

Only a request that was with the peer at that moment may fail: at most one of each client.
"""
import os
import signal
from collections import Counter
from contextlib import contextmanager, suppress

import pytest
from support.cluster import eventually
from support.dispatch_bodies import MIB, ZEROS, authorized, put_zeros
from support.dispatch_lab import DELEGATES, head, many_proxies
from support.dispatch_load import BODY, CLIENTS, Asking

from swift_lb.clock import sleep
from swift_lb.lab import process

PEER, PEERS = 2, (2, 3)
LARGE = 40 * MIB
KEY = 'all labs have the same key'      # the lab's
READ = 10.0         # seconds within which all dispatchers have read a changed key


@pytest.fixture(scope='module')
def proxies():
    """Three proxies, the first of which delegates all requests, and the object /c/object."""
    result = many_proxies('faults', 3)
    try:
        result.put('/c')
        result.put('/c/object', BODY)
        yield result
    finally:
        result.lab.down()


@pytest.fixture
def asking(proxies):
    """Clients that read from the first proxy all the time, and have had 20 answers."""
    with Asking(proxies, proxies.base + '/c').running() as result:
        result.more(20)
        yield result


def served_by(proxies, peer):
    """Return how many requests the first proxy has delegated to the proxy numbered `peer`."""
    return sum(count for name, count in proxies.dispatched().items()
               if name.startswith('delegated ') and f'proxy-{peer}' in name)


def passed(proxies):
    """Return the bytes of bodies that the first proxy sent to all peers or got from them."""
    return sum(backend['bytes'] for backend in proxies.page()['backends'])


def returns_to(proxies, peer):
    """Return whether the first proxy delegates more than 5 requests to `peer` within a minute."""
    before = served_by(proxies, peer)
    return eventually(lambda: served_by(proxies, peer) > before + 5)


def send(proxies, number, *names):
    """Send the signal `number` to all processes of the lab's servers called `names`."""
    for pid in process.members(proxies.lab.directory,
                               [proxies.lab.processes[name] for name in names]):
        os.kill(pid, number)


@contextmanager
def stopped(proxies, *names):
    """Stop the lab's servers called `names` by SIGSTOP while the context lasts."""
    send(proxies, signal.SIGSTOP, *names)
    try:
        yield
    finally:
        send(proxies, signal.SIGCONT, *names)


def test_no_request_is_delegated_twice(proxies):
    for number in range(200):
        assert 200 == proxies.ask('GET', f'{proxies.base}/c/object?hop={number}',
                                  proxy=1 + number % 3).status

    def logged():
        return [line for proxy in (1, 2, 3) for line in proxies.lines(proxy, '%3Fhop%3D')]
    def served():
        return Counter(line.trans_id for line in logged() if line.source != 'LB')
    assert eventually(lambda: len(served()) == 200)
    delegated = Counter(line.trans_id for line in logged() if line.source == 'LB')
    assert {1} == {*served().values()} == {*delegated.values()}
    assert len(delegated) > 200 / 3     # all that came to DELEGATES, and half of the others


def test_a_proxy_serves_new_requests_itself_if_all_peers_are_killed(proxies, asking):
    assert 201 == put_zeros(proxies, '/c/large', LARGE).status
    with proxies.wire() as put, proxies.wire() as get:
        before = passed(proxies)
        put.send(head('PUT', proxies.base + '/c/half', f'Content-Length: {2 * MIB}',
                      *authorized(proxies)), ZEROS)
        assert eventually(lambda: passed(proxies) > before + MIB)    # a peer has some of it
        get.send(head('GET', proxies.base + '/c/large', *authorized(proxies)))
        assert 200 == get.head()[0]
        for peer in PEERS:
            proxies.lab.stop_proxy(peer)
        asking.more(60)                 # served here
        with suppress(ConnectionError):
            put.send(ZEROS)             # sent to no other peer: it may have been written
        assert 503 == put.head()[0]
        assert len(get.rest()) < LARGE
    assert len(asking.failures) <= CLIENTS, asking.failures
    assert 404 == proxies.ask('GET', proxies.base + '/c/half').status
    for peer in PEERS:
        proxies.lab.start_proxy(peer)
    for peer in PEERS:
        assert returns_to(proxies, peer)
    assert len(asking.failures) <= CLIENTS, asking.failures


@pytest.mark.parametrize('names', [[f'proxy-{PEER}'], [f'proxy-{PEER}', f'agent-{PEER}']],
                         ids=['a proxy', 'a host'])
def test_a_hung_peer_fails_at_most_one_request_per_client(proxies, asking, names):
    with stopped(proxies, *names):
        asking.more(60)
    assert returns_to(proxies, PEER)
    assert len(asking.failures) <= CLIENTS, asking.failures


def set_keys(proxies, *keys, agents=(1, 2, 3)):
    """Write `keys`, the first of which signs, into the conf of the agents with these numbers."""
    for number in agents:
        path = proxies.lab.directory / 'etc' / f'agent-{number}.conf'
        lines = [line for line in path.read_text().splitlines() if not line.startswith('key')]
        lines += [f'{name} = {key}' for name, key in zip(('key', 'key2'), keys, strict=False)]
        other = path.with_suffix('.new')
        other.write_text('\n'.join(lines) + '\n')
        other.replace(path)


def counted(proxies, name, proxy):
    """Return the sum of the counters beginning with `name` of the dispatcher in proxy `proxy`."""
    return sum(count for result, count in proxies.dispatched(proxy).items()
               if result.startswith(name))


def test_requests_succeed_while_agents_keys_are_replaced_or_differ(proxies, asking):
    for keys in ((KEY, 'the next key of all'), ('the next key of all', KEY)):
        set_keys(proxies, *keys)
        sleep(READ)
    assert not asking.failures
    assert not sum(counted(proxies, 'hops_refused key', proxy) for proxy in (1, 2, 3))
    set_keys(proxies, 'a key of one agent only', agents=(PEER,))
    assert eventually(lambda: counted(proxies, 'hops_refused key', PEER))
    assert eventually(lambda: counted(proxies, f'delegation_failures proxy-{PEER} refused',
                                      DELEGATES))
    before = served_by(proxies, 3)
    asking.more(60)
    assert served_by(proxies, 3) > before
    assert 200 == proxies.ask('GET', proxies.base + '/c/object', proxy=PEER).status
    assert not asking.failures
