"""The DevStack plug-in: what each phase does to the confs, and what it refuses."""
import configparser
import re
import shutil
import subprocess

import pytest
from support.devstack import PLUGIN, RUN, DevStack

KEY = 'a key of 16 characters'
PROXY = '''\
# A comment, which stays.
[DEFAULT]
bind_port = 80

[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck proxy-logging tempauth proxy-logging proxy-server

[app:proxy-server]
use = egg:swift#proxy
[filter:proxy-logging]
use = egg:swift#proxy_logging
'''
STORAGE = '[pipeline:main]\npipeline = healthcheck recon {0}-server\n[DEFAULT]\nbind_port = 1\n'
NAMES = ('proxy-server', 'lb-server', 'object-server/1')


@pytest.fixture
def devstack(tmp_path):
    """A function that makes a configured DevStack; its arguments are variables of local.conf."""
    swift = tmp_path / 'sdist' / 'etc'
    swift.mkdir(parents=True)
    for kind in ('account', 'container', 'object'):
        (swift / f'{kind}-server.conf-sample').write_text(STORAGE.format(kind))
    (swift / 'proxy-server.conf-sample').write_text(PROXY)
    (swift / 'swift.conf-sample').write_text('[swift-hash]\n')

    def make(**localrc):
        dest = tmp_path / 'dest'
        shutil.rmtree(dest, ignore_errors=True)
        dest.mkdir()
        made = DevStack(dest, dest / 'data', swift.parent, **localrc)
        (dest / 'bin' / 'swift-lb').symlink_to('/bin/true')     # `check` of the real Swift is slow
        made.succeed('configure_swift')
        return made
    return make


def read(stack, name):
    """Return a parser of the conf file `name`, without .conf, of a DevStack."""
    parser = configparser.RawConfigParser()
    parser.read(stack.conf / f'{name}.conf')
    return parser


def test_by_default_there_are_three_replicas_the_replica_tier_the_pages_and_an_agent(devstack):
    stack = devstack()
    stack.succeed('run_phase', 'stack', 'post-config')
    proxy, daemons, _node = confs = [read(stack, name) for name in NAMES]
    assert proxy['app:proxy-server']['use'] == 'egg:swift-lb#proxy'
    assert proxy['app:proxy-server']['lb_policy'] == 'adaptive'
    assert proxy['pipeline:main']['pipeline'] == (
        'catch_errors gatekeeper healthcheck lb_status proxy-logging tempauth proxy-logging '
        'proxy-server')
    assert proxy['filter:lb_status']['use'] == 'egg:swift-lb#lb_status'
    assert 'log_statsd_host' not in proxy['DEFAULT']
    for number in (1, 2, 3):
        node = read(stack, f'object-server/{number}')
        assert node['pipeline:main']['pipeline'] == 'healthcheck recon lb_report object-server'
        assert node['filter:lb_report']['use'] == 'egg:swift-lb#lb_report'
    assert sorted(daemons) == ['DEFAULT', 'lb-agent']
    assert daemons['lb-agent']['proxy'] == '127.0.0.1:8080'
    assert daemons['lb-agent']['instruction_file'].startswith(f'{stack.data}/')
    assert 'lb_dispatcher' not in ''.join(str(list(conf)) for conf in confs)


