"""Fixtures: a real Swift proxy with swift-lb, and object servers whose answers a test scripts."""
import pytest
from support.scripted_cluster import ScriptedCluster

from swift_lb.policy.lb_rlt import Weighted


@pytest.fixture
def cluster(tmp_path):
    """Return a function of scripts and conf that makes ScriptedClusters; they end with the test."""
    made = []

    def make(*nodes, **conf):
        made.append(ScriptedCluster(tmp_path, *nodes, **conf))
        return made[-1]
    yield make
    for one in made:
        one.close()


@pytest.fixture
def limited(cluster, monkeypatch):
    """Return the function `cluster`; its proxies send all nodes but the last a load limit of 3."""
    monkeypatch.setattr(Weighted, 'limits', lambda _self, order, _snapshot, _now: dict.fromkeys(
        order[:-1], 3.7), raising=False)
    return cluster
