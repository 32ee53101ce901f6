"""The DNS daemon's conf: all faults are reported at once, and no key is shown."""
import hmac
import socket
import string

import dns.name
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swift_lb.conf_file import NAMES
from swift_lb.errors import ConfigError
from swift_lb.service import options as agents
from swift_lb.service.dns.options import OPTIONS, DnsOptions, dns_options, read

SECRET = 'a secret of 16 or more'
HEX, OTHER_HEX = '00112233445566778899aabbccddeeff', 'ff' * 16
BASE64 = 'c2l4dGVlbiBieXRlcyBvciBtb3Jl'
REQUIRED = {'zone': 'lb.example.com', 'proxies': 'n1=192.0.2.1',
            'ns': 'ns1.lb.example.com=192.0.2.1'}
UPDATING = {'mode': 'rfc2136', 'update_server': 'dns.example.com', 'update_key_name': 'swift-lb',
            'update_key': BASE64}
WHERE = 'lb-server.conf, [lb-dns], '


def named(*texts):
    """Return a tuple of the absolute DNS names that these texts stand for."""
    return tuple(dns.name.from_text(text) for text in texts)


def section(options, name='lb-dns'):
    """Return the text of a conf section with these options, {name: text}."""
    return f'\n[{name}]\n' + ''.join(f'{name} = {text}\n' for name, text in options.items())


def refused(do, *args, **kwargs):
    """Return a list of the faults in the ConfigError that do(*args, **kwargs) raises."""
    with pytest.raises(ConfigError) as error:
        do(*args, **kwargs)
    return list(error.value.faults)


def derived(key):
    """Return the 16 bytes of the DNS cookie key that is derived from an agent's `key`."""
    return hmac.digest(key.encode(), b'dns cookie', 'sha256')[:16]


# -- right values


def test_defaults_of_some_options_follow_from_other_options():
    zone, host = *named('lb.example.com'), socket.gethostname()
    parsed = dns_options(REQUIRED)
    assert (parsed.node, parsed.names, parsed.cookie_keys) == (host, (zone,), ())
    assert (parsed.hostmaster,) == named('hostmaster.lb.example.com')
    assert (parsed.ttl, parsed.ttl_min, parsed.patience) == (60, 30, 60)
    parsed = dns_options(REQUIRED | {'ttl': '20'})
    assert (parsed.ttl, parsed.ttl_min, parsed.patience) == (20, 20, 20)


def test_each_option_that_is_set_is_parsed(conf):
    parsed = read(conf(f'''
[DEFAULT]
user = swift
log_level = DEBUG
ttl = 20
workers = 3
peers = [is not for us

[lb-agent]
colour = is the agent's to refuse

[lb-dns]
node = proxy-1
zone = LB.Example.com.
names = @, Swift.lb.example.com, *.swift.lb.example.com. swift.LB.example.com
ns = ns2.lb.example.com = 2001:DB8::0:2, ns1.lb.example.com=192.0.2.1
  ns2.lb.example.com=192.0.2.2, ns.Elsewhere.net
hostmaster = First.Last@example.com
proxies = proxy-2=192.0.2.2, proxy-1 = 192.0.2.1
    proxy-1=2001:db8:0::1
mode = auto
workers = 2
https = 1 . alpn=h2,http/1.1 port=443
bind_ip = 192.0.2.1 2001:db8:0::1
rrl_exempt = 10.0.0.0/8, 2001:db8::/32 192.0.2.7
cookie_key = {HEX}
cookie_key2 = {OTHER_HEX.upper()}
nsid = rack7/proxy-1
http_ip = ::1
http_key = {SECRET}
update_server = [2001:db8::3]:5353
update_key_name = swift-lb
update_key = {BASE64}
update_algorithm = hmac-sha512
tcp_timeout = 0.5
'''))
    ns1, ns2, elsewhere = named('ns1.lb.example.com', 'ns2.lb.example.com', 'ns.elsewhere.net')
    assert named('lb.example.com') == (parsed.zone,)
    assert parsed.zone.to_text() == 'lb.example.com.'
    assert parsed.names == named('lb.example.com', 'swift.lb.example.com', '*.swift.lb.example.com')
    assert list(parsed.ns.items()) == [(ns2, ('2001:db8::2', '192.0.2.2')), (ns1, ('192.0.2.1',)),
                                      (elsewhere, ())]
    assert str(parsed.hostmaster) == r'First\.Last.example.com.'
    assert list(parsed.proxies.items()) == [('proxy-2', ('192.0.2.2', None)),
                                           ('proxy-1', ('192.0.2.1', '2001:db8::1'))]
    assert parsed.https.to_text() == '1 . alpn="h2,http/1.1" port="443"'
    assert (parsed.node, parsed.mode, parsed.workers, parsed.ttl, parsed.ttl_min) == (
        'proxy-1', 'auto', 2, 20, 20)
    assert parsed.bind_ip == ('192.0.2.1', '2001:db8::1')
    assert [str(network) for network in parsed.rrl_exempt] == [
        '10.0.0.0/8', '2001:db8::/32', '192.0.2.7/32']
    assert parsed.cookie_keys == (bytes.fromhex(HEX), bytes.fromhex(OTHER_HEX))
    assert (parsed.nsid, parsed.http_ip, parsed.http_key) == (b'rack7/proxy-1', '::1', SECRET)
    assert (parsed.update_server, parsed.update_key, parsed.update_algorithm) == (
        ('2001:db8::3', 5353), b'sixteen bytes or more', 'hmac-sha512')
    assert named('swift-lb') == (parsed.update_key_name,)
    assert parsed.tcp_timeout == 0.5


