"""Heads of other proxies' HTTP answers: where the body ends, and which heads are refused."""
import http.client
import io
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.errors import WireError
from swift_lb.wire.http_head import AnswerHead, answer_head

OK, LENGTH, CHUNKED = b'HTTP/1.1 200 OK', b'Content-Length: 5', b'Transfer-Encoding: chunked'
CLOSE = b'Connection: close'
LINES = st.lists(st.sampled_from([
    OK, b'HTTP/1.0 404 Not Found', b'HTTP/1.1 204 No Content', b'HTTP/1.1 100 Continue', LENGTH,
    b'Content-Length: 0', CHUNKED, CLOSE, b'a: b', b' folded', b'a', b':', b'', b'a\nb', b'\r',
    b'\0', b'\xff: \xff']) | st.binary(max_size=9), max_size=6)
TOKENS = st.from_regex(r"X-[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}", fullmatch=True)
TEXTS = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters='\x7f'),
                max_size=20).map(lambda text: text.strip(' '))


def read(*lines, method='GET'):
    """Return the AnswerHead of the header lines `lines`, bytes, in answer to a `method` request."""
    return answer_head(b'\r\n'.join(lines), method)


def test_status_headers_and_length_of_an_answer_head_are_parsed():
    assert read(OK, b'Content-Type: text/plain', b'content-length:5', b'ETag:\t "a" \t', b'X-A:',
                b'x-a: a: b', b'X-Object-Meta-N\xc3\xa9: \xc3\xa9') == AnswerHead(
        200, 'OK', [('Content-Type', 'text/plain'), ('content-length', '5'), ('ETag', '"a"'),
                    ('X-A', ''), ('x-a', 'a: b'), ('X-Object-Meta-N\xc3\xa9', '\xc3\xa9')],
        5, False, True)


@pytest.mark.parametrize(('lines', 'expected'), [
    ([OK, LENGTH], (5, False, True)), ([OK, b'Content-Length: 0'], (0, False, True)),
    ([OK, CHUNKED], (None, True, True)), ([OK, b'transfer-encoding:CHUNKED'], (None, True, True)),
    ([OK], (None, False, False)), ([OK, LENGTH, CLOSE], (5, False, False)),
    ([OK, CHUNKED, CLOSE], (None, True, False)),
    ([OK, LENGTH, b'connection: x, Close'], (5, False, False)),
    ([OK, LENGTH, b'Connection: x', b'Connection: close'], (5, False, False)),
    ([OK, LENGTH, b'Connection: keep-alive'], (5, False, True)),
    ([OK, LENGTH, b'Connection: closed'], (5, False, True)),
    ([b'HTTP/1.0 400 Bad Request', LENGTH], (5, False, False)),
    ([b'HTTP/1.0 200 OK', LENGTH, b'Connection: keep-alive'], (5, False, False)),
    ([b'HTTP/1.0 200 OK'], (None, False, False)),
    ([b'HTTP/1.1 599 x', LENGTH], (5, False, True)), ([b'HTTP/1.1 200', LENGTH], (5, False, True)),
    ([b'HTTP/1.1 205 Reset Content'], (None, False, False))])
def test_the_end_of_an_answers_body_follows_from_its_headers(lines, expected):
    assert read(*lines)[3:] == expected


@pytest.mark.parametrize(('lines', 'method', 'keep'), [
    ([OK, LENGTH], 'HEAD', True), ([OK, CHUNKED], 'HEAD', True), ([OK], 'HEAD', True),
    ([OK, LENGTH, CLOSE], 'HEAD', False), ([b'HTTP/1.1 204 No Content'], 'GET', True),
    ([b'HTTP/1.1 204 No Content', b'Content-Length: 0'], 'PUT', True),
    ([b'HTTP/1.1 204 No Content', LENGTH], 'HEAD', True),
    ([b'HTTP/1.1 304 Not Modified', LENGTH], 'GET', True),
    ([b'HTTP/1.1 304 Not Modified', CLOSE], 'GET', False),
    ([b'HTTP/1.0 304 Not Modified'], 'GET', False),
    ([b'HTTP/1.1 100 Continue'], 'PUT', True), ([b'HTTP/1.1 103 Early Hints'], 'PUT', True),
    *(([first, line], 'GET', False) for line in (LENGTH, CHUNKED)     # a body may follow
      for first in (b'HTTP/1.1 204 No Content', b'HTTP/1.1 100 Continue'))])
def test_answers_that_cannot_have_a_body_get_length_0(lines, method, keep):
    assert read(*lines, method=method)[3:] == (0, False, keep)


