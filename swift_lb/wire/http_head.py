"""Heads of HTTP/1.1 messages that a proxy forwards to a peer: their headers and framing. Pure.

Sources: RFC 9110 and 9112. Two servers must never differ about where a message ends (request
smuggling), so a head with two readings is an error. Text is latin-1, a character a byte, as in
WSGI (PEP 3333). Names of headers are tokens, or have bytes from 0x80 on, which Swift lets clients
use in names of metadata.
"""
import re
from typing import NamedTuple

from swift_lb.errors import WireError

HOP_BY_HOP = frozenset((
    'connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection',
    'te', 'trailer', 'transfer-encoding', 'upgrade',
    'expect',           # the forwarding proxy waits for 100 itself, and says so in the Hop
    'x-lb-hop'))        # each proxy writes its own
# RFC 9110 7.6.1: Connection must not name headers for all recipients. Where a client names one all
# the same, the header is kept: Swift removes none, and a client must not remove what a balancer in
# front has added (X-Forwarded-Proto), nor what authenticates or addresses the request.
FOR_ALL = re.compile(
    '(?:x|if|content|accept|access-control|sec)-.+|host|authorization|date|cookie|range|accept|'
    'cache-control|pragma|destination|destination-account|forwarded|via|origin|referer|user-agent|from|etag|expires|'
    'last-modified|location|retry-after|server|set-cookie|vary|www-authenticate|allow|age')
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z\x80-\xff-]+")
NO_VALUE = re.compile('[^\x01-\x09\x0b\x0c\x0e-\xff]')      # NUL, CR, LF: in no value
TARGET = re.compile(r'/[!-~\x80-\xff]*|\*')
PRINTED = ''.join(map(chr, range(0x21, 0x7f)))     # characters of a path that stay unquoted
LENGTH = re.compile('[0-9]{1,18}')      # less than 2 ** 63
STATUS = re.compile('HTTP/1\\.([01]) ([1-5][0-9][0-9])(?: ([\t -~\x80-\xff]*))?')
FRAMES = ('content-length', 'transfer-encoding')
BODILESS = (204, 304)
SWITCHING = 101


class Framing(NamedTuple):
    """Where a request's body ends: after `length` bytes, or with the last chunk if `chunked`."""

    length: int | None      # bytes, as Content-Length has it; 0 is not None
    chunked: bool


NO_BODY = Framing(None, False)      # neither header: no body. Swift answers such a PUT with 411


class AnswerHead(NamedTuple):
    """The status line and headers of an answer, and where its body ends."""

    status: int
    reason: str
    headers: list           # of (name, value), in the order they were sent
    length: int | None      # bytes of the body; None and not chunked: until the connection ends
    chunked: bool
    keep: bool              # whether the connection can be reused after the body


def end_to_end(headers):
    """Return those headers of a request or an answer, (name, value) pairs, that are forwarded.

    A name with '_' is dropped if the same name with '-' is: some servers do not tell them apart.
    """
    dropped = HOP_BY_HOP
    named = [option.replace('_', '-') for name, value in headers if name.lower() == 'connection'
             for option in options(value)]
    if named:
        dropped = dropped.union(name for name in named if FOR_ALL.fullmatch(name) is None)
    return [(name, value) for name, value in headers
            if name.lower().replace('_', '-') not in dropped]


def options(value):
    """Return the comma-separated options of a header's value, in lower case."""
    return [option.strip(' \t') for option in value.lower().split(',')]


def framing(headers):
    """Return the Framing of a request's body; raises WireError if the request must get a 400.

    `headers` are (name, value) pairs as the server read them, without blanks around a value.
    """
    lengths, codings = [], []
    for name, value in headers:
        if NAME.fullmatch(name) is None:
            raise WireError(f'{name[:60]!r} is not a valid header name')
        if NO_VALUE.search(value):
            raise WireError(f'the value of {name[:60]!r} has a line break, a NUL, or a character '
                            'that is not latin-1')
        name = name.lower()
        if name == 'content-length':
            lengths.append(value)
        elif name == 'transfer-encoding':
            codings.append(value)
        elif '_' in name and name.replace('_', '-') in FRAMES:
            raise WireError(f'{name!r} is the same as with "-" to some servers only')
    return framed(lengths, codings)