def test_a_proxy_may_have_an_ipv6_address_only():
    parsed = dns_options({
        'zone': 'lb.example.com', 'ns': 'ns1.lb.example.com=2001:db8::1', 'bind_ip': '::',
        'proxies': 'n1=2001:db8::1, n2=fd00::2', 'http_ip': '::1', 'rrl_exempt': '::1',
        'update_server': '[2001:db8::3]'})
    assert parsed.proxies == {'n1': (None, '2001:db8::1'), 'n2': (None, 'fd00::2')}
    assert (parsed.bind_ip, parsed.http_ip) == (('::',), '::1')
    assert parsed.update_server == ('2001:db8::3', 53)
    assert list(parsed.ns.values()) == [('2001:db8::1',)]


@pytest.mark.parametrize(('proxies', 'ns'), [
    ('n1=127.0.0.1, n2=127.0.0.2, n2=::1', '127.0.0.1'), ('n1=::1', '::1'),
    ('n1=127.0.0.1', '192.0.2.1')])
def test_a_conf_with_all_proxies_on_loopback_is_accepted(proxies, ns):
    assert dns_options(REQUIRED | {'proxies': proxies, 'ns': f'a.lb.example.com={ns}'}).ns


def test_an_empty_option_has_its_default():
    empty = dict.fromkeys(('node', 'names', 'hostmaster', 'https', 'bind_ip', 'rrl_exempt', 'nsid',
                           'cookie_key', 'cookie_key2', 'http_ip', 'http_key', 'instruction_file',
                           'update_server', 'update_key_name', 'update_key'), '')
    assert dns_options(REQUIRED | empty) == dns_options(REQUIRED)


def test_mode_rfc2136_needs_no_name_servers():
    parsed = dns_options({'zone': 'lb.example.com', 'proxies': 'n1=192.0.2.1'} | UPDATING)
    assert (parsed.mode, dict(parsed.ns), parsed.update_server) == (
        'rfc2136', {}, ('dns.example.com', 53))


@pytest.mark.parametrize(('text', 'name'), [
    ('ops.example.com', 'ops.example.com.'), ('ops@example.com', 'ops.example.com.'),
    ('o.p+s@EXAMPLE.com', r'o\.p+s.example.com.')])
def test_a_hostmaster_may_be_a_mail_address(text, name):
    assert str(dns_options(REQUIRED | {'hostmaster': text}).hostmaster) == name


@pytest.mark.parametrize('zone', ['lab.', 'a.b', '_lb.example.com', '1.example.com',
                                  'a' * 63 + '.b'])
def test_valid_zones_are_accepted(zone):
    ns = 'ns.elsewhere.net'
    assert dns_options(REQUIRED | {'zone': zone, 'ns': ns}).zone == dns.name.from_text(zone)