def test_variables_change_it(devstack):
    stack = devstack(
        SWIFT_LB_POLICY='shuffle', SWIFT_LB_DISPATCH='yes', SWIFT_LB_DNS='lb.example.com',
        SWIFT_LB_PEERS='127.0.0.1, 127.0.0.2', SWIFT_LB_KEY=KEY, SWIFT_LB_STATSD_HOST='192.0.2.9',
        SWIFT_REPLICAS='2')
    stack.succeed('run_phase', 'stack', 'post-config')
    proxy, daemons, _node = [read(stack, name) for name in NAMES]
    assert proxy['app:proxy-server']['lb_policy'] == 'shuffle'
    assert proxy['DEFAULT']['log_statsd_host'] == '192.0.2.9'
    assert proxy['pipeline:main']['pipeline'].startswith(
        'catch_errors gatekeeper healthcheck lb_status proxy-logging lb_dispatcher tempauth ')
    assert proxy['filter:lb_dispatcher']['lb_conf'] == str(stack.conf / 'lb-server.conf')
    assert daemons['lb-agent']['peers'] == '127.0.0.1, 127.0.0.2'
    assert daemons['lb-agent']['key'] == KEY
    assert daemons['lb-dns']['ns'] == 'ns1.lb.example.com=127.0.0.1, ns2.lb.example.com=127.0.0.2'
    assert daemons['lb-dns']['proxies'] == '127.0.0.1=127.0.0.1, 127.0.0.2=127.0.0.2'
    assert (stack.conf / 'lb-server.conf').stat().st_mode & 0o77 == 0
    assert not (stack.conf / 'object-server/3.conf').exists()


def test_with_tls_proxy_agents_use_the_internal_port(devstack):
    stack = devstack(ENABLED_SERVICES='s-proxy,tls-proxy')
    stack.succeed('run_phase', 'stack', 'post-config')
    assert read(stack, 'lb-server')['lb-agent']['proxy'] == '127.0.0.1:8081'
    stack.data.joinpath('swift').mkdir(parents=True)
    stack.succeed('run_phase', 'stack', 'test-config')
    assert 'SWIFT_LB_ENDPOINT=https://127.0.0.1:8080\n' in (
        stack.data / 'swift' / 'lb-endpoint').read_text()


@pytest.mark.parametrize('own', [None, '', '[lb-agent]\nnode = mine'],   # no line's end
                         ids=['none', 'empty', 'own'])
def test_clean_restores_each_conf_and_a_second_post_config_changes_nothing(devstack, own):
    stack = devstack(SWIFT_LB_DISPATCH='True', SWIFT_LB_KEY=KEY)
    if own is not None:
        (stack.conf / 'lb-server.conf').write_text(own)
        (stack.conf / 'object-server/2.conf').chmod(0o640)
    before = stack.confs()
    stack.succeed('run_phase', 'stack', 'post-config')
    assert (stack.conf / 'lb-server.conf').stat().st_mode & 0o77 == 0      # it has the key
    stack.succeed('merge_local_conf')
    configured = stack.confs()
    stack.succeed('run_phase', 'stack', 'post-config')
    assert configured == stack.confs() != before
    stack.succeed('run_phase', 'clean')
    assert before == stack.confs()
    stack.succeed('run_phase', 'clean')
    assert before == stack.confs()


def test_clean_undoes_what_an_operator_has_edited_or_removed(devstack):
    stack = devstack()
    before = stack.confs()
    stack.succeed('run_phase', 'stack', 'post-config')
    with (stack.conf / 'proxy-server.conf').open('a') as conf:
        conf.write('[filter:mine]\n')
    (stack.conf / 'object-server/2.conf').unlink()
    stack.succeed('run_phase', 'clean')
    assert before == stack.confs()


def test_clean_leaves_a_conf_that_has_been_written_anew(devstack):
    stack = devstack()
    stack.succeed('run_phase', 'stack', 'post-config')
    (stack.conf / 'proxy-server.conf').write_text('new')
    stack.succeed('run_phase', 'clean')
    assert (stack.conf / 'proxy-server.conf').read_text() == 'new'
    assert not list(stack.conf.rglob('*.before-swift-lb'))


@pytest.mark.parametrize('words', [
    ('source', str(PLUGIN / 'plugin.sh'), 'source'), ('run_phase', 'stack', 'post-extra'),
    ('run_phase', 'moonstack'), ('run_phase', 'stack')])
