"""The lb_ options of a proxy: each is parsed, or refused with a sentence on what is accepted."""
import contextlib
from types import MappingProxyType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from swift_lb.errors import ConfigError
from swift_lb.model import Node
from swift_lb.policy import POLICIES
from swift_lb.replica_options import OPTIONS, ReplicaOptions, replica_options, unmatched, weights


def parsed(**conf):
    """Return the ReplicaOptions of an [app:proxy-server] section with the items `conf`."""
    return replica_options(conf, {})[None]


def faults(conf, policy_conf=None, **where):
    """Return the sentences with which an app section and {index: policy section} are refused."""
    with pytest.raises(ConfigError) as refused:
        replica_options(conf, policy_conf or {}, **where)
    return refused.value.faults


def fault(**conf):
    """Return the one fault of one option in the app section, without the file's name."""
    sentence, = faults(conf)
    return sentence.removeprefix('proxy-server.conf, [app:proxy-server], ')


def test_every_lb_option_is_parsed():
    conf = {'lb_enabled': 'no', 'lb_policy': 'weighted', 'lb_chunk_clock': 'read',
            'lb_max_age': '12.5', 'lb_unmeasured': 'last',
            'lb_weights': '10.0.0.1=2, 10.0.0.2:6200=0.5, [fe80::1]:6200/sda=0',
            'lb_hedge': 'off', 'lb_account_container': 'yes', 'lb_metrics_interval': '10',
            'lb_book': '/dev/shm/proxies.book'}
    assert set(conf) == {f'lb_{name}' for name in OPTIONS}
    assert ReplicaOptions(
        enabled=False, policy='weighted', chunk_clock='read', max_age=12.5, unmeasured='last',
        weights=MappingProxyType({('10.0.0.1',): 2.0, ('10.0.0.2', 6200): 0.5,
                                  ('fe80::1', 6200, 'sda'): 0.0}),
        hedge='off', account_container=True, metrics_interval=10.0,
        book='/dev/shm/proxies.book') == parsed(**conf)


@pytest.mark.parametrize(('text', 'expected'), [
    ('', {}),
    (' , ,', {}),
    ('10.0.0.1=1,', {('10.0.0.1',): 1.0}),
    (' 10.0.0.1 = 1 ', {('10.0.0.1',): 1.0}),
    ('10.0.0.1:6200=1e3', {('10.0.0.1', 6200): 1000.0}),
    ('storage-1:6200/sda=1', {('storage-1', 6200, 'sda'): 1.0}),
    ('::1=1', {('::1',): 1.0}),
    ('[::1]=1', {('::1',): 1.0}),
    ('[::1]:6200=1', {('::1', 6200): 1.0}),
    ('[::ffff:10.0.0.1]:6200/sda=1', {('::ffff:10.0.0.1', 6200, 'sda'): 1.0}),
    ('10.0.0.1:6200/d1=a=2', {('10.0.0.1', 6200, 'd1=a'): 2.0}),
])
def test_weights_of_hosts_ports_and_devices_are_parsed(text, expected):
    assert expected == weights(text)


@pytest.mark.parametrize(('option', 'value', 'expected'), [
    ('lb_enabled', 'maybe', 'must be true or false'),
    ('lb_policy', 'nearest', f'must be one of {", ".join(POLICIES)}'),
    ('lb_chunk_clock', 'wall', 'must be one of request, read'),
    ('lb_unmeasured', 'middle', 'must be one of shuffle, first, last'),
    ('lb_max_age', '5 minutes', 'must be a number'),
    ('lb_max_age', '', 'must be a number'),
    ('lb_max_age', 'nan', 'must be a finite number'),
    ('lb_max_age', 'inf', 'must be a finite number'),
    ('lb_max_age', '0', 'must be a number of seconds, at least 0.001'),
    ('lb_max_age', '-1', 'must be a number of seconds, at least 0.001'),
    ('lb_metrics_interval', '0.5', 'must be a number of seconds, at least 1'),
    ('lb_book', 'shared', 'must be host, worker or an absolute path'),
    ('lb_book', 'a/path', 'must be host, worker or an absolute path'),
    ('lb_weights', '10.0.0.1=nan', "the weight of '10.0.0.1=nan' must be a finite number"),
    ('lb_weights', '10.0.0.1=-1', "the weight of '10.0.0.1=-1' must be 0 or more"),
    ('lb_weights', '10.0.0.1=heavy', "the weight of '10.0.0.1=heavy' must be a number"),
    ('lb_weights', '10.0.0.1=', "the weight of '10.0.0.1=' must be a number"),
    ('lb_weights', '10.0.0.1',
     "'10.0.0.1' must be IP=WEIGHT, IP:PORT=WEIGHT or IP:PORT/DEVICE=WEIGHT"),
    ('lb_weights', '10.0.0.1=1, 10.0.0.1=2', '10.0.0.1 has two weights'),
    ('lb_weights', '[::1]:6200=1, [::1]:6200=1', '[::1]:6200 has two weights'),
])
def test_each_wrong_value_is_reported_in_a_sentence(option, value, expected):
    assert f'{option} = {value}: {expected}' == fault(**{option: value})


@pytest.mark.parametrize('target', [
    '', ':6200', '10.0.0.1:', '10.0.0.1:x', '10.0.0.1:62x', '10.0.0.1:\u00b2', '10.0.0.1:\u0663',
    '10.0.0.1:-1', '10.0.0.1:' + '9' * 5000, '10.0.0.1/sda', '10.0.0.1:6200/', '10.0.0.1 :6200',
    '[::1', '::1]', '[::1]6200', '[::1]:', '[::1]:x', '[]', '[]:6200', '[::1]/sda', '::1/sda',
    '[::1]:6200/', '[[::1]]:6200', 'host:a:b', '::1:6200/sda'])
