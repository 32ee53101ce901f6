"""Queries as bytes: of resolvers, of conformance testers, and malformed ones.

GENREPORT has the tests of ISC's genreport (RFC 8906 is its text form), groups EDNS, FULL, COMM and
TYPE, with what makes each of them special; CORPUS has a query of each kind that tests ask.
"""
import dns.rdataclass
import dns.rdatatype

from support.zone_options import DEEP, FOREIGN_HOST, HOST, NAME, ZONE, name_of

AA, TC, RD, RA, Z, AD, CD = 0x0400, 0x0200, 0x0100, 0x0080, 0x0040, 0x0020, 0x0010
DO = 0x8000
NSID, SUBNET, EXPIRE, COOKIE, PADDING, UNKNOWN = 3, 8, 9, 10, 12, 100    # codes of EDNS options
CLIENT_COOKIE = bytes(range(1, 9))
TYPES = (       # genreport's group TYPE
    'A NS MD MF CNAME SOA MB MG MR NULL WKS PTR HINFO MINFO MX TXT RP AFSDB X25 ISDN RT NSAP '
    'NSAP-PTR SIG KEY PX GPOS AAAA LOC NXT SRV NAPTR KX CERT A6 DNAME APL DS SSHFP IPSECKEY RRSIG '
    'NSEC DNSKEY DHCID NSEC3 NSEC3PARAM TLSA SMIMEA HIP CDS CDNSKEY OPENPGPKEY SPF NID L32 L64 LP '
    'EUI48 EUI64 URI CAA AVC TYPE259 DLV TYPE1000')


def two(number):
    return number.to_bytes(2, 'big')


def option(code, data=b''):
    return two(code) + two(len(data)) + data


def opt(payload=4096, version=0, flags=0, options=b''):
    return b''.join((b'\0\0\x29', two(payload), bytes((0, version)), two(flags), two(len(options)),
                     options))


def question(name=ZONE, kind='SOA', class_='IN'):
    """Return a question as bytes: `name`, as text or in wire format, type `kind` and `class_`."""
    wire = name if isinstance(name, bytes) else name_of(name).to_wire()
    return (wire + two(dns.rdatatype.from_text(kind)) + two(dns.rdataclass.from_text(class_)))


def message(questions=(), additional=(), flags=0, opcode=0, number=0x1234, others=(0, 0)):
    """Return a DNS message as bytes; `questions` and `additional` are its records, bytes each.

    `number` is its id; `others` are false counts of answer and authority records: it has none.
    """
    counts = len(questions), *others, len(additional)
    return b''.join((two(number), two(flags | opcode << 11), *map(two, counts), *questions,
                     *additional))


def query(name=ZONE, kind='SOA', record=b'', flags=0, class_='IN'):
    """Return a query of one question as bytes; `record` is its OPT record, b'' for none."""
    return message([question(name, kind, class_)], [record] if record else [], flags)


ALL_OPTIONS = (option(NSID) + option(SUBNET, b'\0\1\0\0') + option(EXPIRE)
               + option(COOKIE, CLIENT_COOKIE))
