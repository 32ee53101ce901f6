"""Load reports and declining on a real Swift: their headers and counts, and no read is lost."""
import http.client
import os
import random
import select
import signal
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress

import pytest
from support.cluster import SwiftCluster, eventually

from swift_lb.lab.lab import ACCOUNT, Lab
from swift_lb.lab.spec import LabSpec
from swift_lb.wire.report import DECLINED, LIMIT, LOAD, decode

BODY = random.Random(3).randbytes(200_000)
SEEN = 20             # requests to a node of two processes: all to one, once in 500,000 runs
BOTH = pytest.mark.parametrize('container', ['c', 'ec'])


def files_of(lab, node, name):
    """Return [path of a .data file] of the object `name`, /container/object, on a storage node."""
    whole = f'/{ACCOUNT}{name}'.encode()
    return [file for file in (lab.directory / 'data' / f'object-{node}').glob('*/objects/*/*/*/*')
            if file.suffix == '.data' and whole in os.getxattr(file, 'user.swift.metadata')]


class Direct:
    """A client that asks storage nodes, without a proxy, for the object /c/whole."""

    def __init__(self, lab):
        self._lab = lab
        file, = files_of(lab, 1, '/c/whole')
        device, _objects, partition = file.parts[-6:-3]
        self._path = f'/{device}/{partition}/{ACCOUNT}/c/whole'

    @contextmanager
    def open(self, node, method='GET', **headers):
        """Send a request for /c/whole to the storage node; yield its http.client connection."""
        made = http.client.HTTPConnection(*self._lab.node_address(node), timeout=30)
        try:
            made.request(method, urllib.parse.quote(self._path), headers={
                'X-Backend-Storage-Policy-Index': '0', **headers})
            yield made
        finally:
            made.close()

    def ask(self, node, method='GET', **headers):
        """Return (status, headers, body) of the storage node's answer for /c/whole."""
        with self.open(node, method, **headers) as made:
            answer = made.getresponse()
            return answer.status, answer.headers, answer.read()

    @contextmanager
    def waiting(self, node, number):
        """Send `number` GETs; yield their connections once the node reports all as in flight."""
        with ExitStack() as stack:
            opened = [stack.enter_context(self.open(node)) for _ in range(number)]
            assert eventually(lambda: self.in_flight(node) == number)
            yield opened

    def report(self, node):
        """Return the DeviceReport in the storage node's answer to a HEAD of /c/whole."""
        return decode(self.ask(node, 'HEAD')[1][LOAD])

    def in_flight(self, node):
        """Return the requests in flight that a node reports; None if it does not answer."""
        with suppress(OSError, http.client.HTTPException):
            return self.report(node).in_flight


def prepared(lab, *containers):
    """Return (SwiftCluster with an object `whole` in each container, Direct); nodes have served.
    """
    cluster = SwiftCluster(lab)
    for name in containers:
        cluster.put(f'/{name}', **({'X_Storage_Policy': 'ec21'} if name == 'ec' else {}))
        cluster.put(f'/{name}/whole', BODY)
    direct = Direct(lab)
    for node in range(1, lab.spec.nodes + 1):
        assert (200, BODY) == direct.ask(node)[::2]
    return cluster, direct


@pytest.fixture(scope='module')
def pair():
    """(SwiftCluster, Direct) of a lab of three storage nodes with containers `c` and `ec`."""
    with Lab.up(LabSpec(name=f'report-{os.getpid()}', ec=True)) as lab:
        yield prepared(lab, 'c', 'ec')


@pytest.fixture
def healthy(pair):
    """The SwiftCluster and Direct of `pair`; before and after the test no node is handicapped."""
    cluster, direct = pair
    cluster.lab.handicap(clear=True)
    yield cluster, direct
    cluster.lab.handicap(clear=True)
    for node in (1, 2, 3):
        assert eventually(lambda node=node: direct.in_flight(node) == 0)


def test_a_node_declines_a_read_if_in_flight_exceeds_the_reads_limit(healthy):
    cluster, direct = healthy
    cluster.lab.handicap(node=1, hang=True, methods='GET')
    with direct.waiting(1, 2) as opened:
        status, headers, body = direct.ask(1, **{LIMIT: '1'})
        assert (429, '1', b'') == (status, headers[DECLINED], body)
        assert 2 == decode(headers[LOAD]).in_flight
        assert [429, 200] == [direct.ask(1, 'HEAD', **{LIMIT: limit})[0] for limit in '12']
        with direct.open(1, **{LIMIT: '2'}) as under:
            assert eventually(lambda: direct.in_flight(1) == 3)
            cluster.lab.handicap(clear=True)
            for each in (*opened, under):
                answer = each.getresponse()
                assert (200, BODY) == (answer.status, answer.read())
    assert (200, BODY) == direct.ask(1, **{LIMIT: '0'})[::2]