def test_names_of_up_to_255_bytes_on_the_wire_are_accepted():
    zone = '.'.join(['a' * 49] * 4)
    name = 'b' * (253 - len(zone) - 1)
    parsed = dns_options(REQUIRED | {'zone': zone, 'ns': 'ns.elsewhere.net',
                                    'names': f'{name}.{zone}'})
    assert len(parsed.names[0].to_wire()) == 255
    assert 'must be a domain name' in refused(dns_options, REQUIRED | {
        'zone': zone, 'ns': 'ns.elsewhere.net', 'names': f'b{name}.{zone}'})[0]
    assert 'must be shorter' in refused(dns_options, REQUIRED | {
        'zone': zone, 'ns': 'ns.elsewhere.net', 'names': f'*.{name}.{zone}'})[0]


# -- other sections

KEYS = derived(SECRET), derived(SECRET + '!')


@pytest.mark.parametrize(('default', 'agent', 'own', 'expected'), [
    ({}, {'node': 'a', 'instruction_file': '/run/a', 'key': SECRET}, {}, ('a', '/run/a', KEYS[:1])),
    ({}, {'node': 'a', 'instruction_file': '/run/a', 'key': SECRET},
     {'node': 'b', 'instruction_file': '/run/b', 'cookie_key': HEX},
     ('b', '/run/b', (bytes.fromhex(HEX),))),
    ({'node': 'd', 'instruction_file': '/run/d', 'key': SECRET}, {}, {'node': ''},
     (socket.gethostname(), '/run/d', KEYS[:1])),
    ({'node': 'd', 'instruction_file': '/run/d', 'key': SECRET},
     {'node': 'a', 'instruction_file': '/run/a', 'key': ''}, {'node': ''}, ('a', '/run/a', ())),
    ({}, {'node': 'a', 'instruction_file': '/a', 'key': SECRET, 'key2': SECRET + '!'}, {},
     ('a', '/a', KEYS))])
def test_dns_uses_options_of_the_agents_section_as_defaults(default, agent, own, expected):
    parsed = dns_options(REQUIRED | own, default=default, agent=agent)
    assert (parsed.node, parsed.instruction_file, parsed.cookie_keys) == expected
    assert all(len(key) == 16 for key in parsed.cookie_keys)
    assert parsed.nsid == b''


def test_a_fault_in_an_agents_option_that_dns_uses_is_reported():
    wrong = {'key': 'short', 'node': '-', 'instruction_file': '', 'colour': 'blue'}
    assert refused(dns_options, REQUIRED, agent=wrong) == [
        'lb-server.conf, [lb-agent], node = -: must be a name of letters, digits, ".", "_" and '
        '"-", at most 63',
        'lb-server.conf, [lb-agent], key = ...: must have 16 characters or more, on one line']
    assert dns_options(REQUIRED | {'node': 'a', 'cookie_key': HEX}, agent=wrong).node == 'a'
    assert refused(dns_options, REQUIRED, default={'key2': 'short'}) == [
        'lb-server.conf, [DEFAULT], key2 = ...: must have 16 characters or more, on one line']


@pytest.mark.parametrize(('name', 'known'), [
    ('peers', True), ('zone', True), ('interval', True), ('rrl_slip', True), ('log_name', True),
    ('intervall', False), ('rrl_slipp', False)])
def test_the_section_default_may_have_options_of_both_daemons(conf, name, known):
    values = {'zone': 'lb.example.com', 'peers': '', 'interval': '2', 'rrl_slip': '2'}
    default = section({name: values.get(name, 'x')}, 'DEFAULT')
    path = conf(default + section({}, 'lb-agent') + section(REQUIRED))
    if known:
        assert isinstance(read(path), DnsOptions)
        assert isinstance(agents.read(path), agents.AgentOptions)
        return
    for do in read, agents.read:
        assert refused(do, path) == [
            f'{path}, [DEFAULT], {name} = x: unknown option; did you mean {name[:-1]}?']


def test_the_agents_own_options_are_refused_in_lb_dns():
    assert refused(dns_options, REQUIRED | {'peers': 'a'})[0].startswith(
        WHERE + 'peers = a: unknown option; the options are node, zone')


