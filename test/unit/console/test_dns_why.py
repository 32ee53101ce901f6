"""`swift-lb why --dns`, and each error of fetching the answer."""
import json

import pytest
from support.agent_stub import AgentStub, family, name_server, proxy

from swift_lb.cli import main
from swift_lb.console import dns_page
from swift_lb.console.dns_words import answers_of, reason

ONE = proxy(1, target=0.45, chance=0.9, given=900, expected=900.0, given_share=0.451)
TWO = proxy(2, target=0.55, chance=1.0, given=12_000, expected=11_999.7, given_share=0.549,
            reachable=False, unreachable='Connection refused')
LATE = proxy(3, state='late', left_out='late', target=0.0, chance=0.0, given=100, expected=100.0,
             given_share=0.0)
PAGE = name_server(family(ONE, TWO, LATE), names=['lb.example.com', '*.s3.lb.example.com'],
                   suspects=['p3'], ttl=30)


@pytest.fixture
def agent():
    """Yield an AgentStub that serves PAGE, the document of a DNS service."""
    with AgentStub() as one:
        one.dns = PAGE
        yield one


def why(agent, *words):
    """Return the exit status of `why --dns`."""
    return main(['why', '--url', agent.url, '--dns', *words])


def test_why_dns_prints_addresses_with_shares_and_reasons(agent, capsys):
    assert 0 == why(agent, 'Photos.s3.lb.example.com.')
    assert [
        'photos.s3.lb.example.com resolves to the proxies, by *.s3.lb.example.com, in the zone '
        'lb.example.com',
        f'as p1 ({agent.url}) answers: TTL 30 s (usually 60 s, less while the state of a '
        'node may change soon: p3), serial 12, 40 resolvers seen in a TTL',
        '',
        'A: 2 of 3 addresses in an answer, mode membership', 'in an',
        'node address state target given answer answers expected why',
        'p1 10.0.0.1 up 45.0% 45.1% 90.0% 900 900 in as many answers as its share is due',
        'p2 10.0.0.2 up 55.0% 54.9% 100.0% 12,000 12,000 in all answers: a share above 1/2 is '
        'not possible; not reached from p1: Connection refused',
        'p3 10.0.0.3 late 0.0% 0.0% 0.0% 100 100 left out: its report is overdue',
    ] == [' '.join(line.split()) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(('changed', 'lines'), [
    ({'without_instruction': 'none', 'ttl': 60},
     ['answers: TTL 60 s, serial 12, 40 resolvers seen in a TTL',
      'without an instruction all have equal chances: none']),
    ({'mode': 'rfc2136', 'serial': None, 'without_instruction': 'none', 'ttl': 60,
      'families': [family(proxy(1), mode='rfc2136')]},
     ['updates the server of the zone: TTL 60 s',
      'without an instruction no update is sent: none']),
    ({'ttl': None, 'serial': None, 'families': [family(ONE, mode=None)]},
     ['does not answer: none of its processes has reported yet', ''])])
def test_the_heading_says_how_the_dns_service_answers(agent, capsys, changed, lines):
    agent.dns = PAGE | changed
    assert 0 == why(agent, 'lb.example.com')
    out = capsys.readouterr().out
    assert [f'as p1 ({agent.url}) {lines[0]}'.removeprefix(
        '' if changed['ttl'] else 'as '), lines[1]] == out.splitlines()[1:3]
    assert ('the same chance as all others' in out) == ('without_instruction' in changed)


@pytest.mark.parametrize(('name', 'sentence'), [
    ('ns1.lb.example.com', 'ns1.lb.example.com is a host that serves the zone lb.example.com: '
                           '10.0.0.1, whatever the load'),
    ('x.lb.example.com', 'x.lb.example.com does not exist in the zone lb.example.com (NXDOMAIN); '
                         'the proxies are lb.example.com, *.s3.lb.example.com'),
    ('s3.lb.example.com', 's3.lb.example.com has no records in the zone lb.example.com: it exists '
                          'because of names below it (NODATA); the proxies are lb.example.com, '
                          '*.s3.lb.example.com'),
])
def test_a_name_without_proxies_is_described_in_one_sentence(agent, capsys, name, sentence):
    assert 0 == why(agent, name)
    assert f'{sentence}\n' == capsys.readouterr().out


def test_a_name_outside_the_zone_is_refused_in_one_sentence(agent, capsys):
    assert 1 == why(agent, 'www.example.org')
    assert ('', 'swift-lb why: www.example.org is not in the zone lb.example.com, the only zone of '
                'p1\n') == capsys.readouterr()


def test_why_dns_json_has_every_address_and_its_reason(agent, capsys):
    assert 0 == why(agent, 'LB.example.com', '--json')
    document = json.loads(capsys.readouterr().out)
    assert ('lb.example.com', 'proxies', agent.url, 30, 12) == tuple(
        document[name] for name in ('name', 'is', 'url', 'ttl', 'serial'))
    assert [dict(ONE, reason='in as many answers as its share is due'),
            dict(LATE, reason='left out: its report is overdue')
            ] == document['families'][0]['proxies'][::2]
    assert 0 == why(agent, 'ns1.lb.example.com', '--json')
    assert [] == json.loads(capsys.readouterr().out)['families']


def test_the_status_key_is_sent_to_the_dns_service(agent, capsys):
    agent.key = 'geheim'
    assert [0, 1] == [why(agent, 'lb.example.com', '--key', 'geheim'), why(agent, 'lb.example.com')]
    assert [('/v1/dns', 'geheim'), ('/v1/dns', None)] == agent.requests
    assert f'swift-lb why: {agent.url}: the key is another\n' == capsys.readouterr().err


@pytest.mark.parametrize('words', [['why'], ['why', 'a/c/o', '--dns', 'lb.example.com']])
def test_why_takes_either_an_object_or_a_dns_name(words, capsys):
    with pytest.raises(SystemExit) as left:
        main(words)
    assert 2 == left.value.code
    assert '\nswift-lb why: error: ' in capsys.readouterr().err


def page(*families, **more):
    """Return the DnsPage parsed from name_server() of these arguments."""
    return dns_page.parse(json.dumps(name_server(*families, **more)).encode(), 'http://h')


@pytest.mark.parametrize(('one', 'mode', 'words'), [
    (proxy(1, target=0.5, chance=1.0), 'membership', 'in as many answers as its share is due'),
    (proxy(1, target=0.3, chance=1.0), 'membership',
     'in more answers than its share is due: another node can not get all of its share'),
    (proxy(1, left_out='asleep'), 'membership', 'left out: it is asleep'),
    (proxy(1, state='rejected'), 'membership', 'it is rejected, but in answers because the '
                                               'others are no better'),
    (proxy(1), 'ordered', 'all are in each answer, the least loaded first more often; most '
                          'resolvers shuffle them'),
    (proxy(1), 'all', 'all are in each answer, in random order'),
    (proxy(1), 'of a later version', '-'),
    (proxy(1), None, '-'),
])
def test_each_proxys_share_of_dns_answers_has_a_reason(one, mode, words):
    result = page(family(one, proxy(2), mode=mode))
    assert words == reason(result.families[0].proxies[0], result.families[0], result)


def test_a_sentence_says_how_dns_chooses_addresses():
    result = page(family(ONE, TWO, mode='all', panic=True), mode='auto')
    assert ('A: 2 of 2 addresses in an answer, mode auto, now all; panic: most nodes are unfit, '
            'so that these are in answers too') == answers_of(result.families[0], result)
    assert 'A: not answered' == answers_of(page(family(ONE, mode=None)).families[0], result)