@BOTH
@pytest.mark.parametrize('method', ['GET', 'HEAD'])
def test_proxies_use_load_reports_and_clients_never_see_them(healthy, container, method):
    cluster, _direct = healthy
    cluster.restart()
    for _read in range(6):
        answer = cluster.ask(f'/{container}/whole', method)
        assert answer.status == 200
        assert not [name for name in answer.headers if name.startswith('x-backend')]
    reporting = [node for node in cluster.nodes().values() if node['successes']]
    assert reporting
    for node in reporting:
        assert 0 <= node['reported_in_flight'] <= 6
        assert 0 < node['reported_service_time']
        assert 0 <= node['report_age']


def test_a_proxy_drops_a_limit_header_that_a_client_sends(healthy):
    cluster, direct = healthy
    cluster.prefer(1)
    cluster.lab.handicap(node=1, hang=True, methods='GET')
    with direct.waiting(1, 2), ThreadPoolExecutor(1) as reader:
        read = reader.submit(cluster.ask, '/c/whole', **{LIMIT: '0'})
        assert eventually(lambda: direct.in_flight(1) == 3)     # not declined
        cluster.lab.handicap(clear=True)
        assert (200, BODY) == read.result()[::2]
    assert (0, 1) == tuple(cluster.nodes()[1][name] for name in ('errors', 'successes'))


def test_a_hung_node_declines_and_another_serves_the_read(healthy):
    """A node is sent a limit once another has reported; 40 requests in flight exceed the limit.

    They would not if the other node were over 33 times slower than the hung one."""
    cluster, direct = healthy
    cluster.restart(lb_policy='adaptive')
    for node in (2, 3):     # so that node 1 is asked first
        cluster.lab.handicap(node=node, slots=9, mean='20ms', dist='constant', methods='GET')
    for _read in range(60):     # its mean may still have the reads that hung before
        assert (200, BODY) == direct.ask(1)[::2]

    def reported(in_flight):
        assert (200, BODY) == cluster.ask('/c/whole')[::2]
        facts = cluster.nodes().get(1)
        return facts if facts and facts['reported_in_flight'] == in_flight else None
    before = eventually(lambda: reported(0))
    cluster.lab.handicap(node=1, hang=True, methods='GET')
    with direct.waiting(1, 40):
        assert eventually(lambda: reported(40))
        assert [(200, BODY)] * 30 == [cluster.ask('/c/whole')[::2] for _read in range(30)]
        first = cluster.nodes()[1]
        assert (0, 0, 0, before['successes']) == tuple(first[name] for name in (
            'errors', 'timeouts', 'in_flight', 'successes'))


def test_a_busy_node_serves_an_object_that_no_other_node_has(healthy):
    cluster, direct = healthy
    cluster.put('/c/rare', BODY)
    for node in (1, 2):
        file, = files_of(cluster.lab, node, '/c/rare')
        file.unlink()
    cluster.restart(lb_policy='adaptive')
    cluster.lab.handicap(node=3, hang=True, methods='GET')
    with direct.waiting(3, 4), ThreadPoolExecutor(4) as readers:
        answers = readers.map(lambda _: cluster.ask('/c/rare')[::2], range(4))
        assert eventually(lambda: direct.in_flight(3) == 8)     # it serves all four all the same
        cluster.lab.handicap(clear=True)
        assert [(200, BODY)] * 4 == [*answers]


@pytest.fixture(scope='module')
def workers():
    """(SwiftCluster, Direct) of a lab whose only storage node has two worker processes."""
    with Lab.up(LabSpec(name=f'report-workers-{os.getpid()}', nodes=1, replicas=1,
                        object_workers=2)) as lab:
        yield prepared(lab, 'c')


def children(pid):
    """Return the pids of the children of a process."""
    with open(f'/proc/{pid}/task/{pid}/children') as file:
        return [int(each) for each in file.read().split()]


def still_waiting(opened):
    """Return how many of the connections `opened` have no answer and have not been closed."""
    sockets = [each.sock for each in opened]
    return len(sockets) - len(select.select(sockets, [], [], 0)[0])


def test_a_node_reports_the_requests_of_all_its_live_workers(workers):
    cluster, direct = workers
    parent = cluster.lab.processes['object-1'].pid
    first, second = children(parent)
    cluster.lab.handicap(node=1, hang=True, methods='GET')
    assert eventually(lambda: all(cluster.lab.nodes.report(1)['rules']['node']
                                  for _ask in range(SEEN)))
    with direct.waiting(1, SEEN) as opened:
        assert {SEEN} == {direct.in_flight(1) for _ask in range(SEEN)}
        os.kill(first, signal.SIGKILL)
        assert eventually(lambda: first not in children(parent))    # its sockets are closed
        left = still_waiting(opened)
        assert left < SEEN
        assert eventually(lambda: direct.in_flight(1) == left)
        assert eventually(lambda: len(children(parent)) == 2 and first not in children(parent))
        assert {left} == {direct.in_flight(1) for _ask in range(SEEN)}
        assert left == still_waiting(opened)
        assert second in children(parent)
    cluster.lab.handicap(clear=True)
    assert eventually(lambda: {0} == {direct.in_flight(1) for _ask in range(SEEN)})
    assert [(200, BODY)] * SEEN == [direct.ask(1)[::2] for _read in range(SEEN)]