GENREPORT = {
    'dns': {}, 'aa': {'flags': AA}, 'ad': {'flags': AD}, 'cd': {'flags': CD}, 'ra': {'flags': RA},
    'rd': {'flags': RD}, 'tc': {'flags': TC}, 'zflag': {'flags': Z}, 'opcode': {'opcode': 15},
    'opcodeflg': {'opcode': 15, 'flags': TC | RD | RA | CD | AD | AA | Z},
    'type666': {'kind': 'TYPE666'}, 'tcp': {'tcp': True},
    'edns': {'edns': {}}, 'edns1': {'edns': {'version': 1}},
    'edns@512': {'edns': {'payload': 512, 'flags': DO}, 'kind': 'DNSKEY'},
    'ednsopt': {'edns': {'options': option(UNKNOWN)}},
    'edns1opt': {'edns': {'version': 1, 'options': option(UNKNOWN)}},
    'do': {'edns': {'flags': DO}}, 'docd': {'edns': {'flags': DO}, 'flags': CD},
    'edns1do': {'edns': {'version': 1, 'flags': DO}}, 'ednsflags': {'edns': {'flags': 0x0080}},
    'optlist': {'edns': {'options': ALL_OPTIONS}},
    'ednsnsid': {'edns': {'options': option(NSID)}},
    'ednscookie': {'edns': {'options': option(COOKIE, CLIENT_COOKIE)}},
    'ednsexpire': {'edns': {'options': option(EXPIRE)}},
    'ednssubnet': {'edns': {'options': option(SUBNET, b'\0\1\0\0')}},
    'edns1nsid': {'edns': {'version': 1, 'options': option(NSID)}},
    'edns1cookie': {'edns': {'version': 1, 'options': option(COOKIE, CLIENT_COOKIE)}},
    'edns1expire': {'edns': {'version': 1, 'options': option(EXPIRE)}},
    'edns1subnet': {'edns': {'version': 1, 'options': option(SUBNET, b'\0\1\0\0')}},
    'ednstcp': {'edns': {'payload': 512, 'flags': DO}, 'kind': 'DNSKEY', 'tcp': True},
    'bind11': {'edns': {'flags': DO, 'options': option(COOKIE, CLIENT_COOKIE)}},
    'dig11': {'edns': {'options': option(COOKIE, CLIENT_COOKIE)}, 'flags': RD | AD},
    # RFC 8906 has it, genreport has not (8.2.5)
    'edns1flags': {'edns': {'version': 1, 'flags': 0x0080}},
    **{kind: {'kind': kind} for kind in TYPES.split()}}


def of_genreport(kind='SOA', flags=0, opcode=0, edns=None, tcp=False):
    """Return, as bytes, the query that a value of GENREPORT describes; `tcp` does not change it."""
    if opcode:
        return message(flags=flags, opcode=opcode)
    return query(ZONE, kind, b'' if edns is None else opt(**edns), flags)


LONG = '.'.join(['a' * 63, 'b' * 63, 'c' * 63, 'd' * 40, NAME])        # 255 bytes
LONGER = b'\x3f' + b'a' * 63 + b'\x3f' + b'b' * 63 + b'\x3f' + b'c' * 63 + b'\x29' + b'd' * 41 + (
    name_of(NAME).to_wire())                                           # 256 of them
TSIG = (b'\0' + two(250) + b'\0\xff\0\0\0\0' + two(61) + b'\x0bhmac-sha256\0' + bytes(8)
        + two(32) + bytes(32) + bytes(6))   # of the key that genreport's dnswkk has
