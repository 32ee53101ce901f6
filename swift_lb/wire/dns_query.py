"""A DNS query: bytes -> Query. Pure.

A query has one question, and perhaps an OPT record; what is in others means nothing here, and is
walked over. dnspython reads it all, at thirty times the price of one question, and for a second and
a half if 4096 bytes are made for that; so the two are held against each other in a test, and only
there. What can not be read still has an answer, FORMERR, unless it is an answer itself: two servers
must never talk to each other (RFC 1035 4.1.1, QR).
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
OPT, TSIG = b'\0\x29', dns_tsig.TYPE     # types of records, RFC 6891 and 8945
ROOT = b'\0'            # a name on the wire
FAMILIES = {1: 32, 2: 128}          # of addresses in SUBNET: bits
NOWHERE = bytes(4)      # SUBNET of no family: what `dig +subnet=0` and stubby send, not to be known


class Edns(NamedTuple):
    """What an OPT record says (RFC 6891)."""

    payload: int                    # bytes of the largest answer by UDP
    dnssec: bool = False            # the DO bit, which is given back (RFC 3225)
    nsid: bool = False              # the server's name is asked for
    subnet: bytes | None = None     # data of the options, None where there is none
    cookie: bytes | None = None


class Query(NamedTuple):
    """What is asked."""

    id: bytes                       # two of them
    opcode: int
    recursion: bool                 # RD, which is given back
    question: bytes = b''           # as it was sent: the case of its letters is given back (0x20)
    name: bytes = b''               # on the wire, in lower case
    type: int = 0
    kind: int = 0                   # its class
    edns: Edns | None = None
    rcode: int = NOERROR            # what is wrong with it
    tsig: bytes = b''               # with NOTAUTH: the TSIG record of its answer


def parse(data):
    """Return the Query in `data`, None where there is nothing to be answered."""
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
    """Return the Query in a message of opcode 0, in which `empty` has its header."""
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
        kind, class_ = struct.unpack('>2H', question[-4:])
        query = empty._replace(question=question, name=question[:-4].lower(), type=kind,
                               kind=class_, edns=edns, rcode=rcode)
    elif edns is None or edns.cookie is None:   # RFC 7873 5.4: to ask for a cookie alone
        raise UnreadableError('there is no question')
    else:
        query = empty._replace(edns=edns, rcode=rcode)
    return without_key(query, data, last[-1]) if rcode == NOTAUTH else query


def records(data, at, count):
    """Return ([(name, type, what follows from the class on)], where they end)."""
    found = []
    for _record in range(count):
        begin, at = at, end_of_owner(data, at)
        end = at + 10 + int.from_bytes(data[at + 8:at + 10], 'big')
        if end > len(data):
            raise UnreadableError('a record is cut off')
        found.append((data[begin:at], data[at:at + 2], data[at + 2:end]))
        at = end
    return found, at


def without_key(query, data, record):
    """Return `query` with the TSIG record of its answer; `record` is its own, which ends `data`.

    A malformed record is a format error (RFC 8945 5.2).
    """
    name, _kind, rest = record
    try:
        return query._replace(tsig=dns_tsig.refusal(data, name, rest))
    except UnreadableError:
        return query._replace(rcode=FORMERR)


def edns_from(others, last):
    """Return (Edns or None, rcode) of a query's records: `last` is its section of additional ones.
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
    """Return (Edns, rcode) of an OPT record, from its class on."""
    edns = Edns(record[0] << 8 | record[1], bool(record[4] & 0x80))
    if record[3]:
        return edns, BADVERS    # and of another version's options nothing is known
    try:
        return with_options(edns, options_of(record[8:])), NOERROR
    except UnreadableError:     # without an OPT, an answer would say that EDNS is unknown here
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
    """Return `edns` with its options: of those that come twice the first, unknown ones ignored."""
    found = {}
    for code, data in options:
        found.setdefault(code, data)
    cookie, subnet = found.get(COOKIE), found.get(SUBNET, NOWHERE)
    if cookie is not None and len(cookie) != 8 and not 16 <= len(cookie) <= 40:
        raise UnreadableError('a cookie has 8 bytes, or 16 to 40')
    if subnet == NOWHERE:
        subnet = None
    else:
        check_subnet(subnet)
    return edns._replace(nsid=NSID in found, subnet=subnet, cookie=cookie)


def check_subnet(data):
    """Raise UnreadableError unless `data` is a client's subnet as RFC 7871 6 has it."""
    if len(data) < 4:
        raise UnreadableError('a subnet has a family and two lengths')
    bits, scope, address = data[2], data[3], data[4:]
    if scope or bits > FAMILIES.get(data[0] << 8 | data[1], -1) or len(address) != -(-bits // 8):
        raise UnreadableError('a subnet is not as long as it says')
    if bits % 8 and address[-1] & (0xff >> bits % 8):
        raise UnreadableError('a subnet has bits beyond its length')