def framed(lengths, codings):
    """Return the Framing for the values of all Content-Length and Transfer-Encoding headers."""
    if lengths and codings:
        raise WireError('a message has either Content-Length or Transfer-Encoding, not both')
    if len(lengths) > 1 or len(codings) > 1:
        raise WireError('a message has one Content-Length, or one Transfer-Encoding, and not two')
    if codings:
        if codings[0].lower() != 'chunked':
            raise WireError(f'Transfer-Encoding is chunked, not {codings[0][:60]!r}')
        return Framing(None, True)
    if not lengths:
        return NO_BODY
    if LENGTH.fullmatch(lengths[0]) is None:
        raise WireError(f'Content-Length is a number of at most 18 digits, not {lengths[0][:60]!r}')
    return Framing(int(lengths[0]), False)


def request_head(method, target, headers):
    """Return the bytes of a request's head; raises WireError if it could be read in two ways.

    Headers keep their order. The caller puts first those that the server needs, since Swift parses
    headers differently after a name with bytes from 0x80 on.
    """
    if TOKEN.fullmatch(method) is None:
        raise WireError(f'{method[:60]!r} is not a valid method')
    if TARGET.fullmatch(target) is None:
        raise WireError(f'{target[:60]!r} is not a path that can be sent')
    framing(headers)
    lines = ''.join([f'{name}: {value}\r\n' for name, value in headers])
    return f'{method} {target} HTTP/1.1\r\n{lines}\r\n'.encode('latin-1')


def answer_head(data, method):
    """Return the AnswerHead in `data`, the bytes before the empty line; `method` is the request's.

    Raises WireError where another parser could find other headers, or another end of the body.
    """
    first, *lines = str(data, 'latin-1').split('\r\n')
    if not data.count(b'\r') == data.count(b'\n') == len(lines) or b'\0' in data:
        raise WireError('the head of an answer has lines that do not end with CR LF, or a NUL')
    status_line = STATUS.fullmatch(first)
    if status_line is None:
        raise WireError(f'{first[:60]!r} is not the status line of an HTTP/1.1 answer')
    headers, lengths, codings, connection = fields(lines)
    keep = status_line[1] == '1' and 'close' not in connection
    if codings and status_line[1] == '0':
        raise WireError('an answer of HTTP/1.0 has Transfer-Encoding')      # RFC 9112 6.1
    return with_body(int(status_line[2]), status_line[3] or '', headers,
                     framed(lengths, codings), keep, method)


def fields(lines):
    """Return the headers in `lines`, and the values of those that say where the body ends.

    They are ([(name, value)], Content-Lengths, Transfer-Encodings, options of Connection).
    """
    headers, lengths, codings, connection = [], [], [], []
    collected = {'content-length': lengths, 'transfer-encoding': codings, 'connection': connection}
    for line in lines:
        name, colon, value = line.partition(':')
        if not colon or NAME.fullmatch(name) is None:
            raise WireError(f'{line[:60]!r} is not a header, or is a folded one')
        value = value.strip(' \t')
        headers.append((name, value))
        if (name := name.lower()) in collected:
            collected[name].append(value)
    return headers, lengths, codings, options(','.join(connection))


def with_body(status, reason, headers, framing, keep, method):
    """Return the AnswerHead with these fields, but with length 0 if RFC 9112 6.3 allows no body.

    `keep` says whether the connection may stay open, `method` is the request's.
    """
    if status == SWITCHING:
        raise WireError('an answer changes the protocol, which the request did not ask for')
    length, chunked = framing
    if method != 'HEAD' and status not in BODILESS and status >= 200:
        return AnswerHead(status, reason, headers, length, chunked, keep and framing != NO_BODY)
    if method != 'HEAD' and status != 304 and (length or chunked):
        keep = False        # it announces a body, which may follow all the same
    return AnswerHead(status, reason, headers, 0, False, keep)