def test_a_host_name_unfit_as_node_name_must_be_overridden(monkeypatch):
    monkeypatch.setattr(socket, 'gethostname', lambda: '-' * 70)
    assert refused(dns_options, REQUIRED)[0].startswith(WHERE + 'node: must be set')
    assert dns_options(REQUIRED, agent={'node': 'a'}).node == 'a'


# -- wrong values: the option, its text, and a part of the sentence

NAME, FULL = 'must be a domain name, such as lb.example.com', 'must be a full name'
OUTSIDE = 'must be in the zone lb.example.com'
WRONG = [
    ('node', '-x', 'must be a name of letters, digits'),
    ('zone', 'lb', FULL), ('zone', '@', FULL), ('zone', '.', NAME), ('zone', 'a..b', NAME),
    ('zone', '-a.b', NAME), ('zone', 'a b.c', NAME), ('zone', '*.lb.example.com', NAME),
    ('zone', 'b\u00fccher.example', NAME), ('zone', r'\097.example.com', NAME),
    ('zone', '192.0.2.1', NAME), ('zone', 'a' * 64 + '.b', NAME),
    ('zone', 'a.' * 101, 'must have 200 characters at most'),
    ('names', 'swift', "'swift' " + OUTSIDE + ': write swift.lb.example.com'),
    ('names', '*.swift', "'*.swift' " + OUTSIDE + ': write *.swift.lb.example.com'),
    ('names', 'a.example.org, @', "'a.example.org' " + OUTSIDE),
    ('names', 'example.com', "'example.com' " + OUTSIDE),
    ('names', 'xlb.example.com', "'xlb.example.com' " + OUTSIDE), ('names', '*', f"'*' {NAME}"),
    ('names', 'a.*.lb.example.com', NAME), ('names', '*.@', NAME),
    ('names', 'b, c', "'b' must be in the zone lb.example.com: write b.lb.example.com; 'c' must"),
    ('ns', 'ns1', "'ns1' " + OUTSIDE + ': write ns1.lb.example.com'),
    ('ns', 'ns1=192.0.2.1', OUTSIDE + ': write ns1.lb.example.com'),
    ('ns', 'ns1.lb.example.com', 'must have an address, ns1.lb.example.com=IP'),
    ('ns', 'ns.example.org=192.0.2.1', 'must have no address, as it is not in the zone'),
    ('ns', '@=192.0.2.1', 'must not be the zone itself'),
    ('ns', 'lb.example.com=192.0.2.1', 'must not be the zone itself'),
    ('ns', 'a.lb.example.com=::', "'::' is unspecified"),
    ('ns', 'a.lb.example.com=ns', "'ns' must be an IP address"),
    ('ns', 'a.lb.example.com=1.1.1.1 a.lb.example.com=1.1.1.1',
     'a.lb.example.com=1.1.1.1 is there twice'),
    ('ns', 'a.lb.example.com=', 'must be HOST or HOST=IP'), ('ns', '=1.1.1.1', 'must be HOST or'),
    ('ns', '192.0.2.1', "'192.0.2.1' must have another host: '192.0.2.1' " + NAME),
    ('ns', 'a.lb.example.com=127.0.0.1',
     'ns: 127.0.0.1 of a.lb.example.com is of the loopback interface, and the proxies are not'),
    ('hostmaster', 'ops', 'must be a mail address'), ('hostmaster', '@', 'must be a mail'),
    ('hostmaster', 'a b@c.d', 'must be a mail'), ('hostmaster', 'a@b@c.d', 'must be a mail'),
    ('hostmaster', 'a@' + 'b.' * 126 + 'c', 'must be a mail'),
    ('hostmaster', '\u00e4@b.c', 'must be a mail'), ('hostmaster', 'a' * 64 + '@b.c', 'must be a'),
    ('proxies', 'n1', "'n1' must be NODE=IP"), ('proxies', 'n1=', 'must be NODE=IP'),
    ('proxies', '=192.0.2.1', 'must be NODE=IP'), ('proxies', '192.0.2.1', 'must be NODE=IP'),
    ('proxies', '-n=192.0.2.1', "must have another node: '-n' must be a name"),
    ('proxies', 'n1=proxy1.example.com', "'proxy1.example.com' must be an IP address"),
    ('proxies', 'n1=192.0.2.1:8080', 'must be an IP address'),
    ('proxies', 'n1=192.0.2.1, n1=192.0.2.1', '192.0.2.1 is there twice, of n1 and of n1'),
    ('proxies', 'n1=2001:db8::1, n2=2001:DB8:0::1', '2001:db8::1 is there twice, of n1 and of n2'),
    ('proxies', 'n1=192.0.2.1, n1=192.0.2.2',
     'n1 has two IPv4 addresses, 192.0.2.1 and 192.0.2.2'),
    ('proxies', 'n1=2001:db8::1, n1=2001:db8::2', 'n1 has two IPv6 addresses'),
    ('proxies', 'n1=0.0.0.0', "'0.0.0.0' is unspecified"), ('proxies', 'n1=::', 'is unspecified'),
    ('proxies', 'n1=0.1.2.3', 'is unspecified'), ('proxies', 'n1=224.0.0.1', 'is multicast'),
    ('proxies', 'n1=ff02::1', 'is multicast'), ('proxies', 'n1=255.255.255.255', 'is broadcast'),
    ('proxies', 'n1=169.254.1.1', 'is link-local'), ('proxies', 'n1=fe80::1', 'is link-local'),
    ('proxies', 'n1=fe80::1%eth0', 'is link-local'), ('proxies', 'n1=240.0.0.1', 'is reserved'),
    ('proxies', 'n1=::ffff:192.0.2.1', 'is IPv4-mapped'),
    ('proxies', 'n1=192.0.2.1, n2=127.0.0.1', '127.0.0.1 of n2 is of the loopback interface'),
    ('proxies', 'n1=192.0.2.1, n1=::1', '::1 of n1 is of the loopback interface'),
    ('mode', 'members', 'must be one of ordered, membership, auto, single, all, rfc2136'),
    ('ttl', '0', 'must be a whole number from 1 to 86400'), ('ttl', '', 'must be a whole number'),
    ('patience', '-1', 'from 0 to 86400'),
    ('ttl_min', '61', 'ttl_min = 61: must not be more than ttl = 60'),
    ('ns_ttl', str(2**31), 'from 1 to 2147483647'), ('negative_ttl', '-1', 'from 1 to 86400'),
    ('refresh', '0', 'from 1 to'), ('retry', 'x', 'from 1 to'), ('expire', '1.5', 'from 1 to'),
    ('https', 'alpn=h2', 'must be the data of one HTTPS record, such as 1 . alpn'),
    ('https', '1 . alpn=h2\n2 . alpn=h3', 'must be the data of one HTTPS record'),
    ('https', '1 . port=99999', 'must be the data of one'), ('https', '1', 'must be the data of'),
    ('https', '1 . mandatory=alpn', 'must be the data of'), ('https', r'\# 1 ff', 'must be the'),
    ('https', '1 . key65000=' + 'x' * 600, 'must be the data of'),
    ('https', '0 other.example.com.', 'must be of the name itself'),
    ('https', '1 other.example.com. alpn=h2', 'must be of the name itself'),
    ('https', '1 . ipv4hint=192.0.2.1', 'must be without ipv4hint'),
    ('https', '1 . ipv6hint=2001:db8::1 ipv4hint=192.0.2.1', 'without ipv4hint and ipv6hint'),
    ('https', r'\# 11 000100 0004 0004 c0000201', 'must be without ipv4hint'),
    ('bind_ip', '0.0.0.0, localhost', "'localhost' must be an IP address"),
    ('bind_port', '0', 'from 1 to 65535'), ('workers', '65', 'from 1 to 64'),
    ('tcp_clients', '0', 'from 1 to'), ('tcp_timeout', '0', 'must be a number from 0.1 to 3600'),
    ('rrl_rate', '-1', 'from 0 to'), ('rrl_slip', 'yes', 'from 0 to'),
    ('rrl_exempt', '192.0.2.1/24', "'192.0.2.1/24' must be a network: write 192.0.2.0/24"),
    ('rrl_exempt', 'home', "'home' must be a network, such as 192.0.2.0/24"),
    ('rrl_exempt', '192.0.2.0/33', 'must be a network, such as'),
    ('cookie_key', HEX[1:], 'cookie_key = ...: must be 32 hexadecimal digits'),
    ('cookie_key', 'g' + HEX[1:], 'cookie_key = ...: must be 32 hexadecimal digits'),
    ('cookie_key', HEX + HEX, 'must be 32'), ('cookie_key', '\uff11' * 32, 'must be 32'),
    ('cookie_key2', HEX, 'cookie_key2: holds beside cookie_key while keys are changed'),
    ('nsid', 'a b', 'must be letters, digits and signs, 64 at most'), ('nsid', 'a' * 65, 'at most'),
    ('proxy_port', '65536', 'from 0 to 65535'), ('http_port', '0', 'from 1 to 65535'),
    ('http_ip', 'localhost', 'must be an IP address'), ('http_ip', '::1 ::2', 'must be an IP'),
    ('http_key', 'short', 'http_key = ...: must have 16 characters or more'),
    ('update_server', '::1', 'an IPv6 address must be in brackets'),
    ('update_server', 'a:0', "the port of 'a:0' must be a whole number"),
    ('update_server', 'a, b', 'must be one HOST or HOST:PORT'),
    ('update_key', 'abc', 'update_key = ...: must be base64 of 16 bytes or more'),
    ('update_key', '\u00e4' * 32, 'update_key = ...: must be base64'),
    ('update_key', BASE64, 'update_key_name: must be set, as update_key is'),
    ('update_key_name', 'a', 'update_key: must be set, as update_key_name is'),
    ('update_key_name', 'a b', 'update_key_name = ...: ' + NAME),
    ('update_algorithm', 'hmac-md5', 'one of hmac-sha256, hmac-sha384, hmac-sha512'),
    ('update_interval', '0', 'must be a number from 0.1 to 3600'),
]


