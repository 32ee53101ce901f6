"""Parse a DNS query into a Query. Pure.

A query has one question, and perhaps an OPT record; other records are skipped. dnspython would take
thirty times as long for a usual query, and a second and a half for a hostile one of 4096 bytes; a
test compares the two parsers. A malformed query is answered with FORMERR, unless it is itself an
answer: two servers must never answer each other (RFC 1035 4.1.1, QR).
"""
import struct
from typing import NamedTuple

from swift_lb.wire import dns_tsig
from swift_lb.wire.dns_name import UnreadableError, end_of_name, end_of_owner

HEADER = 12             # bytes
QUERY = 0               # the opcode
NOERROR, FORMERR, NXDOMAIN, NOTIMP, REFUSED, NOTAUTH = 0, 1, 3, 4, 5, 9
BADVERS, BADCOOKIE = 16, 23
NSID, SUBNET, COOKIE = 3, 8, 10     # codes of EDNS options: RFC 5001, 7871, 7873
OPT, TSIG = b'\0\x29', dns_tsig.TYPE     # record types, RFC 6891 and 8945
ROOT = b'\0'            # the root's name in wire format
FAMILIES = {1: 32, 2: 128}          # of addresses in SUBNET: bits
NOWHERE = bytes(4)      # SUBNET without a family: `dig +subnet=0` and stubby send it for privacy


class Edns(NamedTuple):
    """The content of an OPT record (RFC 6891)."""

    payload: int                    # bytes of the largest accepted answer by UDP
    dnssec: bool = False            # the DO bit, which the answer repeats (RFC 3225)
    nsid: bool = False              # whether the client asks for the server's name
    subnet: bytes | None = None     # the data of the option, None if absent
    cookie: bytes | None = None


class Query(NamedTuple):
    """What the header, the question and the options of a DNS query say; `rcode` if it is refused.
    """

    id: bytes                       # two bytes
    opcode: int
    recursion: bool                 # RD, which the answer repeats
    question: bytes = b''           # as sent: the answer repeats the case of its letters (0x20)
    name: bytes = b''               # in wire format, in lower case
    qtype: int = 0
    qclass: int = 0
    edns: Edns | None = None
    rcode: int = NOERROR            # the error to answer with
    tsig: bytes = b''               # with NOTAUTH: the TSIG record for the answer


def parse(data):
    """Return the Query in `data`, None if it must not be answered."""
    if len(data) < HEADER or data[2] & 0x80:
        return None
    opcode = data[2] >> 3 & 15
    empty = Query(data[:2], opcode, bool(data[2] & 1))
    if opcode != QUERY:
        return empty._replace(recursion=False, rcode=NOTIMP)    # RD is of queries (genreport)
    try:
        return read(data, empty)
    except UnreadableError:
        return empty._replace(rcode=FORMERR)


def read(data, empty):
    """Return the Query in a message of opcode 0; `empty` has its header."""
    questions, answers, authority, additional = struct.unpack_from('>4H', data, 4)
    end = end_of_name(data, HEADER) + 4 if questions else HEADER
    question = data[HEADER:end]
    if questions > 1 or len(question) != end - HEADER:
        raise UnreadableError('there is more than one question (RFC 9619), or it is cut off')
    others, end = records(data, end, answers + authority)
    last, end = records(data, end, additional)
    if end != len(data):
        raise UnreadableError('something follows')
    edns, rcode = edns_from(others, last)
    if question:
        qtype, qclass = struct.unpack('>2H', question[-4:])
        query = empty._replace(question=question, name=question[:-4].lower(), qtype=qtype,
                               qclass=qclass, edns=edns, rcode=rcode)
    elif edns is None or edns.cookie is None:   # RFC 7873 5.4: a query for a cookie only is valid
        raise UnreadableError('there is no question')
    else:
        query = empty._replace(edns=edns, rcode=rcode)
    return without_key(query, data, last[-1]) if rcode == NOTAUTH else query


def records(data, at, count):
    """Return ([(name, type, bytes from the class on)], the end of the last record)."""
    parsed = []
    for _record in range(count):
        begin, at = at, end_of_owner(data, at)
        end = at + 10 + int.from_bytes(data[at + 8:at + 10], 'big')
        if end > len(data):
            raise UnreadableError('a record is cut off')
        parsed.append((data[begin:at], data[at:at + 2], data[at + 2:end]))
        at = end
    return parsed, at


def without_key(query, data, record):
    """Return `query` with the TSIG record for its answer: a key that this server does not have.

    `record` is the query's own TSIG record, which ends `data`. A malformed record is a format error
    (RFC 8945 5.2).
    """
    name, _kind, rest = record
    try:
        return query._replace(tsig=dns_tsig.refusal(data, name, rest))
    except UnreadableError:
        return query._replace(rcode=FORMERR)


def edns_from(others, last):
    """Return (Edns or None, rcode) of a query's records.

    `last` are those of its additional section, `others` those of the sections before it.
    """
    kinds = [kind for _name, kind, _rest in last]
    if (kinds.count(OPT) > 1 or TSIG in kinds[:-1]
            or any(kind in (OPT, TSIG) for _name, kind, _rest in others)):
        raise UnreadableError('an OPT or TSIG record is where there is none')
    edns, rcode = None, NOERROR
    for name, kind, rest in last:
        if kind == OPT:
            if name != ROOT:
                raise UnreadableError('an OPT record is of the root')
            edns, rcode = edns_of(rest)
    return edns, NOTAUTH if TSIG in kinds else rcode    # RFC 8945 5.2.1: we share no key


def edns_of(record):
    """Return (Edns, rcode) of an OPT record, given from its class on."""
    edns = Edns(record[0] << 8 | record[1], bool(record[4] & 0x80))
    if record[3]:
        return edns, BADVERS    # the options of another version are unknown
    try:
        return with_options(edns, options_of(record[8:])), NOERROR
    except UnreadableError:     # an answer without OPT would mean that EDNS is not supported
        return edns, FORMERR


def options_of(rdata):
    """Yield (code, data) of an OPT record's options."""
    at = 0
    while at < len(rdata):
        code, length = rdata[at:at + 2], rdata[at + 2:at + 4]
        at += 4 + int.from_bytes(length, 'big')
        if len(length) < 2 or at > len(rdata):
            raise UnreadableError('an option is cut off')
        yield int.from_bytes(code, 'big'), rdata[at - int.from_bytes(length, 'big'):at]


def with_options(edns, options):
    """Return `edns` with its options; the first of repeated ones counts, unknown ones are ignored.
    """
    by_code = {}
    for code, data in options:
        by_code.setdefault(code, data)
    cookie, subnet = by_code.get(COOKIE), by_code.get(SUBNET, NOWHERE)
    if cookie is not None and len(cookie) != 8 and not 16 <= len(cookie) <= 40:
        raise UnreadableError('a cookie has 8 bytes, or 16 to 40')
    if subnet == NOWHERE:
        subnet = None
    else:
        check_subnet(subnet)
    return edns._replace(nsid=NSID in by_code, subnet=subnet, cookie=cookie)


def check_subnet(data):
    """Raise UnreadableError unless `data` is a client subnet as defined by RFC 7871 6."""
    if len(data) < 4:
        raise UnreadableError('a subnet has a family and two lengths')
    bits, scope, address = data[2], data[3], data[4:]
    if scope or bits > FAMILIES.get(data[0] << 8 | data[1], -1) or len(address) != -(-bits // 8):
        raise UnreadableError('a subnet is not as long as it says')
    if bits % 8 and address[-1] & (0xff >> bits % 8):
        raise UnreadableError('a subnet has bits beyond its length')
