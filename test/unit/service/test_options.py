"""The agent's conf file: all faults are reported at once, and no key is shown."""
import re

import pytest

from swift_lb.errors import ConfigError
from swift_lb.service import options
from swift_lb.service.dns import options as dns_options
from swift_lb.service.options import AgentOptions, agent_options, read

SECRET = 'a secret of 16 or more'


def faults_of(path, reader=read):
    """Return a list of the faults in the ConfigError that reader(path) raises."""
    with pytest.raises(ConfigError) as error:
        reader(path)
    return list(error.value.faults)


def test_each_option_that_is_set_is_parsed(conf):
    conf_options = read(conf(f'''
[DEFAULT]
user = swift
log_level = DEBUG
interval = 5
ramp = 20

[lb-agent]
node = proxy-1
bind_ip = 10.0.0.1
peers = proxy-2, [2001:db8::3]:7000 proxy-2:6208,10.0.0.4:1
key = {SECRET}
interval = 0.5
proxy = [::1]:8080
speed = 10G
interfaces = eth0, eth1
forecast = nws
reject = 100
critical = off
rules = tllb

[lb-agent:metric:cpu]
dampening = 1

[lb-agent:metric:queue]
direction = higher
url = http://localhost/

[lb-dns]
whatever = it likes
'''))
    assert (conf_options.node, conf_options.bind_ip, conf_options.key, conf_options.proxy) == (
        'proxy-1', '10.0.0.1', SECRET, '[::1]:8080')
    assert conf_options.peers == (('proxy-2', 6208), ('2001:db8::3', 7000), ('10.0.0.4', 1))
    assert (conf_options.interval, conf_options.ramp) == (0.5, 20.0)
    assert (conf_options.speed, conf_options.interfaces) == (1e10, ('eth0', 'eth1'))
    assert (conf_options.plan.reject, conf_options.plan.critical, conf_options.self_adapting) == (
        100.0, float('inf'), False)
    assert (conf_options.plan.rules, conf_options.forecast) == ('tllb', 'nws')
    assert dict(conf_options.metrics) == {'cpu': {'dampening': 1.0}, 'queue': {
        'direction': 'higher', 'url': 'http://localhost/'}}


def test_an_empty_option_has_its_default(conf):
    empty = ''.join(f'{name} =\n' for name in ('node', 'bind_ip', 'http_key', 'peers', 'key',
                                               'key2', 'proxy', 'speed', 'interfaces', 'metric'))
    assert read(conf('[lb-agent]\n' + empty)) == AgentOptions()


def test_all_faults_are_reported_with_file_section_and_option(conf):
    path = conf('''
[DEFAULT]
intervall = 5
[lb-agent]
node = -x
bind_port = 0
http_port = 65536
peers = a:b
mode = shove
interval = 0.05
dampening = 1.1
forecast = weather
ramp = -1
reject = -1
rho = nan
tau = inf
colour = blue
[lb-agent:metric:cpu]
dampening = 2
direction = up
devices = /srv
[lb-agent:metric:My-Own]
[lb-agent:metrics:disk]
''')
    faults = faults_of(path)
    for section, option, right in (
            ('DEFAULT', 'intervall = 5', 'did you mean interval?'),
            ('lb-agent', 'node = -x', 'a name of letters'),
            ('lb-agent', 'bind_port = 0', 'whole number from 1 to 65535'),
            ('lb-agent', 'http_port = 65536', 'whole number from 1 to 65535'),
            ('lb-agent', 'peers = a:b', "the port of 'a:b'"),
            ('lb-agent', 'mode = shove', 'one of push, pull'),
            ('lb-agent', 'interval = 0.05', 'from 0.1 to 10'),
            ('lb-agent', 'dampening = 1.1', 'from 0 to 1'),
            ('lb-agent', 'forecast = weather', 'must be one of none, nws'),
            ('lb-agent', 'ramp = -1', 'at least 0'),
            ('lb-agent', 'reject = -1', 'auto, off or a number'),
            ('lb-agent', 'rho = nan', 'finite number'),
            ('lb-agent', 'tau = inf', 'finite number'),
            ('lb-agent', 'colour = blue', 'the options are node, bind_ip'),
            ('lb-agent:metric:cpu', 'dampening = 2', 'from 0 to 1'),
            ('lb-agent:metric:cpu', 'direction = up', 'one of lower, higher'),
            ('lb-agent:metric:cpu', 'devices = /srv', 'unknown option')):
        assert [line for line in faults if line.startswith(f'{path}, [{section}], {option}: ')
                and right in line], (section, option)
    assert f'{path}, [lb-agent:metrics:disk]: unknown section; ' in '\n'.join(faults)
    assert f'{path}, [lb-agent:metric:My-Own]: a metric is named by' in '\n'.join(faults)
    assert f'{path}, [lb-agent], key: must be set where there are peers' in '\n'.join(faults)
    assert len(faults) == 20
    assert all('\n' not in line for line in faults)


