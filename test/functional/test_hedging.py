"""Hedging on a real Swift: reads avoid the pauses of a disk, at the price of a few more reads.

Node 1 is always tried first, so that the other nodes serve hedges only.
"""
import hashlib
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.cluster import eventually

from swift_lb.clock import monotonic
from swift_lb.load.hedge import DEBT

BODY = random.Random(5).randbytes(150_000)
ETAG = hashlib.md5(BODY, usedforsecurity=False).hexdigest()
READS, WARM_UP = 240, 60
PAUSE = 1.0                     # seconds, in 2 % of the reads of node 1
PATIENT = {'recoverable_node_timeout': '20', 'conn_timeout': '20'}     # no machine pauses so long
HANGS = 8           # seconds after which an unhedged read leaves a node that hangs
PAUSING = {'slots': 8, 'mean': '5ms', 'dist': 'constant', 'pause': '2%', 'pause_time': PAUSE}


@pytest.fixture
def pausing(healthy, quick):
    """A function(**proxy options): restarts proxies, lets node 1 pause; returns the SwiftCluster.
    """
    healthy.put('/c/whole', BODY)

    def begin(**options):
        healthy.lab.handicap(clear=True)
        healthy.prefer(1, **quick | options)
        healthy.lab.handicap(node=1, seed=11, methods='GET,HEAD', **PAUSING)
        return healthy
    return begin


def read(cluster):
    """Read /c/whole, whose status, etag and body must be right; return the seconds that took."""
    began = monotonic()
    answer = cluster.ask('/c/whole')
    took = monotonic() - began
    assert answer.headers['etag'].strip('"') == ETAG
    assert (200, BODY) == (answer.status, answer.body)
    return took


def served(cluster):
    """Return [number of GETs that a storage node has served], nodes 1 to 3 in order."""
    return [counts['by_method'].get('GET', 0)
            for _device, counts in sorted(cluster.lab.served().items())]


def idle(cluster):
    """Return whether no node has a read in flight, by the proxy's book."""
    return not any(node['in_flight'] for node in cluster.nodes().values())


def test_hedging_halves_late_reads_with_about_5_percent_more_reads(pausing):
    for _time in range(3):      # a machine that pauses makes reads late, too
        late = late_reads(pausing)
        if late['auto'] <= late['off'] / 2:
            break
    assert late['auto'] <= late['off'] / 2


def late_reads(pausing):
    """Return {lb_hedge, 'off' or 'auto': reads of 1 s or more}; check each node's reads."""
    late, more = {}, {}
    for hedge in ('off', 'auto'):
        cluster = pausing(lb_hedge=hedge, **PATIENT)
        before = served(cluster)
        times = [read(cluster) for _read in range(READS)]
        late[hedge] = sum(took >= PAUSE for took in times[WARM_UP:])
        assert eventually(lambda cluster=cluster: idle(cluster))
        more[hedge] = [now - then for now, then in
                       zip(served(cluster), before, strict=True)]
    assert late['off'] >= 2
    assert [READS, 0, 0] == more['off']
    assert READS == more['auto'][0]
    # A hedge for each twentieth read; and on credit, if the machine lets node 1 stand still.
    assert 0 < sum(more['auto'][1:]) <= READS / 20 + DEBT
    return late


def test_no_read_stays_in_flight_after_many_hedged_reads(pausing):
    cluster = pausing(**PATIENT)
    with ThreadPoolExecutor(8) as readers:
        futures = [readers.submit(read, cluster) for _read in range(READS)]
        assert len([future.result() for future in futures]) == READS
    assert eventually(lambda: idle(cluster))
    facts = cluster.nodes()
    assert READS == sum(node['successes'] for node in facts.values())
    assert {(0, 0)} == {(node['errors'], node['timeouts']) for node in facts.values()}