@pytest.mark.parametrize(('name', 'text', 'sentence'), WRONG)
def test_each_wrong_value_is_reported_in_one_sentence(name, text, sentence):
    fault, *more = refused(dns_options, REQUIRED | {name: text})
    assert more == []
    assert fault.startswith(WHERE)
    assert sentence in fault
    assert name in fault
    assert '\n' not in fault


def test_every_option_has_a_wrong_value_in_these_tests():
    assert {name for name, _text, _sentence in WRONG} == OPTIONS.keys() - {'instruction_file'}
    assert set(OPTIONS) == set(NAMES['lb-dns'])


@pytest.mark.parametrize(('changed', 'sentence'), [
    ({'names': 'ns1.lb.example.com'}, 'must be none of the names that mean the proxies'),
    ({'ttl': '20', 'ttl_min': '21'}, 'ttl_min = 21: must not be more than ttl = 20'),
    ({'ns': ''}, 'ns: must be set'), ({'zone': ''}, 'zone: must be set'),
    ({'proxies': ''}, 'proxies: must be set'),
    *((UPDATING | {name: ''}, f'{name}: must be set, to ') for name in (
        'update_server', 'update_key_name', 'update_key')),
    ({'names': '*.swift.lb.example.com', 'ns': 'swift.lb.example.com=192.0.2.1'}, None),
    ({'names': '@, *.swift.lb.example.com', 'ns': 'ns.elsewhere.net'}, None),
    ({'ttl': '20'}, None), ({'ttl': '20', 'ttl_min': '20'}, None), (UPDATING, None),
    (UPDATING | {'ns': ''}, None), ({'cookie_key': HEX, 'cookie_key2': HEX}, None)])
