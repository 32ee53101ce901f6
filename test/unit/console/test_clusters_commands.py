"""`swift-lb top --clusters`: the other clusters as an agent knows them."""
import json

import pytest
from support.agent_stub import AgentStub, clusters, other_cluster

from swift_lb.cli import main

SILENT = other_cluster('eu', state='gone', age=None, nodes=None, load=None, least_load=None, url='',
                       relays=[], rtt=None, rtt_error=None, lost=None,
                       bandwidth=None, bandwidth_error=None, region=None, credit=None, granted=0.0,
                       times={}, fetched=0.0, redirected=0.0, predicted=None, measured=None)


@pytest.fixture
def agent():
    """Yield an AgentStub that knows two other clusters: us.ucsb, which is up, and eu, gone."""
    with AgentStub() as one:
        one.clusters = clusters(other_cluster('us.ucsb'), SILENT, refused={'forged': 2})
        yield one


def top(agent, *words):
    """Return the exit status of `top --clusters`."""
    return main(['top', '--clusters', '--url', agent.url, *words])


def test_top_clusters_once_prints_a_row_for_each_cluster_the_silent_first(agent, capsys):
    assert 0 == top(agent, '--once')
    lines = capsys.readouterr().out.splitlines()
    assert (f'{agent.url}, agent of p1 in cluster us.ksu   1 of 2 other clusters up' ==
            lines[0].rstrip())
    assert 'summaries refused: 2 forged' == lines[1].rstrip()
    rows = [line.split() for line in lines if line.split()[:1] in (['eu'], ['us.ucsb'])]
    assert ['eu', 'gone', 'never', *['-'] * 10, '0.0', '0.0', '-', '-'] == rows[0]
    assert ['us.ucsb up 700 ms - 3 0.32 0.25 80 ms 2.0 ms 1.0% 2.40 MB/s 150 kB/s 40 12 '
            '7.8 410 ms 390 ms small 12 ms 10.1.0.1:8080'] == [' '.join(rows[1])]


def test_top_clusters_says_that_this_cluster_is_cut_off_or_in_no_group(agent, capsys):
    agent.clusters |= {'cut_off': True}
    assert 0 == top(agent, '--once')
    assert 'cut off: more than half of the other clusters are silent' in capsys.readouterr().out
    agent.clusters = clusters(here=None)
    assert 0 == top(agent, '--once')
    assert 'its conf has no [lb-cluster]' in capsys.readouterr().out


def test_top_clusters_shows_an_agent_of_before_there_were_decoders(agent):
    del agent.clusters['clusters'][0]['image']
    assert 0 == top(agent, '--once')


def test_top_clusters_json_has_the_agents_whole_document(agent, capsys):
    agent.clusters['clusters'][0]['image'] = {'wait': 0.25, 'workers': 8}
    assert 0 == top(agent, '--once', '--json')
    document = json.loads(capsys.readouterr().out)
    agent.clusters.pop('format')
    assert agent.clusters == document['clusters']


def test_top_clusters_refuses_options_of_devices(agent, capsys):
    assert 1 == top(agent, '--sort', 'rate')
    assert '--book, --policy and --sort are not for --clusters' in capsys.readouterr().err
