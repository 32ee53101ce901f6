"""DNS queries, as swift-lb parses them and as dnspython does."""
import sys

import dns.exception
import dns.message
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.dns_corpus import CORPUS, RD, message, opt, option, query, question, two
from support.zone_options import NAME, name_of

from swift_lb.wire.dns_query import (
    BADVERS,
    COOKIE,
    FORMERR,
    HEADER,
    NOERROR,
    NOTAUTH,
    NOTIMP,
    NSID,
    SUBNET,
    Edns,
    Query,
    parse,
)

ID = b'\x12\x34'
WIRE = name_of(NAME).to_wire()
BADKEY = (b'\0\0\xfa\0\xff' + bytes(4) + b'\0\x1d\x0bhmac-sha256\0' + bytes(8) + b'\0\0' + ID
          + b'\0\x11\0\0')      # what answers the signature of the corpus
PRIVATE = st.integers(65001, 65534)     # codes of options without a meaning


@st.composite
def names(draw):
    """Draw a DNS name in wire format: labels of any bytes, at most 255 bytes in all."""
    labels, room = [], 254
    for label in draw(st.lists(st.binary(min_size=1, max_size=63), max_size=127)):
        if len(label) + 1 <= room:
            labels.append(label)
            room -= len(label) + 1
    return b''.join(bytes((len(label),)) + label for label in labels) + b'\0'