def test_source_and_unknown_phases_do_nothing(devstack, words):
    stack = devstack()
    before = {path: path.stat().st_mtime_ns for path in stack.dest.rglob('*')
              if path.name not in ('output', 'dest')}
    stack.succeed(*words)
    assert before == {path: path.stat().st_mtime_ns for path in stack.dest.rglob('*')
                      if path.name not in ('output', 'dest')}


def test_on_a_host_without_swift_no_phase_does_anything(devstack):
    stack = devstack()
    before = stack.confs()
    stack._env['ENABLED_SERVICES'] = 'mysql'
    for words in ('stack pre-install', 'stack post-config', 'stack extra', 'unstack', 'clean'):
        stack.succeed('run_phase', *words.split())
    assert before == stack.confs()
    assert stack.pid('lb-agent') is None


@pytest.mark.parametrize(('localrc', 'sentence'), [
    ({'SWIFT_USE_MOD_WSGI': 'True'}, r'needs SWIFT_USE_MOD_WSGI=False: .*\.$'),
    ({'SWIFT_LB_PEERS': '192.0.2.1'}, 'needs SWIFT_LB_KEY, 16 characters or more, the same on'),
    ({'SWIFT_LB_PEERS': '192.0.2.1', 'SWIFT_LB_KEY': 'short'}, 'needs SWIFT_LB_KEY'),
    ({'SWIFT_LB_KEY': f'{KEY} &'}, r'SWIFT_LB_KEY must have no & and no \\, as'),
    ({'SWIFT_LB_KEY': KEY + '\\'}, r'SWIFT_LB_KEY must have no & and no \\, as')])
def test_what_cannot_work_is_refused_before_anything_is_installed(devstack, localrc, sentence):
    done = devstack(**localrc).run('run_phase', 'stack', 'pre-install')
    assert done.returncode == 1
    assert re.search(sentence, done.stdout.strip())


def test_a_pipeline_without_the_place_of_a_filter_is_refused(devstack):
    stack = devstack()
    conf = stack.conf / 'proxy-server.conf'
    conf.write_text(conf.read_text().replace(' proxy-logging', ''))
    done = stack.run('run_phase', 'stack', 'post-config')
    assert done.returncode == 1
    assert done.stdout.endswith(
        '/proxy-server.conf: lb_status belongs beside proxy-logging, which is not in the '
        'pipeline.\n')


@pytest.mark.parametrize('phase', ['post-config', 'extra'])
def test_a_fault_that_check_finds_ends_stack_sh_before_daemons_start(devstack, phase):
    stack = devstack()
    (stack.dest / 'bin' / 'swift-lb').unlink()
    (stack.dest / 'bin' / 'swift-lb').symlink_to('/bin/false')
    assert stack.run('run_phase', 'stack', phase).returncode == 1
    assert stack.pid('lb-agent') is None


def test_install_installs_the_checkout_and_begins_its_conf_anew(devstack):
    stack = devstack(SWIFT_LB_PEERS='127.0.0.1', SWIFT_LB_KEY=KEY)
    stack.succeed('run_phase', 'stack', 'post-config')
    stack.succeed('run_phase', 'stack', 'install')
    assert (stack.dest / 'status' / 'installed').read_text() == f'{PLUGIN.parent}\n'
    assert not (stack.conf / 'lb-server.conf').exists()


SCRIPTS = [PLUGIN / name for name in ('override-defaults', 'settings', 'plugin.sh')]
# Files that are sourced at run time, and variables that those read.
UNSEEN = '--exclude=SC1090,SC1091,SC2034,SC2154'


@pytest.mark.parametrize('words', [
    ('bashate', '--error', '.', *SCRIPTS, *RUN.parent.glob('*.sh')),
    ('shellcheck', *SCRIPTS), ('shellcheck', UNSEEN, *RUN.parent.glob('*.sh'))],
    ids=['bashate', 'shellcheck', 'shellcheck of the tests'])
def test_the_scripts_are_clean(words):
    if shutil.which(words[0]) is None:
        pytest.skip(f'no {words[0]}: pip install -e .[test]')
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, '')
