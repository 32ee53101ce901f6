"""Prepared answers are, byte by byte, the answers that are built in full."""
import random

import pytest
from support.dns_corpus import CLIENT_COOKIE, COOKIE, CORPUS, DO, NSID, RD, opt, option, query
from support.zone_options import CLIENT, NAME, ZONE, instruction, proxies, responder

from swift_lb.zone.prepared import MAX_PATTERNS

COOKIED = opt(1232, flags=DO, options=option(COOKIE, CLIENT_COOKIE))
PRIMERS = [
    *CORPUS.values(), query('a.b.' + NAME, 'A'), query('ab.' + NAME, 'A', COOKIED),
    query('ab.' + ZONE, 'A', COOKIED), query('ab.' + ZONE, 'AAAA'), query('ab.example.org.', 'A'),
    query(NAME, 'A', COOKIED), query(NAME, 'HTTPS', COOKIED), query(ZONE, 'NS', COOKIED),
    query(NAME, 'A', opt(options=option(NSID) + option(COOKIE, CLIENT_COOKIE))),
    query(NAME, 'A', opt(options=option(COOKIE, CLIENT_COOKIE + bytes(16))))]


OTHERS = '198.51.100.7', '2001:db8::7'      # clients with cookies of their own


def one_proxy():
    """Return a Responder whose answers are always the same: there is one proxy."""
    return responder(instruction({'n1': 1.0}), proxies=proxies(1))


@pytest.fixture(scope='module')
def primed():
    """Return a Responder that has answered all PRIMERS, so that it has prepared answers."""
    server = one_proxy()
    for data in PRIMERS:
        server.udp(data, CLIENT, 1.0)
    return server


@pytest.fixture(scope='module')
def long_way():
    """Return a function that answers a query as a Responder without prepared answers does."""
    server = one_proxy()

    def answer(data, ip=CLIENT):
        server._forget()
        return server.udp(data, ip, 1.0)
    return answer


def test_a_prepared_answer_gets_the_clients_own_cookie(primed, long_way):
    for data in PRIMERS:
        for ip in (*OTHERS, CLIENT):
            assert primed.udp(data, ip, 1.0) == long_way(data, ip), (data, ip)


def test_a_changed_byte_leads_to_no_wrong_prepared_answer(primed, long_way):
    rng = random.Random(1)
    for data in PRIMERS:
        for at in range(len(data)):
            for byte in {0, 1, data[at] ^ 0x20, data[at] ^ 0x80, 0xc0, rng.randrange(256)}:
                other = data[:at] + bytes([byte]) + data[at + 1:]
                assert primed.udp(other, CLIENT, 1.0) == long_way(other), other


def test_bytes_cut_or_added_lead_to_no_wrong_prepared_answer(primed, long_way):
    rng = random.Random(2)
    for data in PRIMERS:
        for _time in range(20):
            at, end = sorted(rng.randrange(len(data) + 1) for _end in range(2))
            for other in (data[:at] + data[end:], data[:at] + rng.randbytes(3) + data[at:],
                          data[:end] + data[at:]):
                assert primed.udp(other, CLIENT, 1.0) == long_way(other), other


@pytest.mark.parametrize('name', [NAME, 'name-1.' + NAME, 'name-1.x.' + NAME, 'name-1.' + ZONE])
@pytest.mark.parametrize('record', [b'', opt(1232, flags=DO), COOKIED])
def test_prepared_answers_repeat_the_querys_case_and_cookie(primed, long_way, name, record):
    rng, asked = random.Random(3), query(name, 'A', record, flags=RD)
    for number in range(100):
        data = bytearray(asked.replace(CLIENT_COOKIE, rng.randbytes(8)))
        data[:2] = rng.randbytes(2)
        for at in range(13, 12 + len(name)):
            if chr(data[at]).isalpha() and rng.random() < .5:
                data[at] ^= 0x20
        data = bytes(data).replace(b'-1', b'-%d' % (number % 10))
        assert primed.udp(data, CLIENT, 1.0) == long_way(data)


def patterns(server):
    """Return the number of patterns of queries for which a Responder has prepared answers."""
    return sum(1 for _pattern in server._patterns)


@pytest.mark.parametrize('queries', [
    [query(NAME, 'A'), query(NAME.upper(), 'A'), query(NAME.title(), 'A')],
    [query(NAME, 'A', opt(options=option(COOKIE, bytes([number]) * 8))) for number in range(9)],
    [query(f'name-{number}.{NAME}', 'A') for number in range(10)],
    [query(f'name-{number}.{ZONE}', 'A') for number in range(10)]])
def test_queries_alike_but_for_id_case_or_cookie_share_a_pattern(queries):
    server = responder()
    for data in queries:
        server.udp(data, CLIENT, 1.0)
    assert 1 == patterns(server)


def test_a_name_in_the_zone_has_an_answer_pattern_of_its_own():
    """`swift` and `other` are equally long; only `swift` is a name in the zone."""
    server = responder()
    for name in ('other.' + ZONE, NAME, 'other.' + ZONE):
        server.udp(query(name, 'A'), CLIENT, 1.0)
    assert 2 == patterns(server)
    assert [['A', 'nxdomain', 2], ['A', 'answer', 1]] == server.document(1.0)['queries']


def test_the_number_of_prepared_answers_is_bounded():
    server = responder()
    for number in range(MAX_PATTERNS + 10):
        server.udp(query(NAME, 'A', opt(512 + number)), CLIENT, 1.0)
    assert 10 == patterns(server)
    assert [['A', 'answer', MAX_PATTERNS + 10]] == server.document(1.0)['queries']
