"""Clusters of scripted nodes for the tests of the proxy room."""
import pytest
from support.scripted_cluster import ScriptedCluster


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
