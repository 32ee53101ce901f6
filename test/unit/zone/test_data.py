"""The records with which queries for each name and type in the zone are answered."""
import dns.flags
import dns.rdata
import dns.rdatatype
import pytest
from support.dns_corpus import CD, DO, RD, opt, query
from support.zone_options import (
    DEEP,
    FOREIGN_HOST,
    HOST,
    NAME,
    WILD,
    ZONE,
    asked,
    instruction,
    name_of,
    proxies,
    responder,
)

SOA = f'{ZONE} 60 SOA {HOST} hostmaster.{ZONE} 7 7200 1800 1209600 60'
OWN_SOA = SOA.replace(' 60 ', ' 3600 ', 1)
V4 = [f'{NAME} 60 A 192.0.2.1', f'{NAME} 60 A 192.0.2.2']
MINIMAL = 'HINFO "RFC8482" ""'
HTTPS = '1 . alpn="h2,http/1.1" port="8443"'


def texts(section):
    """Return the records of a section as sorted texts, each `name TTL type data`."""
    return sorted(f'{rrset.name} {rrset.ttl} {dns.rdatatype.to_text(rrset.rdtype)} {rdata}'
                  for rrset in section for rdata in rrset)


def told(name, kind, class_='IN', **changes):
    """Query `name` for the type `kind`; return (rcode, AA, answers, authority).

    `changes` are options of the zone. An answer must repeat `name` and have no RA or TC.
    """
    even = instruction({'n1': 0.5, 'n2': 0.5})
    result = asked(responder(even, **{'proxies': proxies(2), **changes}),
                   query(name, kind, class_=class_))
    assert not result.flags & (dns.flags.RA | dns.flags.TC)
    assert result.question[0].name.to_wire() == name_of(name).to_wire()      # with its case
    return (result.rcode().name, bool(result.flags & dns.flags.AA), texts(result.answer),
            texts(result.authority))


def answer(*records):
    """Return what told() returns of an answer with the texts `records`."""
    return 'NOERROR', True, sorted(records), []


NODATA, NXDOMAIN = ('NOERROR', True, [], [SOA]), ('NXDOMAIN', True, [], [SOA])
REFUSED = ('REFUSED', False, [], [])


def addresses(name):
    """Return what told() returns if `name` has the IPv4 addresses of the two proxies."""
    return answer(*(text.replace(NAME, name) for text in V4))


@pytest.mark.parametrize(('name', 'kind', 'found'), [
    (ZONE, 'SOA', answer(OWN_SOA)),
    (ZONE, 'NS', answer(f'{ZONE} 3600 NS {HOST}', f'{ZONE} 3600 NS {FOREIGN_HOST}')),
    (ZONE, 'A', NODATA), (ZONE, 'MX', NODATA), (ZONE, 'DNSKEY', NODATA),
    (ZONE, 'DS', NODATA),               # RFC 4035 3.1.4.1: it is the parent zone that has it
    (NAME, 'A', addresses(NAME)),
    (NAME, 'AAAA', answer(f'{NAME} 60 AAAA 2001:db8::1', f'{NAME} 60 AAAA 2001:db8::2')),
    (NAME, 'HTTPS', NODATA), (NAME, 'SVCB', NODATA), (NAME, 'TXT', NODATA), (NAME, 'NS', NODATA),
    (NAME, 'SOA', NODATA), (NAME, 'CNAME', NODATA), (NAME, 'TYPE65280', NODATA),
    (NAME, 'TYPE0', NODATA), (NAME, 'OPT', NODATA), (NAME, 'MAILA', NODATA),
    (HOST, 'A', answer(f'{HOST} 3600 A 192.0.2.1')),
    (HOST, 'AAAA', answer(f'{HOST} 3600 AAAA 2001:db8::1')),
    (HOST, 'HTTPS', NODATA), ('no.' + HOST, 'A', NXDOMAIN),
    ('no.lb.example.com.', 'A', NXDOMAIN), ('no.lb.example.com.', 'HTTPS', NXDOMAIN),
    ('no.lb.example.com.', 'ANY', NXDOMAIN), ('a.b.c.no.lb.example.com.', 'A', NXDOMAIN),
])
def test_each_name_of_the_zone_is_answered_with_its_records(name, kind, found):
    assert found == told(name, kind)


