"""`swift-lb check` reports the faults that the start of a proxy refuses, in the same words."""
import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.proxy_app import swift_dir
from swift.common.wsgi import ConfigFileError, loadapp

from swift_lb.check import host
from swift_lb.check.command import examine
from swift_lb.proxy import seam

GOOD = """\
[DEFAULT]
user = root
bind_port = 8080
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
NO_SECTION = ('has none of the sections [app:proxy-server], [app:object-server], [lb-agent], '
              '[lb-dns], [lb-image]')


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


def started(path, log_level='CRITICAL'):
    """Start an app as Swift does; return a tuple of the faults with which it refuses."""
    try:
        loadapp(path, global_conf={'log_level': log_level})
    except ConfigFileError as err:
        return tuple(str(err).splitlines())
    return ()


@pytest.mark.parametrize('lines', [
    'lb_polcy = x', 'lb_max_age = nan', 'lb_max_age = nan\nlb_policy = x', 'LB_POLICY = shuffle',
    'set lb_policy = x', 'set lb_policy = shuffle\nlb_policy = lb_rlt', 'lb_Policy = shuffle',
    'set lb_max_age = 5',
    'set lb_account_container = true\n[proxy-server:policy:1]\nlb_enabled = true',
    'set lb_policy = lb_rlt\n[proxy-server:policy:1]\nlb_enabled = true',
    'lb_weights = [::1=1', 'age = 60\nlb_max_age = %(age)s', 'age = x\nlb_max_age = %(age)s',
    '[proxy-server:policy:1]\nlb_account_container = true',
    '[proxy-server:policy:1]\nlb_max_age = 7\n[proxy-server:policy:0]\nlb_enabled = x'])
def test_check_and_proxy_start_report_faults_in_the_same_words(write, lines):
    path = write('[DEFAULT]\nbind_port = 8080\nswift_dir = {swift_dir}\nlb_max_age = 60\n'
                 'lb_account_container = false\n'
                 '[pipeline:main]\npipeline = proxy-server\n'
                 f'[app:proxy-server]\nuse = egg:swift-lb#proxy\n{lines}\n')
    assert started(path) == examine(path).faults


def test_check_and_start_read_a_directory_of_confs_as_one_conf(write, tmp_path):
    write(GOOD, 'conf.d/10-base.conf')
    write('[app:proxy-server]\nlb_policy = lb_rlt\n', 'conf.d/20-site.conf')
    write('[app:proxy-server]\nlb_policy = x\n', 'conf.d/.30-hidden.conf')
    write('[app:proxy-server]\nlb_policy = x\n', 'conf.d/40-kept.conf.orig')
    verdict = examine(str(tmp_path / 'conf.d'))
    assert verdict.facts['every storage policy'].startswith('lb_policy = lb_rlt')
    assert () == started(verdict.path)


@pytest.mark.parametrize(('text', 'reason'), [
    ('', NO_SECTION), ('[DEFAULT]\n', NO_SECTION),
    ('[app:account-server]\nuse = egg:swift#account\n',
     'has [app:account-server], for which swift-lb has no options'),
    ('[app:proxy-sever]\n', f'{NO_SECTION}; did you mean [app:proxy-server]?'),
    ('lb_policy = shuffle\n', 'line 1: must be [SECTION], OPTION = VALUE below one, or a comment'),
    ('[app:proxy-server\nuse = x\n', 'line 1: must be [SECTION]'),
    ('[app:proxy-server]\nuse = egg:swift-lb#proxy\nlb_poli', 'line 3: must be [SECTION]'),
    ('[app:proxy-server]\nuse = a\nuse = b', '[app:proxy-server] has use twice'),
    ('[app:proxy-server]\n[app:proxy-server]', '[app:proxy-server] is there twice'),
    (b'\x7fELF\x02\x01\x01\x00\x00\xff\xfe', 'line 1: byte 0xff is no text in utf-8'),
    (b'\x00' * 4096, 'line 1: must be [SECTION]'),
    (b'#\n' * 9999 + b'# \xe9\n', 'line 10000: byte 0xe9 is no text in utf-8'),
    ('\ufeff[app:proxy-server]\n', 'line 1: begins with a byte order mark, U+FEFF; remove it'),
])
def test_check_reports_a_file_that_is_no_conf_as_one_fault(write, text, reason):
    path = write(text)
    fault, = examine(path).faults
    assert fault.startswith((f'{path}: ', f'{path}, line '))
    assert reason in fault


@pytest.mark.parametrize(('text', 'fault'), [
    ('lb_hedge = off\n', 'line 1: must be [SECTION], OPTION = VALUE below one, or a comment'),
    ('[DEFAULT]\na = 1\na = 2\n', 'line 3: [DEFAULT] has a twice'),
    (b'[DEFAULT]\n\xe9 = 1\n', 'line 2: byte 0xe9 is no text in utf-8, the encoding of confs '
                                'here')])
def test_a_fault_of_a_file_in_a_directory_names_the_file(write, tmp_path, text, fault):
    write(GOOD, 'conf.d/10-base.conf')
    path = write(text, 'conf.d/20-site.conf')
    assert (f'{path}, {fault}',) == examine(str(tmp_path / 'conf.d')).faults


def test_a_file_in_a_directory_that_swift_leaves_out_is_warned_of(write, tmp_path):
    write(GOOD, 'conf.d/10-base.conf')
    (tmp_path / 'conf.d' / '20-site.conf').symlink_to('gone.conf')
    verdict = examine(str(tmp_path / 'conf.d'))
    assert ((), f'{tmp_path}/conf.d/20-site.conf: can not be read, so Swift leaves it out') == (
        verdict.faults, verdict.warnings[0])


def test_a_missing_file_or_an_empty_directory_is_a_fault(tmp_path):
    missing = str(tmp_path / 'none.conf')
    assert (f'{missing}: No such file or directory',) == examine(missing).faults
    assert (f'{tmp_path}: {NO_SECTION}',) == examine(str(tmp_path)).faults


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(junk=st.binary(max_size=200), at=st.integers(0, len(GOOD)), truncated=st.booleans())
def test_check_of_a_damaged_conf_returns_faults_or_facts(write, junk, at, truncated):
    whole = GOOD.encode()
    verdict = examine(write(whole[:at] if truncated else whole[:at] + junk + whole[at:]))
    assert 1 == sum(map(bool, (verdict.faults, verdict.facts, verdict.absent)))


@pytest.mark.parametrize(('old', 'new', 'fault'), [
    ('egg:swift-lb#proxy', 'egg:swift-lb#proxi',
     '[app:proxy-server], use = egg:swift-lb#proxi: swift-lb has no such app; did you mean proxy?'),
    ('egg:swift-lb#proxy', 'egg:swift-lb#x',
     '[app:proxy-server], use = egg:swift-lb#x: swift-lb has no such app; it has proxy'),
    ('egg:swift-lb#proxy', 'egg:swiftlb#proxy', '[app:proxy-server], use = egg:swiftlb#proxy: the '
     'Python package swiftlb is not installed; did you mean swift-lb?'),
    ('pipeline = proxy', 'pipeline = lb_status proxy', '[pipeline:main], lb_status: there is no '
     'section [filter:lb_status]; write one, with use = egg:swift-lb#lb_status'),
    ('pipeline = proxy', 'pipeline = lb_stats proxy', '[pipeline:main], lb_stats: there is no '
     'section [filter:lb_stats]; did you mean lb_status?'),
    ('pipeline = proxy', 'pipeline = proxy-logging proxy', '[pipeline:main], proxy-logging: there '
     'is no section [filter:proxy-logging]; write one, with use = egg:swift#proxy_logging'),
    ('pipeline = proxy', 'pipeline = quota proxy', '[pipeline:main], quota: there is no section '
     '[filter:quota]; the pipeline needs it'),
    ('pipeline = proxy-server', 'pipeline =', '[pipeline:main], pipeline: must be set'),
    ('lb_policy = weighted', 'lb_policy = %(mine)s', '[app:proxy-server], lb_policy: %(mine)s is '
     'set neither there nor in [DEFAULT]'),
    ('lb_policy = weighted', 'lb_policy = %(mine)', '[app:proxy-server], lb_policy: %(NAME)s must '
     'name an option of the section or of [DEFAULT], and beside it a percent sign is written %%'),
    ('lb_policy = weighted', 'lb_policy = %(lb_policy)s', '[app:proxy-server], lb_policy: its '
     '%(NAME)s leads to itself'),
    ('use = egg', 'paste.app_factory = keystonemiddleware:factory\n#', '[app:proxy-server], '
     'paste.app_factory = keystonemiddleware:factory: the Python module keystonemiddleware is not '
     'installed'),
    ('use = egg:swift-lb#proxy', '', '[app:proxy-server], use: must be set, to egg:PACKAGE#NAME'),
    ('use = egg:swift-lb#proxy', 'use = proxy-server', '[app:proxy-server], use = proxy-server: '
     'leads to itself'),
    ('use = egg:swift-lb#proxy', 'use = base\n[app:base]\nuse = egg:swift#proxi', '[app:base], use '
     '= egg:swift#proxi: swift has no such app; did you mean proxy?'),
    ('pipeline = proxy', 'pipeline = egg:swift#copi proxy', '[pipeline:main], egg:swift#copi: '
     'swift has no such filter; did you mean copy?'),
    ('[pipeline:main]', '[app: proxy-server]\n[pipeline:main]', 'proxy-server: [app: proxy-server] '
     'and [app:proxy-server] are both its section; only one may be there'),
    ('pipeline = proxy', 'pipeline = base proxy-server\n[filter:base]\nuse = b2\n#', '[filter:base'
     '], use = b2: there is no section [filter:b2]'),
    ('pipeline = proxy-server', 'pipeline = proxy-server proxy-server', '[pipeline:main], '
     'proxy-server: must be the last word, as it is an app'),
    ('pipeline = proxy-server', 'pipeline = a\n[filter:a]\nuse = egg:swift#copy', '[pipeline:main],'
     ' a: the last word must be an app, and this is a filter'),
    ('use = egg:swift-lb#proxy', 'use = egg:swift-lb#proxy ; of us', '[app:proxy-server], use = '
     'egg:swift-lb#proxy ; of us: a comment is a line of its own'),
    ('bind_port = 8080', 'bind_port = 8080\nuse = x', '[DEFAULT], use: hides that of every section;'
     ' remove it'),
    ('bind_port = 8080', 'bind_port = http', 'bind_port = http: must be a port from 1 to 65535'),
    ('use = egg', 'get lb_policy = mine\nuse = egg', '[app:proxy-server], use = egg:swift-lb#proxy:'
     " a line `get` names 'mine', which [DEFAULT] does not have"),
    ('lb_max_age = 60', 'lb_max_ag = 60', '[DEFAULT], lb_max_ag = 60: unknown option; did you mean '
     'lb_max_age?'),
    ('[proxy-server:policy:1]', '[proxy-server:policy:9]',
     '[proxy-server:policy:9]: there is no storage policy 9 in {swift_dir}/swift.conf')])
def test_check_reports_what_swift_cannot_load_with_the_name_that_was_meant(
        write, tmp_path, old, new, fault):
    path = write(GOOD.replace(old, new, 1))
    verdict = examine(path)
    assert ((f'{path}, {fault.format(swift_dir=tmp_path)}',), {}) == verdict[2:5:2]


def test_a_word_without_a_section_may_be_the_app(write):
    path = write(GOOD.replace('pipeline = proxy-server', 'pipeline = egg:swift#proxy'))
    assert examine(path).absent == (f'{path}, [pipeline:main], egg:swift#proxy: swift-lb is not in '
                                    'force; write use = egg:swift-lb#proxy')


def test_what_is_in_a_composite_is_not_known(write, monkeypatch):
    monkeypatch.setattr('swift_lb.check.words.composite', lambda *_args: None, raising=False)
    path = write(GOOD.replace('[pipeline:main]', '[composite:main]\npaste.composite_factory = '
                              'swift_lb.check.words:composite\n[pipeline:one]'))
    verdict = examine(path)
    assert ((), {}, f'{path}, [composite:main], paste.composite_factory = swift_lb.check.words:'
            'composite: a composite has its apps only at a start, so it is not known whether '
            'swift-lb is in force') == (verdict.faults, verdict.facts, verdict.absent)


def test_all_faults_of_a_pipeline_are_reported_at_once(write):
    path = write(GOOD.replace('pipeline = ', 'pipeline = a lb_status b ').replace(
        'lb_policy = weighted', 'lb_policy = x') + '[filter:lb_status]\n'
        'use = egg:swift-lb#lb_status\nkye = secret\n')
    assert [f'{path}, [pipeline:main], a: ', f'{path}, [pipeline:main], b: ',
            f'{path}, [filter:lb_status], kye: ', f'{path}, [app:proxy-server], lb_policy = x: '
            ] == [fault.partition(': ')[0] + ': ' for fault in examine(path).faults]


def test_check_and_start_warn_of_a_weight_for_an_unknown_device(write, monkeypatch):
    path = write(GOOD.replace('127.0.0.1:16201=2', '10.9.9.9=2'))
    assert (f'{path}: lb_weights: 10.9.9.9 is in no ring',) == examine(path).warnings
    warned = []
    monkeypatch.setattr(logging.Logger, 'handle',
                        lambda self, record: warned.append(record.getMessage()))
    assert () == started(path, 'WARNING')
    assert f'{path}: lb_weights: 10.9.9.9 is in no ring' in warned


@pytest.mark.parametrize('damaged', [b'', b'half a ri', b'\x1f\x8b', None])
def test_a_damaged_ring_is_a_warning_and_the_proxy_starts(write, tmp_path, damaged):
    path = write(GOOD)
    stray = tmp_path / 'object-9.ring.gz'
    whole = (tmp_path / 'object.ring.gz').read_bytes()
    stray.write_bytes(whole[:len(whole) // 2] if damaged is None else damaged)
    verdict = examine(path)
    assert ((), True) == (verdict.faults, verdict.warnings[0].startswith(
        f'{path}: lb_weights: not held against the rings: {stray} can not be read as a ring: '))
    assert () == started(path)


def test_check_and_start_refuse_a_swift_with_other_internals(write, monkeypatch):
    path = write(GOOD)
    monkeypatch.setattr(seam, 'EXPECTED', (*seam.EXPECTED, (seam.Application, 'gone', ())))
    faults = examine(path).faults
    assert 1 == len(faults)
    assert faults[0].startswith('this Swift is not one swift-lb knows')
    assert faults == started(path)


@pytest.mark.parametrize(('value', 'warned'), [('1', True), ('0', False), (None, False)])
def test_a_host_whose_idle_connections_begin_slowly_again_is_warned(tmp_path, value, warned):
    path = tmp_path / 'tcp_slow_start_after_idle'
    if value is not None:
        path.write_text(f'{value}\n')
    assert warned == bool(host.slow_start(path))
