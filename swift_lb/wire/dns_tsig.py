"""The TSIG record of an answer to a query whose key is unknown. Pure.

    the answer's    key, algorithm and time of the query's, no MAC, error BADKEY

Source: RFC 8945, sections 5.2.1 and 5.3.2.
"""
from swift_lb.wire.dns_name import UnreadableError, end_of_name, in_full

TYPE = b'\0\xfa'
ANY, NO_TTL = b'\0\xff', bytes(4)
EMPTY_FIELD = b'\0\0'       # bytes of a MAC, or of other data
BADKEY = b'\0\x11'
TIME = 8                # bytes of the time and of the fudge
TAIL = 6                # bytes after the MAC, without other data: id, error, length


def refusal(data, owner, rest):
    """Return the TSIG record of the answer to the query `data`, whose key is unknown here.

    `owner` is the name of the query's TSIG record in `data`, `rest` its bytes after the type.
    Raises UnreadableError if the record is malformed.
    """
    key = in_full(data, len(data) - len(rest) - len(TYPE) - len(owner))
    class_, rdata = rest[:2], rest[8:]
    end = end_of_name(rdata, 0)         # of the algorithm
    time, length = rdata[end:end + TIME], rdata[end + TIME:end + TIME + 2]
    tail = rdata[end + TIME + 2 + int.from_bytes(length, 'big'):]
    if class_ != ANY or len(tail) != TAIL + int.from_bytes(tail[4:TAIL], 'big'):
        raise UnreadableError('a TSIG record is not as long as it says, or of another class')
    unsigned = b''.join((rdata[:end], time, EMPTY_FIELD, data[:2], BADKEY, EMPTY_FIELD))
    return b''.join((key, TYPE, ANY, NO_TTL, len(unsigned).to_bytes(2, 'big'), unsigned))
