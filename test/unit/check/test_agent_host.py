"""`swift-lb check` warns of what the agent of an lb-server.conf would not find on its host."""
import pytest

from swift_lb.check.command import examine


@pytest.fixture
def check(tmp_path):
    """Return a function of the text of a proxy-server.conf and options of the agent: warnings."""
    def check(proxy, options=''):
        (tmp_path / 'proxy.conf').write_text(proxy)
        path = tmp_path / 'lb-server.conf'
        path.write_text(f'[lb-agent]\nproxy_conf = {tmp_path}/proxy.conf\n{options}')
        return [warning.removeprefix(f'{path}, [lb-agent], ').replace(f'{tmp_path}', 'DIR')
                for warning in examine(str(path)).warnings]
    return check


DISPATCHER = '[filter:lb_dispatcher]\nuse = egg:swift-lb#lb_dispatcher\n'
NO_ADDRESS = ('proxy: must be set to IP:PORT of the proxy, as DIR/proxy.conf has no bind_ip but '
              'any address; else no other proxy delegates to it')


@pytest.mark.parametrize(('proxy', 'options', 'warnings'), [
    ('[DEFAULT]\nbind_port = 8080\n', '', []),
    (f'[DEFAULT]\nbind_port = 8080\n{DISPATCHER}', '', [NO_ADDRESS]),
    (f'[DEFAULT]\nbind_ip = 0.0.0.0\nbind_port = 8080\n{DISPATCHER}', '', [NO_ADDRESS]),
    (f'[DEFAULT]\nbind_ip = 10.0.0.5\nbind_port = 8080\n{DISPATCHER}', '', []),
    (f'[DEFAULT]\nbind_port = 8080\n{DISPATCHER}', 'proxy = 10.0.0.5:8080\n', []),
    ('no conf at all', '', []),         # the check of that conf reports it
    ('', 'instruction_file = /nowhere/x.json\n', [
        'instruction_file = /nowhere/x.json: there is no directory /nowhere; proxies and DNS would '
        'go on without an instruction'])])
def test_what_the_agent_would_not_find_is_a_warning(check, proxy, options, warnings):
    assert warnings == check(proxy, options)


def test_a_proxy_conf_that_is_not_there_is_a_warning(tmp_path):
    path = tmp_path / 'lb-server.conf'
    path.write_text(f'[lb-agent]\nproxy_conf = {tmp_path}\n')      # a directory is none either
    assert (f'{path}, [lb-agent], proxy_conf = {tmp_path}: there is no such file here; the '
            'requests of the proxy would not be measured, and no other proxy would delegate to it',
            ) == examine(str(path)).warnings
