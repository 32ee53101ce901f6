"""`swift-lb top --cluster`, and each error of fetching the document."""
import json

import pytest
from support.agent_stub import AgentStub, cluster, gone, node

from swift_lb.cli import main
from swift_lb.console.fetch import refusal
from swift_lb.console.watch import DOCUMENT, AgentClient, ClusterWatch
from swift_lb.errors import StatusError


@pytest.fixture
def agent():
    """Give an AgentStub."""
    with AgentStub(cluster(node(1), gone(2))) as one:
        yield one


def top(agent, *words):
    """Return the exit status of `top --cluster`."""
    return main(['top', '--cluster', '--url', agent.url, *words])


def test_once_prints_one_table(agent, capsys):
    assert 0 == top(agent, '--once')
    out = capsys.readouterr().out
    assert (f'{agent.url}, agent of p1   rules balanced by auto   '
            'instruction 12 expires in 4.2 s   1 of 2 nodes up') == out.splitlines()[0]
    assert ['p2', 'p1'] == [line.split()[0] for line in out.splitlines()[3:]]
    assert '\x1b' not in out


def test_once_json_has_the_whole_document(agent, capsys):
    assert 0 == top(agent, '--once', '--json')
    document = json.loads(capsys.readouterr().out)
    assert 0 <= document.pop('age') < 10
    for word in ('format', 'now'):
        agent.document.pop(word)
    assert {'format': 1, 'url': agent.url, 'unanswered': None, 'cluster': agent.document
            } == document


def test_the_key_is_sent(agent, tmp_path, capsys):
    agent.key = 'geheim'
    (tmp_path / 'key').write_text('geheim\n')
    assert [0, 0, 1] == [top(agent, '--once', '--key', 'geheim'),
                         top(agent, '--once', '--key-file', str(tmp_path / 'key')),
                         top(agent, '--once')]
    assert [('/v1/cluster', key) for key in ('geheim', 'geheim', None)] == agent.requests
    assert capsys.readouterr().err == f'swift-lb top: {agent.url}: the key is another\n'


@pytest.mark.parametrize('words', [
    ['--book', 'x'], ['--policy', '1'], ['--sort', 'rate']])
def test_options_of_devices_are_refused(agent, words, capsys):
    assert 1 == top(agent, *words)
    assert ('swift-lb top: --book, --policy and --sort are not for --cluster\n'
            == capsys.readouterr().err)


def test_a_second_url_is_refused_with_cluster(agent, capsys):
    assert 1 == top(agent, 'http://127.0.0.1:1')
    assert ('swift-lb top: --cluster takes one --url: each agent knows all nodes\n'
            == capsys.readouterr().err)


def test_the_agent_of_this_host_is_the_default(monkeypatch, capsys):
    urls = []

    def page(self):
        urls.append(self.url)
        raise StatusError('no')
    monkeypatch.setattr(AgentClient, 'page', page)
    assert (1, ['http://127.0.0.1:6209']) == (main(['top', '--cluster', '--once']), urls)


def test_newer_format_is_refused_in_one_sentence(agent, capsys):
    agent.document['format'] = 2
    assert 1 == top(agent, '--once')
    assert (f'swift-lb top: {agent.url} has an agent whose documents are of format 2, and this '
            'swift-lb reads format 1: use the version the agent is of\n'
            ) == capsys.readouterr().err


@pytest.mark.parametrize(('status', 'said', 'keyed', 'sentence'), [
    (403, None, False, 'U does not answer us (403): we are not on its loopback interface and need '
                       'its key (--key-file)'),
    (401, None, True, 'U does not answer us (401): its key is another'),
    (404, None, False, 'U has no /v1/cluster (404): it is not a swift-lb-agent'),
    (302, None, True, "U redirects (302), which is not followed: give the agent's own URL"),
    (500, None, False, 'U answers 500 to a request for /v1/cluster'),
    (503, 'not yet', False, 'U: not yet')])
def test_refused_request_is_reported_in_one_sentence(status, said, keyed, sentence):
    assert sentence == refusal(DOCUMENT, 'U', status, said, keyed)


def test_silent_agent_is_shown_with_its_last_page(agent):
    now = [100.0]
    watch = ClusterWatch(AgentClient(agent.url), lambda: now[0])
    assert (0.0, None) == watch.refresh()[2:]
    agent.silent, now[0] = True, 107.0
    view = watch.refresh()
    assert (7.0, 'p1') == (view.age, view.page.node)
    assert view.unanswered.startswith(f'{agent.url} does not answer: ')
    agent.silent = False
    assert (0.0, None) == watch.refresh()[2:]


def test_agent_that_never_answered_is_an_error(agent):
    agent.silent = True
    with pytest.raises(StatusError, match='does not answer'):
        ClusterWatch(AgentClient(agent.url), lambda: 0.0).refresh()
