"""Nodes that die, hang, refuse or are slow: clients get every byte, and that node is blamed."""
import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.cluster import eventually

from swift_lb.evaluation.node_share import reads_of

BODY = random.Random(2).randbytes(1_000_000)
PATIENT = {'recoverable_node_timeout': '30', 'conn_timeout': '30'}     # no machine pauses so long


@pytest.fixture
def first_is_bad(healthy, quick):
    """The SwiftCluster with /c/big, 1 MB, whose restarted proxies always try node 1 first."""
    healthy.put('/c/big', BODY)
    healthy.prefer(1, **quick | PATIENT)
    return healthy


def blame(cluster):
    """Return {storage node's number: (errors, timeouts, successes, in_flight)} by the proxy."""
    return {number: (facts['errors'], facts['timeouts'], facts['successes'], facts['in_flight'])
            for number, facts in cluster.nodes().items()}


def successes(cluster, but):
    """Return how many reads all nodes except node `but` have served completely."""
    return sum(facts['successes'] for number, facts in cluster.nodes().items() if number != but)


@pytest.mark.parametrize(('handicap', 'expected'), [
    ({'cut': '200KiB'}, (1, 0, 0, 0)), ({'hang': True}, (0, 1, 0, 0)),
    ({'fail': 1, 'status': 503}, (1, 0, 0, 0)), ({'fail': 1, 'status': 507}, (1, 0, 0, 0))])
def test_a_read_succeeds_although_the_first_node_fails_or_hangs(
        first_is_bad, quick, handicap, expected):
    if 'hang' in handicap:
        first_is_bad.prefer(1, **quick)
    first_is_bad.lab.handicap(node=1, methods='GET', **handicap)
    assert (200, BODY) == first_is_bad.ask('/c/big')[::2]
    assert expected == blame(first_is_bad)[1]
    assert 1 == successes(first_is_bad, but=1)
    if 'cut' in handicap:       # 200 KiB: three whole chunks and a short one
        assert first_is_bad.nodes()[1]['chunks'] == 4


def test_a_read_is_resumed_if_its_node_is_killed_mid_body(first_is_bad):
    first_is_bad.lab.handicap(node=1, slow_stream='100KiB', methods='GET')
    with first_is_bad.connection('/c/big') as response:
        begin = response.read(100_000)
        first_is_bad.lab.stop_node(1)
        assert begin + response.read() == BODY
    first_is_bad.lab.start_node(1)
    assert (1, 0, 0, 0) == blame(first_is_bad)[1]
    assert 1 == successes(first_is_bad, but=1)


def test_the_status_page_shows_the_wait_of_a_read_for_a_hung_node(first_is_bad):
    first_is_bad.lab.handicap(node=1, hang=True, methods='GET')
    reading = threading.Thread(target=first_is_bad.ask, args=('/c/big',))
    reading.start()
    waits = eventually(lambda: [facts for facts in first_is_bad.nodes().values()
                                if (facts['oldest_wait'] or 0) > 0.3])
    first_is_bad.lab.handicap(clear=True)
    reading.join()
    assert [1] == [facts['in_flight'] for facts in waits]


def test_an_ec_read_succeeds_if_one_fragment_is_cut_off_mid_body(healthy, quick):
    healthy.put('/ec/big', BODY)
    healthy.prefer(1, **quick | PATIENT)
    healthy.lab.handicap(node=1, cut='100KiB', methods='GET')
    assert (200, BODY) == healthy.ask('/ec/big')[::2]
    facts = blame(healthy)
    assert (1, 0, 0, 0) == facts[1]
    assert [(0, 0, 1, 0)] * 2 == [facts[2], facts[3]]


def test_no_node_is_blamed_if_the_client_leaves_mid_body(first_is_bad):
    first_is_bad.lab.handicap(node=1, slow_stream='200KiB', methods='GET')
    with first_is_bad.connection('/c/big') as response:
        assert BODY.startswith(response.read(70_000))
        assert 1 == first_is_bad.nodes()[1]['in_flight']
    assert eventually(lambda: blame(first_is_bad)[1] == (0, 0, 0, 0))


READS = 400
SHARES = [
    # By scores, a disk that is many times slower is read only to measure it. It is so slow that it
    # is the slowest on a busy machine, too.
    ('lb_rlt', '300ms', 0.0, 0.15),
    # Each node serves a third, however slow. The standard deviation of 400 draws is 0.024; they
    # leave these bounds by chance once in a hundred million runs.
    ('shuffle', '40ms', 0.2, 0.47),
]


@pytest.mark.parametrize(('policy', 'mean', 'least', 'most'), SHARES)
def test_lb_rlt_gives_a_slow_node_few_reads_and_shuffle_a_third(
        healthy, quick, policy, mean, least, most):
    healthy.put('/c/small', BODY[:4096])
    healthy.lab.handicap(node=1, slots=1, mean=mean, dist='constant', methods='GET')
    healthy.restart(lb_policy=policy, **quick | PATIENT)
    before = reads_of(healthy.lab.served())
    with ThreadPoolExecutor(4) as readers:
        statuses = [*readers.map(lambda _: healthy.ask('/c/small').status, range(READS))]
    after = reads_of(healthy.lab.served())
    reads = {node: after[node] - before[node] for node in after}
    assert [200] * READS == statuses
    assert sum(reads.values()) >= READS
    assert least <= reads[1] / sum(reads.values()) <= most
