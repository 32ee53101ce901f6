"""The page on OpenStack-Ansible: with its variables, confs like the role's have swift-lb in force.

The confs are made here; the role's own templates are not part of the project.
"""
import configparser
import re

import pytest
import yaml
from support.proxy_app import swift_dir

from swift_lb.check.command import examine_all
from swift_lb.check.verdict import is_good
from swift_lb.version import CHECKOUT

PAGE = (CHECKOUT / 'doc' / 'openstack_ansible.md').read_text(encoding='utf-8')
OURS = 'lb_'
ENTRIES = {'cache': 'memcache', 'authtoken': 'tempauth'}    # keystonemiddleware is not here
VALUES = {      # of what the page leaves to Ansible
    'swift_lb_status_key': 'f' * 64, 'swift_lb_key': 'e' * 64, 'management_address': '10.0.0.1',
    'swift_proxy_port | default(8080)': '8080', 'swift_lb_venv': '/openstack/venvs/swift-32.0.0',
    "groups['swift_proxy'] | map('extract', hostvars, 'management_address') | join(', ')":
        '10.0.0.1, 10.0.0.2'}


def templated(text):
    """Return a text with the values of the variables in it."""
    return re.sub(r'\{\{ (.*?) \}\}', lambda match: VALUES[match[1]], text)


@pytest.fixture(scope='module')
def blocks():
    """Return the data of the blocks of YAML: the variables, and the playbook."""
    return [yaml.safe_load(block) for block in re.findall(r'^```yaml\n(.*?)^```', PAGE,
                                                          re.MULTILINE | re.DOTALL)]


def tasks_of(blocks):
    """Return {path: text} of the files whose text the playbook has."""
    copies = [task['ansible.builtin.copy'] for task in blocks[1][0]['tasks']
              if 'ansible.builtin.copy' in task]
    return {copy['dest']: templated(copy['content']) for copy in copies if 'content' in copy}


def write(path, base, overrides):
    """Write a conf, {section: {option: text}}, with overrides, as the role merges them."""
    conf = configparser.RawConfigParser()
    conf.read_dict(base)
    conf.read_dict({section: {name: templated(text) for name, text in options.items()}
                    for section, options in overrides.items()})
    path.parent.mkdir(exist_ok=True)
    with path.open('w') as file:
        conf.write(file)


def write_role(etc, variables):
    """Write confs like those of the role below a folder that has swift.conf and rings."""
    words = variables['swift_middleware_list']
    default = {'use_stderr': 'False', 'bind_ip': '10.0.0.1', 'swift_dir': etc}
    write(etc / 'proxy-server' / 'proxy-server.conf', {
        'DEFAULT': default | {'bind_port': '8080'}, 'pipeline:main': {'pipeline': ' '.join(words)},
        'app:proxy-server': {'use': 'egg:swift#proxy', 'sorting_method': 'shuffle'},
        **{f'filter:{word}': {'use': f'egg:swift#{ENTRIES.get(word, word.replace("-", "_"))}'}
           for word in words[:-1] if not word.startswith(OURS)}},
        variables.get('swift_proxy_server_conf_overrides', {}))
    write(etc / 'object-server' / 'object-server.conf', {
        'DEFAULT': default | {'bind_port': '6000'},
        'pipeline:main': {'pipeline': 'healthcheck recon object-server'},
        'app:object-server': {'use': 'egg:swift#object'},
        **{f'filter:{word}': {'use': f'egg:swift#{word}'} for word in ('healthcheck', 'recon')}},
        variables.get('swift_object_server_conf_overrides', {}))
    write(etc / 'object-server' / 'object-expirer.conf', {
        'object-expirer': {}, 'pipeline:main': {'pipeline': 'proxy-server'},
        'app:proxy-server': {'use': 'egg:swift#proxy'}}, {})


def test_with_the_variables_of_the_page_all_of_it_is_in_force(blocks, tmp_path):
    swift_dir(tmp_path)
    write_role(tmp_path, blocks[0])
    (tmp_path / 'lb-server.conf').write_text(tasks_of(blocks)['/etc/swift/lb-server.conf'])
    proxy, storage, agent = verdicts = examine_all(str(tmp_path))
    assert is_good(verdicts), [verdict.document for verdict in verdicts]
    assert {'dispatcher', 'lb_report', 'lb-agent'} <= {
        *proxy.facts, *storage.facts, *agent.facts}
    assert [] == [line for line in proxy.warnings
                  if not re.search('sorting_method|lb_conf: /etc/swift|user = swift', line)]


def test_without_them_the_confs_are_those_of_swift(blocks, tmp_path):
    swift_dir(tmp_path)
    words = [word for word in blocks[0]['swift_middleware_list'] if not word.startswith(OURS)]
    write_role(tmp_path, {'swift_middleware_list': words})
    proxy, storage = verdicts = examine_all(str(tmp_path))
    assert not is_good(verdicts)
    assert [(), ()] == [proxy.faults, storage.faults]
    assert proxy.absent
    assert storage.absent


def test_the_role_installs_the_package_by_its_name(blocks):
    assert blocks[0]['swift_pip_packages'][-1].endswith('#egg=swift-lb')


def test_the_playbook_starts_the_unit_and_the_program_of_the_package(blocks):
    units = [task['ansible.builtin.copy']['src'] for task in blocks[1][0]['tasks']
             if 'src' in task.get('ansible.builtin.copy', {})]
    assert ['swift-lb-agent.service'] == [
        path.name for path in (CHECKOUT / 'etc' / 'systemd').iterdir()
        if f'{{{{ swift_lb_venv }}}}/share/swift-lb/systemd/{path.name}' in units]
    drop_in = tasks_of(blocks)['{{ swift_lb_unit }}.d/venv.conf'].splitlines()
    unit = (CHECKOUT / 'etc' / 'systemd' / 'swift-lb-agent.service').read_text()
    assert drop_in[-1].replace('/openstack/venvs/swift-32.0.0/bin/', '') in unit.splitlines()
