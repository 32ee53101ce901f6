"""One process's answers, by the query, its client, the rate of queries, and the Instruction."""
import ipaddress

import dns.flags
import dns.message
import dns.rcode
import pytest
from support.dns_corpus import (
    CLIENT_COOKIE,
    COOKIE,
    CORPUS,
    DO,
    LONG,
    NSID,
    RD,
    SUBNET,
    message,
    opt,
    option,
    query,
)
from support.zone_options import (
    CLIENT,
    KEY,
    NAME,
    WALL,
    ZONE,
    asked,
    instruction,
    name_of,
    proxies,
    responder,
)

from swift_lb.zone.cookie import Cookies

A, MIXED = query(NAME, 'A'), query('sWIfT.lB.exAMple.coM.', 'A', flags=RD)


def addresses(result):
    """Return the set of addresses in an answer."""
    return {rdata.address for rrset in result.answer for rdata in rrset}


def counted(server):
    """Return {(query type, result): queries} of what a Responder counted, without zeros."""
    return {(kind, result): count
            for kind, result, count in server.document(1.0)['queries'] if count}


# -- what is asked


@pytest.mark.parametrize('tcp', [False, True])
@pytest.mark.parametrize('name', ['an answer', 'a header of an answer', 'nothing', 'half a header'])
def test_messages_that_are_responses_are_not_answered(name, tcp):
    assert asked(responder(), CORPUS[name], tcp=tcp) is None
    wire = bytearray(CORPUS[name])
    if len(wire) > 2:
        for opcode in range(16):
            wire[2] = 0x80 | opcode << 3
            assert asked(responder(), bytes(wire), tcp=tcp) is None


@pytest.mark.parametrize(('name', 'rcode', 'questions', 'edns'), [
    ('a header', 'FORMERR', 0, -1), ('two questions', 'FORMERR', 0, -1),
    ('two OPT records', 'FORMERR', 0, -1), ('a name that is too long', 'FORMERR', 0, -1),
    ('something behind the question', 'FORMERR', 0, -1), ('a cookie of 9 bytes', 'FORMERR', 1, 0),
    ('a subnet with a scope', 'FORMERR', 1, 0), ('a signature', 'NOTAUTH', 1, -1),
    ('opcode 2', 'NOTIMP', 0, -1), ('opcode 4', 'NOTIMP', 0, -1), ('opcode 5', 'NOTIMP', 0, -1),
    ('opcode 15', 'NOTIMP', 0, -1), ('EDNS of version 255', 'BADVERS', 1, 0)])
def test_malformed_queries_get_an_error_code(name, rcode, questions, edns):
    for tcp in (False, True):
        result = asked(responder(), CORPUS[name], tcp=tcp)
        assert (rcode, questions, edns) == (dns.rcode.to_text(result.rcode()), len(result.question),
                                            result.edns)
        assert [[], [], []] == result.sections[1:]
        assert not result.flags & (dns.flags.AA | dns.flags.TC)


def test_an_answer_repeats_the_id_and_question_of_the_query():
    server = responder()
    for number in (b'\0\0', b'\xff\xff', b'ab'):    # the second and third are prepared
        wire = server.udp(number + MIXED[2:], CLIENT, 1.0)
        assert number + MIXED[12:] == wire[:2] + wire[12:len(MIXED)]
        assert wire[2] & 1


@pytest.mark.parametrize('name', CORPUS)
def test_prepared_answers_equal_fully_built_ones(name):
    one, other = responder(instruction()), responder(instruction())
    for _time in range(3):      # TCP prepares nothing, and cuts nothing off
        short = one.udp(CORPUS[name], CLIENT, 1.0)
        if not short or not short[2] & 2:
            assert other.tcp(CORPUS[name], CLIENT) == short