def test_options_that_contradict_each_other_are_refused(changed, sentence):
    if sentence is None:
        assert isinstance(dns_options(REQUIRED | changed), DnsOptions)
        return
    fault, = refused(dns_options, REQUIRED | changed)
    assert fault.startswith(WHERE)
    assert sentence in fault


def test_all_faults_are_reported_with_file_section_and_option(conf):
    path = conf('''
[DEFAULT]
workers = 0
[lb-agent]
node = -
key2 = short
[lb-dns]
zone = lb.example.com
names = a, b.example.org
ns = ns1, ns2.lb.example.com
proxies = n1=192.0.2.1, n1=192.0.2.2, n2=x
ttl = 20
ttl_min = 30
mode = best
cookie_key2 = 12
zones = a
[lb-dns:more]
''')
    faults = refused(read, path)
    for where, beginning in (
            ('[DEFAULT]', 'workers = 0'), ('[lb-agent]', 'node = -'),
            ('[lb-dns]', 'names = a, b.example.org'), ('[lb-dns]', 'ns = ns1, '),
            ('[lb-dns]', 'proxies = n1=192'), ('[lb-dns]', 'ttl_min = 30'),
            ('[lb-dns]', 'mode = best'), ('[lb-dns]', 'cookie_key2 = ...'),
            ('[lb-dns]', 'zones = a: unknown option; did you mean zone?')):
        assert [line for line in faults if line.startswith(f'{path}, {where}, {beginning}')]
    assert f'{path}, [lb-dns:more]: unknown section; that of DNS is [lb-dns]' in faults
    assert len(faults) == 10
    names, ns, proxies = (next(line for line in faults if f', {name} = ' in line)
                          for name in ('names', 'ns', 'proxies'))
    assert "'a' must" in names
    assert "'b.example.org' must" in names
    assert "'ns1' must" in ns
    assert "'ns2.lb.example.com' must" in ns
    assert 'n1 has two' in proxies
    assert "'n2=x' must" in proxies


