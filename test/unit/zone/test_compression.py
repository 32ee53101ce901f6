"""Names in answers point to earlier ones: dnspython reads the same records of fewer bytes."""
import dns.flags
import dns.message
import pytest
from support.dns_corpus import opt, query
from support.zone_options import CLIENT, FOREIGN_HOST, HOST, NAME, ZONE, asked, name_of, responder

MAX_RATIO = 3.5      # bytes of an answer for each of its question


def servers(count, families=(4, 6), zone=ZONE):
    """Return {name: addresses} of `count` name servers of `zone`, one address of each IP family."""
    return {name_of(f'ns{number}.{zone}'): tuple(
        text for family, text in ((4, f'192.0.2.{number % 256}'), (6, f'2001:db8::{number:x}'))
        if family in families) for number in range(1, count + 1)}


def names_in(section):
    """Return the targets of the NS records in `section`, as texts in lower case, in order."""
    return [str(rdata.target).lower() for rrset in section for rdata in rrset]


@pytest.mark.parametrize('record', [b'', opt(), opt(1232)])
@pytest.mark.parametrize('ns', [
    servers(1), servers(2), servers(4), servers(2, (4,)), servers(3, (6,)),
    {name_of(HOST): ('192.0.2.1', '2001:db8::1'), name_of(FOREIGN_HOST): ()},
    {name_of('a.ns.example.net.'): (), name_of('b.ns.example.net.'): ()}])
@pytest.mark.parametrize('kind', ['NS', 'SOA', 'MX'])
def test_an_answer_at_the_apex_is_at_most_3_5_times_its_query(kind, ns, record):
    data, server = query(ZONE, kind, record), responder(ns=ns)
    wire = server.udp(data, CLIENT, 1.0)
    assert len(wire) <= MAX_RATIO * len(data)
    answer = dns.message.from_wire(wire)
    assert not answer.flags & dns.flags.TC
    if kind == 'NS':
        assert list(map(str, ns)) == names_in(answer.answer)


@pytest.mark.parametrize(('ns', 'addresses'), [
    (servers(1), 2), (servers(2, (4,)), 2), (servers(2), 0), (servers(3, (4,)), 0)])
def test_an_ns_answer_has_server_addresses_if_it_stays_short(ns, addresses):
    for tcp in False, True:
        result = asked(responder(ns=ns), query(ZONE, 'NS'), tcp=tcp)
        assert addresses == sum(len(rrset) for rrset in result.additional)


@pytest.mark.parametrize('name', [
    ZONE, NAME, 'no.' + ZONE, 'No.LB.eXample.COM.', 'x.' * 100 + ZONE, 'a' * 63 + '.' + ZONE])
@pytest.mark.parametrize('hostmaster', [
    'hostmaster.' + ZONE, 'hostmaster.example.com.', 'root.example.org.', r'First\.Last.' + ZONE])
def test_the_soa_of_a_negative_answer_decompresses_correctly(name, hostmaster):
    server = responder(hostmaster=name_of(hostmaster), ns=servers(2))
    soa, = asked(server, query(name, 'TXT')).authority
    assert (name_of(ZONE), name_of('ns1.' + ZONE), name_of(hostmaster)) == (
        soa.name, soa[0].mname, soa[0].rname)
    assert (1, 7200, 1800, 1209600, 60) == (
        soa[0].serial, soa[0].refresh, soa[0].retry, soa[0].expire, soa[0].minimum)


def test_a_repeated_name_becomes_a_two_byte_pointer():
    """An SOA adds, in bytes: owner 2, head 10, `ns1` 4 + 2, `hostmaster` 11 + 2, numbers 20."""
    data = query('no.' + ZONE, 'A')
    wire = responder(ns=servers(1)).udp(data, CLIENT, 1.0)
    assert len(wire) == len(data) + 2 + 10 + (4 + 2) + (11 + 2) + 20


def test_a_truncated_answer_has_no_dangling_pointer():
    server, ns = responder(ns=servers(60)), list(map(str, servers(60)))
    cut = asked(server, query(ZONE, 'NS'))
    assert cut.flags & dns.flags.TC
    assert ns[:len(names_in(cut.answer))] == names_in(cut.answer)
    assert 20 < len(names_in(cut.answer)) < 60
    assert ns == names_in(asked(server, query(ZONE, 'NS'), tcp=True).answer)


def test_no_pointer_has_an_offset_of_more_than_14_bits():
    """RFC 1035 4.1.4: a pointer has 14 bits for an offset in the message."""
    ns = {name_of(f'{number}.{"x" * 60}.host{number}.example.net.'): () for number in range(300)}
    assert list(map(str, ns)) == names_in(
        asked(responder(ns=ns), query(ZONE, 'NS'), tcp=True).answer)