@pytest.mark.parametrize(('name', 'found'), [
    ('a.' + NAME, addresses('a.' + NAME)),
    ('c.b.a.' + NAME, addresses('c.b.a.' + NAME)),      # RFC 4592 2.2.1: any number of labels
    (WILD, addresses(WILD)),                            # which is a name, too
    ('a.' + WILD, NXDOMAIN),            # 4.2: below a wildcard that exists nothing is made
    ('*.a.' + NAME, addresses('*.a.' + NAME)),
    (DEEP, addresses(DEEP)), ('no.' + DEEP, NXDOMAIN),
])
def test_a_wildcard_answers_for_nonexistent_names_below_it(name, found):
    assert found == told(name, 'A')


def test_names_under_a_wildcard_have_no_data_of_other_types():
    assert NODATA == told('a.' + NAME, 'TXT')
    assert answer(f'a.{NAME} 60 {MINIMAL}') == told('a.' + NAME, 'ANY')


def test_a_wildcard_does_not_cover_existing_names():
    """RFC 4592 2.2.1, 4.7: nor does it cover names below an existing name, even an empty one."""
    wild = tuple(map(name_of, ('*.lb.example.com.', 'x.y.lb.example.com.', NAME)))
    for name, result in ((HOST, answer(f'{HOST} 3600 A 192.0.2.1')), ('no.' + HOST, NXDOMAIN),
                         ('y.lb.example.com.', NODATA), ('no.y.lb.example.com.', NXDOMAIN),
                         ('no.x.y.lb.example.com.', NXDOMAIN), (ZONE, NODATA),
                         ('other.lb.example.com.', addresses('other.lb.example.com.')),
                         ('a.other.lb.example.com.', addresses('a.other.lb.example.com.'))):
        assert result == told(name, 'A', names=wild)


@pytest.mark.parametrize('kind', ['A', 'NS', 'TXT', 'ANY'])
@pytest.mark.parametrize('name', ['z.lb.example.com.', 'y.z.lb.example.com.'])
def test_an_empty_non_terminal_gets_nodata_and_not_nxdomain(name, kind):
    """RFC 8020: NXDOMAIN would say that nothing is below it either."""
    assert NODATA == told(name, kind)


@pytest.mark.parametrize('kind', ['A', 'SOA', 'ANY', 'AXFR', 'TYPE666'])
@pytest.mark.parametrize('name', [
    '.', 'com.', 'example.com.', 'example.org.', 'xlb.example.com.', 'lb.example.org.',
    'lb.example.com.example.org.', FOREIGN_HOST, 'xx.swift.lb.example.org.', r'a\.lb.example.com.'])
def test_queries_for_names_outside_the_zone_are_refused(name, kind):
    assert REFUSED == told(name, kind)


@pytest.mark.parametrize('name', [ZONE, NAME, HOST, 'no.lb.example.com.', 'example.org.'])
@pytest.mark.parametrize('kind', ['AXFR', 'IXFR'])
def test_zone_transfers_are_refused(name, kind):
    assert REFUSED == told(name, kind)


@pytest.mark.parametrize(('name', 'kind', 'class_'), [
    ('version.bind.', 'TXT', 'CH'), ('hostname.bind.', 'TXT', 'CH'), ('id.server.', 'TXT', 'CH'),
    (NAME, 'A', 'CH'), (NAME, 'A', 'HS'), (NAME, 'A', 'ANY'), (ZONE, 'SOA', 'NONE')])
def test_queries_of_other_classes_than_in_are_refused(name, kind, class_):
    assert REFUSED == told(name, kind, class_)