@pytest.mark.parametrize('mode', ['ordered', 'all', 'membership', 'single'])
def test_tcp_gives_the_same_sequence_of_answers_as_udp(mode):
    one, other = (responder(instruction(), mode=mode) for _time in range(2))
    for _time in range(50):
        assert other.tcp(A, CLIENT) == one.udp(A, CLIENT, 1.0)


def test_each_query_is_counted_once_by_type_and_result():
    server = responder(instruction())
    for data in (A, A, A, query(NAME, 'TXT'), query('no.' + ZONE, 'AAAA'), query(ZONE, 'TYPE666'),
                 query('.', 'NS'), query('.', 'NS'), CORPUS['EDNS of version 255'],
                 CORPUS['a header'], CORPUS['opcode 5'], CORPUS['a signature'],
                 CORPUS['an answer']):
        server.udp(data, CLIENT, 1.0)
    server.tcp(A, CLIENT)
    server.follow(instruction(generation=8), 2.0)
    server.udp(A, CLIENT, 2.0)
    assert {('A', 'answer'): 5, ('TXT', 'nodata'): 1, ('AAAA', 'nxdomain'): 1,
            ('other', 'nodata'): 1, ('NS', 'refused'): 2, ('A', 'badvers'): 1,
            ('other', 'formerr'): 1, ('other', 'notimp'): 1, ('A', 'notauth'): 1,
            ('other', 'ignored'): 1} == counted(server)


# -- how long an answer is


@pytest.mark.parametrize(('record', 'most'), [
    (b'', 512), (opt(0), 512), (opt(512), 512), (opt(700), 700), (opt(1232), 1232),
    (opt(4096), 1232), (opt(65535, flags=DO), 1232), (opt(512, options=option(NSID)), 512)])
def test_a_udp_answer_that_is_too_long_is_truncated(record, most):
    server = responder(mode='all', proxies=proxies(100))
    data = query(NAME, 'AAAA', record)
    for _time in range(2):
        wire = server.udp(data, CLIENT, 1.0)
        assert most - 28 < len(wire) <= most
        result = dns.message.from_wire(wire)
        assert result.flags & dns.flags.TC
        assert addresses(result)
    whole = asked(server, data, tcp=True)
    assert not whole.flags & dns.flags.TC
    assert 100 == len(addresses(whole))


def test_mode_membership_answers_the_longest_name_in_512_bytes():
    server = responder(proxies=proxies(100))
    for kind, many in (('A', 14), ('AAAA', 8)):
        for record in (b'', opt(512)):
            result = asked(server, query(LONG, kind, record))
            assert not result.flags & dns.flags.TC
            assert many == len(addresses(result))


def test_additional_records_are_left_out_without_setting_tc():
    zone = 'a' * 63 + '.' + 'b' * 63 + '.' + 'c' * 60 + '.'
    server = responder(zone=name_of(zone), names=(name_of(zone),), ns={
        name_of(f'ns{number}.{zone}'): (f'192.0.2.{number}', f'2001:db8::{number}')
        for number in range(1, 9)})
    result = asked(server, query(zone, 'NS'))
    assert not result.flags & dns.flags.TC
    assert 8 == len(result.answer[0])
    assert 0 < len(result.additional) < 16
    assert 16 == len(asked(server, query(zone, 'NS'), tcp=True).additional)


# -- EDNS


def options_of(result):
    """Return {code: data} of the EDNS options of an answer."""
    return {int(one.otype): one.to_wire() for one in result.options}


def test_nsid_is_sent_only_on_request():
    server = responder(nsid=b'node-1')
    requested = query(NAME, 'A', opt(options=option(NSID)))
    assert {NSID: b'node-1'} == options_of(asked(server, requested))
    assert {} == options_of(asked(server, query(NAME, 'A', opt())))
    assert {} == options_of(asked(responder(nsid=b''), requested))