@st.composite
def subnets(draw):
    """Draw the data of a valid EDNS client subnet option, of IPv4 or IPv6."""
    family, bits = draw(st.sampled_from([(1, 32), (2, 128)]))
    length = draw(st.integers(0, bits))
    size = -(-length // 8)
    number = draw(st.integers(0, 2 ** length - 1)) << size * 8 - length
    return two(family) + bytes((length, 0)) + number.to_bytes(size, 'big')


COOKIES = st.binary(min_size=8, max_size=8) | st.binary(min_size=16, max_size=40)
OPTIONS = st.lists(st.one_of(
    st.tuples(st.just(NSID), st.binary(max_size=9)), st.tuples(st.just(SUBNET), subnets()),
    st.tuples(st.just(COOKIE), COOKIES), st.tuples(PRIVATE, st.binary(max_size=99))), max_size=6)
NUMBERS = st.integers(0, 65535)
RECORDS = st.none() | st.tuples(NUMBERS, st.integers(0, 2), NUMBERS, OPTIONS)
FLAGS = NUMBERS.map(lambda flags: flags & 0x07ff)       # a query's, of opcode 0


def record_of(drawn):
    """Return [OPT record in wire format] of `drawn`, a value of RECORDS; [] of None."""
    if drawn is None:
        return []
    payload, version, flags, options = drawn
    return [opt(payload, version, flags, b''.join(option(*one) for one in options))]


def edns_of(drawn):
    """Return the Edns that parse() should return for `drawn`, a tuple of RECORDS."""
    payload, version, flags, options = drawn
    edns, first = Edns(payload, bool(flags & 0x8000)), dict(reversed(options))
    return edns if version else edns._replace(
        nsid=NSID in first, subnet=first.get(SUBNET), cookie=first.get(COOKIE))


@given(names(), NUMBERS, NUMBERS, FLAGS, NUMBERS, RECORDS)
def test_well_formed_queries_parse_as_dnspython_does(name, kind, class_, flags, number, record):
    whole = name + two(kind) + two(class_)
    data = message([whole], record_of(record), flags, number=number)
    assert parse(data) == Query(
        two(number), 0, bool(flags & RD), whole, name.lower(), kind, class_,
        edns_of(record) if record else None, BADVERS if record and record[1] else NOERROR)
    read = dns.message.from_wire(data)
    asked, = read.question
    assert (number, 0, bool(flags & RD), dns.name.from_wire(whole, 0)[0], kind, class_) == (
        read.id, read.opcode(), bool(read.flags & RD), asked.name, asked.rdtype, asked.rdclass)
    if record:
        payload, version, ednsflags, _options = record
        assert (payload, version, ednsflags & 0x8000) == (
            read.payload, read.edns, read.ednsflags & 0x8000)


def read_by_both(data):
    """Return what parse() and dnspython read: (question, RD, rcode, EDNS) each, None if refused."""
    result = parse(data)
    ours = None if result.rcode in (FORMERR, NOTAUTH) else (
        result.question.lower(), result.recursion, result.rcode,
        result.edns and (result.edns.payload, result.edns.dnssec, result.edns.cookie))
    try:
        read = dns.message.from_wire(data)
        asked, = read.question or (None,)
    except (dns.exception.DNSException, ValueError):
        return ours, None
    whole = b'' if asked is None else (
        asked.name.to_wire() + two(asked.rdtype) + two(asked.rdclass)).lower()
    cookies = [one.to_wire() for one in read.options if one.otype == COOKIE]
    edns = None if read.edns < 0 else (
        read.payload, bool(read.ednsflags & 0x8000),
        cookies[0] if cookies and read.edns == 0 else None)
    return ours, (whole, bool(read.flags & RD), BADVERS if read.edns > 0 else NOERROR, edns)


QUERIES = {name: data for name, data in CORPUS.items()
           if len(data) >= HEADER and not data[2] & 0xf8}       # of opcode 0, and no answers


@given(st.data())
def test_damaged_queries_are_refused_or_parsed_as_dnspython_does(data):
    query = bytearray(data.draw(st.sampled_from(list(QUERIES.values()))))
    for _change in range(data.draw(st.integers(1, 4))):
        if len(query) > HEADER:
            place = data.draw(st.integers(4, len(query) - 1))
            query[place:place + 1] = data.draw(st.binary(max_size=2))
    ours, others = read_by_both(bytes(query[:4] + query[4:].ljust(HEADER - 4, b'\0')))
    assert ours is None or others is None or ours == others


def test_sample_queries_are_refused_or_parsed_as_dnspython_does():
    both = {name: read_by_both(data) for name, data in QUERIES.items()}
    assert not [name for name, (ours, others) in both.items() if ours and others and ours != others]
    assert {name for name, (ours, others) in both.items() if ours and not others} == {
        'a subnet of no family', 'EDNS of version 255'}     # the options of which are none
    theirs = {name for name, (ours, others) in both.items() if others and not ours}
    assert theirs - {'a subnet with more bits'} == {    # which dnspython refuses from 2.9 on
        'a header', 'no question', 'an OPT record alone', 'a name that points to the header',
        'a subnet with a scope'}


@pytest.mark.parametrize('record', [
    (2, b'\xc0\x0c'), (6, b'\xc0\x0c\xc0\x0c' + bytes(20)), (15, b'\0\1\xc0\x0c'), (1, bytes(4))])
def test_queries_full_of_pointers_are_parsed_in_linear_time(record):
    """All records point to a name of 126 labels, which dnspython takes seconds to expand."""
    kind, data = record
    whole = b'\xc0\x0c' + two(kind) + b'\0\1\0\0\0\0' + two(len(data)) + data
    query = message([question(b'\1a' * 126 + b'\0', 'A')], [whole] * (60_000 // len(whole)))
    steps = []

    def trace(_frame, event, _arg):
        steps.append(event)
        return trace
    sys.settrace(trace)
    try:
        result = parse(query)
    finally:
        sys.settrace(None)
    assert result.rcode == NOERROR
    # Lines of Python. To expand the 126 labels of each record's name would take ten times as many.
    assert len(steps) < 2 * len(query)


@given(st.binary(max_size=80) | st.tuples(st.sampled_from([ID + b'\0\0\0\1', ID + b'\1\0\0\1']),
                                          st.binary(max_size=80)).map(b''.join))
def test_all_bytes_but_answers_and_short_headers_give_a_query(data):
    result = parse(data)
    assert (result is None) == (len(data) < HEADER or data[2] >= 0x80)


@pytest.mark.parametrize(('name', 'found'), [
    ('nothing', None), ('half a header', None), ('an answer', None),
    ('a header of an answer', None),
    ('a header', Query(ID, 0, True, rcode=FORMERR)), ('no question', Query(ID, 0, False, rcode=1)),
    ('opcode 5', Query(ID, 5, False, rcode=NOTIMP)),
    ('a signature', Query(ID, 0, False, question(NAME, 'A'), WIRE, 1, 1, rcode=NOTAUTH,
                          tsig=BADKEY)),
    ('a cookie alone', Query(ID, 0, False, edns=Edns(4096, cookie=bytes(range(1, 9))))),
    ('a record behind the question', Query(ID, 0, False, question(NAME, 'A'), WIRE, 1, 1)),
    ('a subnet of no family', Query(ID, 0, False, question(NAME, 'A'), WIRE, 1, 1, Edns(4096))),
    ('EDNS of version 255', Query(ID, 0, False, question(NAME, 'A'), WIRE, 1, 1, Edns(4096),
                                  BADVERS)),
    ('a name that points to the header', Query(ID, 0, False, rcode=FORMERR))])
def test_each_field_of_a_query_is_parsed(name, found):
    assert parse(CORPUS[name]) == found


@pytest.mark.parametrize('name', [
    'an OPT record alone', 'two OPT records', 'an OPT record that is not of the root',
    'two questions', 'an OPT record that is longer than it is',
    'an OPT record in the wrong section',
    'something behind the question', 'one question twice', 'a question that is not there',
    'as many records as can be', 'a name that is cut off', 'a question without its class',
    'a name that points to itself', 'a name with an old kind of label', 'a name that is too long'])
def test_malformed_queries_get_rcode_formerr(name):
    assert Query(ID, 0, False, rcode=FORMERR) == parse(CORPUS[name])


@pytest.mark.parametrize('name', ['a name of 127 labels', 'the longest name'])
def test_a_name_of_255_bytes_is_accepted(name):
    result = parse(CORPUS[name])
    assert (NOERROR, 255) == (result.rcode, len(result.name))


@pytest.mark.parametrize('name', [
    'a cookie of 9 bytes', 'a cookie of 41 bytes', 'a subnet that is too short',
    'a subnet with more bits', 'a subnet with a scope', 'a subnet of family 3',
    'an option that is cut off'])
def test_a_query_with_a_malformed_edns_option_still_has_edns(name):
    """RFC 6891 7: an answer without OPT would mean that this server does not know EDNS."""
    result = parse(CORPUS[name])
    assert result == Query(ID, 0, False, question(NAME, 'A'), WIRE, 1, 1, Edns(4096), FORMERR)


@given(st.integers(0, 70))
def test_only_cookies_of_8_or_16_to_40_bytes_are_accepted(length):
    result = parse(query(NAME, 'A', opt(options=option(COOKIE, bytes(length)))))
    assert (result.rcode == NOERROR) == (length == 8 or 16 <= length <= 40)


def test_the_first_of_several_cookie_options_counts():
    data = query(NAME, 'A', opt(options=option(COOKIE, bytes(8)) + option(COOKIE, b'12345678')))
    assert bytes(8) == parse(data).edns.cookie
