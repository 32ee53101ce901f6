"""Assemble a DNS answer from a Query and prepared records. Pure.

Each record is given as its bytes in wire format, so that an answer that is too long is cut between
two records (RFC 2181 9), never within one.
"""
from swift_lb.wire.dns_query import COOKIE, NOTAUTH, NSID, SUBNET

PAYLOAD = 1232          # bytes: such datagrams are not fragmented (RFC 9715)
PLAIN = 512             # bytes of an answer to a client without EDNS (RFC 1035 4.2.1)
MAX_TCP_BYTES = 65535         # bytes of an answer by TCP
SAME_NAME = b'\xc0\x0c'     # as the owner of a record: a pointer to the question's name


def limit_of(query):
    """Return the maximum number of bytes of an answer by UDP to `query`."""
    return PLAIN if query.edns is None else min(max(query.edns.payload, PLAIN), PAYLOAD)


def head(query, flags, answers, authority, additional):
    """Return the bytes of an answer's header, without the id, and of its question.

    `flags` is an int: the bits AA and TC, and the rcode. `answers`, `authority` and `additional`
    are counts of records.
    """
    flags |= 0x8000 | query.opcode << 11 | query.recursion << 8
    return b''.join((flags.to_bytes(2, 'big'), b'\0\1' if query.question else b'\0\0',
                     answers.to_bytes(2, 'big'), authority.to_bytes(2, 'big'),
                     additional.to_bytes(2, 'big'), query.question))


def opt(query, rcode, nsid, cookie):
    """Return the OPT record of an answer, b'' if the query has none.

    `nsid` is this server's name, b'' for no NSID option; `cookie` is the data of the COOKIE option,
    None for no such option. Of `rcode` it holds the bits above the lowest four.
    """
    edns = query.edns
    if edns is None:
        return b''
    options = [(NSID, nsid)] if edns.nsid and nsid else []
    if edns.subnet is not None:     # scope 0: the answer is the same for all of the world
        options.append((SUBNET, edns.subnet))
    if cookie is not None:
        options.append((COOKIE, cookie))
    data = b''.join(code.to_bytes(2, 'big') + len(text).to_bytes(2, 'big') + text
                    for code, text in options)
    return b''.join((b'\0\0\x29', PAYLOAD.to_bytes(2, 'big'), bytes((rcode >> 4, 0)),
                     b'\x80\0' if edns.dnssec else b'\0\0', len(data).to_bytes(2, 'big'), data))


def reply(query, flags, sections, tail, limit):
    """Return the bytes of the answer to `query`, at most `limit`.

    `sections` are tuples of answer, authority and additional records, `tail` is the OPT record, and
    `flags` are those of head(). A query that is refused for its key gets a TSIG record as the last
    one (RFC 8945 5.1); without room for it, the answer only has TC set. Records that do not fit are
    omitted: first additional ones, which are dispensable; if any others are omitted, TC is set.
    """
    tsig = query.tsig if flags & 15 == NOTAUTH else b''
    answers, authority, additional = sections
    room = limit - len(query.id) - 10 - len(query.question) - len(tail)
    if len(tsig) > room:
        flags, tsig = flags | 0x0200, b''
    room -= len(tsig)
    kept, room, cut = fit(answers, room)
    kept_authority, room, cut_authority = fit(() if cut else authority, room)
    if cut or cut_authority:
        flags, additional = flags | 0x0200, ()
    kept_additional, _room, _cut = fit(additional, room)
    counts = len(kept), len(kept_authority), len(kept_additional) + bool(tail) + bool(tsig)
    return b''.join((query.id, head(query, flags, *counts), *kept, *kept_authority,
                     *kept_additional, tail, tsig))


def fit(records, room):
    """Return (the first `records` that fit into `room` bytes, bytes left, whether any are cut)."""
    for number, record in enumerate(records):
        if len(record) > room:
            return records[:number], room, True
        room -= len(record)
    return records, room, False
