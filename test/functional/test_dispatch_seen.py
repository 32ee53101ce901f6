"""`swift-lb why --dispatch` and `swift-lb check` of real dispatchers."""
import json
import urllib.request

import pytest
from support.cluster import eventually

from swift_lb.cli import main
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec

OBJECT = '/v1/AUTH_test/photos/cat'


@pytest.fixture(scope='module')
def lab():
    """A lab of two proxies, the first of which delegates everything to the second."""
    with Lab.up(LabSpec(name='dispatch-seen', proxies=2, dispatch=True, proxy_options={
            'filter:lb_dispatcher:policy': 'weighted_round_robin',
            'filter:lb_dispatcher:weights': 'proxy-1=0'})) as one:
        yield one


@pytest.fixture
def why(lab, capsys):
    """A function(method, path): it returns [page of each proxy] of `why --dispatch --json`."""
    def ask(method='GET', path=OBJECT):
        urls = [word for url in lab.endpoints for word in ('--url', url)]
        assert 0 == main(['why', '--dispatch', method, path, '--json', *urls])
        return json.loads(capsys.readouterr().out)['proxies']
    return ask


def served_by(pages):
    """Return, for each page of `why`, the name of the proxy that would serve the request."""
    return [page['served_by'] for page in pages]


def test_the_command_why_names_the_proxy_to_serve_a_request(lab, why, capsys):
    assert eventually(lambda: served_by(why()) == ['proxy-2', 'proxy-2'])
    assert 0 == main(['why', '--dispatch', 'PUT', OBJECT, '--url', lab.endpoints[0]])
    lines = capsys.readouterr().out.splitlines()
    assert f'PUT {OBJECT}: content class large, policy weighted_round_robin' == lines[0]
    assert lines[1].startswith(f'as a worker of proxy-1 ({lab.endpoints[0]}) knows the proxies, '
                               'by instruction ')
    assert [['1', 'proxy-2'], ['2', 'proxy-1']] == [line.split()[:2] for line in lines[3:5]]
    assert lines[5].startswith('delegated to proxy-2: ')
    assert lines[5].endswith('; if it does not answer, served here')


def test_the_command_why_lists_a_drained_proxy_as_not_asked(lab, why):
    post(lab.agents[1], 'drain')
    assert eventually(lambda: served_by(why())[0] == 'proxy-1')
    drained = why()[0]['proxies'][1]
    assert ('proxy-2', 'draining', None, 'not asked: its operator drains it') == tuple(
        drained[name] for name in ('name', 'state', 'place', 'why'))
    post(lab.agents[1], 'undrain')
    assert eventually(lambda: served_by(why())[0] == 'proxy-2')


def post(agent, what):
    """POST /v1/drain or /v1/undrain, as `what` says, to the agent at the URL `agent`."""
    request = urllib.request.Request(f'{agent}/v1/{what}', method='POST',
                                     headers={'X-Lb-Agent': '1'})
    with urllib.request.urlopen(request, timeout=60):
        pass


def test_the_command_check_finds_no_fault_in_the_conf_of_a_lab(lab, capsys):
    assert 0 == main(['check', str(lab.directory / 'etc' / 'proxy-1.conf')])
    assert 'warning' not in capsys.readouterr().out