CORPUS = {
    **{f'genreport {name}': of_genreport(**case) for name, case in GENREPORT.items()},
    **{f'{kind} of {name}': query(name, kind) for kind in (
        'A', 'AAAA', 'HTTPS', 'SVCB', 'ANY', 'TXT', 'SOA', 'NS', 'AXFR', 'IXFR', 'DS', 'TYPE65280')
       for name in (ZONE, NAME, 'any.' + NAME, 'any.other.' + NAME, HOST, DEEP,
                    'y.z.lb.example.com.', 'no.lb.example.com.', 'no.' + HOST, FOREIGN_HOST,
                    'example.org.', 'com.', '.')},
    'a question in mixed case': query('sWiFt.Lb.eXAmple.COM.', 'A', flags=RD),
    'a question as Unbound sends it': query('SwiFT.lb.ExaMPle.com.', 'AAAA', opt(1232, flags=DO)),
    'a cookie of a server': query(NAME, 'A', opt(options=option(
        COOKIE, CLIENT_COOKIE + b'\1\0\0\0' + bytes(12)))),
    'a cookie of 9 bytes': query(NAME, 'A', opt(options=option(COOKIE, bytes(9)))),
    'a cookie of 41 bytes': query(NAME, 'A', opt(options=option(COOKIE, bytes(41)))),
    'a cookie alone': message((), [opt(options=option(COOKIE, CLIENT_COOKIE))]),
    'an OPT record alone': message((), [opt()]),
    'a subnet': query(NAME, 'A', opt(options=option(SUBNET, b'\0\1\x18\0\xc0\0\2'))),
    'a subnet of IPv6': query(NAME, 'A', opt(options=option(
        SUBNET, b'\0\2\x38\0\x20\1\x0d\xb8\0\0\0'))),
    'a subnet of no family': query(NAME, 'A', opt(options=option(SUBNET, bytes(4)))),
    'a subnet that is too short': query(NAME, 'A', opt(options=option(SUBNET, b'\0\1\x18\0\xc0'))),
    'a subnet with more bits': query(NAME, 'A', opt(options=option(
        SUBNET, b'\0\1\x17\0\xc0\0\3'))),
    'a subnet with a scope': query(NAME, 'A', opt(options=option(SUBNET, b'\0\1\x08\x08\xc0'))),
    'a subnet of family 3': query(NAME, 'A', opt(options=option(SUBNET, b'\0\3\0\0'))),
    'an option that is cut off': query(NAME, 'A', opt(options=b'\0\3\0\5n')),
    'padding': query(NAME, 'A', opt(options=option(PADDING, bytes(468)))),
    'options twice': query(NAME, 'A', opt(options=ALL_OPTIONS + ALL_OPTIONS)),
    'a payload of 0': query(NAME, 'A', opt(0)),
    'a payload of 512': query(LONG, 'AAAA', opt(512, options=ALL_OPTIONS)),
    'a payload of 65535': query(NAME, 'A', opt(65535)),
    'EDNS of version 255': query(NAME, 'A', opt(version=255, options=b'?')),
    'two OPT records': message([question(NAME, 'A')], [opt(), opt()]),
    'an OPT record that is not of the root': message([question(NAME, 'A')], [b'\1a' + opt()]),
    'an OPT record that is longer than it is': query(NAME, 'A', opt() + b'?'),
    'an OPT record in the wrong section': message([question(NAME, 'A'), opt()], others=(0, 1)),
    'something behind the question': query(NAME, 'A') + b'?',
    'a record behind the question': message([question(NAME, 'A')], [
        b'\xc0\x0c\0\1\0\1\0\0\0\1\0\4\1\2\3\4']),
    'a record and an OPT': message([question(NAME, 'A')], [
        b'\xc0\x0c\0\1\0\1\0\0\0\1\0\4\1\2\3\4', opt()]),
    'a signature': message([question(NAME, 'A')], [TSIG]),
    'a signature and an OPT': message([question(NAME, 'A')], [opt(), TSIG]),
    'two questions': message([question(NAME, 'A'), question(NAME, 'AAAA')]),
    'one question twice': message([question(NAME, 'A'), question(NAME, 'A')]),
    'no question': message(),
    'a question that is not there': message(others=(0, 0))[:5] + b'\1' + bytes(6),
    'as many records as can be': message([question(NAME, 'A')])[:4] + b'\xff' * 8,
    'a name that is cut off': query(NAME, 'A')[:20],
    'a question without its class': query(NAME, 'A')[:-2],
    'a name that points to itself': query(b'\xc0\x0c', 'A'),
    'a name that points to the header': query(b'\xc0\x04', 'A'),
    'a name with an old kind of label': query(b'\x41\x00', 'A'),
    'the longest name': query(LONG, 'A', opt()),
    'a name that is too long': query(LONGER, 'A'),
    'a name of 127 labels': query(b'\1a' * 127 + b'\0', 'A'),
    'a name with strange bytes': query(b'\4\0.\xff ' + name_of(NAME).to_wire(), 'A'),
    'a type of 0': query(NAME, 'TYPE0'), 'a type of 65535': query(NAME, 'TYPE65535'),
    'the type of OPT': query(NAME, 'OPT'), 'the type of TSIG': query(NAME, 'TSIG'),
    'version.bind': query('version.bind.', 'TXT', class_='CH'),
    'id.server': query('id.server.', 'TXT', class_='CH'),
    'our name in another class': query(NAME, 'A', class_='CH'),
    'any class': query(NAME, 'A', class_='ANY'), 'no class': query(NAME, 'A', class_='NONE'),
    **{f'opcode {opcode}': message([question(NAME, 'A')], opcode=opcode, flags=RD)
       for opcode in range(1, 16)},
    'an answer': query(NAME, 'A', flags=0x8000), 'a header': message(flags=RD),
    'half a header': message()[:6], 'nothing': b'',
    'a header of an answer': message(flags=0x8180),
}
