"""The lab of the replica tier's tests; its name has our pid, so parallel runs do not collide."""
import os

import pytest
from support.cluster import SwiftCluster

from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec

# A hung node costs a test 2 s instead of 10 s, which is still longer than this machine may pause.
# Swift's error limiter forgets soon, so that the next test can use a node that one test broke.
QUICK = {'recoverable_node_timeout': '2', 'conn_timeout': '5', 'error_suppression_interval': '0.2'}


@pytest.fixture(scope='session')
def cluster():
    """A SwiftCluster of three storage nodes, with container `c` replicated, `ec` erasure-coded."""
    with Lab.up(LabSpec(name=f'replicas-{os.getpid()}', ec=True, proxy_options=QUICK)) as lab:
        cluster = SwiftCluster(lab)
        cluster.put('/c')
        cluster.put('/ec', X_Storage_Policy='ec21')
        yield cluster


@pytest.fixture
def healthy(cluster):
    """The cluster, without handicapped nodes before and after the test."""
    cluster.lab.handicap(clear=True)
    yield cluster
    cluster.lab.handicap(clear=True)


@pytest.fixture(scope='session')
def quick():
    """The dict of proxy options, with short timeouts, for tests that restart the proxies."""
    return QUICK