def test_the_options_an_empty_lb_dns_section_lacks_are_named():
    assert [WHERE + name for name in ('zone', 'proxies', 'ns')] == [
        fault.partition(': must be set, to ')[0] for fault in refused(dns_options, {})]


def test_a_wrong_zone_is_not_reported_again_for_its_names():
    assert len(refused(dns_options, REQUIRED | {'zone': 'lb', 'names': 'a', 'ns': 'ns1'})) == 1


# -- any text

PIECES = st.sampled_from([
    '@', '*', '*.', '.', ',', ' ', '=', ':', '[', ']', '/', '%', '-', '\\', '"', ';', '#', '\n  ',
    'lb.example.com', 'ns1.lb.example.com', 'a', 'n1', '192.0.2.1', '127.0.0.1', '2001:db8::1',
    '::1', 'fe80::1%lo', '0', '1', '53', '99999', '1 . ', 'alpn=h2', 'port=443', 'ipv4hint=',
    'mandatory=', 'key65000', r'\# 3 000100', '\u00e4', '\u0661', '\x00', '\x85', HEX, BASE64])
VALUES = st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=8).map(''.join),
                   st.text(string.ascii_letters + string.digits + '.', max_size=300))
SECTIONS = st.dictionaries(st.one_of(st.sampled_from(sorted(OPTIONS)), st.text(max_size=8)), VALUES,
                           max_size=6)


def read_or_refused(do, *args, **kwargs):
    """Fail unless do() returns DnsOptions, or raises a ConfigError with sentences."""
    try:
        parsed, faults = do(*args, **kwargs), ()
    except ConfigError as err:
        parsed, faults = None, err.faults
    assert isinstance(parsed, DnsOptions) != bool(faults)
    assert all(isinstance(fault, str) and fault for fault in faults)


@settings(max_examples=400, deadline=None)
@given(SECTIONS, SECTIONS, SECTIONS, st.booleans())
def test_arbitrary_values_give_options_or_a_configerror(conf, default, agent, complete):
    conf = REQUIRED | conf if complete else conf
    read_or_refused(dns_options, conf, default=default, agent=agent)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(['\n[lb-dns]\n', '\n[DEFAULT]\n', '\n[lb-agent]\n']),
                          st.tuples(st.sampled_from(sorted(OPTIONS)), VALUES).map(
                              lambda pair: f'{pair[0]} = {pair[1]}\n'), VALUES), max_size=10))
def test_an_arbitrary_file_gives_options_or_a_configerror(tmp_path_factory, lines):
    path = tmp_path_factory.getbasetemp() / 'any.conf'
    path.write_text(section(REQUIRED) + ''.join(lines), encoding='utf-8', errors='ignore')
    read_or_refused(read, str(path))
