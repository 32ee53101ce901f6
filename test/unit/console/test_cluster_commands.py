"""`swift-lb top --cluster`, and each error of fetching the document."""
import json

import pytest
from support.agent_stub import AgentStub, cluster, gone, node

from swift_lb.cli import main
from swift_lb.console.watch import AgentClient, ClusterWatch
from swift_lb.errors import StatusError


@pytest.fixture
def agent():
    """Yield an AgentStub whose document has two nodes: p1, which is up, and p2, gone."""
    with AgentStub(cluster(node(1), gone(2), images={'image_d1': 0.5, 'image_hits': None})) as one:
        yield one


def top(agent, *words):
    """Return the exit status of `top --cluster`."""
    return main(['top', '--cluster', '--url', agent.url, *words])


def test_top_cluster_once_prints_one_table_of_nodes(agent, capsys):
    assert 0 == top(agent, '--once')
    out = capsys.readouterr().out
    assert (f'{agent.url}, agent of p1   rules balanced by auto   '
            'instruction 12 expires in 4.2 s   1 of 2 nodes up') == out.splitlines()[0]
    assert ['p2', 'p1'] == [line.split()[0] for line in out.splitlines()[3:]]
    assert '\x1b' not in out


def test_top_cluster_json_has_the_agents_whole_document(agent, capsys):
    assert 0 == top(agent, '--once', '--json')
    document = json.loads(capsys.readouterr().out)
    assert 0 <= document.pop('age') < 10
    for word in ('format', 'now'):
        agent.document.pop(word)
    assert {'format': 1, 'url': agent.url, 'unanswered': None, 'cluster': agent.document
            } == document


def test_the_status_key_is_sent_to_the_agent(agent, capsys):
    agent.key = 'geheim'
    assert [0, 1] == [top(agent, '--once', '--key', 'geheim'), top(agent, '--once')]
    assert [('/v1/cluster', 'geheim'), ('/v1/cluster', None)] == agent.requests
    assert capsys.readouterr().err == f'swift-lb top: {agent.url}: the key is another\n'


@pytest.mark.parametrize(('words', 'sentence'), [
    *((words, '--book, --policy and --sort are not for --cluster')
      for words in (['--book', 'x'], ['--policy', '1'], ['--sort', 'rate'])),
    (['http://127.0.0.1:1'], '--cluster takes one --url: each agent knows all nodes')])
def test_top_cluster_refuses_device_options_and_two_urls(agent, words, sentence, capsys):
    assert 1 == top(agent, *words)
    assert f'swift-lb top: {sentence}\n' == capsys.readouterr().err


def test_top_cluster_asks_the_agent_of_this_host_by_default(monkeypatch, capsys):
    urls = []

    def page(self):
        urls.append(self.url)
        raise StatusError('no')
    monkeypatch.setattr(AgentClient, 'page', page)
    assert (1, ['http://127.0.0.1:6209']) == (main(['top', '--cluster', '--once']), urls)


def test_the_last_page_of_a_silent_agent_stays_on_display(agent):
    now = [100.0]
    watch = ClusterWatch(AgentClient(agent.url), lambda: now[0])
    assert (0.0, None) == watch.refresh()[2:]
    agent.silent, now[0] = True, 107.0
    view = watch.refresh()
    assert (7.0, 'p1') == (view.age, view.page.node)
    assert view.unanswered.startswith(f'{agent.url} does not answer: ')
    agent.silent = False
    assert (0.0, None) == watch.refresh()[2:]


def test_polling_an_agent_that_never_answered_is_an_error(agent):
    agent.silent = True
    with pytest.raises(StatusError, match='does not answer'):
        ClusterWatch(AgentClient(agent.url), lambda: 0.0).refresh()