@pytest.mark.parametrize(('text', 'sentences'), [
    ('peers = a', ['key: must be set where there are peers']),
    ('key2 = ' + SECRET, ['key2: holds beside key']),
    ('reject = 5\ncritical = 4', ['reject = 5: must not be more than critical = 4']),
    (f'mode = pull\npeers = a\nkey = {SECRET}\nhttp_ip = 10.0.0.1',
     ['http_key: must be set with mode = pull']),
    (f'mode = pull\npeers = a, 127.0.0.2\nkey = {SECRET}\nhttp_key = {SECRET}',
     ['http_ip: with mode = pull the peers must reach it']),
    (f'mode = pull\npeers = 127.0.0.2\nkey = {SECRET}\nhttp_key = {SECRET}', []),
    (f'mode = pull\npeers = :\nkey = {SECRET}\nhttp_key = {SECRET}', ["':' must be HOST"]),
    ('beta = 0\ngamma = 0', ['beta and gamma: at least one']),
    ('reject = 5\ncritical = off', []), ('mode = pull', []), ('beta = 0', []),
    ('peers = a\nkey = short', ['key = ...: must have 16']),
    ('peers = a, :\nkey2 = ' + SECRET, ["peers = a, :: ':' must be HOST", 'key2: holds beside']),
    ])
def test_options_that_contradict_each_other_are_refused(conf, text, sentences):
    path = conf('[lb-agent]\n' + text)
    if not sentences:
        assert isinstance(read(path), AgentOptions)
        return
    faults = faults_of(path)
    assert len(faults) == len(sentences) or 'peers = a, :' in text
    for sentence in sentences:
        assert any(sentence in line for line in faults)


READERS = {'lb-agent': read, 'lb-dns': dns_options.read}
ANY = ('key = {}', 'http_key = {}', 'htpp_kye = {}', '{}', ' key {}', '[{}', '= {}')
LINES = {       # of a section with a key
    'lb-agent': (*ANY, 'key2 = {}', 'keys = {}', 'kye = {}', 'Key3 = {}', 'key_ = {}',
                 'key: {}\n  more of it'),
    'lb-dns': (*ANY, 'cookie_key = {}', 'cookie_key2 = {}', 'update_key = {}', 'update_kye = {}',
               'cookie_keys = {}', 'cookie_kye = {}', 'update_key_name = {}',
               'update_key: {}\n  more of it')}


@pytest.mark.parametrize(('section', 'line'), [
    (section, line) for section, lines in LINES.items() for line in lines])
@pytest.mark.parametrize('secret', [
    'hunter2', 'hunter2 hunter2 hunter2', 'hunter2hunter2hunter2=='])
def test_messages_about_a_wrong_key_do_not_contain_the_key(conf, section, line, secret):
    path = conf(f'[{section}]\nmode = wrong\n' + line.format(secret))
    assert 'hunter' not in '\n'.join(faults_of(path, READERS[section])).replace(path, '')


