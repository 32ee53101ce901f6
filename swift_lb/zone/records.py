"""Records as the bytes they have on the wire, made once. Pure."""
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype

from swift_lb.wire.dns_query import HEADER

A, NS, SOA, AAAA, HTTPS, IXFR, AXFR, ANY = 1, 2, 6, 28, 65, 251, 252, 255
HINFO = 13
FAMILIES = (A, AAAA)    # in the order of a backend's addresses
IN = 1
RFC_8482 = 'RFC8482 ""'     # what ANY is told (RFC 8482 4.2)
TYPE_AND_CLASS = 4          # bytes of a question behind its name
FIXED = 10                  # bytes of a record between its owner and its data
POINTER, FARTHEST = 0xc000, 0x3fff      # a pointer is the sum of the first and a place


class Compressor:
    """The records of an answer, one after the other, whose names point to earlier ones.

    The question's name ends in that of the zone. The records fit every question whose name has the
    same length. A pointer has two bytes (RFC 1035 4.1.4) and refers to an earlier place, so that
    records may be cut off from the end.
    """

    def __init__(self, zone, length):
        """`zone` is a dnspython name, `length` the bytes of the question's name."""
        self._places = {}       # name -> where it stands
        self._name(zone, HEADER + length - len(wire_of(zone)))
        self._at = HEADER + length + TYPE_AND_CLASS

    def record(self, owner, kind, ttl, *data):
        """Return the next record: `owner` is a dnspython name, `data` such names and bytes."""
        name = self._name(owner, self._at)
        self._at += len(name) + FIXED
        parts = []
        for part in data:
            parts.append(part if isinstance(part, bytes) else self._name(part, self._at))
            self._at += len(parts[-1])
        return with_wire(name, kind, ttl, b''.join(parts))

    def _name(self, name, at):
        """Return `name` as it is written at the place `at`."""
        labels = []
        while name != dns.name.root:
            if name in self._places:
                return b''.join((*labels, (POINTER + self._places[name]).to_bytes(2, 'big')))
            if at <= FARTHEST:
                self._places[name] = at
            labels.append(bytes((len(name.labels[0]),)) + name.labels[0])
            at += len(labels[-1])
            name = name.parent()
        return b''.join((*labels, b'\0'))


def record(owner, kind, ttl, text):
    """Return one record: `owner` as bytes, its type, seconds, and its data as zone files have it.
    """
    return with_data(owner, kind, ttl, dns.rdata.from_text(dns.rdataclass.IN, kind, text))


def with_data(owner, kind, ttl, rdata):
    """Return one record of dnspython's `rdata`; names in it are absolute, nothing is compressed."""
    return with_wire(owner, kind, ttl, rdata.to_wire())


def with_wire(owner, kind, ttl, data):
    """Return one record, of which `owner` and `data` are on the wire."""
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
