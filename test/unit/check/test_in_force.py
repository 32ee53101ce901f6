"""`swift-lb check` says what is in force, what gives way to it, and what has no effect."""
import os
import socket

import pytest
from support.generated_confs import (
    APP,
    DEFAULT,
    MAIN,
    POLICY,
    by_factory,
    files,
    good,
    put,
    rename,
    use,
    word,
)
from support.proxy_app import swift_dir

from swift_lb.book_path import path_of
from swift_lb.check import host
from swift_lb.check.command import examine
from swift_lb.errors import ConfigError
from swift_lb.proxy.dispatch import identity

HEDGED = 'late reads are hedged, but not of storage policy 1 (erasure code)'
LB_CONF = '[lb-agent]\nkey = sixteen characters\n'


@pytest.fixture
def check(tmp_path):
    """Return a function of edits of a good conf that returns the path and the Verdict."""
    rings = swift_dir(tmp_path)
    path = tmp_path / 'proxy-server.conf'
    (tmp_path / 'lb-server.conf').write_text(LB_CONF)

    def check(*edits):
        conf = good(rings)
        for edit in (put('filter:lb_dispatcher', lb_conf=tmp_path / 'lb-server.conf'),
                     put('filter:lb_image', socket=tmp_path / 'images.sock'), *edits):
            edit(conf)
        path.write_text(*files(conf).values())
        return str(path), examine(str(path))
    return check


def warnings(verdict):
    """Return the warnings, without that on the decoder of images, which does not run here."""
    assert () == verdict.faults
    return [each for each in verdict.warnings if 'no swift-lb-image answers' not in each]


def test_what_is_in_force_is_said(check):
    path, verdict = check(put(APP, lb_policy='lb_rlt'), put(POLICY + '0', lb_hedge='off'),
                          put(POLICY + '1', lb_max_age='7'),
                          put(DEFAULT, log_statsd_host='192.0.2.1', user='nobody_here'),
                          put('filter:lb_dispatcher', policy='tllb'),
                          put('filter:lb_status', key='secret'))
    images = os.path.join(os.path.dirname(path), 'images.sock')
    assert verdict.facts.pop('Swift').endswith(', whose internals swift-lb knows')
    assert {'every storage policy': 'lb_policy = lb_rlt, late reads are hedged, unless it is named '
                                    'below',
            'storage policy 0': 'lb_policy = lb_rlt, no hedging (lb_hedge = off)',
            'storage policy 1': 'lb_policy = lb_rlt, no hedging (erasure code)',
            'lb_book': f'{path_of("host", path, os.geteuid())}, of all workers of this host',
            'dispatcher': 'lb_dispatcher, policy = tllb',
            'StatsD': '192.0.2.1:8125',
            'status page': 'lb_status, for this host, and for others with its key',
            'images': f'lb_image, decoder at {images}'} == verdict.facts
    assert [f'{path}, user = nobody_here: there is no such user; no start succeeds here'
            ] == warnings(verdict)


def test_a_key_that_the_proxys_user_cannot_read_is_a_warning(check, tmp_path):
    conf = tmp_path / 'lb-server.conf'
    for mode, found in ((0o600, 1), (0o644, 0)):
        conf.chmod(mode)
        path, verdict = check(put(DEFAULT, user='nobody'))
        assert found * [f'{path}, [filter:lb_dispatcher], lb_conf = {conf}: the user of the proxy '
                        'can not read it, and would serve every request here; see chown and chmod '
                        f'of {conf}'] == warnings(verdict)


def test_what_is_not_there_is_said_too(check):
    _path, verdict = check(*(word(each, '') for each in ('lb_dispatcher', 'lb_status', 'lb_image')),
                           put(APP, lb_enabled='no', lb_book='worker'))
    assert [] == warnings(verdict)
    assert ["Swift's own order (lb_enabled = false)", 'none (lb_enabled = false)',
            'none in the pipeline', 'none (log_statsd_host is not set)', 'none in the '
            'pipeline; `swift-lb top` and `swift-lb why` need lb_status'
            ] == [*verdict.facts.values()][:-1]


def test_filters_of_ours_are_in_force_where_the_app_is_swifts_own(check):
    path, verdict = check(use(APP, 'egg:swift#proxy'), word('lb_image', ''))
    assert verdict.absent == (
        f'{path}, [app:proxy-server], use = egg:swift#proxy: swift-lb is not in force, but for '
        'lb_status, lb_dispatcher; write use = egg:swift-lb#proxy')


