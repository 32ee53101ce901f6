"""One lab for the tests of the replica tier; its name has our pid, so that runs do not meet."""
import os

import pytest
from support.cluster import Cluster

from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec

# A node that hangs costs a test two seconds and not ten, and is told from a machine that stalls for
# a moment. The error limiter forgets soon, so that one test's broken node is back for the next.
QUICK = {'recoverable_node_timeout': '2', 'conn_timeout': '5', 'error_suppression_interval': '0.2'}


@pytest.fixture(scope='session')
def cluster():
    """A Cluster of three nodes, container `c` replicated and `ec` erasure-coded."""
    with Lab.up(LabSpec(name=f'replicas-{os.getpid()}', ec=True, proxy_options=QUICK)) as lab:
        found = Cluster(lab)
        found.put('/c')
        found.put('/ec', X_Storage_Policy='ec21')
        yield found


@pytest.fixture
def healthy(cluster):
    """The cluster, no node handicapped before or after."""
    cluster.lab.handicap(clear=True)
    yield cluster
    cluster.lab.handicap(clear=True)


@pytest.fixture(scope='session')
def quick():
    """The proxy options of a test that restarts the proxies."""
    return QUICK
