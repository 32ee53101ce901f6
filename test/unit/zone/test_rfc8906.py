"""What testers ask of a name server: ISC's genreport (RFC 8906), each test by UDP and by TCP.

    genreport -f -c -t      the groups EDNS, FULL, COMM and TYPE

The expectations are those of its function process(): every one of them has to hold for `ok`.
"""
import dns.flags
import pytest
from support.dns_corpus import (
    AA,
    AD,
    CD,
    CLIENT_COOKIE,
    COOKIE,
    DO,
    GENREPORT,
    NSID,
    RA,
    RD,
    SUBNET,
    TC,
    Z,
    of_genreport,
)
from support.zone_options import asked, instruction, responder

NOERROR, NOTIMP, BADVERS = 0, 4, 16
EMPTY = [[], [], []]
every_test = pytest.mark.parametrize('case', GENREPORT.values(), ids=GENREPORT)
every_way = pytest.mark.parametrize('tcp', [False, True], ids=['udp', 'tcp'])


@pytest.fixture(scope='module')
def server():
    """Return a Responder with an Instruction."""
    return responder(instruction())


@every_way
@every_test
def test_every_compliance_test_of_rfc_8906_passes(server, case, tcp):
    result = asked(server, of_genreport(**case), tcp=tcp or case.get('tcp', False))
    edns, opcode = case.get('edns'), case.get('opcode', 0)
    version = (edns or {}).get('version', 0)
    assert result.flags & dns.flags.QR
    assert opcode == result.opcode()
    assert (NOTIMP if opcode else BADVERS if version else NOERROR) == result.rcode()
    check_flags(result, case.get('flags', 0), opcode, version)
    check_sections(result, case.get('kind', 'SOA'), opcode, version)
    check_edns(result, edns)


def check_flags(result, flags, opcode, version):
    """Check the flags: AA at opcode and EDNS version 0, the query's RD at opcode 0, no other."""
    assert bool(result.flags & AA) == (not opcode and not version)
    assert result.flags & RD == (0 if opcode else flags & RD)
    assert not result.flags & (AD | CD | Z | RA | TC)


def check_sections(result, kind, opcode, version):
    """Check that the sections are empty if the opcode or EDNS version is not 0.

    Else the answer has the SOA or NS record asked for; for another type, there is an authority.
    """
    if opcode or version:
        assert result.sections[1:] == EMPTY
    if opcode:
        assert result.question == []
    elif kind in ('SOA', 'NS'):
        assert [] == [rrset for rrset in result.answer if rrset.rdtype.name != kind]
        assert (len(result.answer) == 1) == (not version)
    else:
        assert (len(result.answer), len(result.authority)) == (0, 1)


def check_edns(result, edns):
    """Check that a query with OPT, `edns`, gets OPT of version 0, with its DO and no other flag."""
    assert (result.edns == 0) == (edns is not None)
    if edns is not None:
        assert result.ednsflags & 0x7fff == 0
        assert bool(result.ednsflags & DO) == bool(edns.get('flags', 0) & DO)


@every_way
@pytest.mark.parametrize(('name', 'codes'), [
    ('optlist', {NSID, SUBNET, COOKIE}),            # and not EXPIRE, which is of secondaries
    ('ednsnsid', {NSID}), ('ednscookie', {COOKIE}), ('ednssubnet', {SUBNET}), ('ednsexpire', set()),
    ('ednsopt', set()), ('edns1opt', set()), ('edns1nsid', set()), ('edns1cookie', set()),
    ('edns1expire', set()), ('edns1subnet', set()), ('bind11', {COOKIE}), ('dig11', {COOKIE})])
def test_answers_have_only_the_edns_options_requested(server, name, codes, tcp):
    result = asked(server, of_genreport(**GENREPORT[name]), tcp=tcp)
    assert codes == {int(option.otype) for option in result.options}


def test_known_edns_options_are_answered_beside_unknown_ones(server):
    result = asked(server, of_genreport(**GENREPORT['optlist']))
    options = {int(option.otype): option.to_wire() for option in result.options}
    assert (b'n1', b'\0\1\0\0') == (options[NSID], options[SUBNET])
    assert (CLIENT_COOKIE, 24) == (options[COOKIE][:8], len(options[COOKIE]))


def test_answers_are_no_longer_than_the_querys_udp_limit(server):
    """These are genreport's tests `edns@512` and `ignore tc`."""
    for case in GENREPORT.values():
        query = of_genreport(**case)
        most = (case.get('edns') or {'payload': 512}).get('payload', 4096)
        assert len(server.udp(query, '192.0.2.53', 1.0)) <= min(most, 1232)