@pytest.mark.parametrize('data', [b'\0\1\x18\0\xc0\0\2', b'\0\1\0\0', b'\0\2\x20\0\x20\1\x0d\xb8'])
def test_the_client_subnet_is_ignored_and_returned_with_scope_0(data):
    """RFC 7871 7.2.1: scope 0, so that the answer is kept for all."""
    result = asked(responder(), query(NAME, 'A', opt(options=option(SUBNET, data))))
    assert {SUBNET: data[:3] + b'\0' + data[4:]} == options_of(result)


# -- cookies


def with_cookie(cookie, kind='A'):
    """Return a query for NAME and the type `kind` with a DNS cookie, in bytes."""
    return query(NAME, kind, opt(options=option(COOKIE, cookie)))


def cookie_of(result):
    """Return the DNS cookie in an answer, in bytes."""
    return options_of(result)[COOKIE]


def test_a_node_accepts_the_cookies_of_other_nodes():
    one, other = responder(), responder(node='n2', nsid=b'n2')
    made = cookie_of(asked(one, with_cookie(CLIENT_COOKIE)))
    assert (CLIENT_COOKIE, 24) == (made[:8], len(made))
    for server in (one, other):
        assert made == cookie_of(asked(server, with_cookie(made)))


@pytest.mark.parametrize('name', ['a cookie of a server', 'a cookie alone'])
def test_a_cookie_that_no_node_made_is_replaced(name):
    result = asked(responder(), CORPUS[name])
    assert (0, CLIENT_COOKIE, 24) == (result.rcode(), cookie_of(result)[:8], len(cookie_of(result)))


def test_a_query_without_a_question_gets_only_a_cookie():
    """RFC 7873 5.4: a client may ask for a cookie alone."""
    result = asked(responder(), CORPUS['a cookie alone'])
    assert [[], [], [], []] == result.sections
    assert not result.flags & dns.flags.AA


def test_an_invalid_cookie_without_a_question_gets_badcookie():
    """RFC 7873 5.4; a query that has a question gets its normal answer instead."""
    server = responder()
    result = asked(server, message((), [opt(options=option(COOKIE, CLIENT_COOKIE + bytes(16)))]))
    assert result.rcode() == dns.rcode.BADCOOKIE
    again = message((), [opt(options=option(COOKIE, cookie_of(result)))])
    assert asked(server, again).rcode() == dns.rcode.NOERROR


def test_a_cookie_is_valid_for_its_client_address_only():
    server = responder()
    made = cookie_of(asked(server, with_cookie(CLIENT_COOKIE)))
    assert made == cookie_of(asked(server, with_cookie(made), ip='::ffff:' + CLIENT))
    for ip in ('192.0.2.54', '2001:db8::53', 'fe80::1%lo'):
        assert made != cookie_of(asked(server, with_cookie(made), ip=ip))


def test_queries_with_cookies_do_not_all_get_the_same_backends():
    server = responder(instruction())
    results = {frozenset(addresses(asked(server, with_cookie(CLIENT_COOKIE))))
               for _time in range(20)}
    assert len(results) > 1


# -- clients that ask too often


def limited(**changes):
    """Return a Responder that has given CLIENT the two answers that it may get in a second."""
    server = responder(**{'rrl_rate': 2, 'rrl_exempt': (), **changes})
    for _time in range(2):
        assert addresses(asked(server, A))
    return server


def test_a_rate_limited_client_gets_an_empty_answer_with_tc():
    server = limited()
    result = asked(server, MIXED)
    assert ([[], [], []], 0) == (result.sections[1:], result.rcode())
    assert result.flags & (dns.flags.TC | dns.flags.RD) == dns.flags.TC | dns.flags.RD
    assert MIXED[12:] == server.udp(MIXED, CLIENT, 1.0)[12:]
    assert addresses(asked(server, MIXED, tcp=True))


