"""Parse a DNS query into a Query. Pure.

A query has one question, and perhaps an OPT record; other records are skipped. dnspython would take
thirty times as long for a usual query, and a second and a half for a hostile one of 4096 bytes; a
test compares the two parsers. A malformed query is answered with FORMERR, unless it is itself an
answer: two servers must never answer each other (RFC 1035 4.1.1, QR).
"""
import struct
from typing import NamedTuple

HEADER = 12             # bytes
QUERY = 0               # the opcode
NOERROR, FORMERR, NXDOMAIN, NOTIMP, REFUSED, NOTAUTH = 0, 1, 3, 4, 5, 9
BADVERS, BADCOOKIE, BADKEY = 16, 23, b'\0\x11'
NSID, SUBNET, COOKIE = 3, 8, 10     # codes of EDNS options: RFC 5001, 7871, 7873
OPT, TSIG = b'\0\x29', b'\0\xfa'   # record types, RFC 6891 and 8945
ANY = b'\0\xff'           # a class
ROOT = b'\0'            # the root's name in wire format
FAMILIES = {1: 32, 2: 128}          # of addresses in SUBNET: bits
LONGEST_NAME = 255      # bytes of a name in wire format
POINTER = 0xc0          # the least value of the first byte of a pointer
TSIG_TIME, TSIG_TAIL = 8, 6     # bytes: time and fudge; id, error and length after the MAC
NOWHERE = bytes(4)      # SUBNET without a family: `dig +subnet=0` and stubby send it for privacy


class UnreadableError(ValueError):
    """A message cannot be read as a query that has exactly one meaning."""


class Edns(NamedTuple):
    """The content of an OPT record (RFC 6891)."""

    payload: int                    # bytes of the largest accepted answer by UDP
    dnssec: bool = False            # the DO bit, which the answer repeats (RFC 3225)
    nsid: bool = False              # whether the client asks for the server's name
    subnet: bytes | None = None     # the data of the option, None if absent
    cookie: bytes | None = None


class Query(NamedTuple):
    """A DNS query: its header, question and EDNS options; `rcode` is the error to answer with."""

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
    """Return the Query in `data`, None for an answer or a fragment, which must not be answered.

    A malformed query becomes a Query with the rcode FORMERR.
    """
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
    """Return the Query in a message of opcode 0; `empty` is a Query with only its header."""
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
    if rcode != NOTAUTH:
        return query
    try:
        return query._replace(tsig=refusal(data, *last[-1]))
    except UnreadableError:     # a malformed TSIG record is a format error (RFC 8945 5.2)
        return query._replace(rcode=FORMERR)


def records(data, at, count):
    """Parse `count` records at `at`; return ([(name, type, bytes after the type)], their end)."""
    parsed = []
    for _record in range(count):
        begin, at = at, end_of_owner(data, at)
        end = at + 10 + int.from_bytes(data[at + 8:at + 10], 'big')
        if end > len(data):
            raise UnreadableError('a record is cut off')
        parsed.append((data[begin:at], data[at:at + 2], data[at + 2:end]))
        at = end
    return parsed, at


def edns_from(others, last):
    """Return (Edns or None, rcode of the answer) for the records of a query.

    `last` are the records of its additional section, `others` those of the sections before it.
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
    """Return (Edns, rcode of the answer) for an OPT record, its bytes from the class on."""
    edns = Edns(record[0] << 8 | record[1], bool(record[4] & 0x80))
    if record[3]:
        return edns, BADVERS    # the options of another version are unknown
    try:
        return with_options(edns, options_of(record[8:])), NOERROR
    except UnreadableError:     # an answer without OPT would mean that EDNS is not supported
        return edns, FORMERR


def options_of(rdata):
    """Yield (code, data) for each EDNS option in `rdata`, the data of an OPT record."""
    at = 0
    while at < len(rdata):
        code, length = rdata[at:at + 2], rdata[at + 2:at + 4]
        at += 4 + int.from_bytes(length, 'big')
        if len(length) < 2 or at > len(rdata):
            raise UnreadableError('an option is cut off')
        yield int.from_bytes(code, 'big'), rdata[at - int.from_bytes(length, 'big'):at]


def with_options(edns, options):
    """Return `edns` with the fields that `options`, (code, data) pairs, set.

    The first option of each code counts; options of unknown codes are ignored.
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


def refusal(data, owner, _type, rest):
    """Return the TSIG record of the answer to `data`, a query signed with a key unknown here.

    It repeats the key's name, the algorithm and the time of the query's TSIG record, and has no MAC
    and the error BADKEY (RFC 8945 5.2.1 and 5.3.2). `owner` is the name of the query's TSIG record,
    with which `data` ends, `rest` the record's bytes after the type. Raises UnreadableError if it
    is malformed.
    """
    key = in_full(data, len(data) - len(rest) - len(TSIG) - len(owner))
    class_, rdata = rest[:2], rest[8:]
    end = end_of_name(rdata, 0)         # of the algorithm
    time, length = rdata[end:end + TSIG_TIME], rdata[end + TSIG_TIME:end + TSIG_TIME + 2]
    tail = rdata[end + TSIG_TIME + 2 + int.from_bytes(length, 'big'):]
    if class_ != ANY or len(tail) != TSIG_TAIL + int.from_bytes(tail[4:TSIG_TAIL], 'big'):
        raise UnreadableError('a TSIG record is not as long as it says, or of another class')
    no_mac = no_data = b'\0\0'
    unsigned = b''.join((rdata[:end], time, no_mac, data[:2], BADKEY, no_data))
    return b''.join((key, TSIG, ANY, bytes(4), len(unsigned).to_bytes(2, 'big'), unsigned))


def end_of_name(data, at):
    """Return the position after the name that begins at `at` and must not contain a pointer."""
    begin = at
    try:
        while length := data[at]:
            if length > 63:
                raise UnreadableError('a name has a pointer, or a label of another kind')
            at += length + 1
    except IndexError:
        raise UnreadableError('a name is cut off') from None
    if at + 1 - begin > LONGEST_NAME:
        raise UnreadableError('a name is too long')
    return at + 1


def end_of_owner(data, at):
    """Return the position after the name of a record at `at`; the name may end in a pointer."""
    at = end_of_labels(data, at)
    return at + 2 if data[at] else at + 1


def end_of_labels(data, at):
    """Return where the labels from `at` on end: the position of a pointer, or of the root's NUL."""
    try:
        while 0 < (length := data[at]) < 64:
            at += length + 1
    except IndexError:
        raise UnreadableError('a name is cut off') from None
    if 0 < length < POINTER:
        raise UnreadableError('a name has a label of another kind')
    return at


def in_full(data, at):
    """Return the name at `at`, uncompressed; raise UnreadableError if a pointer leads forward."""
    name = b''
    while True:
        end = end_of_labels(data, at)
        name += data[at:end]
        if len(name) >= LONGEST_NAME:
            raise UnreadableError('a name is too long')
        if data[end] == 0:
            return name + b'\0'
        to = int.from_bytes(data[end:end + 2], 'big') & 0x3fff
        if to >= at:
            raise UnreadableError('a pointer leads on')
        at = to
