"""Heads of forwarded requests: the headers that are kept, and the framing of their bodies."""
import http.client
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.errors import WireError
from swift_lb.wire.http_head import HOP_BY_HOP, NO_BODY, Framing, end_to_end, framing, request_head

CODING = 'Transfer-Encoding'
HEADERS = [('Host', 'swift:8080'), ('X-Auth-Token', 'AUTH_tk0'), ('Content-Length', '5'),
           ('X-Object-Meta-Note', 'a  b\t\xc3\xa9'), ('X-Object-Meta-N\xc3\xa9', '1')]
NAMES = st.sampled_from([
    'Connection', 'connection', 'Host', 'Content-Length', 'Content_Length', CODING, 'X-Lb-Hop',
    'X_Lb_Hop', 'TE', 'Te', 'Expect', 'X-A', 'Custom', 'a b', 'a:b', '', 'X-\xe9'])
VALUES = st.sampled_from([
    '', '0', '5', '5, 5', '+5', 'chunked', 'Chunked', 'close', 'custom, X-A', 'content-length',
    'a\r\nb: c', 'a\nb', 'a\r', 'a\0', '\u20ac'])
PAIRS = st.lists(st.tuples(NAMES | st.text(), VALUES | st.text()), max_size=6)
TOKENS = st.from_regex(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}", fullmatch=True)
TEXTS = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters='\x7f'),
                max_size=20).map(lambda text: text.strip(' '))
SOUND = st.lists(st.tuples(TOKENS.map('X-{}'.format), TEXTS), max_size=8)


def test_end_to_end_headers_are_forwarded():
    assert end_to_end(HEADERS) == HEADERS
    both = [('Date', 'today'), ('ETag', '"a"'), ('Via', '1.1 a'), ('Content-Range', 'bytes 0-1/2')]
    assert end_to_end(both) == both