@pytest.mark.parametrize(('name', 'ttl'), [(NAME, 60), (ZONE, 60), (HOST, 60), (DEEP, 60)])
def test_a_query_of_type_any_gets_a_minimal_hinfo_record(name, ttl):
    """RFC 8482 4.2: this record replaces all records of a name."""
    assert answer(f'{name} {ttl} {MINIMAL}') == told(name, 'ANY')


def test_an_ns_answer_includes_the_servers_addresses():
    ns = {name_of(HOST): ('192.0.2.1', '2001:db8::1')}
    result = asked(responder(instruction(), ns=ns), query(ZONE, 'NS'))
    assert [f'{HOST} 3600 A 192.0.2.1', f'{HOST} 3600 AAAA 2001:db8::1'] == texts(result.additional)


def test_a_name_server_may_have_several_addresses():
    ns = {name_of(HOST): ('192.0.2.1', '192.0.2.9')}
    assert answer(f'{HOST} 3600 A 192.0.2.1', f'{HOST} 3600 A 192.0.2.9') == told(HOST, 'A', ns=ns)
    assert NODATA == told(HOST, 'AAAA', ns=ns)
    result = asked(responder(ns=ns), query(ZONE, 'NS'))
    assert 2 == len(texts(result.additional))


def test_the_proxies_name_may_be_the_apex_of_the_zone():
    names = (name_of(ZONE), name_of('*.' + ZONE))
    assert addresses(ZONE) == told(ZONE, 'A', names=names)
    assert answer(OWN_SOA) == told(ZONE, 'SOA', names=names)
    assert addresses('a.' + ZONE) == told('a.' + ZONE, 'A', names=names)
    assert NODATA == told('a.' + ZONE, 'SOA', names=names)
    assert answer(f'{HOST} 3600 A 192.0.2.1') == told(HOST, 'A', names=names)


def test_a_configured_https_record_is_answered():
    https = dns.rdata.from_text('IN', 'HTTPS', HTTPS)
    assert answer(f'{NAME} 60 HTTPS {HTTPS}') == told(NAME, 'HTTPS', https=https)
    assert answer(f'a.{NAME} 60 HTTPS {HTTPS}') == told('a.' + NAME, 'HTTPS', https=https)
    assert NODATA == told(NAME, 'SVCB', https=https)
    assert NODATA == told(HOST, 'HTTPS', https=https)


@pytest.mark.parametrize(('families', 'there', 'missing'), [((4,), 'A', 'AAAA'),
                                                             ((6,), 'AAAA', 'A')])
def test_a_family_in_which_no_proxy_has_an_address_gets_nodata(families, there, missing):
    """RFC 4074: never NXDOMAIN, NOTIMP or an empty answer."""
    for name in (NAME, 'a.' + NAME):
        assert NODATA == told(name, missing, proxies=proxies(2, families))
        assert 2 == len(told(name, there, proxies=proxies(2, families))[2])


@pytest.mark.parametrize('name', ['SWIFT.LB.EXAMPLE.COM.', 'sWiFt.lB.eXaMpLe.cOm.'])
def test_names_match_in_any_case_and_are_answered_in_that_case(name):
    assert addresses(name) == told(name, 'A')


def test_negative_ttl_is_the_lesser_of_the_soas_ttl_and_minimum():
    """RFC 2308 5: the lesser of the SOA's TTL and its last number."""
    result = told(NAME, 'TXT', negative_ttl=30, ns_ttl=20)
    assert [SOA.replace(' 60 ', ' 20 ', 1)[:-2] + '30'] == result[3]


@pytest.mark.parametrize('flags', [0, RD, CD])
def test_answers_have_no_dnssec_records_even_with_do_set(flags):
    result = asked(responder(instruction()), query(NAME, 'A', opt(flags=DO), flags))
    assert {'A'} == {rrset.rdtype.name for rrset in result.answer}
    assert not result.flags & dns.flags.AD