def test_with_swifts_own_app_nothing_is_in_force_and_no_policy_is_named(check):
    path, verdict = check(use(APP, 'egg:swift#proxy'), put(MAIN, pipeline='proxy-server'))
    assert ((), {}, f'{path}, [app:proxy-server], use = egg:swift#proxy: swift-lb is not in force; '
            'write use = egg:swift-lb#proxy') == (verdict.faults, verdict.facts, verdict.absent)
    assert 'adaptive' not in ' '.join(verdict.lines(False))


@pytest.mark.parametrize(('edit', 'sentence'), [
    (put(APP, sorting_method='timing'), '[app:proxy-server], sorting_method = timing: superseded '
     'by lb_policy = adaptive for reads of objects'),
    (put(APP, timing_expiry='9', lb_account_container='yes'),
     '[app:proxy-server], timing_expiry = 9: superseded by lb_policy = adaptive'),
    (put(POLICY + '0', sorting_method='timing'), '[proxy-server:policy:0], sorting_method = '
     'timing: superseded by lb_policy = adaptive for reads of objects'),
    (put(APP, concurrent_gets='on'), '[app:proxy-server], concurrent_gets = on: rules out lb_hedge '
     '= auto; Swift asks the next node after concurrency_timeout'),
    (put(DEFAULT, sorting_method='timing'), '[DEFAULT], sorting_method = timing: superseded by '
     'lb_policy = adaptive for reads of objects'),
    (put(APP, sorting_method='affinity'), '[app:proxy-server], sorting_method = affinity: '
     'superseded by lb_policy = adaptive for reads of objects')])
def test_options_of_swift_that_go_badly_with_ours_are_warned_of(check, edit, sentence):
    path, verdict = check(edit)
    assert [f'{path}, {sentence}'] == warnings(verdict)


@pytest.mark.parametrize(('edit', 'fact', 'text'), [
    (put(APP, sorting_method='affinity', read_affinity='r1=100'), 'read affinity',
     'kept: lb_policy orders the devices of each tier'),
    (put(APP, concurrent_gets='off'), 'every storage policy',
     f'lb_policy = adaptive, {HEDGED}'),
    (put(POLICY + '1', concurrent_gets='on'), 'storage policy 1',
     'lb_policy = adaptive, no hedging (erasure code)'),
    (put(APP, lb_account_container='on'), 'accounts and containers', 'lb_policy = adaptive'),
    (put(APP, concurrent_gets='on', lb_hedge='off'), 'every storage policy',
     'lb_policy = adaptive, no hedging (lb_hedge = off)')])
def test_options_of_swift_that_go_well_with_ours_are_not(check, edit, fact, text):
    _path, verdict = check(edit)
    assert ([], text) == (warnings(verdict), verdict.facts[fact])


@pytest.mark.parametrize(('edits', 'sentence'), [
    ([put(APP, LB_POLICY='x')],
     '[app:proxy-server], LB_POLICY: nobody reads this option; did you mean lb_policy?'),
    ([put(POLICY + '0', hedge='off')],
     '[proxy-server:policy:0], hedge: nobody reads this option; did you mean lb_hedge?'),
    ([put('proxy-server:polcy:1', lb_policy='x')], '[proxy-server:polcy:1]: nobody reads this '
     'section; did you mean [proxy-server:policy:1]?'),
    ([word('lb_status', ''), put('filter:lb_status', kye='x')], '[filter:lb_status], kye: unknown '
     'option; the only one is key (the pipeline does not have lb_status)'),
    ([use('filter:old', 'egg:swift-lb#lb_old')], '[filter:old], use = egg:swift-lb#lb_old: '
     'swift-lb has no such filter (the pipeline does not have old)'),
    ([put(DEFAULT, band='x'), put('filter:lb_dispatcher', band='9')], '[filter:lb_dispatcher], '
     'band: nobody reads it, as [DEFAULT] has it too; remove it there'),
    ([put('filter:lb_dispatcher', set_band='9', set_log_level='DEBUG')], '[filter:lb_dispatcher], '
     'set band: nobody reads it; remove `set`'),
    ([put(DEFAULT, lb_policy='c3'), put(APP, lb_policy='x')], '[app:proxy-server], lb_policy: '
     '[DEFAULT] has it too, and holds; write `set` before it here'),
    ([use('filter:copy', 'egg:swift-lb#lb_report')], '[filter:copy], use = '
     'egg:swift-lb#lb_report: it belongs in object-server.conf')])