@pytest.mark.parametrize('name', [
    'Connection', 'Keep-Alive', 'Proxy-Authenticate', 'Proxy-Authorization', 'Proxy-Connection',
    'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'Expect', 'X-Lb-Hop'])
def test_hop_by_hop_headers_are_dropped(name):
    assert name.lower() in HOP_BY_HOP
    for spelled in (name, name.lower(), name.upper(), name.replace('-', '_')):
        assert end_to_end([(spelled, 'x'), ('Host', 'a')]) == [('Host', 'a')]


def test_headers_named_by_the_connection_header_are_dropped():
    assert end_to_end([('Connection', 'close, Custom'), ('CUSTOM', '1'), ('Customs', '2'),
                       ('connection', 'close,,\tother ,'), ('other', '3'), ('more', '4')]) == [
        ('Customs', '2'), ('more', '4')]
    assert end_to_end([('Connection', 'hosts, x, if, a-host'), ('hosts', '1'), ('x', '2'),
                       ('if', '3'), ('a-host', '4')]) == []
    assert end_to_end([('Connection', 'a-b'), ('a_b', '1'), ('c-d', '2')]) == [('c-d', '2')]
    assert end_to_end([('Connection', 'a_b'), ('a-b', '1')]) == []


@pytest.mark.parametrize('name', [
    'Host', 'Content-Length', 'Content-Type', 'Authorization', 'X-Auth-Token', 'X-Forwarded-For',
    'X-Object-Meta-A', 'X-Copy-From', 'X-Delete-At', 'X-Amz-Date', 'Date', 'Cookie', 'Range',
    'If-Match', 'If-None-Match', 'Destination', 'Destination-Account', 'Forwarded', 'Origin',
    'Access-Control-Request-Method', 'Accept', 'Cache-Control', 'ETag', 'Content_Length'])
def test_headers_for_swift_are_kept_if_connection_names_them(name):
    for options in (name, name.lower(), f'close, {name}', f' {name}\t,close'):
        assert end_to_end([('Connection', options), (name, '5')]) == [(name, '5')]


@given(PAIRS)
def test_forwarded_headers_keep_their_order(headers):
    left = end_to_end(headers)
    rest = iter(headers)
    assert all(pair in rest for pair in left)
    assert not {name.lower() for name, _value in left} & HOP_BY_HOP
    if not any(name.lower() == 'connection' for name, _value in headers):
        assert end_to_end(left) == left


@pytest.mark.parametrize(('headers', 'expected'), [
    ([], NO_BODY), (HEADERS, Framing(5, False)), ([('content-length', '0')], Framing(0, False)),
    ([('CONTENT-LENGTH', '007')], Framing(7, False)), ([(CODING, 'chunked')], Framing(None, True)),
    ([('transfer-encoding', 'Chunked')], Framing(None, True)),
    ([('Content-Length', '9' * 18)], Framing(10 ** 18 - 1, False)),
    ([('X_A', '1'), ('Content-Length-X', 'x'), ('X', 'a\tb\x0b\x85')], NO_BODY)])
def test_the_end_of_a_body_follows_from_the_requests_headers(headers, expected):
    assert framing(headers) == expected


BAD_LENGTHS = ['', '+5', '-5', '5_0', '0x5', ' 5', '5 ', '5,5', '5, 5', '5;', '5.0', '1e3',
               '\u0665', '\xb2', 'five', '9' * 19, '5\x0b', '5\t']
BAD_CODINGS = ['', 'identity', 'gzip', 'gzip, chunked', 'chunked, chunked', 'chunked,', ' chunked',
               'chunked ', '\x0bchunked', 'chunked;q=1', 'x-chunked', '"chunked"', 'chun\u212aed']
BAD = {
    'both': [('Content-Length', '5'), (CODING, 'chunked')],
    'both in another order': [(CODING, 'chunked'), ('Host', 'a'), ('content-length', '5')],
    'two lengths': [('Content-Length', '5'), ('Content-Length', '6')],
    'one length twice': [('Content-Length', '5'), ('content-length', '5')],
    'one coding twice': [(CODING, 'chunked'), (CODING, 'chunked')],
    'another coding': [(CODING, 'identity'), (CODING, 'chunked')],
    'length that some read': [('Content_Length', '5')],
    'length that some read, too': [('Content-Length', '5'), ('content_length', '5')],
    'coding that some read': [('Transfer_Encoding', 'chunked')],
    **{f'length {value!r}': [('Content-Length', value)] for value in BAD_LENGTHS},
    **{f'coding {value!r}': [(CODING, value)] for value in BAD_CODINGS},
    **{f'name {name!r}': [(name, '5')] for name in (
        '', ' ', 'Content-Length ', ' Content-Length', 'Content-Length\t', 'a b', 'a:', 'a\r',
        'a\n', 'a\0', 'a\x7f', 'a(b)', 'a/b', 'a@b', '"a"', 'a\u0131', '\u20ac')},
    **{f'value {value!r}': [('X-A', value)] for value in (
        'a\r\nb: c', 'a\r\n b', 'a\rb', 'a\nb', 'a\0b', '\r', '\n', '\0', 'a\u20ac', '\ud800')}}


@pytest.mark.parametrize('name', BAD)
def test_a_request_that_servers_read_differently_is_refused(name):
    with pytest.raises(WireError):
        framing(BAD[name])
    with pytest.raises(WireError):
        framing([('Host', 'a'), *BAD[name], ('X-B', 'c')])
    with pytest.raises(WireError):
        request_head('PUT', '/v1/a/c/o', BAD[name])


@pytest.mark.parametrize(('name', 'fault'), [
    ("length '+5'", r"Content-Length is a number of at most 18 digits, not '\+5'"),
    ('both', 'a message has either Content-Length or Transfer-Encoding, not both')])
def test_the_error_says_what_is_wrong_with_the_headers(name, fault):
    with pytest.raises(WireError, match=fault):
        framing(BAD[name])


def test_a_requests_head_is_written_byte_for_byte():
    assert request_head('PUT', '/v1/AUTH_a/c/o%20b?x=1&y', HEADERS) == (
        b'PUT /v1/AUTH_a/c/o%20b?x=1&y HTTP/1.1\r\nHost: swift:8080\r\nX-Auth-Token: AUTH_tk0\r\n'
        b'Content-Length: 5\r\nX-Object-Meta-Note: a  b\t\xc3\xa9\r\n'
        b'X-Object-Meta-N\xc3\xa9: 1\r\n\r\n')
    assert request_head('OPTIONS', '*', []) == b'OPTIONS * HTTP/1.1\r\n\r\n'
    assert request_head('GET', '/\xc3\xa9', []) == b'GET /\xc3\xa9 HTTP/1.1\r\n\r\n'


@pytest.mark.parametrize('method', [
    '', 'GET ', ' GET', 'GET\r\n', 'G\nT', 'G\0T', 'G T', 'G/T', 'G:', 'GÉT', 'G\x7f'])
def test_a_method_that_is_no_token_is_refused(method):
    with pytest.raises(WireError, match='is not a valid method'):
        request_head(method, '/', [])


@pytest.mark.parametrize('target', [
    '', ' ', 'v1', '**', 'http://a/b', '//a b', '/a b', '/a\r\nX: y', '/a\n', '/a\r', '/a\0',
    '/a\t', '/a\x7f', '/a\x0b', '/\u20ac', '/a HTTP/1.1', '*/'])
def test_a_target_that_is_no_path_or_has_blanks_is_refused(target):
    with pytest.raises(WireError, match='is not a path'):
        request_head('GET', target, [])


@given(SOUND)
def test_pythons_http_client_reads_the_same_headers_back(headers):
    file = io.BytesIO(request_head('GET', '/a', headers))
    assert file.readline() == b'GET /a HTTP/1.1\r\n'
    read = http.client.parse_headers(file)
    assert [(name, value.strip(' ')) for name, value in read.items()] == headers
    assert file.read() == b''


@given(TOKENS | st.text(), st.text() | st.text(alphabet='/a? \r\n%\0').map('/{}'.format), PAIRS)
def test_any_head_is_refused_or_contains_exactly_one_request(method, target, headers):
    try:
        head = request_head(method, target, headers)
    except WireError:
        return
    first, *lines = head.split(b'\r\n')
    assert first.split(b' ') == [method.encode(), target.encode('latin-1'), b'HTTP/1.1']
    assert lines[-2:] == [b'', b'']
    assert [tuple(line.decode('latin-1').split(': ', 1)) for line in lines[:-2]] == headers
    assert head.count(b'\r') == head.count(b'\n') == len(headers) + 2
    assert b'\0' not in head


@given(PAIRS)
def test_any_accepted_request_has_at_most_one_framing_header(headers):
    try:
        length, chunked = framing(headers)
    except WireError:
        return
    framing_headers = [(name.lower(), value) for name, value in headers
            if name.lower() in ('content-length', 'transfer-encoding')]
    assert len(framing_headers) <= 1
    assert chunked == ([name for name, _value in framing_headers] == ['transfer-encoding'])
    assert length == (int(framing_headers[0][1]) if framing_headers and not chunked else None)
