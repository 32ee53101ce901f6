"""A DNS query: bytes -> Query. Pure.

What nearly every resolver sends, one question and perhaps an OPT record, is read here byte by byte;
everything else dnspython reads, at ten times the price, and a test holds the two against each
other. What can not be read still has an answer, FORMERR, unless it is an answer itself: two servers
must never talk to each other (RFC 1035 4.1.1, QR).
"""
from typing import NamedTuple

import dns.edns
import dns.message

HEADER = 12             # bytes
QUERY = 0               # the opcode
NOERROR, FORMERR, SERVFAIL, NXDOMAIN, NOTIMP, REFUSED, NOTAUTH, BADVERS = 0, 1, 2, 3, 4, 5, 9, 16
NSID, SUBNET, COOKIE = 3, 8, 10     # codes of EDNS options: RFC 5001, 7871, 7873
OPT = b'\x00\x00\x29'   # the root, and the type of the record
ALONE, WITH_OPT = b'\0\1\0\0\0\0\0\0', b'\0\1\0\0\0\0\0\1'      # counts of sections
FAMILIES = {1: 32, 2: 128}          # of addresses in SUBNET: bits
NOWHERE = bytes(4)      # SUBNET of no family: what `dig +subnet=0` and stubby send, not to be known
LONGEST_NAME = 255


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


class UnreadableError(ValueError):
    """What was sent is no query that has one meaning."""


def parse(data):
    """Return the Query in `data`, None where there is nothing to be answered."""
    if len(data) < HEADER or data[2] & 0x80:
        return None
    opcode = data[2] >> 3 & 15
    empty = Query(data[:2], opcode, bool(data[2] & 1))
    if opcode != QUERY:
        return empty._replace(recursion=False, rcode=NOTIMP)    # RD is of queries (genreport)
    try:
        counts = data[4:HEADER]
        if counts in (ALONE, WITH_OPT):
            found = usual(data, counts, empty)
            if found is not None:
                return found
        return unusual(data, empty)
    except UnreadableError:
        return empty._replace(rcode=FORMERR)


def usual(data, counts, empty):
    """Return the Query of one question with an OPT record or none; None if it is another one."""
    end = end_of_name(data)
    question = data[HEADER:end + 4]
    if len(question) != end + 4 - HEADER:
        raise UnreadableError('the question is cut off')
    edns, rcode = None, NOERROR
    if counts == WITH_OPT:
        if data[end + 4:end + 7] != OPT:
            return None
        edns, rcode = edns_of(data[end + 7:])
    elif len(data) != end + 4:
        raise UnreadableError('something follows')
    return empty._replace(
        question=question, name=question[:-4].lower(), type=data[end] << 8 | data[end + 1],
        kind=data[end + 2] << 8 | data[end + 3], edns=edns, rcode=rcode)


def end_of_name(data):
    """Return where the name at the end of the header ends; raises UnreadableError."""
    at = HEADER
    try:
        while length := data[at]:
            if length > 63:
                raise UnreadableError('a name in a question is whole')
            at += length + 1
    except IndexError:
        raise UnreadableError('the name is cut off') from None
    if at + 1 - HEADER > LONGEST_NAME:
        raise UnreadableError('the name is too long')
    return at + 1


def edns_of(record):
    """Return (Edns, rcode) of an OPT record from its class on, the last record of a message."""
    if len(record) < 8 or len(record) != 8 + (record[6] << 8 | record[7]):
        raise UnreadableError('the OPT record is cut off, or something follows')
    edns = Edns(record[0] << 8 | record[1], bool(record[4] & 0x80))
    return completed(edns, record[3], options_of(record[8:]))


def completed(edns, version, options):
    """Return (`edns` with its options, rcode)."""
    if version:
        return edns, BADVERS    # and of another version's options nothing is known
    try:
        return with_options(edns, options), NOERROR
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


def unusual(data, empty):
    """Return the Query that dnspython reads in `data`; raises UnreadableError."""
    try:
        message = dns.message.from_wire(data)
        question, = message.question or (None,)
        wire = b'' if question is None else question.name.to_wire()     # it is empty, thus false
        edns, rcode = edns_from(message)
    except dns.message.UnknownTSIGKey:
        return empty._replace(rcode=NOTAUTH)    # RFC 8945 5.2.1: we share a key with nobody
    except UnreadableError:
        raise
    except Exception as err:    # whatever it is that it stumbles over
        raise UnreadableError(str(err)) from None
    if question is None:
        if edns is None or edns.cookie is None:     # RFC 7873 5.4: to ask for a cookie alone
            raise UnreadableError('there is no question')
        return empty._replace(edns=edns, rcode=rcode)
    ends = question.rdtype.to_bytes(2, 'big') + question.rdclass.to_bytes(2, 'big')
    return empty._replace(question=wire + ends, name=wire.lower(), type=int(question.rdtype),
                          kind=int(question.rdclass), edns=edns, rcode=rcode)


def edns_from(message):
    """Return (Edns or None, rcode) of a dnspython message."""
    if message.edns < 0:
        return None, NOERROR
    edns = Edns(message.payload, bool(message.ednsflags & 0x8000))
    return completed(edns, message.edns, [(int(option.otype), option.to_wire())
                                          for option in message.options])
