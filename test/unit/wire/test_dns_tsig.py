"""A query with a TSIG record: its answer says that the key is not known (RFC 8945 5.2.1)."""
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.tsig
import pytest
from support.dns_corpus import message, opt, question, two
from support.zone_options import CLIENT, NAME, asked, responder

from swift_lb.wire.dns_query import FORMERR, parse

KEY = dns.tsig.Key('clients.example.org.', b'secret of sixteen', 'hmac-sha512')
ALGORITHM = b'\x0bhmac-sha256\0'
TIME = b'\0\0\x65\x53\xf1\0\1\x2c'      # 2023-11-14, 300 s


def signed():
    """Return (query of dnspython with EDNS, which KEY signs; the same in bytes)."""
    made = dns.message.make_query(NAME, 'A', use_edns=0)
    made.use_tsig(KEY)
    return made, made.to_wire()


def tsig(owner=b'\3key\0', algorithm=ALGORITHM, time=TIME, mac=bytes(32), size=None, other=b'',
         length=None, class_=b'\0\xff'):
    """Return a TSIG record; `size`, `length`: the lengths that it states of MAC and other data."""
    rdata = (algorithm + time + two(len(mac) if size is None else size) + mac + b'\x12\x34\0\0'
             + two(len(other) if length is None else length) + other)
    return owner + two(250) + class_ + bytes(4) + two(len(rdata)) + rdata


def with_tsig(*more, **fields):
    """Return a query with the records `more` and then a TSIG record of `fields`, in bytes."""
    return message([question(NAME, 'A')], [*more, tsig(**fields)])


@pytest.mark.parametrize('tcp', [False, True])
def test_a_signed_query_gets_an_unsigned_tsig_with_error_badkey(tcp):
    sent, wire = signed()
    answer = asked(responder(), wire, tcp=tcp)
    record = answer.tsig[0]
    assert (dns.rcode.NOTAUTH, 0, sent.id) == (answer.rcode(), answer.edns, answer.id)
    assert (KEY.name, dns.rdataclass.ANY, 0) == (
        answer.tsig.name, answer.tsig.rdclass, answer.tsig.ttl)
    assert (KEY.algorithm, b'', dns.rcode.BADKEY, sent.id, b'') == (
        record.algorithm, record.mac, record.error, record.original_id, record.other)
    assert (sent.tsig[0].time_signed, sent.tsig[0].fudge) == (record.time_signed, record.fudge)


def test_dnspython_as_a_client_reports_badkey():
    sent, wire = signed()
    with pytest.raises(dns.tsig.PeerBadKey):
        dns.message.from_wire(responder().udp(wire, CLIENT, 1.0), keyring=KEY, request_mac=sent.mac)


def test_the_answer_to_a_signed_query_is_shorter_than_the_query():
    for wire in (signed()[1], with_tsig(), with_tsig(opt())):
        assert len(responder().udp(wire, CLIENT, 1.0)) < len(wire)


def test_an_answer_without_room_for_tsig_has_tc_set():
    answer = asked(responder(), with_tsig(owner=b'\1a' * 127 + b'\0',
                                          algorithm=b'\1b' * 127 + b'\0'))
    assert (dns.rcode.NOTAUTH, True) == (answer.rcode(), bool(answer.flags & dns.flags.TC))
    assert not answer.had_tsig


@pytest.mark.parametrize(('owner', 'name'), [
    (b'\0', '.'), (b'\xc0\x0c', NAME), (b'\3key\xc0\x0c', f'key.{NAME}'),
    (b'\1a' * 127 + b'\0', 'a.' * 127)])
def test_the_key_name_in_the_answers_tsig_is_uncompressed(owner, name):
    answer = asked(responder(), with_tsig(owner=owner, other=bytes(6)))
    assert b'' == answer.tsig[0].other      # other data is not echoed
    assert (dns.rcode.NOTAUTH, dns.name.from_text(name)) == (answer.rcode(), answer.tsig.name)


@pytest.mark.parametrize('fields', [
    {'class_': b'\0\1'}, {'size': 33}, {'size': 31}, {'size': 65535}, {'length': 1},
    {'other': b'?', 'length': 0},
    {'algorithm': b'\xc0\x0c'}, {'algorithm': b'\x0bhmac'}, {'algorithm': b'\1a' * 128 + b'\0'},
    {'time': b''}, {'owner': b'\1a' * 128 + b'\0'}, {'owner': b'\1a' * 120 + b'\xc0\x0c'},
    {'owner': b'\xc0\xff'}, {'owner': b'\xc0\x26'}])
def test_a_query_with_a_malformed_tsig_gets_formerr(fields):
    result = parse(with_tsig(**fields))
    assert (FORMERR, b'') == (result.rcode, result.tsig)
    assert asked(responder(), with_tsig(**fields)).rcode() == dns.rcode.FORMERR


def test_a_rate_limited_signed_query_gets_no_tsig():
    server = responder(rrl_rate=1, rrl_exempt=())
    for _time in range(3):
        limited = asked(server, with_tsig())
    assert (dns.rcode.NOERROR, None) == (limited.rcode(), limited.tsig)