@pytest.mark.parametrize('section', READERS)
def test_an_absent_file_or_section_is_reported_in_one_sentence(conf, section, tmp_path):
    reader = READERS[section]
    for path, why in ((f'{tmp_path}/none', 'No such file or directory'),
                      (str(tmp_path), 'Is a directory'),
                      (conf('[lb-agents]\n'), f'there is no section [{section}]')):
        assert faults_of(path, reader) == [f'{path}: {why}']
    path = conf(f'[{section}]\nnode = '.encode() + b'\xff\n')
    assert faults_of(path, reader)[0].startswith(f'{path}, line 2: ')


def test_each_line_that_is_no_conf_syntax_is_reported_by_number(conf):
    path = conf('[lb-agent]\nmode = push\nwhat is this\n\nand this\n')
    assert faults_of(path) == [
        f'{path}, line {number}: must be [SECTION], OPTION = VALUE below one, or a comment'
        for number in (3, 5)]
    path = conf('mode = push\n')
    assert faults_of(path) == [
        f'{path}, line 1: must be [SECTION], OPTION = VALUE below one, or a comment']


def test_a_host_name_unfit_as_node_name_must_be_overridden(monkeypatch):
    monkeypatch.setattr(options.socket, 'gethostname', lambda: '-' * 70)
    with pytest.raises(ConfigError, match=r'\[lb-agent\], node: must be set'):
        agent_options({}, {})
    assert agent_options({'node': 'a'}, {}).node == 'a'


@pytest.mark.parametrize(('text', 'sentence'), [
    ('[lb-agent]\ndevices = srv', '[lb-agent], devices = srv: must be an absolute path'),
    ('[lb-agent]\ninterfaces = eth0, a/b',
     "[lb-agent], interfaces = eth0, a/b: 'a/b' must be the name of a network interface"),
    *((f'[lb-agent]\n[lb-agent:metric:{name}]\n{option} = x',
       f'[lb-agent:metric:{name}], {option} = x: {fault}') for name, option, fault in (
        ('disk', 'devices', 'must be an absolute path'),
        ('async_pending', 'path', 'must be an absolute path'),
        ('network', 'speed', 'must be bits per second, such as 10G, or nothing'),
        ('network', 'speeds', "'x' must be INTERFACE=SPEED, such as eth0=10G"),
        ('network', 'sped', 'unknown option; did you mean speed?'),
        ('memory', 'sped', 'unknown option; there are none')))])
def test_a_wrong_option_of_a_sensor_is_a_fault(conf, text, sentence):
    path = conf(text)
    assert [f'{path}, {sentence}'] == faults_of(path)


@pytest.mark.parametrize('text', ['1' * 5000, '\uff11', '+1', '1.0', '', ' ', '0x10', '1_0'])
def test_a_bind_port_that_is_no_valid_whole_number_is_a_fault(text):
    with pytest.raises(ConfigError, match='bind_port'):
        agent_options({'bind_port': text}, {})


@pytest.mark.parametrize(('text', 'speed'), [('10G', 1e10), ('100M', 1e8), ('5k', 5e3),
                                             ('2500000', 2.5e6), ('2.5G', 2.5e9)])
def test_network_speeds_are_parsed_with_their_units(text, speed):
    assert agent_options({'speed': text}, {}).speed == speed


@pytest.mark.parametrize('text', ['G', '10GG', '10MG', '-1G', '0', 'fast', '1e308G', 'nan', '10g'])
def test_a_wrong_network_speed_is_a_fault(text):
    with pytest.raises(ConfigError, match='must be bits per second, such as 10G, or nothing'):
        agent_options({'speed': text}, {})


@pytest.mark.parametrize('word', ['::1', '[::1', '[::1]x', '[]:1', ':1', 'a:0', 'a:65536', 'a:x',
                                  '[::1]:x', 'a:1:2'])
def test_a_peer_without_valid_host_and_port_is_a_fault(word):
    with pytest.raises(ConfigError, match=re.escape(word)):
        agent_options({'peers': word, 'key': SECRET}, {})
