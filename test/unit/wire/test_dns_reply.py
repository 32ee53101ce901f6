"""DNS answers: what dnspython reads in them, and how long they are."""
import dns.flags
import dns.message
import dns.rdata
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.dns_corpus import CORPUS, option, query
from support.dns_corpus import opt as opt_record
from support.zone_options import NAME

from swift_lb.wire.dns_query import COOKIE, NSID, SUBNET, Edns, Query, parse
from swift_lb.wire.dns_reply import MAX_TCP_BYTES, PAYLOAD, PLAIN, SAME_NAME, limit_of, opt, reply

AA, TC = 0x0400, 0x0200


def record(length, number=0):
    """Return a record of `length` bytes of the question's name; `number` fills its data."""
    return SAME_NAME + b'\xff\x00\0\1\0\0\0\x3c' + (length - 12).to_bytes(2, 'big') + (
        number.to_bytes(2, 'big') * length)[:length - 12]


def sections(answers=(), authority=(), additional=()):
    """Return three tuples of records; the arguments are the records' lengths in bytes."""
    return tuple(tuple(record(length, number) for number, length in enumerate(lengths))
                 for lengths in (answers, authority, additional))


def count(result):
    """Return the tuple of numbers of records in answer, authority and additional section."""
    return tuple(sum(len(rrset) for rrset in section) for section in result.sections[1:])


LENGTHS = st.lists(st.integers(14, 300), max_size=12)
QUERIES = st.sampled_from([
    query(NAME, 'A'), query('sWIft.LB.example.COM.', 'A', flags=0x0100), CORPUS['the longest name'],
    query(NAME, 'A', opt_record(512)), query(NAME, 'A', opt_record(1400, flags=0x8000)),
    query(NAME, 'A', opt_record(1232, options=option(NSID))),
    query(NAME, 'A', opt_record(4096, options=option(SUBNET, b'\0\1\x18\0\xc0\0\2')))])


def test_dnspython_parses_an_answer_with_all_its_fields():
    asked = parse(query(NAME, 'A', opt_record(flags=0x8000), flags=0x0110))
    wire = reply(asked, AA, sections([16, 20]), opt(asked, 0, b'n1', None), PAYLOAD)
    result = dns.message.from_wire(wire)
    assert dns.flags.QR | dns.flags.AA | dns.flags.RD == result.flags
    assert (0x1234, 0, 0, PAYLOAD, 0x8000) == (
        result.id, result.rcode(), result.edns, result.payload, result.ednsflags)
    assert (2, 0, 0) == count(result)
    assert [NAME] == [str(rrset.name) for rrset in result.answer]


@given(QUERIES, LENGTHS, LENGTHS, LENGTHS, st.booleans())
def test_a_too_long_answer_is_cut_between_two_records(data, answers, authority, additional, tcp):
    asked = parse(data)
    limit = MAX_TCP_BYTES if tcp else limit_of(asked)
    present = sections(answers, authority, additional)
    wire = reply(asked, AA, present, opt(asked, 0, b'n1', None), limit)
    assert len(wire) <= limit
    result = dns.message.from_wire(wire)     # all of it, and nothing behind it
    kept = count(result)
    cut = bool(result.flags & dns.flags.TC)
    assert cut == (kept[:2] != (len(answers), len(authority)))
    for section, there in zip(result.sections[1:], present, strict=True):
        texts = [rdata.to_wire() for rrset in section for rdata in rrset]
        assert texts == [one[12:] for one in there[:len(texts)]]
    for number, (some, whole) in enumerate(zip(kept, present, strict=True)):
        if some < len(whole):       # it keeps as many records as fit
            assert not tcp
            if number < 2 or not cut:       # after a cut, additional ones are not tried
                assert len(wire) + len(whole[some]) > limit
            return


@given(QUERIES, st.integers(0, 65535), st.integers(0, 23))
def test_an_answer_repeats_the_question_with_its_letter_case(data, number, rcode):
    data = number.to_bytes(2, 'big') + data[2:]
    asked = parse(data)
    wire = reply(asked, rcode & 15, ((), (), ()), opt(asked, rcode, b'', None), PLAIN)
    assert wire[:2] == data[:2]
    assert wire[2] & 0x79 == data[2] & 0x79                     # opcode and RD
    assert wire[12:].startswith(data[12:12 + len(asked.question)])      # with the case it had
    result = dns.message.from_wire(wire)
    assert result.rcode() == (rcode if asked.edns else rcode & 15)
    assert not result.flags & (dns.flags.RA | dns.flags.AD | dns.flags.CD | 0x40)


@pytest.mark.parametrize(('edns', 'limit'), [
    (None, 512), (Edns(0), 512), (Edns(511), 512), (Edns(513), 513), (Edns(1231), 1231),
    (Edns(1232), 1232), (Edns(1233), 1232), (Edns(65535), 1232)])
def test_a_udp_answer_is_limited_by_edns_to_512_to_1232_bytes(edns, limit):
    assert limit == limit_of(Query(b'\0\0', 0, False, edns=edns))


def test_a_query_without_an_opt_record_is_answered_without_one():
    assert b'' == opt(Query(b'\0\0', 0, False), 0, b'n1', b'12345678')


@pytest.mark.parametrize(('edns', 'cookie', 'options'), [
    (Edns(512), None, {}), (Edns(512, nsid=True), None, {NSID: b'n1'}),
    (Edns(512, cookie=b'1' * 8), b'1' * 24, {COOKIE: b'1' * 24}),
    (Edns(512, cookie=b'1' * 8), None, {}),
    (Edns(512, subnet=b'\0\1\x18\0\xc0\0\2'), None, {SUBNET: b'\0\1\x18\0\xc0\0\2'})])
def test_edns_options_are_sent_only_on_request(edns, cookie, options):
    asked = Query(b'\0\0', 0, False, edns=edns)
    wire = reply(asked, 0, ((), (), ()), opt(asked, 0, b'n1', cookie), MAX_TCP_BYTES)
    assert options == {each.otype: each.to_wire() for each in dns.message.from_wire(wire).options}


def test_the_opt_record_has_version_0_and_only_the_do_flag():
    """RFC 6891 6.1.3 and 6.1.4: version 0, and no flags but DO."""
    asked = parse(query(NAME, 'A', opt_record(flags=0xffff, version=1)))
    wire = reply(asked, 0, ((), (), ()), opt(asked, 16, b'', None), PLAIN)
    result = dns.message.from_wire(wire)
    assert (16, 0, 0x8000) == (result.rcode(), result.edns, result.ednsflags & 0xffff)
