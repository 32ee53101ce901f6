"""Domain names as typed; the console and the DNS server agree on what a name of a zone is."""
import json

import pytest
from support.agent_stub import name_server
from support.dns_reports import options

from swift_lb.console.dns_page import parse
from swift_lb.console.dns_words import name_of, standing
from swift_lb.errors import StatusError
from swift_lb.zone.data import Zone
from swift_lb.zone.records import A, text_of, wire_of

NAMES = ('lb.example.com', '*.s3.lb.example.com', 'deep.er.lb.example.com')
PAGE = parse(json.dumps(name_server(names=NAMES, ns={
    'ns1.lb.example.com': ['192.0.2.1'], 'ns.elsewhere.net': []})).encode(), 'http://h')
ALIKE = {('nxdomain', False): ('missing', 'outside'), ('refused', False): ('outside',),
         ('nodata', False): ('empty', 'zone'), ('answer', True): ('proxies',),
         ('answer', False): ('server',)}


@pytest.mark.parametrize(('written', 'name'), [
    ('lb.example.com', 'lb.example.com'), ('LB.Example.COM.', 'lb.example.com'),
    (' lb.example.com ', 'lb.example.com'), ('münchen.example', 'xn--mnchen-3ya.example'),
    ('MÜNCHEN.example', 'xn--mnchen-3ya.example'), ('*.s3.example', '*.s3.example')])
def test_typed_domain_names_are_normalised(written, name):
    assert name == text_of(name_of(written))


@pytest.mark.parametrize('written', ['a..b', 'x' * 64 + '.example', '.a', 'a' + '.b' * 127,
                                     'ü' * 64])
def test_an_invalid_domain_name_is_refused(written):
    with pytest.raises(StatusError, match='is not a domain name: '):
        name_of(written)


@pytest.mark.parametrize(('name', 'what', 'covering'), [
    ('lb.example.com', 'proxies', 'lb.example.com'),
    ('bucket.s3.lb.example.com', 'proxies', '*.s3.lb.example.com'),
    ('a.bucket.s3.lb.example.com', 'proxies', '*.s3.lb.example.com'),
    ('*.s3.lb.example.com', 'proxies', '*.s3.lb.example.com'),
    ('s3.lb.example.com', 'empty', None),
    ('er.lb.example.com', 'empty', None),
    ('deep.er.lb.example.com', 'proxies', 'deep.er.lb.example.com'),
    ('s.er.lb.example.com', 'missing', None),
    ('ns1.lb.example.com', 'server', 'ns1.lb.example.com'),
    ('x.ns1.lb.example.com', 'missing', None),
    ('nothing.lb.example.com', 'missing', None),
    ('example.com', 'outside', None),
    ('notlb.example.com', 'outside', None),
    ('ns.elsewhere.net', 'outside', None),
    ('.', 'outside', None),
])
def test_console_and_dns_server_classify_each_name_alike(name, what, covering):
    result, by = standing(name_of(name), PAGE)
    assert (what, covering) == (result, by and text_of(by))
    zone = Zone(options(names=', '.join(NAMES), ns='ns1.lb.example.com=192.0.2.1, ns.elsewhere.net'
                        ), 1, 60)
    answer = zone.find(wire_of(name_of(name)), A, 1)
    assert what in ALIKE[answer.result, answer.sequence is not None]


def test_an_apex_without_proxy_addresses_is_classified_as_zone():
    page = PAGE._replace(names=('www.lb.example.com',))
    assert 'zone' == standing(name_of('lb.example.com'), page)[0]
