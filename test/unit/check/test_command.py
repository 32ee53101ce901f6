"""The command `swift-lb check`: files, exit status, text and JSON."""
import json
import os

import pytest
from support.generated_confs import APP, DEFAULT, files, good, put, use, word
from support.proxy_app import swift_dir

from swift_lb import cli
from swift_lb.check import conf_kinds

OBJECT = """\
[DEFAULT]
user = root
bind_port = 6200
[pipeline:main]
pipeline = object-server
[app:object-server]
use = egg:swift#object
"""


@pytest.fixture
def etc(tmp_path):
    """Return Swift's directory with swift.conf, rings, and confs of all kinds."""
    conf = good(swift_dir(tmp_path))
    for word_of_ours in ('lb_dispatcher', 'lb_image'):
        word(word_of_ours, '')(conf)
    (tmp_path / 'proxy-server.conf').write_text(*files(conf).values())
    (tmp_path / 'object-server').mkdir()
    (tmp_path / 'object-server' / '1.conf').write_text(OBJECT)
    (tmp_path / 'lb-server.conf').write_text('[lb-agent]\nnode = a\n')
    (tmp_path / 'account-server.conf').write_text('[app:account-server]\n')
    return tmp_path


def rewrite(etc, edit):
    """Replace the proxy-server.conf by one with an edit, without dispatcher and images."""
    conf = good(str(etc))
    for each in (word('lb_dispatcher', ''), word('lb_image', ''), edit):
        each(conf)
    (etc / 'proxy-server.conf').write_text(*files(conf).values())


def run(capsys, *words):
    """Return (exit status, output) of `swift-lb check` with these words."""
    status = cli.main(['check', *map(str, words)])
    return status, capsys.readouterr().out


def test_one_file_is_checked_without_a_heading(etc, capsys):
    status, text = run(capsys, etc / 'proxy-server.conf')
    assert (0, 'every storage policy: lb_policy = adaptive, late reads are hedged, but '
               'not of storage policy 1 (erasure code)') == (status, text.splitlines()[0])


def test_faults_have_one_path_where_the_file_was_given_by_another(etc, capsys, monkeypatch):
    rewrite(etc, put('filter:lb_status', kye='x', use='egg:swift-lb#lb_status'))
    with open(etc / 'proxy-server.conf', 'a') as conf:
        conf.write('[proxy-server:policy:0]\nlb_hedge = x\n')
    monkeypatch.chdir(etc)
    status, text = run(capsys, 'proxy-server.conf')
    assert [f'error: {etc}/proxy-server.conf'] * 2 == [
        line.partition(',')[0] for line in text.splitlines()]
    assert 1 == status


def test_all_confs_of_swifts_directory_are_checked(etc, capsys):
    (etc / 'object-server' / 'object-expirer.conf').write_text(
        '[object-expirer]\n[app:proxy-server]\nuse = egg:swift#proxy\n')
    status, text = run(capsys, etc)
    headings = [line for line in text.splitlines() if line.startswith(str(etc))]
    assert (0, [f'{etc}/{name}:' for name in ('proxy-server.conf', 'object-server/1.conf',
                                              'lb-server.conf')]) == (status, headings)
    assert 'lb-agent: node a' in text


def test_without_a_file_the_confs_of_etc_swift_are_checked(etc, capsys, monkeypatch):
    monkeypatch.setattr(conf_kinds, 'search_tree', lambda path, *_args, **_more: [])
    assert (1, 'error: /etc/swift: has no proxy-server.conf, object-server.conf or '
               'lb-server.conf\n') == run(capsys)


@pytest.mark.parametrize(('edit', 'removed', 'status'), [
    (put(APP), (), 0),      # the storage node without swift-lb is a warning
    (put(APP, lb_policy='x'), (), 1),
    (use(APP, 'egg:swift#proxy'), (), 1),
    (put(APP), ('proxy-server.conf', 'lb-server.conf'), 1),     # a storage node without swift-lb
    (put(APP), ('proxy-server.conf',), 0),
])
def test_the_status_is_0_if_all_start_and_swift_lb_is_in_force(etc, capsys, edit, removed, status):
    rewrite(etc, edit)
    for name in removed:
        os.unlink(etc / name)
    found, text = run(capsys, etc)
    assert status == found == int('error: ' in text)


def test_json_has_all_that_the_text_has(etc, capsys):
    rewrite(etc, put(APP, sorting_method='timing'))
    status, text = run(capsys, '--json', etc)
    document = json.loads(text)
    assert (0, 1, True) == (status, document['format'], document['good'])
    proxy, storage, agents = document['files']
    assert (f'{etc}/proxy-server.conf', 'proxy-server', True, True, []) == tuple(
        proxy[name] for name in ('file', 'kind', 'starts', 'in_force', 'faults'))
    assert 'sorting_method = timing' in proxy['warnings'][0]
    assert proxy['facts']['lb_book']
    assert (True, False, True) == (storage['starts'], storage['in_force'], agents['in_force'])
    assert 'no lb_report' in storage['warnings'][0]


def test_json_of_a_file_with_faults_has_no_facts(etc, capsys):
    rewrite(etc, put(DEFAULT, bind_port='http'))
    status, text = run(capsys, '--json', etc / 'proxy-server.conf')
    document = json.loads(text)
    assert {'format', 'good', 'files'} == {*document}
    assert (1, False) == (status, document['good'])
    assert [{'file': f'{etc}/proxy-server.conf', 'kind': 'proxy-server', 'starts': False,
             'in_force': False, 'warnings': [], 'facts': {},
             'faults': [f'{etc}/proxy-server.conf, bind_port = http: must be a port from 1 to '
                        '65535']}] == document['files']


def test_a_conf_of_another_server_of_swift_is_told(etc, capsys):
    path = etc / 'account-server.conf'
    assert (1, f'error: {path}: has [app:account-server], for which swift-lb has no options\n'
            ) == run(capsys, path)


def test_a_file_that_is_not_there_is_an_error(tmp_path, capsys):
    path = tmp_path / 'none.conf'
    assert (1, f'error: {path}: No such file or directory\n') == run(capsys, path)
