"""Clusters of scripted nodes for the tests of the proxy room."""
import pytest
from support.scripted_cluster import ScriptedCluster

from swift_lb.policy.lb_rlt import Weighted


@pytest.fixture
def cluster(tmp_path):
    """Return a function that makes a ScriptedCluster; the nodes end with the test."""
    made = []

    def make(*nodes, **conf):
        made.append(ScriptedCluster(tmp_path, *nodes, **conf))
        return made[-1]
    yield make
    for one in made:
        one.close()


@pytest.fixture
def limited(cluster, monkeypatch):
    """Return the function `cluster`, whose proxies limit all nodes but the last to 3 requests."""
    monkeypatch.setattr(Weighted, 'limits', lambda _self, order, _snapshot, _now: dict.fromkeys(
        order[:-1], 3.7), raising=False)
    return cluster
