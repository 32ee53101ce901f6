"""Records as the bytes they have on the wire, made by dnspython once. Pure."""
import dns.rdata
import dns.rdataclass
import dns.rdatatype

A, NS, SOA, AAAA, HTTPS, IXFR, AXFR, ANY = 1, 2, 6, 28, 65, 251, 252, 255
HINFO = 13
FAMILIES = (A, AAAA)    # in the order of a backend's addresses
IN = 1
RFC_8482 = 'RFC8482 ""'     # what ANY is told (RFC 8482 4.2)


def record(owner, kind, ttl, text):
    """Return one record: `owner` as bytes, its type, seconds, and its data as zone files have it.
    """
    return with_data(owner, kind, ttl, dns.rdata.from_text(dns.rdataclass.IN, kind, text))


def with_data(owner, kind, ttl, rdata):
    """Return one record of dnspython's `rdata`; names in it are absolute, nothing is compressed."""
    data = rdata.to_wire()
    return b''.join((owner, kind.to_bytes(2, 'big'), b'\0\1', ttl.to_bytes(4, 'big'),
                     len(data).to_bytes(2, 'big'), data))


def wire_of(name):
    """Return an absolute dnspython name on the wire, in lower case."""
    return name.to_wire().lower()


def text_of(name):
    """Return a dnspython name as people write it."""
    return name.to_text(omit_final_dot=True)


def type_text(kind):
    """Return a type as people write it: A, AAAA, TYPE666."""
    return dns.rdatatype.to_text(kind)