def test_an_answer_over_the_rate_is_no_longer_than_the_query():
    """Forging an address gains nothing; an answer's cookie has 16 bytes more than a client's."""
    server = limited(nsid=b'n' * 64)
    for name, data in CORPUS.items():
        answer = server.udp(data, CLIENT, 1.0) or b''
        assert len(answer) <= len(data) + 16 * (CLIENT_COOKIE in data), name


def test_a_client_with_a_valid_cookie_is_not_rate_limited():
    server = limited()
    made = cookie_of(asked(server, with_cookie(CLIENT_COOKIE)))    # which comes with TC
    for _time in range(100):
        assert addresses(asked(server, with_cookie(made)))
    assert not addresses(asked(server, with_cookie(CLIENT_COOKIE + bytes(16))))
    assert not addresses(asked(server, with_cookie(made), ip='192.0.2.54'))


def test_a_prepared_answer_serves_limited_clients_with_a_cookie(monkeypatch):
    server = limited()
    made = cookie_of(asked(server, with_cookie(CLIENT_COOKIE)))
    for _time in range(5):
        asked(server, with_cookie(made))
    monkeypatch.setattr('swift_lb.zone.responder.parse', None)
    assert addresses(asked(server, with_cookie(made)))


def test_a_response_from_a_rate_limited_client_is_not_answered():
    server = limited()
    assert server.udp(CORPUS['an answer'], CLIENT, 1.0) is None


@pytest.mark.parametrize(('slip', 'told'), [(0, 0), (1, 12), (2, 6), (3, 4)])
def test_every_slip_th_query_over_the_rate_is_answered(slip, told):
    server = limited(rrl_slip=slip)
    answers = [server.udp(A, CLIENT, 1.0) for _time in range(12)]
    assert told == 12 - answers.count(None)
    result = counted(server)
    assert (told, 12 - told) == (result.get(('other', 'slipped'), 0),
                                 result.get(('other', 'dropped'), 0))


def test_each_process_limits_to_its_part_of_the_configured_rate():
    """A network's queries, from many ports, are spread over all processes."""
    server = responder(rrl_rate=5, workers=3, rrl_exempt=())
    answers = [asked(server, A) for _time in range(3)]
    assert [True, True, False] == [bool(addresses(each)) for each in answers]


def test_a_limit_ends_after_a_second_and_spares_other_networks():
    server = limited()
    assert addresses(asked(server, A, ip='198.51.100.1'))
    assert addresses(asked(server, A, now=2.5))
    exempt = limited(rrl_exempt=(ipaddress.ip_network('192.0.2.0/24'),))
    assert all(addresses(asked(exempt, A)) for _time in range(100))


# -- what it is told


def test_nodes_with_the_same_instruction_have_equal_soa_serials():
    one, other = responder(instruction(), node='n1'), responder(node='n2', phase=0.5)
    other.follow(instruction(generation=6), 1.0)
    other.follow(instruction(), 2.0)
    assert 7 == soa_of(one).serial == soa_of(other).serial
    one.follow(None, 3.0)
    assert 7 == soa_of(one).serial         # what was said last, until there is something new
    one.follow(instruction(generation=2 ** 32 + 9), 4.0)
    assert 9 == soa_of(one).serial
    one.follow(instruction(generation=2 ** 32), 5.0)
    assert 1 == soa_of(one).serial          # RFC 1982: 0 is best left out


def soa_of(server):
    """Return the SOA record with which a Responder answers for ZONE."""
    return asked(server, query(ZONE, 'SOA')).answer[0][0]


def ttls(server, now=1.0):
    """Return the set of TTLs of the A and AAAA records with which NAME is answered."""
    return {rrset.ttl for kind in ('A', 'AAAA') for rrset in asked(server, query(NAME, kind),
                                                                  now=now).answer}


@pytest.mark.parametrize('state', ['late', 'rejected', 'critical'])
def test_the_ttl_is_shorter_while_a_nodes_state_may_soon_change(state):
    server = responder(instruction())
    assert {60} == ttls(server)
    server.follow(instruction(generation=8, states={'n4': state}), 2.0)
    assert {30} == ttls(server)
    server.follow(instruction(generation=9), 3.0)
    assert {60} == ttls(server)