def test_what_has_no_effect_is_warned_of(check, edits, sentence):
    path, verdict = check(*edits)
    assert [f'{path}, {sentence}'] == warnings(verdict)


def test_counters_that_no_statsd_gets_are_warned_of(check):
    path, verdict = check(put(APP, log_statsd_host='::1'))
    assert [f'{path}, [filter:lb_dispatcher]: its counters are not sent, as log_statsd_host is not '
            'in [DEFAULT]'] == warnings(verdict)[:1]
    assert '[::1]:8125' == verdict.facts['StatsD']


@pytest.mark.parametrize(('pipeline', 'added'), [
    ('gatekeeper proxy-logging lb_dispatcher', 'listing_formats, copy, dlo, versioned_writes'),
    ('lb_dispatcher tempauth', 'listing_formats'),
    ('lb_dispatcher cache tempauth', ''), ('proxy-logging', '')])
def test_filters_that_swift_adds_left_of_the_dispatcher_are_warned_of(check, pipeline, added):
    path, verdict = check(put(MAIN, pipeline=f'catch_errors {pipeline} proxy-server'))
    sentence = f'{path}, [pipeline:main]: Swift adds {added} left of lb_dispatcher, as the '
    assert [True] * bool(added) == [each.startswith(sentence) for each in warnings(verdict)]


def test_the_dispatcher_may_have_any_name(check):
    _path, verdict = check(
        by_factory('filter:lb_dispatcher', 'filter', 'swift_lb.proxy.dispatcher:filter_factory'),
        rename('filter:lb_dispatcher', 'filter:front'), word('lb_dispatcher', 'front'))
    assert 'front, policy = adaptive' == verdict.facts['dispatcher']


def test_a_swift_conf_that_is_not_there_is_warned_of(check, tmp_path):
    (tmp_path / 'swift.conf').unlink()
    assert [f'{tmp_path}/swift.conf can not be read: storage policies were not held against it'
            ] == warnings(check(put(POLICY + '9', lb_hedge='off'))[1])


@pytest.mark.parametrize(('book', 'warned'), [
    ('worker', False), ('host', False), ('/dev/shm/a.book', False),
    ('/no/such/place/a.book', True)])
def test_check_warns_if_the_directory_of_lb_book_is_missing(check, book, warned):
    found = warnings(check(put(APP, lb_book=book))[1])
    assert warned == any('there is no directory /no/such/place' in each for each in found)
    assert warned == bool(found)


@pytest.mark.parametrize(('section', 'asked'), [('', 0), ('[lb-cluster]\nname = us\nkey = k\n', 1)])
def test_check_looks_at_idle_connections_only_in_a_group_of_clusters(
        check, tmp_path, monkeypatch, section, asked):
    looked = []
    monkeypatch.setattr(host, 'slow_start', lambda: looked.append(1) or [])
    check(lambda _conf: (tmp_path / 'lb-server.conf').write_text(LB_CONF + section))
    assert asked == len(looked)


def test_check_warns_if_no_decoder_answers_lb_image(check, tmp_path):
    path = tmp_path / 'images.sock'
    for reason in ('No such file or directory', 'Connection refused'):
        conf, verdict = check()
        assert (f'{conf}, [filter:lb_image], socket = {path}: no swift-lb-image answers there '
                f'({reason}); images would be sent without being decoded',) == verdict.warnings
        if not path.exists():
            with socket.socket(socket.AF_UNIX) as daemon:
                daemon.bind(str(path))
                daemon.listen()
                assert () == check()[1].warnings
    assert () == check(word('lb_image', ''))[1].warnings


def test_an_agents_conf_that_proxies_cannot_read_is_warned_of(check, tmp_path):
    (tmp_path / 'lb-server.conf').unlink()
    with pytest.raises(ConfigError) as error:
        identity.read(tmp_path / 'lb-server.conf')
    path, verdict = check()
    assert [f'{path}, [filter:lb_dispatcher], lb_conf: {error.value}; every request would be '
            'served here'] == warnings(verdict)
