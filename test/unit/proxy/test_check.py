"""`swift-lb check FILE` reports the faults that a start refuses, in the same words."""
import argparse
import logging
import socket

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.proxy_app import swift_dir
from swift.common.wsgi import ConfigFileError, loadapp

from swift_lb import cli
from swift_lb.proxy import check, seam

GOOD = """\
[DEFAULT]
swift_dir = {swift_dir}
lb_max_age = 60

[pipeline:main]
pipeline = proxy-server

[app:proxy-server]
use = egg:swift-lb#proxy
set lb_chunk_clock = read
lb_policy = weighted
lb_weights = 127.0.0.1:16201=2

[proxy-server:policy:1]
lb_policy = shuffle

[proxy-server:policy:0]
lb_enabled = false
"""


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a conf, with rings beside it, and returns its path (str)."""
    rings = swift_dir(tmp_path)

    def write(text, name='proxy-server.conf'):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes)
                         else text.replace('{swift_dir}', rings).encode())
        return str(path)
    return write


def run(path, capsys):
    """Return (exit status, the lines printed) of `swift-lb check path`."""
    status = check.run(argparse.Namespace(file=str(path)))
    return status, capsys.readouterr().out.splitlines()


def started(path, log_level='CRITICAL'):
    """Start an app as Swift does; return its ReplicaOptions, or a tuple of faults if it refuses."""
    try:
        top = loadapp(path, global_conf={'log_level': log_level})
        return top._pipeline_final_app.replicas.options
    except ConfigFileError as err:
        return tuple(str(err).splitlines())


def test_check_of_a_good_conf_prints_its_policies(write, capsys):
    status, lines = run(write(GOOD), capsys)
    assert (0, ['every storage policy: lb_policy = weighted',
                'storage policy 1: lb_policy = shuffle',
                "storage policy 0: Swift's own order (lb_enabled = false)"]) == (status, lines[:-1])
    assert lines[-1].startswith('Swift 2.')


def test_check_finds_the_same_options_as_a_proxy_start(write):
    path = write(GOOD)
    _faults, options, notes = check.examine(path)
    assert {'policy': 'weighted', 'max_age': 60.0, 'chunk_clock': 'read'} == {
        name: getattr(options[None], name) for name in ('policy', 'max_age', 'chunk_clock')}
    assert (started(path), []) == (options, notes)


@pytest.mark.parametrize('lines', [
    'lb_polcy = x', 'lb_max_age = nan', 'lb_max_age = nan\nlb_policy = x', 'LB_POLICY = shuffle',
    'set lb_policy = x', 'set lb_policy = shuffle\nlb_policy = lb_rlt', 'lb_Policy = shuffle',
    'set lb_max_age = 5',
    'set lb_account_container = true\n[proxy-server:policy:1]\nlb_enabled = true',
    'set lb_policy = lb_rlt\n[proxy-server:policy:1]\nlb_enabled = true',
    'lb_weights = [::1=1',
    '[proxy-server:policy:1]\nlb_account_container = true',
    '[proxy-server:policy:1]\nlb_max_age = 7\n[proxy-server:policy:0]\nlb_enabled = x'])
def test_check_and_proxy_start_report_faults_in_the_same_words(write, lines):
    path = write('[DEFAULT]\nswift_dir = {swift_dir}\nlb_max_age = 60\n'
                 'lb_account_container = false\n'
                 '[pipeline:main]\npipeline = proxy-server\n'
                 f'[app:proxy-server]\nuse = egg:swift-lb#proxy\n{lines}\n')
    faults, options, _notes = check.examine(path)
    assert started(path) == (tuple(faults) if faults else options)


def test_check_and_start_read_a_directory_of_confs_as_one_conf(write, tmp_path, capsys):
    write(GOOD, 'conf.d/10-base.conf')
    write('[app:proxy-server]\nlb_policy = lb_rlt\n', 'conf.d/20-site.conf')
    write('[app:proxy-server]\nlb_policy = shuffle\n', 'conf.d/.30-hidden.conf')
    write('[app:proxy-server]\nlb_policy = shuffle\n', 'conf.d/40-kept.conf.orig')
    status, lines = run(tmp_path / 'conf.d', capsys)
    assert (0, 'every storage policy: lb_policy = lb_rlt') == (status, lines[0])
    assert started(str(tmp_path / 'conf.d')) == check.examine(str(tmp_path / 'conf.d'))[1]


@pytest.mark.parametrize(('book', 'warned'), [
    ('worker', False), ('host', False), ('/dev/shm/a.book', False),
    ('/no/such/place/a.book', True)])
def test_check_warns_if_the_directory_of_lb_book_is_missing(write, book, warned):
    conf = write(f'{GOOD}[app:proxy-server]\nlb_book = {book}\n')
    faults, _options, notes = check.examine(conf)
    assert ([], warned) == (faults, any('there is no directory /no/such/place' in note
                                        for note in notes))


@pytest.mark.parametrize(('text', 'reason'), [
    ('', 'has no section [app:proxy-server]; is it a proxy-server.conf?'),
    ('[DEFAULT]\n', 'has no section [app:proxy-server]; is it a proxy-server.conf?'),
    ('[app:object-server]\nuse = egg:swift#object\n', 'has no section [app:proxy-server]'),
    ('lb_policy = shuffle\n', 'File contains no section headers'),
    ('[app:proxy-server\nuse = x\n', 'File contains no section headers'),
    ('[app:proxy-server]\nuse = egg:swift-lb#proxy\nlb_poli', 'Source contains parsing errors'),
    (b'\x7fELF\x02\x01\x01\x00\x00\xff\xfe', "'utf-8' codec can't decode byte"),
    (b'\x00' * 4096, 'File contains no section headers'),
    (b'\x1f\x8b\x08\x00', "'utf-8' codec can't decode byte"),
])
def test_check_reports_a_file_that_is_no_conf_as_one_fault(write, capsys, text, reason):
    path = write(text)
    status, lines = run(path, capsys)
    assert (1, 1) == (status, len(lines))
    assert lines[0].startswith(f'error: {path}: ')
    assert reason in lines[0]


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(junk=st.binary(max_size=200), at=st.integers(0, len(GOOD)), truncated=st.booleans())
def test_check_of_a_damaged_conf_returns_faults_or_options(write, junk, at, truncated):
    whole = GOOD.encode()
    faults, options, _notes = check.examine(
        write(whole[:at] if truncated else whole[:at] + junk + whole[at:]))
    assert bool(faults) != bool(options)


def test_a_missing_file_or_an_empty_directory_is_a_fault(tmp_path, capsys):
    status, lines = run(tmp_path / 'none.conf', capsys)
    assert (1, [f'error: {tmp_path}/none.conf: can not be read as a conf file: [Errno 2] No such '
                f"file or directory: '{tmp_path}/none.conf'"]) == (status, lines)
    assert (1, [f'error: {tmp_path}: has no section [app:proxy-server]; is it a '
                'proxy-server.conf?']) == run(tmp_path, capsys)


def test_check_warns_about_a_proxy_with_swifts_own_app(write, capsys):
    path = write(GOOD.replace('swift-lb#proxy', 'swift#proxy'))
    status, lines = run(path, capsys)
    assert (0, f'warning: {path}, [app:proxy-server], use = egg:swift#proxy: swift-lb is not in '
               'this proxy; write use = egg:swift-lb#proxy') == (status, lines[0])


@pytest.mark.parametrize(('use', 'ours'), [
    ('egg:swift_lb#proxy', 'proxy'), ('egg:Swift.LB#proxy', 'proxy'), ('egg:swift-lb', ''),
    ('egg:swift#proxy', None), ('', None)])
def test_entry_of_accepts_all_spellings_of_the_egg_name(use, ours):
    assert ours == check.entry_of(use)


@pytest.mark.parametrize(('old', 'new', 'fault'), [
    ('egg:swift-lb#proxy', 'egg:swift-lb#proxi',
     '[app:proxy-server], use = egg:swift-lb#proxi: swift-lb has no such app; it has proxy'),
    ('[proxy-server:policy:1]', '[proxy-server:policy:9]',
     '[proxy-server:policy:9]: there is no storage policy 9 in {swift_dir}/swift.conf'),
    ('[proxy-server:policy:1]', '[filter:lb_report]\nuse = egg:swift-lb#lb_report\n'
                                '[proxy-server:policy:1]',
     '[filter:lb_report], use = egg:swift-lb#lb_report: it belongs in object-server.conf'),
    ('[proxy-server:policy:1]', '[filter:lb_status]\nuse = egg:swift-lb#lb_status\nkye = x\n'
                                '[proxy-server:policy:1]',
     '[filter:lb_status], kye: unknown option; the only one is key')])
def test_check_reports_wrong_entry_points_and_storage_policies(write, tmp_path, old, new, fault):
    path = write(GOOD.replace(old, new, 1))
    faults, options, _notes = check.examine(path)
    assert ([f'{path}, {fault.format(swift_dir=tmp_path)}'], {}) == (faults, options)


def test_check_and_start_warn_of_a_weight_for_an_unknown_device(write, capsys, monkeypatch):
    path = write(GOOD.replace('127.0.0.1:16201=2', '10.9.9.9=2'))
    status, lines = run(path, capsys)
    assert (0, 'warning: lb_weights: 10.9.9.9 is in no ring') == (status, lines[0])
    warned = []
    monkeypatch.setattr(logging.Logger, 'handle',
                        lambda self, record: warned.append(record.getMessage()))
    assert check.examine(path)[1] == started(path, 'WARNING')
    assert [f'{path}: lb_weights: 10.9.9.9 is in no ring'] == warned


@pytest.mark.parametrize('damaged', [b'', b'half a ri', b'\x1f\x8b', None])
def test_a_damaged_ring_is_a_warning_and_the_proxy_starts(write, tmp_path, damaged):
    path = write(GOOD)
    stray = tmp_path / 'object-9.ring.gz'
    whole = (tmp_path / 'object.ring.gz').read_bytes()
    stray.write_bytes(whole[:len(whole) // 2] if damaged is None else damaged)
    faults, options, notes = check.examine(path)
    assert ([], True) == (faults, notes[0].startswith(
        f'lb_weights: not held against the rings: {stray} can not be read as a ring: '))
    assert options == started(path)


def test_check_and_start_refuse_a_swift_with_other_internals(write, monkeypatch):
    path = write(GOOD)
    monkeypatch.setattr(seam, 'EXPECTED', (*seam.EXPECTED, (seam.Application, 'gone', ())))
    faults, _options, _notes = check.examine(path)
    assert 1 == len(faults)
    assert faults[0].startswith('this Swift is not one swift-lb knows')
    assert tuple(faults) == started(path)


def test_the_command_swift_lb_check_returns_0_or_1(write, capsys):
    assert 0 == cli.main(['check', write(GOOD)])
    assert 1 == cli.main(['check', write('')])
    assert 'every storage policy' in capsys.readouterr().out


@pytest.mark.parametrize(('value', 'warned'), [('1', True), ('0', False), (None, False)])
def test_a_host_whose_idle_connections_begin_slowly_again_is_warned(tmp_path, value, warned):
    path = tmp_path / 'tcp_slow_start_after_idle'
    if value is not None:
        path.write_text(f'{value}\n')
    assert warned == bool(check.slow_start(path))


@pytest.mark.parametrize(('section', 'asked'), [('', 0), ('[lb-cluster]\nname = us\nkey = k\n', 1)])
def test_check_looks_at_idle_connections_only_in_a_group_of_clusters(
        tmp_path, monkeypatch, section, asked):
    looked = []
    monkeypatch.setattr(check, 'slow_start', lambda: looked.append(1) or [])
    lb_conf = tmp_path / 'lb-server.conf'
    lb_conf.write_text(f'[lb-agent]\nkey = a key of 16 or more\n{section}')
    assert [] == check.dispatcher_warnings({
        'DEFAULT': {}, 'pipeline:main': {'pipeline': 'lb_dispatcher proxy-server'},
        'filter:lb_dispatcher': {'use': 'egg:swift-lb#lb_dispatcher', 'lb_conf': str(lb_conf)}})
    assert asked == len(looked)


def test_check_warns_if_no_decoder_answers_lb_image(tmp_path):
    path = tmp_path / 'images.sock'
    sections = {'DEFAULT': {}, 'pipeline:main': {'pipeline': 'tempauth lb_image proxy-server'},
                'filter:lb_image': {'use': 'egg:swift-lb#lb_image', 'socket': str(path)}}
    for reason in ('No such file or directory', 'Connection refused'):
        assert [f'[filter:lb_image], socket = {path}: no swift-lb-image answers there ({reason}); '
                'images would be sent without being decoded'] == check.silent_decoders(sections)
        if not path.exists():
            with socket.socket(socket.AF_UNIX) as daemon:
                daemon.bind(str(path))
                daemon.listen()
                assert [] == check.silent_decoders(sections)
    assert [] == check.silent_decoders({**sections, 'pipeline:main': {'pipeline': 'tempauth'}})