@pytest.mark.parametrize('state', ['late', 'gone', 'draining', 'disabled'])
def test_a_dead_or_drained_node_is_left_out_at_once(state):
    server = responder(instruction())
    assert {f'192.0.2.{number}' for number in range(1, 5)} == all_addresses(server)
    server.follow(instruction(generation=8, states={'n1': state}), 2.0)
    assert {f'192.0.2.{number}' for number in range(2, 5)} == all_addresses(server)


@pytest.mark.parametrize('state', ['rejected', 'critical'])
def test_an_overloaded_node_is_left_out_after_a_ttl(state):
    server, instructions = responder(instruction()), instruction(generation=8, states={'n1': state})
    for now, many in ((2.0, 4), (61.9, 4), (62.0, 3)):
        server.follow(instructions, now)
        assert many == len(all_addresses(server))
    server.follow(instruction(generation=9), 63.0)
    assert 4 == len(all_addresses(server))


def all_addresses(server, times=50):
    """Return the set of all IPv4 addresses in `times` answers."""
    return set().union(*(addresses(asked(server, A)) for _time in range(times)))


def test_all_proxies_are_answered_without_an_instruction():
    server = responder()
    assert {1: 4, 2: 4} == {time: len(addresses(asked(server, A))) for time in (1, 2)}
    server.follow(instruction(), 1.0)
    assert 2 == len(addresses(asked(server, A)))
    server.follow(None, 2.0)
    assert 4 == len(addresses(asked(server, A)))


def test_an_unchanged_instruction_gets_a_new_sequence_after_a_ttl():
    server = responder(instruction())
    asked(server, A)
    sequence = server.sequences.of(1)
    for second in range(1, 60):
        server.follow(instruction(), float(second))
    assert sequence is server.sequences.of(1)
    server.follow(instruction(), 60.0)
    assert sequence is not server.sequences.of(1)


def test_only_resolvers_that_query_proxy_addresses_are_counted():
    server = responder(instruction(), mode='auto')
    for number in range(40):
        for data in (query('example.org.', 'A'), query(ZONE, 'SOA'), query(NAME, 'TXT')):
            server.udp(data, f'198.51.100.{number}', 1.0)
    assert 0 == server.document(1.0)['resolvers']


def test_mode_auto_follows_the_number_of_resolvers():
    server = responder(instruction(), mode='auto')
    assert 4 == len(addresses(asked(server, A)))
    for number in range(40):
        server.udp(A, f'198.51.100.{number}', 2.0)
    server.follow(instruction(), 2.1)
    assert 2 == len(addresses(asked(server, A, now=2.2)))
    server.follow(instruction(), 200.0)
    assert 4 == len(addresses(asked(server, A, now=200.0)))


@pytest.mark.parametrize('order', [1, -1])
def test_prepared_answers_are_renewed_with_a_new_instruction(order):
    server = responder(instruction())
    instructions = [instruction(generation=8, states={'n1': 'late'}), None][::order]
    sizes = []
    for now, one in enumerate(instructions, 2):
        asked(server, A)
        server.follow(one, float(now))
        sizes.append(len(all_addresses(server)))
    assert [3, 4][::order] == sizes


def test_cookies_of_all_configured_secrets_are_accepted():
    other = bytes(16)
    server, address = responder(cookie_keys=(KEY, other)), ipaddress.ip_address(CLIENT).packed
    mine, its = (Cookies((key,)).answer(CLIENT_COOKIE, address, int(WALL))[0]
                 for key in (KEY, other))
    assert mine == cookie_of(asked(server, with_cookie(CLIENT_COOKIE)))
    for made in (mine, its):                # both are good, and what is made is of the first
        assert mine == cookie_of(asked(server, with_cookie(made)))
