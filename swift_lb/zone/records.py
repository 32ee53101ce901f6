"""DNS records in wire format, with compressed names or without. Pure."""
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype

from swift_lb.wire.dns_query import HEADER

A, NS, SOA, AAAA, HTTPS, IXFR, AXFR, ANY = 1, 2, 6, 28, 65, 251, 252, 255
HINFO = 13
FAMILIES = (A, AAAA)    # in the order of a backend's addresses
IN = 1
RFC_8482 = 'RFC8482 ""'     # the HINFO record that answers ANY (RFC 8482 4.2)
TYPE_AND_CLASS = 4          # bytes of a question after its name
RECORD_HEADER = 10                  # bytes of a record between its owner and its data
POINTER, FARTHEST = 0xc000, 0x3fff      # a pointer is POINTER plus a place up to FARTHEST


class Compressor:
    """Makes the records of an answer, one after the other, with compressed names.

    The question's name must end in that of the zone. The records suit every question whose name has
    the same length. A pointer has two bytes (RFC 1035 4.1.4) and refers to an earlier place, so
    that records can be cut off from the end.
    """

    def __init__(self, zone, length):
        """Take the zone, a dnspython name, and the length of the question's name in bytes."""
        self._places = {}       # name -> its place in the message
        self._name(zone, HEADER + length - len(wire_of(zone)))
        self._at = HEADER + length + TYPE_AND_CLASS

    def record(self, owner, rtype, ttl, *data):
        """Return the next record in bytes; `owner` is a dnspython name, `data` names or bytes."""
        name = self._name(owner, self._at)
        self._at += len(name) + RECORD_HEADER
        parts = []
        for part in data:
            parts.append(part if isinstance(part, bytes) else self._name(part, self._at))
            self._at += len(parts[-1])
        return with_wire(name, rtype, ttl, b''.join(parts))

    def _name(self, name, at):
        """Return `name` in wire format, with a pointer to an earlier place if there is one.

        `at` is the place of the name in the message, in bytes.
        """
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


def record(owner, rtype, ttl, text):
    """Return one record in wire format; `text` is its data in the format of zone files.

    `owner` is the record's name in wire format, `rtype` a number, `ttl` in seconds.
    """
    return with_data(owner, rtype, ttl, dns.rdata.from_text(dns.rdataclass.IN, rtype, text))


def with_data(owner, rtype, ttl, rdata):
    """Return a record in wire format with dnspython's `rdata`, in which no name is compressed."""
    return with_wire(owner, rtype, ttl, rdata.to_wire())


def with_wire(owner, rtype, ttl, data):
    """Return a record in wire format; its name, `owner`, and `data` are in wire format already."""
    return b''.join((owner, rtype.to_bytes(2, 'big'), b'\0\1', ttl.to_bytes(4, 'big'),
                     len(data).to_bytes(2, 'big'), data))


def wire_of(name):
    """Return an absolute dnspython name in wire format, in lower case."""
    return name.to_wire().lower()


def text_of(name):
    """Return a dnspython name as text, without the final dot."""
    return name.to_text(omit_final_dot=True)


def type_text(rtype):
    """Return a record type, a number, as text: A, AAAA, TYPE666."""
    return dns.rdatatype.to_text(rtype)
