"""A Swift account over HTTP: containers that are not empty, logins that workers share."""
import asyncio
import json
import random
import threading
from itertools import repeat
from math import inf
from urllib.parse import unquote

import pytest
from support.scripted_server import ScriptedServer, always, read_head, reset

from swift_lb.wire.cosbench.model import Access, Operation, Target, Work
from swift_lb.wire.cosbench.selectors import numbers
from swift_lb.workload.driver import Share
from swift_lb.workload.failure import OperationError
from swift_lb.workload.limits import limits
from swift_lb.workload.operators import counters_of
from swift_lb.workload.storage import SwiftStorage
from swift_lb.workload.tally import WorkTally, merge
from swift_lb.workload.worker import Worker


class Container:
    """A server of the container /c that lists only `listing` of its objects at a time."""

    def __init__(self, names, listing=2):
        self.names, self._listing = list(names), listing

    def __call__(self, connection, _number):
        while head := read_head(connection):
            method, path = head.decode().split(' ')[:2]
            connection.sendall(self._reply(method, unquote(path.removeprefix('/v1/a/c'))))

    def _reply(self, method, path):
        if method == 'GET':
            assert path == '?format=json'
            text = json.dumps([{'name': name} for name in self.names[:self._listing]]).encode()
            return b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b' % (len(text), text)
        if path:
            self.names.remove(path[1:])
        return (b'HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n' if self.names and not path
                else b'HTTP/1.1 204 No Content\r\n\r\n')


def dispose(script):
    """Delete the container /c and all its objects on a ScriptedServer with `script`."""
    with ScriptedServer(script) as server:
        storage = SwiftStorage(f'http://127.0.0.1:{server.port}/v1/a', None,
                               {'timeout': 60.0, 'policy': ''})
        asyncio.run(asyncio.wait_for(storage.delete_container('/c'), 60))


def test_a_container_larger_than_a_listing_is_emptied():
    container = Container(['a\nb', 'ö\x85/ %2F', *map(str, range(20))])
    dispose(container)
    assert container.names == []


@pytest.mark.parametrize('body', [b'<html>', b'[]', b'{"a": 1}', b'[1]',
                                  b'[{"name": 1}]', b'[{"name": []}]', b'[' * 100_000])
def test_deleting_a_container_fails_if_its_listing_is_invalid(body):
    conflict = b'HTTP/1.1 409 No\r\nContent-Length: %d\r\n\r\n%b' % (len(body), body)
    with pytest.raises(OperationError, match='HTTP 409'):
        dispose(always(conflict))


def test_deleting_a_container_fails_if_it_never_becomes_empty():
    # the listing stays the same although all deletes succeed
    class Full(Container):
        def _reply(self, method, path):
            if method == 'DELETE' and path:
                return b'HTTP/1.1 204 No Content\r\n\r\n'
            return super()._reply(method, path)
    with pytest.raises(OperationError, match='HTTP 409'):
        dispose(Full(['a', 'b']))


def test_a_request_sent_twice_is_counted_for_its_operation():
    # the server resets kept connections; no operation fails for it
    def script(connection, _number):
        read_head(connection)
        connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx')
        read_head(connection)
        reset(connection)

    async def working(url):
        selector = numbers('r(1,3)')
        reads = Operation('read', 100, target=Target(containers=selector, objects=selector))
        work = Work('w', total_ops=5, auth=Access('none'), operations=(reads,), storage=Access(
            'swift', '', {'storage_url': (url,), 'timeout': 60.0, 'policy': '', 'token': 't'}))
        worker = Worker(Share(work, (1,), 0, 1, (), ''), 1, 0, random.Random(1), {})
        tally = WorkTally(1, 1, 0.0, inf)
        await worker.login()
        await worker.normal(tally, repeat(None), counters_of(0, 1), limits(work, 0.0))
        worker.close()
        return merge(work, 1, [tally.counts()]).ops[0]

    with ScriptedServer(script) as server:
        op = asyncio.run(working(f'http://127.0.0.1:{server.port}/v1/a'))
    assert (op.successes, op.failures, op.resent, server.connections) == (5, 0, 4, 5)


def test_workers_of_different_logins_do_not_share_a_token():
    config, sessions = {'caching': True, 'token': 'abc', 'delay': 0.0}, {}

    async def working():
        for kind in ('mock', 'none'):
            auth = Access(kind, 'caching=true', config)
            work = Work('w', auth=auth, storage=Access('none', '', {'storage_url': ('x',)}))
            await Worker(Share(work, (1,), 0, 1, (), ''), 1, 0, random.Random(1), sessions).login()
        return [(await session).token for session in sessions.values()]
    assert asyncio.run(working()) == ['abc', None]


def test_workers_that_share_a_login_send_one_request_for_all():
    logins, lock = [], threading.Lock()

    def script(connection, _number):
        while read_head(connection):
            with lock:
                logins.append(1)
            connection.sendall(b'HTTP/1.1 200 OK\r\nX-Storage-Url: http://h/v1/a\r\n'
                               b'X-Auth-Token: t%d\r\nContent-Length: 0\r\n\r\n' % len(logins))

    async def working(url):
        auth = Access('swauth', 'caching=true', {
            'auth_url': url, 'username': 'u', 'password': 'p', 'timeout': 60.0, 'retry': 0,
            'caching': True, 'cacert': None, 'insecure': False})
        work = Work('w', workers=9, auth=auth, storage=Access('none', '', {'storage_url': ('x',)}))
        share, sessions = Share(work, tuple(range(1, 10)), 0, 1, (), ''), {}
        workers = [Worker(share, index, index - 1, random.Random(1), sessions)
                   for index in share.indexes]
        for _ in range(3):
            await asyncio.gather(*(worker.login() for worker in workers))

    with ScriptedServer(script) as server:
        asyncio.run(working(f'http://127.0.0.1:{server.port}/auth'))
    assert len(logins) == 3