def test_an_invalid_target_of_a_weight_is_refused(target):
    assert (f'lb_weights = {target}=1: {target!r} must be IP, IP:PORT or IP:PORT/DEVICE '
            '(IPv6 with a port in brackets)') == fault(lb_weights=f'{target}=1')


@pytest.mark.parametrize(('option', 'meant'), [
    ('lb_polcy', 'lb_policy'), ('lb_weight', 'lb_weights'), ('lb_max_ages', 'lb_max_age'),
    ('lb_enable', 'lb_enabled'), ('lb_Policy', 'lb_policy')])
def test_the_error_on_a_misspelt_option_suggests_its_name(option, meant):
    assert f'{option} = x: unknown option; did you mean {meant}?' == fault(**{option: 'x'})


@pytest.mark.parametrize('option', ['lb_', 'lb_colour_of_all_the_proxies'])
def test_the_error_on_an_unknown_option_lists_all_options(option):
    assert f'{option} = x: unknown option; the options are ' + ', '.join(
        f'lb_{name}' for name in OPTIONS) == fault(**{option: 'x'})


@pytest.mark.parametrize('option', ['lbpolicy', 'sorting_method', '', 'LB_POLICY', 'policy'])
def test_options_without_the_prefix_lb_are_ignored(option):
    assert ReplicaOptions() == parsed(**{option: 'x'})


def test_faults_of_all_sections_are_reported_at_once():
    assert (
        'a.conf, [app:proxy-server], lb_max_age = nan: must be a finite number',
        'a.conf, [app:proxy-server], lb_polcy = x: unknown option; did you mean lb_policy?',
        'a.conf, [proxy-server:policy:1], lb_unmeasured = x: must be one of shuffle, first, last',
        'a.conf, [proxy-server:policy:gold]: a storage policy is named by its index, not \'gold\'',
    ) == faults({'lb_max_age': 'nan', 'lb_enabled': 'true', 'lb_polcy': 'x'},
                {'1': {'lb_unmeasured': 'x', 'sorting_method': 'affinity'}, 'gold': {}},
                path='a.conf')


def test_a_storage_policy_inherits_options_that_it_does_not_set():
    default = {'lb_policy': 'shuffle', 'lb_metrics_interval': '5'}     # Swift merges it into each
    result = replica_options(default, {'1': default | {'lb_policy': 'lb_rlt'},
                                       '2': {'sorting_method': 'affinity'}})
    assert {None: ReplicaOptions(policy='shuffle', metrics_interval=5.0),
            1: ReplicaOptions(policy='lb_rlt', metrics_interval=5.0),
            2: ReplicaOptions(policy='shuffle', metrics_interval=5.0)} == result


@pytest.mark.parametrize(('option', 'value'), [
    ('lb_account_container', 'true'), ('lb_metrics_interval', '5'), ('lb_book', 'worker')])
def test_a_storage_policy_cannot_set_an_option_of_the_proxy(option, value):
    assert (f'proxy-server.conf, [proxy-server:policy:1], {option} = {value}: holds for the whole '
            'proxy; set it in the app section',) == faults({}, {'1': {option: value}})


def test_a_fault_in_the_section_default_is_reported_once():
    lent = {'lb_max_age': 'nan'}
    assert 1 == len(faults(lent, {'1': dict(lent), '2': dict(lent)}))


def test_a_weight_whose_target_is_in_no_ring_is_a_warning():
    options = {None: parsed(lb_weights='10.0.0.1=1, 10.0.0.2=1, 10.0.0.1:6200=1, 10.0.0.1:6201=1'),
               1: parsed(lb_weights='[::1]:6200/sda=1, [::1]:6200/sdb=1, [::2]=1, 10.0.0.2=2')}
    nodes = [Node('10.0.0.1', 6200, 'sda'), Node('::1', 6200, 'sda')]
    assert [f'lb_weights: {target} is in no ring' for target in (
        '10.0.0.1:6201', '10.0.0.2', '::2', '[::1]:6200/sdb')] == sorted(unmatched(options, nodes))


@pytest.mark.parametrize('name', OPTIONS)
@given(text=st.text())
@example('\u00b2')
@example('=1')
@example('1:\u00b2=1')
@example('1:' + '9' * 5000 + '=1')
@example('\x00')
def test_any_text_of_an_option_is_parsed_or_refused(name, text):
    option = f'lb_{name}'
    try:
        parsed_options = replica_options({option: text}, {})
    except ConfigError as err:
        sentence, = err.faults
        first, newline, _rest = text.partition('\n')
        assert sentence.startswith(f'proxy-server.conf, [app:proxy-server], {option} = ' + (
            f'{first} ...: ' if newline else f'{first}: '))
    else:
        assert isinstance(parsed_options[None], ReplicaOptions)


@given(conf=st.dictionaries(st.text().map('lb_'.__add__), st.text(), max_size=3),
       policy_conf=st.dictionaries(st.text(), st.dictionaries(
           st.sampled_from([f'lb_{name}' for name in OPTIONS]), st.text(), max_size=3), max_size=2))
def test_any_conf_is_parsed_or_refused(conf, policy_conf):
    with contextlib.suppress(ConfigError):
        replica_options(conf, policy_conf)
