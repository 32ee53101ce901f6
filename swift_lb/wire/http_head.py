"""Heads of HTTP/1.1 between proxies: what is handed on, and where a body ends. Pure.

Sources: RFC 9110 and 9112. Two servers must never differ about where a message ends (request
smuggling), so whatever can be read in two ways is refused. Text is latin-1, a character a byte, as
WSGI has it (PEP 3333). Names of fields are tokens, or have bytes from 0x80 on, which Swift lets
clients use in names of metadata.
"""
import re
from typing import NamedTuple

from swift_lb.errors import WireError

HOP_BY_HOP = frozenset((
    'connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection',
    'te', 'trailer', 'transfer-encoding', 'upgrade',
    'expect',           # who hands a request on waits for 100 by itself, and tells in the Hop
    'x-lb-hop'))        # nobody's but the proxy's before
# RFC 9110 7.6.1: what is meant for all recipients must not be named in Connection. Where a client
# does so nonetheless it stays: Swift itself takes nothing out, and what a box in front has added
# (X-Forwarded-Proto), or what says who asks for what, is not the client's to take away.
FOR_ALL = re.compile(
    '(?:x|if|content|accept|access-control|sec)-.+|host|authorization|date|cookie|range|accept|'
    'cache-control|pragma|destination|destination-account|forwarded|via|origin|referer|user-agent|from|etag|expires|'
    'last-modified|location|retry-after|server|set-cookie|vary|www-authenticate|allow|age')
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z\x80-\xff-]+")
NO_VALUE = re.compile('[^\x01-\x09\x0b\x0c\x0e-\xff]')      # what no value has: NUL, CR, LF
TARGET = re.compile(r'/[!-~\x80-\xff]*|\*')
LENGTH = re.compile('[0-9]{1,18}')      # less than 2 ** 63
STATUS = re.compile('HTTP/1\\.([01]) ([1-5][0-9][0-9])(?: ([\t -~\x80-\xff]*))?')
FRAMES = ('content-length', 'transfer-encoding')
BODILESS = (204, 304)
SWITCHING = 101


class Framing(NamedTuple):
    """Where a request's body ends."""

    length: int | None      # bytes; 0 if a length of 0 was sent
    chunked: bool


NO_BODY = Framing(None, False)      # neither was sent: there is none. Swift says 411 to such a PUT


class AnswerHead(NamedTuple):
    """How an answer begins."""

    status: int
    reason: str
    headers: list           # of (name, value), as they were sent
    length: int | None      # bytes of the body; None and not chunked: until the connection ends
    chunked: bool
    keep: bool              # whether the connection can be used again after the body


def end_to_end(headers):
    """Return the (name, value) pairs that are handed on, of a request or an answer.

    A name with '_' goes as well if it would with '-': there are servers that see no difference.
    """
    gone = HOP_BY_HOP
    named = [option.replace('_', '-') for name, value in headers if name.lower() == 'connection'
             for option in options(value)]
    if named:
        gone = gone.union(name for name in named if FOR_ALL.fullmatch(name) is None)
    return [(name, value) for name, value in headers
            if name.lower().replace('_', '-') not in gone]


def options(value):
    """Return what a comma separates, in lower case."""
    return [option.strip(' \t') for option in value.lower().split(',')]


def framing(headers):
    """Return the Framing of a request's body; raises WireError where the answer must be 400.

    `headers` are (name, value) as the server read them, with no blanks around a value.
    """
    lengths, codings = [], []
    for name, value in headers:
        if NAME.fullmatch(name) is None:
            raise WireError(f'{name[:60]!r} is no name of a header')
        if NO_VALUE.search(value):
            raise WireError(f'the value of {name[:60]!r} has a line break in it, or no byte')
        name = name.lower()
        if name == 'content-length':
            lengths.append(value)
        elif name == 'transfer-encoding':
            codings.append(value)
        elif '_' in name and name.replace('_', '-') in FRAMES:
            raise WireError(f'{name!r} is read in two ways')
    return framed(lengths, codings)


def framed(lengths, codings):
    """Return the Framing that values of Content-Length and of Transfer-Encoding state."""
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
    """Return the bytes of a request's head; raises WireError where there would be two readings.

    Headers go in their order; what the server has to know comes first, as Swift reads what follows
    a name with bytes from 0x80 on in another way.
    """
    if TOKEN.fullmatch(method) is None:
        raise WireError(f'{method[:60]!r} is no method')
    if TARGET.fullmatch(target) is None:
        raise WireError(f'{target[:60]!r} is no path that can be sent')
    framing(headers)
    lines = ''.join([f'{name}: {value}\r\n' for name, value in headers])
    return f'{method} {target} HTTP/1.1\r\n{lines}\r\n'.encode('latin-1')


def answer_head(data, method):
    """Return the AnswerHead in `data`, all up to the empty line, to a request of that method.

    Raises WireError where another reader could find other headers, or another end of the body.
    """
    first, *lines = str(data, 'latin-1').split('\r\n')
    if not data.count(b'\r') == data.count(b'\n') == len(lines) or b'\0' in data:
        raise WireError('the head of an answer has lines that do not end with CR LF, or a NUL')
    said = STATUS.fullmatch(first)
    if said is None:
        raise WireError(f'{first[:60]!r} is no beginning of an HTTP/1.1 answer')
    headers, lengths, codings, connection = fields(lines)
    keep = said[1] == '1' and 'close' not in connection
    if codings and said[1] == '0':
        raise WireError('an answer of HTTP/1.0 has Transfer-Encoding')      # RFC 9112 6.1
    return answered(int(said[2]), said[3] or '', headers, framed(lengths, codings), keep, method)


def fields(lines):
    """Return ([(name, value)], Content-Lengths, Transfer-Encodings, options of Connection)."""
    headers, lengths, codings, connection = [], [], [], []
    told = {'content-length': lengths, 'transfer-encoding': codings, 'connection': connection}
    for line in lines:
        name, colon, value = line.partition(':')
        if not colon or NAME.fullmatch(name) is None:
            raise WireError(f'{line[:60]!r} is no header, or a folded one')
        value = value.strip(' \t')
        headers.append((name, value))
        if (name := name.lower()) in told:
            told[name].append(value)
    return headers, lengths, codings, options(','.join(connection))


def answered(status, reason, headers, framing, keep, method):
    """Return the AnswerHead; RFC 9112 6.3 says of which answers there is no body."""
    if status == SWITCHING:
        raise WireError('an answer changes the protocol, which nobody has asked for')
    length, chunked = framing
    if method != 'HEAD' and status not in BODILESS and status >= 200:
        return AnswerHead(status, reason, headers, length, chunked, keep and framing != NO_BODY)
    if method != 'HEAD' and status != 304 and (length or chunked):
        keep = False        # it says that there is a body where there is none: who knows
    return AnswerHead(status, reason, headers, 0, False, keep)