@pytest.mark.parametrize('first', [
    b'', b'HTTP/1.1', b'HTTP/1.1 ', b'HTTP/1.1 20 OK', b'HTTP/1.1 2000 OK', b'HTTP/1.1 000 OK',
    b'HTTP/1.1 600 OK', b'HTTP/1.1 099 OK', b'HTTP/1.1  200 OK', b'HTTP/1.1\t200 OK',
    b'HTTP/1.1 200OK', b'HTTP/1.1 +20 OK', b'HTTP/2 200', b'HTTP/2.0 200 OK', b'HTTP/1.2 200 OK',
    b'HTTP/0.9 200 OK', b'http/1.1 200 OK', b' HTTP/1.1 200 OK', b'xHTTP/1.1 200 OK',
    b'HTTP/1.1 200 O\x01K', b'HTTP/1.1 200 \x7f', b'ICY 200 OK', b'HTTP/1.1 \xb2\xb2\xb2 OK',
    b'HTTP/1.1 101 Switching Protocols', b'GET / HTTP/1.1', b'HTTP/1.1 200 OK\n', b'\r\n' + OK,
    b'HTTP/1.1 200 OK\r'])
def test_a_malformed_status_line_is_refused(first):
    with pytest.raises(WireError):
        read(first, LENGTH)


@pytest.mark.parametrize('lines', [
    [LENGTH, CHUNKED], [CHUNKED, LENGTH], [LENGTH, LENGTH], [LENGTH, b'content-length: 6'],
    [CHUNKED, CHUNKED], [b'Content-Length: 5, 5'], [b'Content-Length: +5'],
    [b'Content-Length: 5_0'], [b'Content-Length: 0x5'], [b'Content-Length:'],
    [b'Content-Length: -1'], [b'Content-Length: \xb2'], [b'Content-Length: 5\x0b'],
    [b'Content-Length: ' + b'9' * 5000], [b'Transfer-Encoding: identity'],
    [b'Transfer-Encoding: gzip, chunked'], [b'Transfer-Encoding: chunked, chunked'],
    [b'Transfer-Encoding:'], [b'Content-Length : 5'], [b' Content-Length: 5'],
    [b'a: b', b' c: d'], [b'a: b', b'\tc'], [b'a'], [b''], [b'a: b', b'', b'c: d'], [b': a'],
    [b'a b: c'], [b'a\0: c'], [b'a: \0'], [b'a: b\nc: d'], [b'a: b\rc: d'], [b'a: b\n'],
    [b'a: b\r'], [b'a: b\n\r'], [b'\na: b'], [b'a: b\n\n']])
def test_a_head_that_parsers_read_differently_is_refused(lines):
    for method in ('GET', 'HEAD'):
        with pytest.raises(WireError):
            read(OK, *lines, method=method)
        with pytest.raises(WireError):
            read(OK, b'Server: x', *lines, b'X-A: b', method=method)


def test_an_http_1_0_answer_with_transfer_encoding_is_refused():
    with pytest.raises(WireError, match=r'HTTP/1\.0'):
        read(b'HTTP/1.0 200 OK', CHUNKED)


@given(LINES, st.sampled_from(['GET', 'HEAD', 'PUT']))
def test_any_bytes_are_parsed_as_an_answer_head_or_refused(lines, method):
    data = b'\r\n'.join(lines)
    try:
        head = answer_head(data, method)
    except WireError:
        return
    assert len(head.headers) == data.count(b'\n') == data.count(b'\r') == data.count(b'\r\n')
    assert head.length is None or not head.chunked
    assert not head.keep or head.chunked or head.length is not None
    assert head.length == 0 or method != 'HEAD'


@given(st.lists(st.tuples(TOKENS, TEXTS), max_size=8), st.integers(200, 599), TEXTS)
def test_answer_heads_are_parsed_as_pythons_http_client_does(headers, status, reason):
    lines = [f'HTTP/1.1 {status} {reason}', *(f'{name}: {value}' for name, value in headers)]
    data = '\r\n'.join(lines).encode('latin-1')
    other = http.client.HTTPResponse(SimpleNamespace(
        makefile=lambda _mode: io.BytesIO(data + b'\r\n\r\n')), method='GET')
    other.begin()
    head = answer_head(data, 'GET')
    assert (head.status, head.headers) == (other.status, [
        (name, value.strip(' ')) for name, value in other.getheaders()])
    assert head.reason == reason
    assert head.keep == (not other.will_close)
